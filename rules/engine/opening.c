#include "rules/engine/opening.h"

#include <errno.h>
#include <stdlib.h>

#include "config/base/clock.h"

enum {
    TRIALS = 12,        // positions compared for the last stone laid
    TRIAL_NODES = 6000, // when the caller sets no limit
    FAIR = 25,          // values smaller than this are as fair as can be told
    SPREAD = 4,         // stones are laid at most so far from the middle
};

static void single(struct engine_thought *ret, struct move move, int score)
{
    *ret = (struct engine_thought){.line_count = 1};
    ret->line[0].move = ret->line[0].pv[0] = move;
    ret->line[0].pv_length = 1;
    ret->line[0].score = score;
    ret->line[0].win_chance = 0.5;
}

bool opening_lays(const struct game *game)
{
    if (game->rules.protocol == PROTOCOL_NONE || game_choice_pending(game))
        return false;
    // The stone is laid for a choice when the same seat goes on laying, or a choice comes next.
    static _Thread_local struct game after;
    static _Thread_local struct move legal[LEGAL_MAX];
    if (game_legal(game, legal) < 1)
        return false;
    after = *game;
    if (game_play(&after, legal[0], NULL) != REASON_NONE || after.result.over)
        return false;
    return game_choice_pending(&after) || game_next_seat(&after) == game_next_seat(game);
}

static int near_middle(const struct game *game, const struct move *legal, size_t count,
                       struct move *near)
{
    int middle = game->rules.size / 2, found = 0;
    for (size_t i = 0; i < count; i++)
        if (abs(legal[i].x - middle) <= SPREAD && abs(legal[i].y - middle) <= SPREAD)
            near[found++] = legal[i];
    return found;
}

// Each trial gets an equal share of what the caller allows.
static struct engine_limits share(const struct engine_limits *limits, int trials)
{
    struct engine_limits each = {.nodes = limits->nodes / (unsigned)trials + 1};
    if (limits->deadline_ns) {
        int64_t now = clock_monotonic_ns();
        each.deadline_ns = now + (limits->deadline_ns - now) / trials;
    }
    if (!limits->nodes)
        each.nodes = TRIAL_NODES;
    return each;
}

int opening_lay(struct rows *rows, const struct game *game, const struct engine_limits *limits,
                struct rng *rng, atomic_int *stop, struct engine_thought *ret)
{
    static _Thread_local struct game after;
    struct move legal[LEGAL_MAX], near[LEGAL_MAX];
    int count = near_middle(game, legal, game_legal(game, legal), near), best_score = 0;
    if (count < 1)
        return -EINVAL;
    int best = -1;
    for (int trial = 0; trial < TRIALS; trial++) {
        int i = (int)rng_below(rng, (uint32_t)count), score;
        after = *game;
        if (game_play(&after, near[i], NULL) != REASON_NONE)
            continue;
        if (best < 0)
            best = i;
        if (!game_choice_pending(&after) || after.result.over)
            break; // more stones follow: any will do
        // Any colour may be taken, so the position is looked at as if the game went on.
        if (game_play(&after, move_choice(MOVE_FIRST), NULL) != REASON_NONE)
            break;
        struct engine_limits each = share(limits, TRIALS - trial);
        int r = rows_value(rows, &after, &each, stop, &score);
        if (r < 0)
            return r;
        if (trial == 0 || abs(score) < abs(best_score)) {
            best = i;
            best_score = score;
        }
        if (stop && atomic_load(stop))
            break;
    }
    single(ret, near[best < 0 ? 0 : best], best_score);
    return 0;
}

int opening_choose(struct rows *rows, const struct game *game, const struct engine_limits *limits,
                   struct rng *rng, atomic_int *stop, struct engine_thought *ret)
{
    static _Thread_local struct game after;
    after = *game;
    if (game_play(&after, move_choice(MOVE_FIRST), NULL) != REASON_NONE)
        return -EINVAL;
    unsigned next = game_next_colour(&after);
    int score = 0;
    struct engine_limits half = share(limits, 1);
    half.nodes = limits->nodes;
    int r = next ? rows_value(rows, &after, &half, stop, &score) : 0;
    if (r < 0)
        return r;
    enum move_kind kind = (score >= 0) == (next == 1) ? MOVE_FIRST : MOVE_SECOND;
    // Nothing to choose between: let the other one choose after two more stones, now and then.
    if (abs(score) < FAIR && game_choice_allowed(game, MOVE_PASS) && rng_below(rng, 2))
        kind = MOVE_PASS;
    single(ret, move_choice(kind), abs(score));
    return 0;
}
