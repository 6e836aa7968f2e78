// photo_reading: one photograph's points while they are being read. Internal to photo_points.
#pragma once

#include <math.h>

#include "vision/grid.h"
#include "vision/photo.h"
#include "vision/picture.h"
#include "vision/pose.h"

enum {
    SIDE = 21,
    HALF = SIDE / 2,
    AREA = SIDE * SIDE,
    KINDS = 1 + PHOTO_COLOURS_MAX, // surface and stones
    CELLS = (BOARD_LINES_MAX + 1) * (BOARD_LINES_MAX + 1),
    ROUNDS = 3,
};

#define PHOTO_STEP       (0.80F / HALF) // patches reach 0.8 cells from their point
#define PHOTO_OFFSET_MAX (0.34F)        // of a stone from its point, cells
#define PHOTO_LINE_HALF  (0.075F)       // what lies nearer to a grid line may be the line, cells

struct pixel {
    float luma, cb, cr; // log luma against the surface; chroma over luma, absolute
};

// What a kind of thing looks like, per pixel.
struct kind {
    float mean[3], deviation[3];
    int samples;
};

struct point {
    struct pixel px[AREA];
    float luma, cb, cr;     // middle of the disc
    float base_cb, base_cr; // of the surface around
    float unevenness;       // of the surface around, log units
    float pallor;           // share of the board's usual tint that the surface around lacks, 0..1
    float parallax[2];      // of a stone's rim, cells
    float arm[4];           // 0..1: a line is seen; -1: the point has no such arm
    float lines;            // mean of the arms
    float part[KINDS];      // share of the best placed disc that is of each kind
    float edge[KINDS];      // share of the same kind beyond the disc, towards the cells' centres
    float rim[KINDS];       // share of bare surface there
    float centre[KINDS][2]; // of that disc, cells from the point
    float covered[KINDS];   // lines seen where that disc lies
    float score[KINDS];     // log odds against an empty point
    float confidence;
};

struct reading {
    const struct photo_settings *settings;
    const struct picture *p;
    const struct geometry *g;
    int columns, rows, kinds;
    float cell_luma[CELLS], cell_cb[CELLS], cell_cr[CELLS]; // smoothed surface
    struct grid_arm arm[BOARD_POINTS_MAX][4];
    float threshold, typical;
    struct kind kind[KINDS];
    struct pose pose;
    uint8_t label[BOARD_POINTS_MAX];
    struct point *point;
};

static inline bool near_line(int a, int b)
{
    return fabsf((float)(a - HALF) * PHOTO_STEP) < PHOTO_LINE_HALF ||
           fabsf((float)(b - HALF) * PHOTO_STEP) < PHOTO_LINE_HALF;
}

// The surface's tint is that of the surface nearby, whatever falls on it; a stone's is its own.
static inline float channel_of(const struct point *t, int pixel, int kind, int channel)
{
    const struct pixel *px = &t->px[pixel];
    if (channel == 0)
        return px->luma;
    if (channel == 1)
        return px->cb - (kind == 0 ? t->base_cb : 0);
    return px->cr - (kind == 0 ? t->base_cr : 0);
}

// What a disc about a place holds.
struct photo_disc {
    float in[KINDS];   // mean share of each kind inside
    float edge[KINDS]; // and beyond it towards the cells' centres, where no neighbour reaches
};

// Share of each kind in every pixel of a point's patch.
void photo_shares(const struct reading *r, const struct point *t, float share[AREA][KINDS]);
// What a disc about (cu, cv), cells from the point, holds.
void photo_disc(const struct reading *r, float share[AREA][KINDS], float cu, float cv,
                struct photo_disc *ret);
// Does a stone about (cu, cv) fit beside the stones next to it that are surer than it?
bool photo_fits_beside(const struct reading *r, int n, float cu, float cv);

// Judges every point by the photograph's own models. `crowded`: stones already read leave no room
// for others beside them.
void photo_judge(struct reading *r, bool crowded);
// How sure each point's reading is: its odds, cut down by what speaks against trusting them.
void photo_doubt(struct reading *r);
