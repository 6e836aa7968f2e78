// Tables of the Pentago bitboard, and conversions.
//
// Lines of five fall into eight classes under the quarter turn of the board; a class holds one line
// for each of the four turns k. Seen from lane 0 the holes that line (class, k) has in the lane are
// the masks below, and turning the board by one lane makes k out of k - 1: so one table serves all
// lanes, its bit class + 8 * k rotated by a byte per lane.
#include "rules/pentago.h"

#include "rules/point.h"

// 1 << line when pattern p holds all of mask m.
#define HELD(p, m, line) ((uint32_t)((((p) & (m)) == (m)) ? 1u << (line) : 0u))

// Classes: top row left; left column top; second row left; second column top; third row left;
// third column top; main diagonal; diagonal above it.
#define TURN0(p)                                                                                   \
    (HELD(p, 0x007, 0) | HELD(p, 0x0c1, 1) | HELD(p, 0x188, 2) | HELD(p, 0x122, 3) |               \
     HELD(p, 0x070, 4) | HELD(p, 0x01c, 5) | HELD(p, 0x111, 6) | HELD(p, 0x00a, 7))
#define TURN1(p)                                                                                   \
    (HELD(p, 0x000, 8) | HELD(p, 0x006, 9) | HELD(p, 0x000, 10) | HELD(p, 0x108, 11) |             \
     HELD(p, 0x000, 12) | HELD(p, 0x030, 13) | HELD(p, 0x000, 14) | HELD(p, 0x000, 15))
#define TURN2(p)                                                                                   \
    (HELD(p, 0x000, 16) | HELD(p, 0x000, 17) | HELD(p, 0x000, 18) | HELD(p, 0x000, 19) |           \
     HELD(p, 0x000, 20) | HELD(p, 0x000, 21) | HELD(p, 0x110, 22) | HELD(p, 0x0a0, 23))
#define TURN3(p)                                                                                   \
    (HELD(p, 0x0c0, 24) | HELD(p, 0x000, 25) | HELD(p, 0x120, 26) | HELD(p, 0x000, 27) |           \
     HELD(p, 0x018, 28) | HELD(p, 0x000, 29) | HELD(p, 0x000, 30) | HELD(p, 0x010, 31))

#define L1(p)   (TURN0(p) | TURN1(p) | TURN2(p) | TURN3(p))
#define L4(p)   L1(p), L1((p) + 1), L1((p) + 2), L1((p) + 3)
#define L16(p)  L4(p), L4((p) + 4), L4((p) + 8), L4((p) + 12)
#define L64(p)  L16(p), L16((p) + 16), L16((p) + 32), L16((p) + 48)
#define L256(p) L64(p), L64((p) + 64), L64((p) + 128), L64((p) + 192)

const uint32_t pentago_lane_lines[512] = {L256(0), L256(256)};

// Bottom row first, as y counts.
const uint8_t pentago_bit_of[PENTAGO_HOLES] = {
    48, 55, 54, 34, 33, 32, //
    49, 56, 53, 35, 40, 39, //
    50, 51, 52, 36, 37, 38, //
    6,  5,  4,  20, 19, 18, //
    7,  8,  3,  21, 24, 17, //
    0,  1,  2,  22, 23, 16, //
};

const int8_t pentago_hole_of[64] = {
    30, 31, 32, 26, 20, 19, 18, 24, 25, -1, -1, -1, -1, -1, -1, -1, // top left
    35, 29, 23, 22, 21, 27, 33, 34, 28, -1, -1, -1, -1, -1, -1, -1, // top right
    5,  4,  3,  9,  15, 16, 17, 11, 10, -1, -1, -1, -1, -1, -1, -1, // bottom right
    0,  6,  12, 13, 14, 8,  2,  1,  7,  -1, -1, -1, -1, -1, -1, -1, // bottom left
};

uint64_t pentago_map(uint64_t marbles, unsigned symmetry)
{
    uint64_t mapped = 0;
    for (uint64_t rest = marbles; rest; rest &= rest - 1) {
        unsigned hole = (unsigned)pentago_hole_of[__builtin_ctzll(rest)];
        struct point p = {(int8_t)(hole % 6), (int8_t)(hole / 6)};
        p = point_map(p, symmetry, 6);
        mapped |= pentago_bit((unsigned)p.x, (unsigned)p.y);
    }
    return mapped;
}

uint64_t pentago_number(struct pentago p)
{
    uint64_t number = 0;
    for (unsigned q = 0; q < 4; q++) {
        uint64_t quad = 0, power = 1;
        for (unsigned i = 0; i < 9; i++, power *= 3) {
            uint64_t bit = pentago_bit(q / 2 * 3 + i / 3, q % 2 * 3 + i % 3);
            quad += power * (p.marbles[0] & bit ? 1 : p.marbles[1] & bit ? 2 : 0);
        }
        number |= quad << 16 * q;
    }
    return number;
}

bool pentago_from_number(uint64_t number, struct pentago *ret)
{
    struct pentago p = {{0, 0}};
    for (unsigned q = 0; q < 4; q++) {
        uint64_t quad = number >> 16 * q & 0xFFFF;
        for (unsigned i = 0; i < 9; i++, quad /= 3)
            if (quad % 3 != 0)
                p.marbles[quad % 3 - 1] |= pentago_bit(q / 2 * 3 + i / 3, q % 2 * 3 + i % 3);
        if (quad != 0)
            return false;
    }
    *ret = p;
    return true;
}
