// worth_sample: one position with what is known of its value: what worth_games writes and worth_fit
// reads. A file of samples is of this machine only: nothing in it has a fixed byte order.
#pragma once

#include <stdint.h>

#include "rules/engine/sboard.h"

enum worth_outcome { WORTH_LOST, WORTH_WON, WORTH_OPEN }; // of the game, for the side to move

struct worth_sample {
    uint8_t stones[SB_SIZE_MAX * SB_SIZE_MAX]; // 0 empty, 1, 2; row by row
    uint8_t taken[2];
    uint8_t side;
    // enum worth_outcome; open = a move after this one was no choice of the engine's.
    uint8_t outcome;
    int16_t score; // of the search, for the side to move
};

// The rules of plain Pente, on which everything here is played.
static const struct sb_rules worth_rules = {
    .size = SB_SIZE_MAX, .line = {.win_length = 5, .pairs = 1}, .goal = 10};
