// hollows: finds a Pentago board that has no lines: 6 x 6 round hollows in four blocks, some with
// marbles in them. Internal to vision.
//
// 1. spots:   round things of any size, lighter, darker or half and half (a hollow is dark on the
//             lamp's side and light opposite): gradients vote for what they point at and away from.
// 2. lattice: from each cell of four spots the board is grown over all its places, seam and all, in
//             every block it may belong to.
// 3. verdict: on the right place all 36 points have something round, a marble or a hollow; the next
//             best place must have clearly less.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "vision/cvshim.h"
#include "vision/geometry.h"
#include "vision/grid.h"

enum {
    HOLLOWS_SIDE = 6, // points a side
    HOLLOWS_POINTS = HOLLOWS_SIDE * HOLLOWS_SIDE,
    HOLLOWS_BLOCKS = 4,     // left to right, then upwards
    HOLLOWS_RIM = 8,        // points of a block around its middle
    HOLLOW_SPOTS_MAX = 160, // of one size
    HOLLOW_SIZES = 14,
};

// Round things of about one size; strength is how much of a rim shows, 0 … 1.
struct hollow_spots {
    float radius; // pixels
    int count;
    struct cvshim_spot spot[HOLLOW_SPOTS_MAX]; // strongest first
};

// Sizes from … to - 1.
struct hollow_sizes {
    int from, to;
};
#define HOLLOW_SIZES_ALL ((struct hollow_sizes){0, HOLLOW_SIZES})
// Those that a board shows whose marbles have this radius, pixels of the image.
struct hollow_sizes hollow_sizes_near(double marble_radius);

// The spots of these sizes, smallest first; of the others there are none. 0 or -ENOMEM.
int hollow_spots_find(const struct grid_image *image, struct hollow_sizes sizes,
                      struct hollow_spots ret[HOLLOW_SIZES]);

// One of them anew, at the picture's full resolution: large ones are found more coarsely by
// hollow_spots_find().
int hollow_spots_fine(const struct grid_image *image, int size,
                      struct hollow_spots ret[HOLLOW_SIZES]);

// The spot nearest to (x, y), at most `reach` pixels away; -1: none.
int hollow_spots_nearest(const struct hollow_spots *spots, double x, double y, double reach);
// How much a spot counts, 0 … 1.
double hollow_spots_strength(const struct hollow_spots *spots, int spot);

#define HOLLOWS_MATCHED 0.17 // cells a spot may lie off its point
#define HOLLOWS_STRONG  0.45 // strength from which a spot counts fully

// A way to lay the board over spots.
struct hollows_placing {
    double h[9];              // cells with the seam let out -> pixels
    int spot[HOLLOWS_POINTS]; // row by row; -1: none
    int matched;
    int size;    // of the spots
    bool turned; // `block` stands half turned: of its points only the middle is matched
    int block, rim[HOLLOWS_RIM]; // then; the spots of its rim, -1: none
    double score;                // share of the points that show a rim, less what speaks against it
};

// The best place (score 0: none), and the score of the next best elsewhere.
struct hollows_places {
    struct hollows_placing best, next;
};
// Where all blocks lie straight, and where one may stand half turned.
void hollows_place(const struct hollow_spots spots[HOLLOW_SIZES], double seam, double marble,
                   struct hollows_places *ret_straight, struct hollows_places *ret_any);

// Where point n lies, cells with the seam let out.
void hollows_plane(double seam, int n, double ret[2]);

// Is point n on the rim of this block?
bool hollows_on_rim(int block, int n);
// How much of a block's rim shows where it should, or turned by 8 to 82 degrees: sum of strengths.
double hollows_rim_straight(const struct hollow_spots *spots, const double h[9], double seam,
                            int block);
double hollows_rim_turned(const struct hollow_spots *spots, const double h[9], double seam,
                          int block, int ret_spot[HOLLOWS_RIM]);

struct hollows_request {
    double seam;      // cells by which points on both sides of a seam are further apart
    double marble;    // diameter, cells
    double cell;      // pixels that a cell had when the board was last seen; 0: nobody knows
    struct lens lens; // fx = 0: unknown
};

// How large a cell in the middle of a block is, pixels.
double hollows_cell_px(const struct geometry *g);

// Finds the board in an 8-bit luma picture. 0, -ENOENT (*ret_why says what was seen, a static
// string), -ENOMEM, -EIO. The grid comes upright: (0,0) at the bottom left of the picture.
int hollows_find(const uint8_t *luma, int width, int height, const struct hollows_request *request,
                 struct grid_result *ret, const char **ret_why);

// Refines a geometry that is right within about a third of a cell, of a board with marbles of this
// diameter (cells). -ENOENT: it is not there.
int hollows_refine(const uint8_t *luma, int width, int height, double marble, struct geometry *g,
                   struct grid_result *ret);

// The block that stands half turned on a board whose geometry is known, -1: none. 0, -EAGAIN: it
// can't be told, something may lie over the board; -ENOMEM, -EIO.
int hollows_half_turned(const uint8_t *luma, int width, int height, double marble,
                        const struct geometry *g, int *ret_block);
