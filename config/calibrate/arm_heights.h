// arm_heights: the heights of stores and board, felt with the vacuum.
#pragma once

#include "config/calibrate/bench.h"

// Lowers the cup over every store, and over stones laid on the board's middle by the map in use,
// until it takes hold. Writes the heights into the calibration and takes them into use. Without a
// pick sensor the settings' heights are taken as measured. The board is left empty.
int arm_heights_feel(struct bench *bench, struct error *err);

// Feels the stones that lie at four corners (machine mm). *ret_uneven: by how much the worst stands
// higher (lower: negative) than the middle, mm; *ret_worst: which. Without a pick sensor nothing is
// felt and 0 is said; nor is a stone that the cup misses.
int arm_heights_even(struct bench *bench, const double corner[4][2], double *ret_uneven,
                     int *ret_worst, struct error *err);
