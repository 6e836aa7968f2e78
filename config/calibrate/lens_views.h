// lens_views: the lens from several views of the board's own grid.
//
// One view gives focal length and distortion and is enough for a camera that never moves; more,
// with the board tilted and turned, give the principal point too.
#pragma once

#include "config/base/error.h"
#include "vision/geometry.h"

enum { LENS_VIEWS_MAX = 5 };

struct lens_views {
    int count;
    struct geometry view[LENS_VIEWS_MAX];
};

// Fits the lens to all intersections of all views. *ret_rms: reprojection error, pixels.
int lens_views_fit(const struct lens_views *views, struct lens *ret, double *ret_rms,
                   struct error *err);
