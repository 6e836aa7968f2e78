// map_learner: makes the map from board to machine better with every stone the arm has placed.
//
// A stone was let go at a known machine position and is then seen at a board position: what is left
// between the two is the map's error there, plus a slip of some tenths of a millimetre. Four
// numbers are estimated: shift in x and y, turn, stretch; the arm's calibration (or the settings,
// which can only guess) is the expectation they start from, so that even the first stone can be
// used. Whatever is off in how the eye sees centres is learned along with it, so a stone is lifted
// where the same eye sees it. Bayesian linear regression with Gaussian prior and noise.
#pragma once

#include <stdbool.h>

#include "motion/board_map.h"

enum { MAP_LEARNER_TERMS = 4 };

struct map_learner {
    struct board_map base;
    double centre[2]; // board mm: turn and stretch are about this point
    double precision[MAP_LEARNER_TERMS][MAP_LEARNER_TERMS];
    double moment[MAP_LEARNER_TERMS];
    int count;
};

// width, height: of the board in mm.
void map_learner_init(struct map_learner *l, const struct board_map *base, double width,
                      double height);

// The stone let go at `machine` was seen at `board`. A pair that is far from all that was expected
// (the stone rolled, or was moved) is not used: returns false.
bool map_learner_add(struct map_learner *l, const double board[2], const double machine[2]);

// The board has been moved: what was learnt holds but for a shift, by which the stone let go at
// `machine` and seen at `board` lies right; all else is to be learnt anew.
void map_learner_move(struct map_learner *l, const double board[2], const double machine[2]);

// The map as known now.
void map_learner_get(const struct map_learner *l, struct board_map *ret);
