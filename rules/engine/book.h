// book: the first moves of Pente, analysed beforehand by the engine itself.
//
// The table (book_pente.c) is made by `./dev book`, which is `tessera-engine book`: from the empty
// board on, each position is searched with a fixed number of nodes; the good moves are kept with
// their values, and the positions after them come next. Positions that are the same turned or
// mirrored are one entry. The same numbers give the same table.
//
// The book serves games by the plain rules of Pente on 19 lines, whatever their opening rule: a
// move that an opening rule forbids is left out.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base/rng.h"
#include "rules/game.h"

enum {
    BOOK_MOVES_MAX = 4,
    BOOK_PLIES_MAX = 12, // stones on the board of the longest entries, at most
    BOOK_KEEP = 30, // moves within so much of the best are kept; 180 are a factor e in the odds
    BOOK_PLAY = 12, // … and within so much are as good: one of them is played by chance
};

struct book_move {
    uint8_t x, y;  // in the entry's frame
    int16_t score; // for the colour to move
};

// Sorted by key. Moves in the order of the search that found them, the best first.
struct book_entry {
    uint64_t key;
    uint8_t count;
    struct book_move move[BOOK_MOVES_MAX];
};

extern const struct book_entry book_table[];
extern const size_t book_count;

// Whether the variant's rules are those the book was made for.
bool book_covers(const struct variant *variant);

// The position's fingerprint, the same for all eight ways to look at the board, and which of them
// (bit s = symmetry s of point_map) lead to the entry's frame: several when the position is
// symmetric itself.
uint64_t book_key(const struct game *game, unsigned *ret_symmetries);

// A move for the position: by chance among those as good as the best and their mirror images; the
// best without `rng`.
// Returns 1 and the move with its value, 0 when the book does not know the position.
int book_find(const struct game *game, struct rng *rng, struct move *ret, int *ret_score);
