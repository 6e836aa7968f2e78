// capture_order: which captured stone to lift first, and where to drop each.
//
// Exact for up to 16 stones (eight pairs, the most one move can take): dynamic programming over the
// sets of stones already cleared. The choice of tray is worth 25 to 38 % of the travel, the order
// only 0 to 3 %, so both are decided together. Beyond 16: nearest next, which is never needed.
#pragma once

#include "config/base/error.h"
#include "motion/travel.h"

enum { CAPTURE_MAX = 16, CAPTURE_DROPS = 8 };

struct capture_stone {
    double x, y;    // machine mm
    unsigned drops; // bit i set: drops[i] takes this stone
};

struct capture_drop {
    double x, y; // machine mm: where its next stone goes
    int room;    // stones it can still take
};

struct capture_problem {
    const struct travel_limits *limits;
    const double *start; // x, y where the cup is; not NULL
    const double *end;   // x, y where it goes afterwards; NULL = stays
    double lift_s;       // seconds a stone costs besides XY travel (Z, dwells)
    const struct capture_stone *stones;
    int stone_count;
    const struct capture_drop *drops;
    int drop_count;
};

struct capture_step {
    int stone, drop; // indices
};

// Fills steps[0 … stone_count-1]; *ret_s (NULL allowed) = seconds by the model. -ENOSPC: the drops
// cannot take them all; -EINVAL: a stone without a drop; -E2BIG: more than CAPTURE_MAX stones.
int capture_order(const struct capture_problem *problem, struct capture_step *steps, double *ret_s,
                  struct error *err);
