// sampler: which pixels of a frame belong to which part of the board. Computed once per geometry,
// so that reading a frame is a walk through tables. Internal to the reader.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "vision/geometry.h"
#include "vision/picture.h"
#include "vision/pose.h"

enum {
    PATCH = 19, // samples a side of a point's patch
    PATCH_HALF = PATCH / 2,
    CHROMA_PATCH = 9, // chroma samples a side: every second luma sample
    CELL_SAMPLES = 5, // luma samples of a cell's centre
    CELLS_MAX = (BOARD_LINES_MAX + 1) * (BOARD_LINES_MAX + 1),
    ARM_SAMPLES = 3, // along an arm
    EDGES_MAX = 64,  // line pieces watched for drift
    EDGE_PROFILE = 17,
    EDGE_HALF = EDGE_PROFILE / 2,
    EDGE_ALONG = 4,
};

// The patch reaches this far from its point to each side, cells.
#define PATCH_REACH 0.80

struct sampler {
    int columns, rows;
    bool hollows; // no lines; cells keep clear of the seams and of the blocks' edges
    int width, height, chroma_width, chroma_height;
    struct geometry geometry;
    struct pose pose;
    double cell_px; // at the board's middle
    // Cell (i, j), i = 0..columns, has its centre at (i - 0.5, j - 0.5): the bare surface between
    // four points, and the margin outside the border.
    bool cell_inside[CELLS_MAX];
    bool cell_outside[CELLS_MAX]; // beyond the border: the sheet's margin, or what it lies on
    int32_t cell_luma[CELLS_MAX][CELL_SAMPLES];
    int32_t cell_chroma[CELLS_MAX];
    bool point_inside[BOARD_POINTS_MAX];
    float parallax[BOARD_POINTS_MAX][2];                 // of a stone's outline, cells
    int32_t patch_luma[BOARD_POINTS_MAX][PATCH * PATCH]; // row by row from (-reach, -reach)
    int32_t patch_chroma[BOARD_POINTS_MAX][CHROMA_PATCH * CHROMA_PATCH];
    // Four arms: along each, samples on the line and one on both sides.
    int32_t arm_luma[BOARD_POINTS_MAX][4][ARM_SAMPLES][5];
};

// Contrast of the piece of line that leaves point n in direction d (east, north, west, south), log
// units; about 0 where it is hidden.
float sampler_arm_contrast(const struct sampler *s, const struct picture *p, int n, int d);

// log(luma + 4) of every luma: a table in the source, so that every libm reads the same board.
extern const float SAMPLER_LOG[256];

void sampler_build(struct sampler *s, const struct geometry *g, bool hollows, bool lens_known,
                   double stone_height, const struct picture *p);
