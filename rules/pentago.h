// pentago: Pentago on bitboards, fast enough for a solver.
//
// A colour is a 64-bit word of four 16-bit lanes, one per block, in clockwise order:
//
//     lane 0 = top left (block 1)      lane 1 = top right (block 2)
//     lane 3 = bottom left (block 3)   lane 2 = bottom right (block 4)
//
// In a lane bits 0..7 are the eight rim holes clockwise, starting at the block's own outer corner
// (the corner of the board), and bit 8 is the middle. So
//
//     a quarter turn of a block    = an 8-bit rotation of its rim by two,
//     a quarter turn of the board  = a 64-bit rotation by one lane,
//
// and the 32 lines of five fall into eight classes under the board's turn: one table for one block,
// rotated by a byte per lane, tells whether a colour has five. A hole is numbered 0..35 by x and y
// (y * 6 + x, as everywhere in the project); pentago_bit gives its bit.
//
// Rules: rules/README.md (rule book S2; strong solution and paper arXiv 1404.0743 for five by a
// twist). Nothing here allocates or keeps state.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    PENTAGO_HOLES = 36,
    PENTAGO_BLOCKS = 4,
    PENTAGO_LINES = 32,
};

#define PENTAGO_LANE 0x1FFull              // the nine holes of lane 0
#define PENTAGO_ALL  0x01FF01FF01FF01FFull // all 36 holes
#define PENTAGO_RIM  0x00FFull             // the eight holes of lane 0 that a turn moves

struct pentago {
    uint64_t marbles[2]; // [0] = colour 1, [1] = colour 2
};

enum pentago_turn {
    PENTAGO_CLOCKWISE = 1,
    PENTAGO_ANTICLOCKWISE = -1,
};

// Lines a lane-0 pattern does not prevent: bit set when the pattern holds all holes that the line
// has in lane 0. See pentago_lines.
extern const uint32_t pentago_lane_lines[512];

extern const uint8_t pentago_bit_of[PENTAGO_HOLES]; // hole -> bit number
extern const int8_t pentago_hole_of[64];            // bit number -> hole, -1 where there is none

static inline uint64_t pentago_bit(unsigned x, unsigned y)
{
    return 1ull << pentago_bit_of[y * 6 + x];
}

// Block as the rule book numbers it (1 2 / 3 4 from the top left) -> lane, and back.
static inline unsigned pentago_lane(unsigned block)
{
    return block < 3 ? block - 1 : 6 - block;
}
static inline unsigned pentago_block(unsigned lane)
{
    return lane < 2 ? lane + 1 : 6 - lane;
}

static inline uint32_t pentago_rotl32(uint32_t v, unsigned n)
{
    return v << n | v >> (32 - n);
}

// The lines of five that one colour has, as a set of 32; 0 = none.
static inline uint32_t pentago_lines(uint64_t marbles)
{
    return pentago_lane_lines[marbles & PENTAGO_LANE] &
           pentago_rotl32(pentago_lane_lines[marbles >> 16 & PENTAGO_LANE], 8) &
           pentago_rotl32(pentago_lane_lines[marbles >> 32 & PENTAGO_LANE], 16) &
           pentago_rotl32(pentago_lane_lines[marbles >> 48 & PENTAGO_LANE], 24);
}

static inline bool pentago_five(uint64_t marbles)
{
    return pentago_lines(marbles) != 0;
}

// One colour after a quarter turn of a lane's block.
static inline uint64_t pentago_turned(uint64_t marbles, unsigned lane, enum pentago_turn turn)
{
    uint64_t rim = marbles >> 16 * lane & PENTAGO_RIM;
    uint64_t moved = turn == PENTAGO_CLOCKWISE ? rim << 2 | rim >> 6 : rim >> 2 | rim << 6;
    return marbles ^ (rim ^ (moved & PENTAGO_RIM)) << 16 * lane;
}

static inline struct pentago pentago_twist(struct pentago p, unsigned lane, enum pentago_turn turn)
{
    return (struct pentago){
        {pentago_turned(p.marbles[0], lane, turn), pentago_turned(p.marbles[1], lane, turn)}};
}

static inline uint64_t pentago_occupied(struct pentago p)
{
    return p.marbles[0] | p.marbles[1];
}

// Turning the block changes nothing: it is empty or holds only its middle marble.
static inline bool pentago_lane_neutral(struct pentago p, unsigned lane)
{
    return (pentago_occupied(p) >> 16 * lane & PENTAGO_RIM) == 0;
}

// The block looks the same after a quarter turn (wider than neutral; an option of the rules).
static inline bool pentago_lane_symmetric(struct pentago p, unsigned lane)
{
    return pentago_turned(p.marbles[0], lane, PENTAGO_CLOCKWISE) == p.marbles[0] &&
           pentago_turned(p.marbles[1], lane, PENTAGO_CLOCKWISE) == p.marbles[1];
}

// A colour under one of the eight symmetries of the board (numbered as in point.h).
uint64_t pentago_map(uint64_t marbles, unsigned symmetry);

// A 64-bit fingerprint of a position.
static inline uint64_t pentago_hash(struct pentago p)
{
    uint64_t h = (p.marbles[0] * 3 + p.marbles[1] * 5) * 0x9E3779B97F4A7C15ull;
    h = (h ^ h >> 32 ^ p.marbles[1]) * 0xD6E8FEB86659FD93ull;
    h = (h ^ h >> 29 ^ p.marbles[0]) * 0xBF58476D1CE4E5B9ull;
    return h ^ h >> 32;
}

// G. Irving's position number (records F6): the sum over quadrants q = 2*qx+qy of
// quad << 16q, quad = the sum of stone * 3^(3*x+y), origin at the bottom left.
uint64_t pentago_number(struct pentago p);

// The position with that number. False (and *ret unchanged) when there is none.
bool pentago_from_number(uint64_t number, struct pentago *ret);
