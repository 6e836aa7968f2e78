// perft: exact move counts and checksums of random playouts, for comparing implementations.
//
// A leaf is a sequence of exactly `depth` legal moves; a finished game has no successors. Playouts
// use xorshift64* and FNV-1a as described in rules/README.md ("Counts and checksums").
#pragma once

#include <stdint.h>

#include "rules/game.h"

struct perft {
    uint64_t leaves;
    uint64_t capturing; // leaves whose last move took at least one stone
    uint64_t stones;    // taken by those last moves
    uint64_t wins, draws;
};

enum { PERFT_DEPTH_MAX = 12 };

// Counts from the game's position; the game is changed and restored. Depth 0 is one leaf.
void game_perft(struct game *game, unsigned depth, struct perft *ret);

enum { PLAYOUTS_FIRST = 4 }; // playouts that are also told one by one

struct playouts {
    uint64_t hash;    // of all playouts, in order
    uint64_t plies;   // stones laid in all games; choices of colour are not plies
    uint32_t longest; // of one game
    uint64_t removed; // stones that left the board
    uint32_t draws;
    uint32_t wins[COLOURS_MAX + 1];             // by side
    uint32_t five, captures, five_and_captures; // how they were won
    struct {
        uint64_t hash;
        uint32_t plies;
        uint8_t winner;      // side, 0 = draw
    } first[PLAYOUTS_FIRST]; // the rest is 0 when there were fewer
};

// One random game, number k, on *game (which it leaves finished); returns its hash. With calls,
// what was called is hashed as well (section 5 of the definition).
uint64_t game_playout(struct game *game, const struct variant *variant, uint64_t k, bool calls);

// `count` playouts numbered from 0.
void game_playouts(const struct variant *variant, uint32_t count, bool calls, struct playouts *ret);

// The generator itself.
uint64_t playout_seed(uint64_t k);
uint64_t playout_next(uint64_t *state);
uint32_t playout_below(uint64_t *state, uint32_t n);
uint64_t fnv1a(uint64_t hash, const void *bytes, size_t size);
#define FNV1A_START 0xcbf29ce484222325ull
