// home_check: is the arm's zero where it was when the board's place in the machine was taught?
//
// Homing alone finds a switch, right or wrong. What the camera can see of it is the first stone
// laid afterwards: the map board → machine was taught by stones on known points (`tessera-config
// calibrate arm`), so the point it is laid on is the reference, and how far beside it the stone
// lies tells how far the zero is off. One that lies too far off sends the arm to its home corner;
// the first stone after that decides whose fault it was.
#pragma once

#include <stdbool.h>

struct home_check {
    bool checked;      // a stone laid since the last homing lay where it should
    int misses;        // homings in a row after which it did not, the doubt before them included
    double missed[2];  // mm: how the last miss lay
    bool map_mistaken; // the home corner proved right and the map wrong, once already
};

enum home_verdict {
    HOME_RIGHT, // within the limit
    HOME_DOUBT, // too far off: steps may be lost; home before the next move
    HOME_MAP,   // off by the same after homing again: the board was moved, or the map is wrong
    HOME_WRONG, // off by something else each time: no homing mends that; people must look
};

void home_check_homed(struct home_check *check);

// offset: of the stone from its point as seen, board mm. limit: mm that are right.
enum home_verdict home_check_stone(struct home_check *check, const double offset[2], double limit);
