// pentago_mid: solves Pentago exactly from about twenty marbles on.
//
// A marble stays in its place within its block for good; only the blocks turn. So with k holes left
// the positions that can arise are: which holes have been filled by whom, times how the four blocks
// stand (4⁴). The solver works backwards from the full board, one number of marbles after the
// other, and treats all ways the blocks can stand as one set of bits. Every twist turns one block
// by one quarter, so only every other way can occur at a time: 128 bits. This is the retrograde
// "midgame" idea of G. Irving, "Pentago is a first player win" (arXiv 1404.0743), section 4.
//
// Cost for k holes left: k = 14 about 0.2 s and 16 MiB, 16: 1 s and 130 MiB, 18: 15 s and 1.1 GiB.
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/pentago.h"

enum {
    PENTAGO_MID_HOLES_MAX = 18, // most holes left that can be solved
    PENTAGO_TWISTS = 8,         // lane · 2 + (anticlockwise)
};

// What each move of the side to move is worth to it: 1 won, 0 drawn, −1 lost.
struct pentago_mid_values {
    int value;                   // of the position
    int count;                   // of holes left
    uint8_t bit[PENTAGO_HOLES];  // the hole of entry i, as a bit number
    uint8_t five[PENTAGO_HOLES]; // the marble alone wins
    int8_t twist[PENTAGO_HOLES][PENTAGO_TWISTS];
    // How many holes give the opponent his best result afterwards: few = hard to find.
    uint8_t answers[PENTAGO_HOLES][PENTAGO_TWISTS];
};

// Bytes needed to solve a position with `holes` left.
size_t pentago_mid_memory(int holes);

// Solves the position for the side that owns marbles[0]… of `own`; both sides' marbles must be
// disjoint and neither have five. Returns 0; -E2BIG with more than PENTAGO_MID_HOLES_MAX holes
// left, -ENOMEM, -ECANCELED when *stop became non-zero or the deadline (monotonic ns, 0 = none)
// passed. At least one hole must be left.
int pentago_mid_solve(uint64_t own, uint64_t enemy, int64_t deadline_ns, atomic_int *stop,
                      struct pentago_mid_values *ret);
