// overlay: pictures for people: the grid, the stones as read, doubts in red. Internal to vision.
#pragma once

#include <stdint.h>

#include "vision/colour.h"
#include "vision/geometry.h"
#include "vision/observation.h"
#include "vision/photo.h"

struct overlay {
    int width, height;
    uint8_t *rgb; // width * height * 3
};

void overlay_observation(struct overlay *canvas, const struct geometry *g,
                         const enum stone_colour *colour, const struct observation *o);
void overlay_photo(struct overlay *canvas, const struct photo_result *result);
