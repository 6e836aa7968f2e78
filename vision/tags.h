// tags: AprilTags (family 36h11) that people have stuck beside the corners of their board: id 0 at
// A1, 1 at the other end of row 1, 2 opposite A1, 3 at the other end of column A. Internal to the
// reader.
//
// They say which corner is which, which a grid does not, and where a board is whose lines are
// hidden by stones. How far from the corner they lie nobody has to measure: about the same distance
// from both lines at each corner will do, the board's own lines do the rest.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "vision/geometry.h"

enum { TAGS = 4 };

struct tags {
    int count;
    bool seen[TAGS];
    double at[TAGS][2]; // their middles, pixels
};

// Looks for the tags in an 8-bit luma picture. 0 also when there are none; -ENOMEM.
int tags_find(const uint8_t *luma, int width, int height, struct tags *ret);

// Quarter turns of the grid that bring its corners nearest to their tags. -ENOENT: fewer than two
// tags were seen; -EINVAL: one lies within the grid, which then is no board.
int tags_turns(const struct tags *tags, const struct geometry *g, int *ret);

// Looks for the lines of a board between four tags. -ENOENT: not all were seen, or no lines.
int tags_seed(const struct tags *tags, const uint8_t *luma, int width, int height, int columns,
              int rows, struct geometry *ret);
