// Fingerprints of positions. The part of stones and counters is kept up to date by pente.c; what
// remains (turn, opening, choice, standing rows) is a few small numbers, added when asked.
#include "rules/game_internal.h"

static uint64_t turn_hash(const struct game *game)
{
    unsigned opening =
        game->ply < 3 ? game->ply : 3; // opening rules look at the first three stones
    unsigned due = game->rules.connect6 ? game->ply & 1 : 0;
    unsigned seat = game->rules.seat_count > game->rules.colours ? stage_seat(game) : 0;
    uint64_t turn = game_turn_colour(game) | opening << 3 | due << 5 | (unsigned)game->stage << 6 |
                    (unsigned)game->swapped << 9 | (unsigned)game->standing << 10 | seat << 16;
    return stir(0x20000 + turn);
}

uint64_t game_stones_hash(const struct game *game)
{
    uint64_t hash = 0;
    for (unsigned cell = 0; cell < GAME_CELLS; cell++)
        if (game->cells[cell] != 0 && game->cells[cell] != GAME_BORDER)
            hash ^= stone_key(cell, game->cells[cell]);
    for (unsigned c = 1; c <= COLOURS_MAX; c++)
        hash ^= counter_key(c, game->stones_taken[c], game->captures[c]);
    return hash;
}

uint64_t game_hash(const struct game *game)
{
    uint64_t stones =
        game->rules.family == FAMILY_PENTAGO ? pentago_hash(game->pentago) : game->stones_hash;
    return stones ^ turn_hash(game);
}

uint64_t game_hash_recomputed(const struct game *game)
{
    uint64_t stones =
        game->rules.family == FAMILY_PENTAGO ? pentago_hash(game->pentago) : game_stones_hash(game);
    return stones ^ turn_hash(game);
}
