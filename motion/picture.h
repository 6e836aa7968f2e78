// picture: the path of planned jobs seen from above, as SVG, for `tessera arm --plot`.
//
// The machine's x grows to the right and its y upwards, away from the person. Drawn: the travel,
// the board's lines where its map puts them, stores, what stands on the table, and the way of the
// cup: thin where it is empty, thick where it carries a stone; dots where it grips and lets go.
// Pure: text into a buffer.
#pragma once

#include <stddef.h>

#include "config/base/spacing.h"
#include "motion/board_map.h"
#include "motion/program.h"

struct arm_picture {
    const struct arm_scene *scene;      // where the first program begins, stores, obstacles, travel
    const struct arm_program *programs; // one after the other
    int count;
    const char *title; // "place K10, 4.8 s"; NULL = none
    // The board; map NULL = none is drawn.
    const struct board_map *map;
    struct spacing columns, rows; // mm
};

// Returns the length it needs, like snprintf.
int arm_picture_svg(const struct arm_picture *picture, char *buf, size_t size);
