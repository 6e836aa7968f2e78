// drift: whether the board still is where calibration saw it.
//
// Opens the camera only, finds the grid anew in one picture and compares its place with the stored
// one. Camera and board cannot be told apart by this: whichever of them has moved, the arm's map
// holds no more when it was the board.
#pragma once

#include "config/base/error.h"
#include "config/calibration.h"
#include "config/settings.h"

// *ret_mm: the largest distance over the four corners and the middle, in mm on the board. -ENODATA:
// board or lens were not calibrated; -ENOENT: no board is seen; else why there was no picture.
int drift_measure(const struct settings *settings, const struct calibration *calibration,
                  double *ret_mm, struct error *err);
