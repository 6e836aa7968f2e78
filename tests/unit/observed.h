// observed: observations made from drawings, for tests of what the controller concludes from them.
#pragma once

#include <string.h>

#include "controller/evidence.h"
#include "rules/game.h"
#include "vision/observation.h"

// How sure the eyes are of each point, nats between the class drawn and the others.
#define OBSERVED_SURE 20.0f

static inline void observed_point(struct observation *o, int x, int y, int class, float nats)
{
    struct observation_point *p = &o->point[y * o->columns + x];
    for (int c = 0; c < OBSERVATION_CLASSES; c++)
        p->log_likelihood[c] = c == class ? 0 : -nats;
    p->best = (uint8_t) class;
    p->confidence = 0.99f;
}

// The board of `game`, still.
static inline void observed_game(struct observation *o, const struct game *game)
{
    memset(o, 0, sizeof *o);
    o->columns = o->rows = game->rules.size;
    o->colours = 2;
    o->scene.state = SCENE_STILL;
    for (int y = 0; y < o->rows; y++) {
        for (int x = 0; x < o->columns; x++)
            observed_point(o, x, y, (int)game_at(game, x, y), OBSERVED_SURE);
    }
}

// `frames` frames of the same, 100 ms apart.
static inline void observed_add(struct evidence *e, struct observation *o, int frames)
{
    for (int i = 0; i < frames; i++) {
        o->time_ns += 100000000;
        o->sequence++;
        evidence_add(e, o);
    }
}
