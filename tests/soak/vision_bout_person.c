#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/soak/vision_bout_private.h"

enum { TASK_S_MAX = 120 }; // a person's task never takes longer

#define OFF_POINT 0.4 // of the pitch: further off its point no stone has to be read

// --- the person ---

void bout_on_done(void *user, int result)
{
    struct bout *b = user;
    b->doing = false;
    if (result < 0 && result != -ECANCELED && b->o->chatty)
        printf("    the person could not do all of it (%s)\n", strerror(-result));
}

int bout_finish_task(struct bout *b, int begun)
{
    if (begun < 0)
        return error_set(b->err, begun, "the person refuses the task");
    b->doing = true;
    int r = 0;
    for (int i = 0; r == 0 && b->doing && i < TASK_S_MAX * BOUT_FPS; i++)
        r = bout_step(b);
    return r;
}

int bout_do_task(struct bout *b, const struct person_task *task)
{
    return bout_finish_task(b, person_do(table_person(b->table), task, bout_on_done, b));
}

void bout_add_lift(struct person_task *task, struct point p)
{
    if (task->lifts == PERSON_LIFTS_MAX)
        return;
    task->lift[task->lifts][0] = (int)p.x;
    task->lift[task->lifts++][1] = (int)p.y;
}

bool bout_is_fair(const struct bout *b)
{
    int8_t lies[SETUP_LINES_MAX * SETUP_LINES_MAX];
    const struct setup_board *board = &b->setup.board;
    const struct world *w = table_world(b->table);
    table_truth(b->table, lies);
    for (int i = 0; i < board->columns * board->rows; i++) {
        int want = (int)game_at(&b->truth, i % board->columns, i / board->columns);
        bool late = false;
        for (int k = 0; k < b->lates; k++)
            late |= b->late[k].y * board->columns + b->late[k].x == i;
        if (!late && lies[i] != want)
            return false;
    }
    for (int i = 0; i < w->stone_count; i++) {
        const struct world_stone *s = &w->stone[i];
        double u = s->x / board->pitch_x, v = s->y / board->pitch_y;
        bool on = u > -0.5 && v > -0.5 && u < board->columns - 0.5 && v < board->rows - 0.5;
        if (s->place == PLACE_TABLE && on && hypot(u - round(u), v - round(v)) > OFF_POINT)
            return false;
    }
    return true;
}

// --- what is played ---

static bool is_late(const struct bout *b, struct move m)
{
    for (int i = 0; i < b->lates; i++) {
        if (b->late[i].x == m.x && b->late[i].y == m.y)
            return true;
    }
    return false;
}

bool bout_has_neighbour(const struct game *g, int x, int y)
{
    for (int dy = -2; dy <= 2; dy++) {
        for (int dx = -2; dx <= 2; dx++) {
            struct point p = {(int8_t)(x + dx), (int8_t)(y + dy)};
            if ((dx || dy) && point_on_board(p, g->rules.size) && game_at(g, p.x, p.y))
                return true;
        }
    }
    return false;
}

bool bout_choose_move(struct bout *b, struct move *ret)
{
    struct move legal[LEGAL_MAX];
    int count = (int)game_legal(&b->truth, legal);
    bool take = rng_below(&b->rng, 10) < 7, near = rng_below(&b->rng, 10) < 7;
    for (int i = 0; take && i < count; i++) {
        struct effect effect;
        if (legal[i].kind == MOVE_PLACE && !is_late(b, legal[i]) &&
            game_check(&b->truth, legal[i], &effect) == REASON_NONE &&
            effect.captured_count + effect.poofed_count > 0) {
            *ret = legal[i];
            return true;
        }
    }
    for (int i = 0; count > 0 && i < BOUT_TRIES; i++) {
        struct move m = legal[rng_below(&b->rng, (uint32_t)count)];
        if (m.kind == MOVE_PLACE && !is_late(b, m) &&
            (!near || i > BOUT_TRIES / 2 || bout_has_neighbour(&b->truth, m.x, m.y))) {
            *ret = m;
            return true;
        }
    }
    return false;
}

void bout_play_move(struct bout *b, struct move move, bool lifts, struct person_task *task)
{
    struct effect effect;
    move.colour = (uint8_t)game_next_colour(&b->truth);
    *task = (struct person_task){.colour = move.colour, .column = move.x, .row = move.y};
    game_play(&b->truth, move, &effect);
    b->queue[b->queued++] = move;
    for (int i = 0; i < b->lates; i++)
        bout_add_lift(task, b->late[i]);
    b->lates = 0;
    for (int k = 0; k < effect.captured_count + effect.poofed_count; k++) {
        struct point p = k < effect.captured_count ? effect.captured[k]
                                                   : effect.poofed[k - effect.captured_count];
        if (lifts)
            bout_add_lift(task, p);
        else
            b->late[b->lates++] = p;
    }
}
