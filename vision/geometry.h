// geometry: where the board's grid lies in the camera's picture. Plain data, so that it can be
// stored with the calibration and copied between threads.
//
// Grid coordinates (u, v) are in cells: intersection (column, row) is at u = column, v = row, row 0
// at the player's side (row 1 of the notation), column 0 = A. On Pentago's board of hollows points
// on either side of the blocks' seam are further apart: there (u, v) are *places* as in
// config/base/spacing.h, so that half a cell around every point is as on any other board, and the
// seam lies squeezed between. Millimetres: geometry_board_mm(). Pixel coordinates have integer
// values at pixel centres, origin top left.
//
// The chain is: cells (seam let out) -> homography + mesh -> ideal (straight-line) pixels -> lens
// -> pixels. The lens is the usual Brown-Conrady model (as OpenCV's calibrateCamera: k1 k2 p1 p2
// k3).
#pragma once

#include <stdbool.h>

enum {
    BOARD_LINES_MAX = 19,
    BOARD_LINES_MIN = 6,
    BOARD_POINTS_MAX = BOARD_LINES_MAX * BOARD_LINES_MAX,
    GEOMETRY_MESH = 5, // knots a side
};

struct lens {
    double fx, fy, cx, cy;     // pixels
    double k1, k2, p1, p2, k3; // all 0: no distortion
};

struct geometry {
    int columns, rows;             // lines each way, 6..19
    double pitch_x, pitch_y;       // mm between neighbouring intersections
    double seam_u, seam_v;         // by which the middle two are further apart, cells; mostly 0
    int image_width, image_height; // of the frame it was fitted in
    struct lens lens;
    double homography[9]; // row major: cells (with the seam let out) -> ideal pixels
    // What a sheet's folds and curl leave over, in ideal pixels, at 5x5 knots spread evenly over
    // the grid (knot [j][i] at u = i * (columns-1)/4, v = j * (rows-1)/4), bilinear between.
    float mesh_x[GEOMETRY_MESH][GEOMETRY_MESH], mesh_y[GEOMETRY_MESH][GEOMETRY_MESH];
    bool light_lines; // the grid's lines are lighter than the board
    double rms_px;    // reprojection error of the line samples it was fitted to, 0 = unknown
    int samples;      // how many those were
};

// A lens without distortion for a picture of that size (focal length = the longer side).
struct lens lens_ideal(int width, int height);

void lens_distort(const struct lens *lens, double x, double y, double *ret_x, double *ret_y);
void lens_undistort(const struct lens *lens, double x, double y, double *ret_x, double *ret_y);

void geometry_board_to_image(const struct geometry *g, double u, double v, double *ret_x,
                             double *ret_y);
// Returns false (and writes nothing) where the pixel lies behind the board's horizon.
bool geometry_image_to_board(const struct geometry *g, double x, double y, double *ret_u,
                             double *ret_v);

// Where (u, v) lies on the board, mm from A1.
void geometry_board_mm(const struct geometry *g, double u, double v, double ret[2]);

// Size of one cell in pixels at (u, v): the square root of the cell's area.
double geometry_cell_px(const struct geometry *g, double u, double v);

// A geometry from four outermost intersections, pixels, in the order (0,0), (columns-1,0),
// (columns-1,rows-1), (0,rows-1); the lens is ideal. -EINVAL: they make no convex quadrilateral.
int geometry_from_corners(const double corners[4][2], int columns, int rows, int image_width,
                          int image_height, struct geometry *ret);

// The same board with its grid turned by `quarter_turns` * 90 degrees (counter-clockwise as seen in
// grid coordinates), so that another corner becomes (0,0). Square boards only for odd turns.
void geometry_turn(struct geometry *g, int quarter_turns);

// Solves a homography that takes src[i] to dst[i], i < count, count >= 4 (normalised DLT).
// Returns false for degenerate points.
bool homography_fit(const double (*src)[2], const double (*dst)[2], int count, double ret[9]);
void homography_apply(const double h[9], double x, double y, double *ret_x, double *ret_y);
bool homography_invert(const double h[9], double ret[9]);
