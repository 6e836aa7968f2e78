// point: an intersection of the board (a hole, in Pentago), and the eight symmetries of a square.
//
// x counts columns from the left, y rows from the bottom, both from 0: K10 on 19×19 is (9, 9), the
// bottom left hole of Pentago is (0, 0). Coordinates are signed so that a point off the board can
// be held and then refused with a reason.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct point {
    int8_t x, y;
};

enum { SYMMETRIES = 8 };

static inline bool point_equal(struct point a, struct point b)
{
    return a.x == b.x && a.y == b.y;
}

static inline bool point_on_board(struct point p, unsigned size)
{
    return p.x >= 0 && p.y >= 0 && (unsigned)p.x < size && (unsigned)p.y < size;
}

// Maps p by symmetry s of a size × size board. 0 = identity, 1..3 = quarter turns clockwise,
// 4..7 = the same after a reflection in the vertical middle line (x ↦ size-1-x).
static inline struct point point_map(struct point p, unsigned s, unsigned size)
{
    int last = (int)size - 1, x = (int)p.x, y = (int)p.y;
    if (s & 4)
        x = last - x;
    for (unsigned quarter = s & 3; quarter > 0; quarter--) {
        int turned = last - x;
        x = y;
        y = turned;
    }
    return (struct point){(int8_t)x, (int8_t)y};
}

// The symmetry that undoes s.
static inline unsigned symmetry_inverse(unsigned s)
{
    return s & 4 ? s : (4 - s) & 3;
}
