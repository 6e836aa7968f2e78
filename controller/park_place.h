// park_place: where the arm parks so that the camera sees the whole board, with least travel.
//
// The gantry's beam lies along the machine's x and the arm hangs on its side towards the person, so
// all of it is at y >= the cup's y - reach. No line from the camera to the board can meet it when
// camera and board both lie on the near side of that: then only the beam's y matters, however high
// its parts are. A camera on the far side looks through the arm's heights, which nobody has
// measured: then the settings' place is the answer.
#pragma once

#include <stdbool.h>

#include "motion/board_map.h"
#include "motion/travel.h"
#include "vision/geometry.h"

struct park_question {
    const struct geometry *geometry; // with the lens it was fitted with
    const struct board_map *map;
    double stone_radius; // mm: stones stand beyond the outermost lines by this
    double reach;        // mm: the arm stands out before its cup by this
    double travel[2];    // mm of x and y; reachable is [-travel + margin, -margin]
    double margin;       // mm
    double (*store)[2];  // where stones are taken, machine mm
    int stores;          // may be 0
    struct travel_limits limits;
};

// Machine mm. False, and nothing written: no such place, or it can't be told.
bool park_place(const struct park_question *question, double ret[2]);

// Where the camera is, board mm (z up). False: the geometry is degenerate.
bool park_camera(const struct geometry *geometry, double ret[3]);
