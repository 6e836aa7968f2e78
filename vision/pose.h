// pose: where the camera stands over the board, from the board's geometry alone. Internal.
#pragma once

#include <stdbool.h>

#include "vision/geometry.h"

struct pose {
    double x, y, z;  // camera's centre in the board frame, mm; z > 0
    double focal_px; // the lens's, or the one the board's perspective implies
};

// `lens_known`: trust the lens's focal length; otherwise it is derived from the perspective (which
// a board seen from straight above doesn't show: then the longer side of the picture is assumed).
// false: the homography is no view of a plane.
bool pose_from_geometry(const struct geometry *g, bool lens_known, struct pose *ret);

// How far a thing at `height_mm` above (u, v) seems to stand from there on the board's plane,
// cells.
void pose_parallax(const struct pose *pose, const struct geometry *g, double u, double v,
                   double height_mm, double *ret_du, double *ret_dv);
