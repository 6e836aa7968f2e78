// worth: what the lines, points and captures of a Pente position are worth, learned from the
// engine's own games (worth_games.c, worth_fit.c) and kept in worth_pente.bin.
//
// A position's value for the side to move ("mine", the other's are "yours") is a sum over
//   each line through an empty point, by its exact code (line.h), mirror images alike;
//   how many points make a four, make an open three, or capture, for mine and yours;
//   the pairs each side has taken, together;
//   the points that capture, by how many pairs their side has taken already.
// Numbers are sixteenths of a point of value (eval.h).
#pragma once

#include <stdint.h>

#include "rules/engine/line.h"

enum {
    WORTH_UNIT = 16,
    WORTH_REACH = 4,
    WORTH_CODES = 7381,    // different lines of that reach
    WORTH_SETS = 3,        // makes a four, makes an open three, captures: sb_set from SB_FOUR on
    WORTH_POINTS_MAX = 12, // more points count as so many
    WORTH_PAIRS = 5,       // 0 … 4 pairs taken: five win
    WORTH_TAKES_MAX = 3,
    WORTH_NO_CODE = 0xffff,
};

// As it stands in worth_pente.bin, each number two bytes, the low one first.
struct worth {
    int16_t line[WORTH_CODES];
    int16_t points[WORTH_SETS][2][WORTH_POINTS_MAX + 1]; // mine, yours
    int16_t taken[WORTH_PAIRS][WORTH_PAIRS];             // [mine][yours]
    int16_t takes[2][WORTH_PAIRS][WORTH_TAKES_MAX + 1];  // mine, yours; pairs taken; points
    int16_t tempo;
};

// Whether what was learned is about lines under these rules.
int worth_knows(const struct line_rules *rules);

// Unpacks the learned numbers. Returns 0 or -ENOMEM; the caller frees them.
int worth_new(struct worth **ret);
struct worth *worth_free(struct worth *worth);

// Numbers the codes of reach WORTH_REACH: mirror images get the same number below WORTH_CODES,
// codes that no board has get WORTH_NO_CODE. `index` has room for all LINE_CLOSED(WORTH_REACH).
void worth_number(uint16_t *index);

static inline int worth_takes(int points)
{
    return points < WORTH_TAKES_MAX ? points : WORTH_TAKES_MAX;
}

static inline int worth_points(int points)
{
    return points < WORTH_POINTS_MAX ? points : WORTH_POINTS_MAX;
}

// A code with the players' stones exchanged.
static inline uint32_t worth_swap(uint32_t code)
{
    return (code & 0x55555555) << 1 | (code >> 1 & 0x55555555);
}
