// explanations: what the board may look like after each legal turn, and how well the eyes' evidence
// fits that. The arithmetic behind move_reader.
//
// A board is described by what each point may show: a set of classes (bit c = colour c, bit 0 =
// empty). A captured stone's point may show the stone or nothing; most points may show one thing.
#pragma once

#include "controller/board_target.h"

// One set of classes per point, index y * size + x.
struct board_sets {
    int size;
    uint8_t may[POINTS_MAX];
};

// A way to get from the known position to another board.
struct explanation_way {
    struct move move; // colour 0 = no move at all
    struct move then; // a second move by the next colour, colour 0 = none
    double gain;      // how much better it explains the board than "no move", nats
    struct board_sets board;
};

struct explanations {
    struct explanation_way best, second; // second: the best that leads to another board
};

// The position as it stands, with what may still lie there (`pending` may be NULL).
void board_sets_of(const struct game *game, const struct board_target *pending,
                   struct board_sets *ret);

// The likeliest class of the set at a point.
int board_sets_seen(const struct board_sets *b, const struct evidence *e, int x, int y);

// Does the point agree with the board? `ret_seen` (NULL allowed) is the likeliest class of all.
enum point_fit {
    FIT_GOOD,
    FIT_UNSURE, // something speaks against it, or covers the point
    FIT_WRONG,  // by more than sure->wrong nats
};
enum point_fit board_sets_fit(const struct board_sets *b, const struct evidence *e,
                              const struct sureness *sure, int x, int y, int *ret_seen);

// How well the evidence fits `b`, nats more than `base`.
double board_sets_gain(const struct board_sets *b, const struct board_sets *base,
                       const struct evidence *e);

// Weighs no move, and every legal turn that puts stones on the board (Connect6: one stone or both;
// Pentago: every twist). With moves = 2 also the likeliest turns followed by each legal answer.
void explanations_weigh(const struct game *game, const struct evidence *e,
                        const struct board_target *pending, int moves, struct explanations *ret);
