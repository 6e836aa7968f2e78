#include "rules/engine/balanced.h"

#include <errno.h>
#include <stdlib.h>

enum {
    JUDGE_NODES = 8000,   // for each opening tried,
    JUDGE_AGAIN = 150000, // and once more for those that seem balanced
    TRIES = 400,
    CROWDED_PLY = 40, // from here stones may lie anywhere
};

static int random_opening(const struct variant *variant, int moves, struct rng *rng,
                          struct game *game)
{
    static _Thread_local struct move legal[LEGAL_MAX];
    int middle = variant->size / 2, reach = variant->family == FAMILY_PENTAGO ? 6 : 3;
    game_init(game, variant);
    while ((int)game->entries < moves) {
        size_t count = game_legal(game, legal);
        struct move move = legal[rng_below(rng, (uint32_t)count)];
        if (game_choice_pending(game))
            move = move_choice(MOVE_FIRST);
        else if (count > 1 && (abs(move.x - middle) > reach || abs(move.y - middle) > reach) &&
                 game->ply < CROWDED_PLY && rng_below(rng, 50))
            continue;
        if (move.kind == MOVE_PLACE)
            move.colour = (uint8_t)game_next_colour(game);
        if (game_play(game, move, NULL) != REASON_NONE || game->result.over)
            return -ERANGE;
    }
    return 0;
}

static bool seems_balanced(struct engine *judge, const struct game *game, uint64_t nodes, int limit)
{
    static _Thread_local struct engine_thought thought;
    const struct engine_limits limits = {.nodes = nodes};
    return engine_think(judge, game, &limits, true, NULL, NULL, NULL, &thought, NULL) < 0 ||
           abs(thought.line[0].score) <= limit;
}

int balanced_opening(struct engine *judge, const struct variant *variant, int moves, int limit,
                     struct rng *rng, struct game *game)
{
    for (int i = 0; i < TRIES; i++) {
        if (random_opening(variant, moves, rng, game) < 0)
            continue;
        if (game_choice_pending(game) || (seems_balanced(judge, game, JUDGE_NODES, limit) &&
                                          seems_balanced(judge, game, JUDGE_AGAIN, limit)))
            return 0;
    }
    return -ERANGE;
}
