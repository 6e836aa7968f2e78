// sharpness: how blurred the board's lines are in a picture.
//
// The profiles across many pieces of grid line, each about its own middle, are added up; their
// width beyond that of a sharp line is the blur. A board of hollows has no lines: there the cracks
// between its four blocks are looked at. Unlike the usual sums of gradients this does not
// depend on light, noise or how much there is to see.
#pragma once

#include "config/base/error.h"
#include "vision/frame_source.h"
#include "vision/geometry.h"

// *ret_sigma: standard deviation in pixels of the profile of a line. A line of 1 mm, sharp, in a
// picture of 1 px/mm gives about 0.5 with the camera's own softness.
int sharpness_of(const struct frame *frame, const struct geometry *geometry, bool hollows,
                 double *ret_sigma, struct error *err);
