// pentago_lines: counts all 32 lines of five of a Pentago position at once.
//
// A *block sum* holds, for one block as it stands, how many of each line's holes the side has in
// that block (two 32-bit planes) and which lines the other side touches there. Four block sums add
// up to the position; a turned block changes only its own. This is what makes looking at all eight
// twists cheap.
#pragma once

#include <stdint.h>

#include "rules/pentago.h"

struct pentago_block_sum {
    uint32_t ones, twos; // planes of the number of own marbles (0 … 3)
    uint32_t touched;    // lines with an enemy marble here
};

struct pentago_line_sum {
    uint32_t ones, twos, fours;
    uint32_t touched;
};

// Fills sum[lane][0, 1, 2] = as it stands, turned clockwise, turned anticlockwise, for the side
// `own` against `enemy`.
void pentago_block_sums(uint64_t own, uint64_t enemy, struct pentago_block_sum sum[4][3]);

static inline struct pentago_line_sum pentago_add2(const struct pentago_block_sum *a,
                                                   const struct pentago_block_sum *b)
{
    uint32_t carry = a->ones & b->ones, either = a->twos ^ b->twos;
    return (struct pentago_line_sum){a->ones ^ b->ones, either ^ carry,
                                     (a->twos & b->twos) | (carry & either),
                                     a->touched | b->touched};
}

static inline struct pentago_line_sum pentago_add4(const struct pentago_line_sum *a,
                                                   const struct pentago_line_sum *b)
{
    uint32_t carry = a->ones & b->ones, either = a->twos ^ b->twos;
    return (struct pentago_line_sum){a->ones ^ b->ones, either ^ carry,
                                     a->fours ^ b->fours ^ ((a->twos & b->twos) | (carry & either)),
                                     a->touched | b->touched};
}

// The nine ways the blocks stand after no twist ([0]) and each twist ([1 + lane · 2 +
// anticlockwise]).
void pentago_all_sums(struct pentago_block_sum sum[4][3], struct pentago_line_sum ret[9]);

static inline uint32_t pentago_lines_with(const struct pentago_line_sum *s, int marbles)
{
    switch (marbles) {
    case 5:
        return s->fours & s->ones;
    case 4:
        return s->fours & ~s->ones & ~s->touched;
    case 3:
        return s->twos & s->ones & ~s->touched;
    case 2:
        return s->twos & ~s->ones & ~s->touched;
    default:
        return s->ones & ~s->twos & ~s->fours & ~s->touched;
    }
}
