#include "rules/engine/review.h"

#include <errno.h>
#include <stdlib.h>

#include "config/base/clock.h"

#define INACCURACY_LOSS 0.10
#define MISTAKE_LOSS    0.25
#define OPEN_CHANCE     0.30 // a position with less is as good as lost

const char *review_mark_name(enum review_mark mark)
{
    static const char *const names[] = {"", "inaccuracy", "mistake", "decisive mistake"};
    return names[mark];
}

static enum review_mark judge(double before, double after)
{
    if (before >= OPEN_CHANCE && after < 0.05)
        return REVIEW_DECISIVE;
    if (before - after >= MISTAKE_LOSS)
        return REVIEW_MISTAKE;
    return before - after >= INACCURACY_LOSS ? REVIEW_INACCURACY : REVIEW_FINE;
}

struct reviewing {
    struct engine *engine;
    int64_t ms;
    uint64_t nodes;
    atomic_int *stop;
};

// The chance to win of the side to move in *game, and its best move.
static int look(const struct reviewing *r, const struct game *game, double *ret_chance,
                struct move *ret_best, struct error *err)
{
    static _Thread_local struct engine_thought thought;
    struct engine_limits limits = {.nodes = r->nodes};
    if (!r->nodes)
        limits.deadline_ns = clock_monotonic_ns() + r->ms * NS_PER_MS;
    int code = engine_think(r->engine, game, &limits, true, r->stop, NULL, NULL, &thought, err);
    if (code < 0)
        return code;
    *ret_chance = thought.line[0].win_chance;
    *ret_best = thought.line[0].move;
    return 0;
}

// The chance of `side` in the position after its move.
static int look_after(const struct reviewing *r, const struct game *after, unsigned side,
                      double *ret_chance, struct error *err)
{
    struct move unused;
    if (after->result.over) {
        *ret_chance = !after->result.winner ? 0.5 : after->result.winner == side;
        return 0;
    }
    int code = look(r, after, ret_chance, &unused, err);
    if (code == 0 && after->rules.sides[game_next_colour(after)] != side)
        *ret_chance = 1 - *ret_chance;
    return code;
}

int review_game(struct engine *engine, const struct game *game, int64_t ms, uint64_t nodes,
                atomic_int *stop, review_told *told, void *user, struct error *err)
{
    struct reviewing r = {engine, ms, nodes, stop};
    struct game *replay = malloc(2 * sizeof *replay), *before = replay + 1;
    int code = 0;
    if (!replay)
        return error_set(err, -ENOMEM, "There is not enough memory for a review.");
    game_init(replay, &game->rules);
    for (size_t i = 0; i < game->entries && code == 0 && !(stop && atomic_load(stop)); i++) {
        struct review_move m = {.played = game_move(game, i)};
        *before = *replay;
        int stone = m.played.kind == MOVE_PLACE && !game_choice_pending(before);
        unsigned side = before->rules.sides[game_next_colour(before)];
        if (stone)
            code = look(&r, before, &m.chance_before, &m.best, err);
        if (code == 0 && game_play(replay, m.played, NULL) != REASON_NONE)
            code = error_set(err, -EINVAL,
                             "The game did not start from an empty board: it can't be replayed.");
        if (code < 0 || !stone)
            continue;
        if (move_equal(m.played, m.best))
            m.chance_after = m.chance_before;
        else
            code = look_after(&r, replay, side, &m.chance_after, err);
        // What looks better afterwards was at least as good before.
        if (m.chance_after > m.chance_before)
            m.chance_before = m.chance_after;
        m.mark = judge(m.chance_before, m.chance_after);
        if (code == 0)
            told(user, before, i, &m);
    }
    free(replay);
    return code;
}
