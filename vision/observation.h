// observation: what one frame says about the board. Plain data of fixed size; no pointers, so it
// may be copied from the camera's thread to the controller's.
//
// Points are indexed row * columns + column, row 0 at the player's side (row 1), column 0 = A.
// Classes: 0 = empty, 1..colours = a stone of that colour, OBSERVATION_UNKNOWN = something else
// covers the point (hand, arm, tool, glare): nothing can be said about it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "vision/geometry.h"

enum {
    OBSERVATION_COLOURS_MAX = 4,
    OBSERVATION_UNKNOWN = OBSERVATION_COLOURS_MAX + 1,
    OBSERVATION_CLASSES, // length of a likelihood array: empty, four colours, unknown
};

// The confidence below which people are shown a point as doubted.
#define OBSERVATION_DOUBT 0.9F

enum scene_state {
    SCENE_STILL,        // nothing moves and nothing foreign is over the board: it may be read
    SCENE_MOVING,       // something changes in the picture of the board
    SCENE_HAND,         // something that entered from outside covers part of the board
    SCENE_ARM,          // the same while the arm is known to be out of its park position
    SCENE_CAMERA_MOVED, // the grid is not where it was; it is being found again
    SCENE_LIGHT,        // the light changes (a lamp, a cloud): wait until it is steady
    SCENE_TOO_DARK,
    SCENE_OVEREXPOSED,
    SCENE_BLURRED,  // out of focus, or a dirty lens
    SCENE_NO_BOARD, // no grid found (yet)
    SCENE_STATE_COUNT,
};

// "still", "moving", "hand", "arm", "camera moved", "light changes", "too dark", "overexposed",
// "out of focus", "no board".
const char *scene_state_name(enum scene_state state);

struct scene {
    enum scene_state state;
    int64_t still_ns;   // how long it has been SCENE_STILL without a break, 0 when it is not
    float motion;       // share of cells that changed since the frame before, 0..1
    float covered;      // share of points that are unknown, 0..1
    float brightness;   // median luma of the board's surface, 0..255
    float overexposed;  // share of the board's samples at full scale, 0..1
    float sharpness;    // contrast of the grid lines against the surface, 1 = as learned
    float light_change; // change of the surface's luma since the frame before, as a ratio - 1
    float camera_shift; // how far the grid has moved from its geometry, in cells (rms)
};

struct observation_point {
    float log_likelihood[OBSERVATION_CLASSES]; // nats; comparable within the point only
    uint8_t best;                              // the class with the highest likelihood
    float confidence;                          // posterior of `best` under equal priors, 0..1
    float offset_u, offset_v; // centre of the stone from the intersection, cells; 0 when no stone
    float offset_x, offset_y; // the same in mm
};

struct observation {
    int64_t time_ns;   // exposure, monotonic
    uint32_t sequence; // of the frame
    int columns, rows, colours;
    struct scene scene;
    double rms_px;   // reprojection error of the geometry in use
    int half_turned; // Pentago's block that does not lie in its place, whose rim is unknown: 1, 2
                     // those below, 3, 4 above, left to right; 0: none
    struct observation_point point[BOARD_POINTS_MAX];
};

// Index of a point, or -1 when it is off the board.
int observation_index(const struct observation *o, int column, int row);
