// grid: finds a board's lines in a picture of any camera, without markers. Internal to vision.
//
// 1. seeds:  crossings of dark lines are joined into a lattice by walking along real line segments
//            (grid_seed), or the centres of stones are (on boards that are nearly full).
// 2. grow:   the lattice's homography is extended cell by cell over the whole board, always fitted
//            to everything seen so far (grid_arm measures, grid_fit solves).
// 3. window: which N x N lines of the lattice are the board is decided by where lines end.
// 4. refine: lens and folds are fitted; the result gets a score, and the best candidate wins.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "vision/geometry.h"

enum {
    GRID_WORK_SIDE = 1024, // pixels of the working picture's longer side
    GRID_SPOTS_MAX = 3000,
    GRID_NODES_MAX = 1200, // of one lattice
    GRID_BOX_MAX = 32,     // lines each way while growing
};

// Log luma of the working picture, lightly smoothed.
struct grid_image {
    int width, height;
    float *px;
};

// A lattice point: whole coordinates and where it was seen.
struct grid_node {
    int i, j;
    float x, y;
};

struct grid_lattice {
    int count;
    struct grid_node node[GRID_NODES_MAX];
};

// A half segment: the piece of a grid line from a crossing halfway to its neighbour.
enum grid_direction { GRID_EAST, GRID_NORTH, GRID_WEST, GRID_SOUTH };

struct grid_arm {
    bool inside;    // within the picture
    float contrast; // darkness of the line against both sides, log units; <= 0: no line
    float offset;   // of the line from where it was expected, cells, + to the left of the direction
    float x, y;     // a point on the line seen, pixels
};

// The working picture of an 8-bit luma picture; `negative` so that light lines come out dark:
// everything after sees dark lines only. ret->px is malloc'ed. -EINVAL: too small, -ENOMEM, -EIO.
int grid_image_make(const uint8_t *luma, int width, int height, bool negative,
                    struct grid_image *ret);

// Turns the grid so that u points right and v points up in the picture.
void grid_turn_upright(struct geometry *g);

float grid_image_at(const struct grid_image *image, double x, double y);

// Measures one arm of crossing (u, v) in `g`; `search` is how far to look to each side, cells.
void grid_measure_arm(const struct grid_image *image, const struct geometry *g, double u, double v,
                      enum grid_direction direction, double search, struct grid_arm *ret);

// Lattices found by walking, largest first. Returns how many (at most max).
int grid_seed_crossings(const struct grid_image *image, struct grid_lattice *ret, int max);

// Stones as round things darker or lighter than what is around, all of about one size; strength is
// the radius in pixels. Returns how many, or a negative errno. On a board that fills the picture:
struct cvshim_spot;
int grid_find_discs(const struct grid_image *image, struct cvshim_spot *ret, int max);
// on a small board, full or not, that lies on something else:
int grid_find_studs(const struct grid_image *image, struct cvshim_spot *ret, int max);
// The radius most discs have, by votes of discs within a fifth of each other; 0: there are none.
float grid_usual_radius(const struct cvshim_spot *disc, int count);

// Lattices of stones next to each other, largest first. Returns how many.
int grid_seed_discs(const struct grid_image *image, const struct cvshim_spot *disc, int count,
                    struct grid_lattice *ret, int max);

// Lattices of crossings and of stones next to them, largest first: of boards so small and so full
// that neither will do alone. Returns how many.
int grid_seed_both(const struct grid_image *image, const struct cvshim_spot *disc, int count,
                   struct grid_lattice *ret, int max);

// One constraint of the fit: the pixel (x, y) lies on grid line u = line (vertical) or v = line.
struct grid_sample {
    float x, y;
    bool vertical;
    float line;
    float weight;
};

// Robustly fits the homography to line samples, starting from g; `tolerance` in cells. Returns the
// weighted rms residual in cells, or a negative number when the samples determine nothing.
double grid_fit_lines(struct geometry *g, const struct grid_sample *sample, int count,
                      double tolerance);

// Fits one radial lens coefficient along with the homography. As grid_fit_lines.
double grid_fit_lens(struct geometry *g, const struct grid_sample *sample, int count,
                     double tolerance);

// Fits the 5x5 residual mesh to what the homography leaves over. As grid_fit_lines.
double grid_fit_mesh(struct geometry *g, const struct grid_sample *sample, int count,
                     double tolerance);

struct grid_result {
    bool unclear;             // a grid was seen whose border could not be told: it is not this one
    struct geometry geometry; // in pixels of the picture given, (0,0) at the bottom left
    double score;             // share of the points that look like a board, 0..1
    double rms_cells;
    float line_contrast;  // typical contrast of a bare line
    float line_threshold; // contrast from which a line counts as seen
};

// Lines darker or lighter than the board; when nobody knows, dark ones are looked for first.
enum grid_lines { GRID_LINES_ANY, GRID_LINES_DARK, GRID_LINES_LIGHT };

struct grid_request {
    int columns, rows; // 0: find out among 19, 15, 13, 9 (square)
    enum grid_lines lines;
};

// Finds a board in an 8-bit luma picture. 0, -ENOENT (no board; *ret_why says what was seen, a
// static string), -ENOMEM, -EIO.
int grid_find(const uint8_t *luma, int width, int height, const struct grid_request *request,
              struct grid_result *ret, const char **ret_why);

// Refines a geometry that is right within about a third of a cell (a bumped camera, corners given
// by a person). -ENOENT: the lines are not there. fit_lens: also its distortion.
int grid_refine(const uint8_t *luma, int width, int height, bool fit_lens, struct geometry *g,
                struct grid_result *ret);

// The arms of every crossing of a board whose geometry is known, and how far each crossing differs
// from the surface around it (log units); index row * columns + column. 0, -ENOENT, -ENOMEM, -EIO.
int grid_measure_board(const uint8_t *luma, int width, int height, const struct geometry *g,
                       struct grid_arm (*ret_arm)[4], float *ret_threshold, float *ret_typical);
