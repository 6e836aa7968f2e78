// hand_watch: is there a hand over the board while the arm works on it?
//
// The arm covers points too, but only where it is: its beam lies across the machine above the
// tool's row, away from the people. What covers points well below the tool is no part of it.
#pragma once

#include <stdbool.h>

#include "vision/observation.h"

enum {
    HAND_WATCH_ROWS = 4,   // rows below the tool that the arm may cover in the picture
    HAND_WATCH_POINTS = 6, // covered points that make a hand
    HAND_WATCH_RESTS = 3,  // and one that was seen, and has come to rest
};

// tool_row: where the tool is, in rows of the board (may lie outside). seen: a hand was, and the
// question is whether it has gone; at rest it covers less than on its way. True: something is
// there.
bool hand_watch(const struct observation *o, double tool_row, bool seen);
