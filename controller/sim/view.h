// view: the camera as geometry: pose and lens; table points to pixels and back.
#pragma once

#include <stdbool.h>

#include "controller/sim/setup.h"

struct view {
    double eye[3];
    double axis[3][3]; // right, down, forward in the table frame
    struct setup_lens lens;
    int width, height;
};

void view_set(struct view *view, const struct setup_camera *camera, const double eye[3],
              const double target[3], double roll_deg);

// Pixel of a table point; integer values are pixel centres. False: it is behind the camera.
bool view_project(const struct view *view, double x, double y, double z, double ret[2]);

// Direction (table frame, not normalised) of the ray through a pixel.
void view_ray(const struct view *view, double u, double v, double ret[3]);
