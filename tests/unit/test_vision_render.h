// A small renderer for vision's own tests: a vinyl board with glass stones under a tilted, slightly
// distorting camera, encoded as JPEG. The simulated table (controller/sim) renders far better; this
// one lets vision be tested without it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vision/geometry.h"
#include "vision/picture.h"

struct render {
    int width, height;
    struct geometry geometry;
    double stone_radius;                // cells
    uint8_t board[BOARD_POINTS_MAX];    // 0 = empty, 1.. = colour
    double offset[BOARD_POINTS_MAX][2]; // cells
    uint8_t colour[4][3];               // RGB of the stones
    uint8_t vinyl[3], line[3], table[3];
    double light;           // 1 = as it is
    double gradient;        // light lost across the picture
    double noise;           // standard deviation of a pixel
    bool hand;              // over the board, from the near side
    double hand_u, hand_v;  // its finger tips, cells
    double blur;            // pixels
    double camera[3];       // where it stands, cells
    uint64_t seed;          // of the noise; from here on nothing is of the scene
    uint8_t *clean, *scene; // the picture without noise, and what it shows; made when needed
    float *map;             // u, v and cells a pixel of every pixel; made when needed
    double mapped[9];       // the homography it was made for
};

// A camera `tilt` degrees off the vertical at the near side; a 19x19 board of 22 mm fills the
// picture.
void render_default(struct render *r, int width, int height, double tilt);

// A JPEG, malloc'ed by TurboJPEG: free with render_free().
void render_jpeg(struct render *r, uint8_t **ret, size_t *ret_size);
void render_free(uint8_t *jpeg);
void render_release(struct render *r); // frees the map
