// Explaining a board that was seen: every legal move is tried on a copy and compared.
#include "rules/explain.h"

#include <string.h>

void game_seen(const struct game *game, seen_board ret)
{
    unsigned size = game->rules.size;
    memset(ret, 0, sizeof(seen_board));
    for (unsigned i = 0; i < size * size; i++)
        ret[i] = (uint8_t)game_at(game, (int)(i % size), (int)(i / size));
}

size_t game_differences(const struct game *game, const seen_board seen, struct difference *out)
{
    unsigned size = game->rules.size;
    size_t count = 0;
    for (unsigned i = 0; i < size * size; i++) {
        if (seen[i] == SEEN_UNKNOWN)
            continue;
        unsigned expected = game_at(game, (int)(i % size), (int)(i / size));
        if (expected == seen[i])
            continue;
        if (out)
            out[count] = (struct difference){
                {(int8_t)(i % size), (int8_t)(i / size)}, (uint8_t)expected, seen[i]};
        count++;
    }
    return count;
}

static bool stone_seen(const struct game *game, const seen_board seen, struct move move)
{
    unsigned at = seen[move.y * game->rules.size + move.x];
    return at != 0 && at != SEEN_UNKNOWN;
}

// A move tried: its fit is remembered, and the move itself when it explains the board.
static bool consider(struct game *copy, const seen_board seen, struct move move,
                     struct explanation *ret)
{
    unsigned entries = copy->entries;
    game_play(copy, move, NULL); // only legal moves come here
    size_t count = game_differences(copy, seen, NULL);
    bool better = !ret->has_nearest || count < ret->nearest_count ||
                  (count == ret->nearest_count && stone_seen(copy, seen, move) &&
                   !stone_seen(copy, seen, ret->nearest));
    if (better) {
        ret->has_nearest = true;
        ret->nearest = move;
        ret->nearest_count = count;
        game_differences(copy, seen, ret->nearest_differences);
    }
    while (copy->entries > entries)
        game_undo(copy);
    if (count != 0)
        return false;
    if (ret->move_count < EXPLAIN_MOVES_MAX)
        ret->moves[ret->move_count++] = move;
    else
        ret->more = true;
    return true;
}

// Empty points where the seen board has, or may have, a stone of the colour to move. *ret_known =
// those where it certainly has.
static unsigned pair_candidates(const struct game *game, const seen_board seen,
                                struct point out[POINTS_MAX], unsigned *ret_known)
{
    unsigned size = game->rules.size, colour = game_next_colour(game), count = 0;
    *ret_known = 0;
    for (unsigned i = 0; i < size * size; i++) {
        struct point p = {(int8_t)(i % size), (int8_t)(i / size)};
        if (game_at(game, p.x, p.y) != 0 || (seen[i] != colour && seen[i] != SEEN_UNKNOWN))
            continue;
        *ret_known += seen[i] == colour;
        out[count++] = p;
    }
    return count;
}

static int known_at(const struct game *game, const seen_board seen, struct point p)
{
    return seen[p.y * game->rules.size + p.x] != SEEN_UNKNOWN;
}

// Connect6: two stones at once. All known stones must be among the two, so the pairs are few
// unless hardly anything could be made out.
static void consider_pairs(struct game *copy, const seen_board seen, struct explanation *ret)
{
    struct point points[POINTS_MAX];
    unsigned known;
    unsigned count = pair_candidates(copy, seen, points, &known);
    if (known > 2 || known != ret->difference_count)
        return;
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = i + 1; j < count && !ret->more; j++) {
            struct point a = points[i], b = points[j];
            if (known_at(copy, seen, a) + known_at(copy, seen, b) != (int)known)
                continue; // a stone that was certainly seen would be missing
            // The first stone of a pair may win and end the turn; then the other order counts.
            if (!consider(copy, seen, move_pair(game_next_colour(copy), a, b), ret))
                consider(copy, seen, move_pair(game_next_colour(copy), b, a), ret);
        }
}

void game_explain(const struct game *game, const seen_board seen, struct explanation *ret)
{
    ret->move_count = 0;
    ret->more = false;
    ret->has_nearest = false;
    ret->nearest_count = 0;
    ret->difference_count = game_differences(game, seen, ret->differences);
    ret->unchanged = ret->difference_count == 0;
    if (game_choice_pending(game)) // a choice leaves the board as it is
        return;
    struct game copy = *game;
    struct move legal[LEGAL_MAX];
    size_t count = game_legal(&copy, legal);
    for (size_t i = 0; i < count; i++)
        consider(&copy, seen, legal[i], ret);
    if (count > 0 && game_stones_due(game) == 2)
        consider_pairs(&copy, seen, ret);
}
