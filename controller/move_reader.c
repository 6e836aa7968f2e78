#include "controller/move_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rules/notation.h"

static double log_of(const struct evidence *e, int x, int y, unsigned class)
{
    return evidence_log(e, y * e->columns + x, (int)class);
}

// How much better (or worse) this move explains the board than "no move", nats.
static double gain(const struct game *game, const struct evidence *e, struct move move,
                   const struct effect *effect)
{
    double sum = log_of(e, move.x, move.y, move.colour) - log_of(e, move.x, move.y, 0);
    for (int i = 0; i < effect->captured_count; i++) {
        struct point p = effect->captured[i];
        double there = log_of(e, p.x, p.y, game_at(game, p.x, p.y)), off = log_of(e, p.x, p.y, 0);
        if (off > there) // lifted already; otherwise it lies there still, as in "no move"
            sum += off - there;
    }
    return sum;
}

struct candidates {
    struct move best, second; // colour 0 = no move
    double best_gain, second_gain;
};

static void weigh(struct candidates *c, struct move move, double g)
{
    if (g > c->best_gain) {
        c->second = c->best;
        c->second_gain = c->best_gain;
        c->best = move;
        c->best_gain = g;
    } else if (g > c->second_gain) {
        c->second = move;
        c->second_gain = g;
    }
}

static void weigh_all(const struct game *game, const struct evidence *e, struct candidates *c)
{
    const struct move none = {0};
    *c =
        (struct candidates){.best = none, .second = none, .best_gain = 0, .second_gain = -INFINITY};
    struct move legal[LEGAL_MAX];
    size_t count = game_legal(game, legal);
    unsigned colour = game_next_colour(game);
    for (size_t i = 0; i < count; i++) {
        struct move move = legal[i];
        if (move.kind != MOVE_PLACE)
            continue;
        move.colour = (uint8_t)colour;
        struct effect effect;
        if (game_check(game, move, &effect) == REASON_NONE)
            weigh(c, move, gain(game, e, move, &effect));
    }
}

// Looks at every point: does it agree with the board after `move` (colour 0: with the board as it
// was)? Fills left, unsure and wrong.
static void verify(const struct game *game, const struct evidence *e, const struct sureness *sure,
                   struct move move, struct reading *r)
{
    int size = game->rules.size;
    uint8_t want[POINTS_MAX], also[POINTS_MAX];
    for (int i = 0; i < size * size; i++)
        want[i] = also[i] = (uint8_t)game_at(game, i % size, i / size);
    struct effect effect = {0};
    if (move.colour && game_check(game, move, &effect) == REASON_NONE)
        want[move.y * size + move.x] = also[move.y * size + move.x] = move.colour;
    for (int i = 0; i < effect.captured_count; i++)
        want[effect.captured[i].y * size + effect.captured[i].x] = 0;
    for (int i = 0; i < size * size; i++) {
        int x = i % size, y = i / size, p = y * e->columns + x;
        int seen = evidence_log(e, p, also[i]) > evidence_log(e, p, want[i]) ? also[i] : want[i];
        int best = evidence_best(e, p, NULL);
        double against = evidence_log(e, p, best) - evidence_log(e, p, seen);
        if (against > sure->wrong && !evidence_covered(e, p))
            differences_add(&r->wrong, x, y, game_at(game, x, y), (unsigned)best);
        else if (against > sure->doubt || evidence_covered(e, p))
            r->unsure[r->unsure_count++] = (struct point){(int8_t)x, (int8_t)y};
        else if (seen != want[i])
            r->left[r->left_count++] = (struct point){(int8_t)x, (int8_t)y};
    }
}

void move_reader_judge(const struct game *game, const struct evidence *e,
                       const struct sureness *sure, struct reading *ret)
{
    memset(ret, 0, sizeof *ret);
    ret->kind = READING_WAIT;
    int size = game->rules.size;
    if (e->frames < sure->frames || e->columns != size || e->rows != size)
        return;
    struct candidates c;
    weigh_all(game, e, &c);
    ret->move = c.best;
    ret->second = c.second;
    ret->odds = c.best_gain - c.second_gain;
    verify(game, e, sure, c.best, ret);
    if (ret->wrong.count) {
        // Say what differs from the position people know, not from the best guess.
        ret->kind = READING_WRONG;
        ret->wrong.count = ret->unsure_count = ret->left_count = 0;
        verify(game, e, sure, (struct move){0}, ret);
    } else if (ret->unsure_count || ret->odds < sure->wrong) {
        ret->kind = c.best.colour || ret->unsure_count ? READING_DOUBT : READING_NOTHING;
    } else {
        ret->kind = c.best.colour ? READING_MOVE : READING_NOTHING;
    }
}

char *move_reading_text(const struct reading *r, const struct game *game,
                        const struct colour_names *names, char *buf, size_t size)
{
    char a[MOVE_TEXT_MAX], b[MOVE_TEXT_MAX], points[128];
    buf[0] = 0;
    switch (r->kind) {
    case READING_WAIT:
        snprintf(buf, size, "the board is not still yet");
        break;
    case READING_NOTHING:
        snprintf(buf, size, "no new stone on the board");
        break;
    case READING_MOVE:
        move_format(&game->rules, r->move, buf);
        break;
    case READING_DOUBT:
        if (r->unsure_count)
            snprintf(buf, size, "%s can't be made out clearly",
                     points_text(r->unsure, r->unsure_count, points, sizeof points));
        else if (r->second.colour)
            snprintf(buf, size, "this may be %s or %s", move_format(&game->rules, r->move, a),
                     move_format(&game->rules, r->second, b));
        else
            snprintf(buf, size, "there may be a stone on %s, or none",
                     move_format(&game->rules, r->move, a));
        break;
    case READING_WRONG:
        differences_text(&r->wrong, game, names, buf, size);
        break;
    }
    return buf;
}
