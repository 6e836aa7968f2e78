// overlay: pictures for people: the grid, the stones as read and how sure that is, doubts in red.
// Internal to vision.
//
// A stone has a dot of its colour where its centre was seen, and a ring round it that closes with
// the confidence: whole = sure (0.98), half = 0.88, from the top clockwise. Below OBSERVATION_DOUBT
// the ring is red and thick, also on an empty point; on photographs where photo_result says unsure.
// Small amber circles: something covers the point. The scene stands in the top left corner.
#pragma once

#include <stdint.h>

#include "vision/colour.h"
#include "vision/geometry.h"
#include "vision/observation.h"
#include "vision/photo.h"

struct overlay {
    int width, height;
    uint8_t *rgb; // width * height * 3
    bool hollows; // circles where the points are, no lines between them
};

// Without a geometry (NULL) only the scene is said.
void overlay_observation(struct overlay *canvas, const struct geometry *g,
                         const enum stone_colour *colour, const struct observation *o);
void overlay_photo(struct overlay *canvas, const struct photo_result *result);
