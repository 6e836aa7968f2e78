// Pentago as a game: marble, five, twist, fives of both, full board (A12).
#include "rules/game_internal.h"

// Some block lets the player omit the twist. It is looked for after the marble (B28).
static bool twist_may_be_omitted(const struct game *game, struct pentago after)
{
    if (game->rules.twist == TWIST_ALWAYS)
        return false;
    for (unsigned lane = 0; lane < PENTAGO_BLOCKS; lane++)
        if (game->rules.neutral == NEUTRAL_RULEBOOK ? pentago_lane_neutral(after, lane)
                                                    : pentago_lane_symmetric(after, lane))
            return true;
    return false;
}

static struct pentago with_marble(const struct game *game, int x, int y)
{
    struct pentago after = game->pentago;
    after.marbles[game_turn_colour(game) - 1] |= pentago_bit((unsigned)x, (unsigned)y);
    return after;
}

static bool marble_wins(const struct game *game, struct pentago after)
{
    return game->rules.place_wins && pentago_five(after.marbles[game_turn_colour(game) - 1]);
}

enum reason pentago_check(const struct game *game, struct move move)
{
    if (!point_on_board((struct point){move.x, move.y}, PENTAGO_SIZE))
        return REASON_OFF_BOARD;
    if (game_at(game, move.x, move.y) != 0)
        return REASON_OCCUPIED;
    bool quarter = move.turn == PENTAGO_CLOCKWISE || move.turn == PENTAGO_ANTICLOCKWISE;
    if (move.block != 0)
        return move.block >= 1 && move.block <= PENTAGO_BLOCKS && quarter ? REASON_NONE
                                                                          : REASON_BAD_TWIST;
    struct pentago after = with_marble(game, move.x, move.y);
    return marble_wins(game, after) || twist_may_be_omitted(game, after) ? REASON_NONE
                                                                         : REASON_TWIST_REQUIRED;
}

static void judge(struct game *game, unsigned mover)
{
    bool own = pentago_five(game->pentago.marbles[mover - 1]);
    bool enemy = pentago_five(game->pentago.marbles[2 - mover]);
    if (own && enemy)
        game->result = (struct result){true, 0, HOW_BOTH};
    else if (own || enemy)
        game->result = (struct result){true, (uint8_t)(own ? mover : 3 - mover), HOW_FIVE};
    else if (game->stones == game->points)
        game->result = (struct result){true, 0, HOW_FULL};
}

void pentago_lay(struct game *game, struct move move, struct history_entry *entry)
{
    unsigned mover = game_turn_colour(game);
    entry->cell = (uint16_t)(move.y * 6 + move.x);
    game->pentago = with_marble(game, move.x, move.y);
    bool won = marble_wins(game, game->pentago);
    // A twist sent together with a winning marble is not carried out (B33).
    if (move.block != 0 && !won) {
        unsigned lane = pentago_lane((unsigned)move.block);
        game->pentago = pentago_twist(game->pentago, lane, (enum pentago_turn)move.turn);
        entry->twist = (uint8_t)((1 + 2 * lane + (move.turn != PENTAGO_CLOCKWISE)) & 15);
    }
    game->stones++;
    game->ply++;
    judge(game, mover);
}

void pentago_undo(struct game *game, const struct history_entry *entry)
{
    if (entry->twist != 0)
        game->pentago =
            pentago_twist(game->pentago, (entry->twist - 1u) / 2,
                          (entry->twist - 1) % 2 ? PENTAGO_CLOCKWISE : PENTAGO_ANTICLOCKWISE);
    game->stones--;
    game->ply--;
    uint64_t bit = 1ull << pentago_bit_of[entry->cell];
    game->pentago.marbles[game_turn_colour(game) - 1] &= ~bit;
}

size_t pentago_legal(const struct game *game, struct move out[LEGAL_MAX])
{
    size_t count = 0;
    unsigned colour = game_turn_colour(game);
    for (int hole = 0; hole < PENTAGO_HOLES; hole++) {
        int x = hole % 6, y = hole / 6;
        if (game_at(game, x, y) != 0)
            continue;
        struct pentago after = with_marble(game, x, y);
        bool wins = marble_wins(game, after);
        if (wins || twist_may_be_omitted(game, after))
            out[count++] = move_twist(colour, x, y, 0, 0);
        for (int block = 1; block <= PENTAGO_BLOCKS && !wins; block++) {
            out[count++] = move_twist(colour, x, y, block, PENTAGO_CLOCKWISE);
            out[count++] = move_twist(colour, x, y, block, PENTAGO_ANTICLOCKWISE);
        }
    }
    return count;
}
