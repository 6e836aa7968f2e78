// locate: finds the board of the settings in a picture and tells which of its corners is A1.
// Internal to the reader.
#pragma once

#include "vision/geometry.h"
#include "vision/grid.h"
#include "vision/picture.h"
#include "vision/reader.h"

// `before`: where the board was, NULL when nobody knows; it tells A1's corner, the lens and the
// kind of lines. A board found with a score (0..1, how much it looks like one) below `least_score`
// is none. 0, -ENOENT, -ENOMEM, -EIO.
int locate_board(const struct vision_settings *settings, const struct picture *p,
                 const struct geometry *before, double least_score, struct geometry *ret,
                 struct error *err);

// Refines a geometry that is right within a third of a cell, by lines or hollows as the settings
// have it; see grid_refine().
int locate_refine(const struct vision_settings *settings, const struct picture *p, bool fit_lens,
                  struct geometry *g, struct grid_result *ret);

// How far the farthest corner lies from where it was, cells.
double locate_distance(const struct geometry *before, const struct geometry *now);

// A board of hollows: see hollows_half_turned(). Boards of lines have no such block.
int locate_half_turned(const struct vision_settings *settings, const struct picture *p,
                       const struct geometry *g, int *ret_block);
