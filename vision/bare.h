// bare: how each empty point looks, so that what lies on it shows even when it is as clear as
// glass: a clear stone bends the lines, mirrors lamps and has a rim, but hides nothing. Internal to
// the reader.
//
// Looks are luma patches relative to the surface around, so that light cancels.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "vision/sampler.h"

struct bare {
    bool known[BOARD_POINTS_MAX];
    int8_t look[BOARD_POINTS_MAX][PATCH * PATCH]; // log units times BARE_SCALE
};

#define BARE_SCALE 80.0F

void bare_forget(struct bare *bare);

// Moves the look of point n towards `luma` (log units, relative to the surface around); at once
// when it was not known.
void bare_learn(struct bare *bare, int n, const float luma[PATCH * PATCH]);

// Per sample: 0 = as the empty point looks, 1 = surely not. False (nothing written): not known.
bool bare_compare(const struct bare *bare, int n, const float luma[PATCH * PATCH],
                  float ret[PATCH * PATCH]);
