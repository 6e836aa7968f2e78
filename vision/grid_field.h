// grid_field: a lattice while it is being measured and grown. Internal to the grid finder.
#pragma once

#include "vision/cvshim.h"
#include "vision/grid.h"

enum {
    FIELD_BASE = GRID_BOX_MAX - 1,     // index of lattice coordinate 0
    FIELD_SPAN = 3 * GRID_BOX_MAX - 2, // the box may grow either way from where it started
    FIELD_SAMPLES_MAX = GRID_BOX_MAX * GRID_BOX_MAX * 5,
    FIELD_DISCS_MAX = 600,
};

#define FIELD_TOLERANCE 0.16 // cells, of line samples about the fit

struct field_node {
    bool measured;
    bool inside;  // in the picture
    float stone;  // difference of the crossing from the surface around it, log units
    float around; // that surface, log luma
    struct grid_arm arm[4];
};

struct field {
    const struct grid_image *image;
    const struct cvshim_spot *disc; // stones found in the picture, NULL: none
    int discs;
    struct geometry g;
    int i0, i1, j0, j1; // the box of lines in use, both ends within
    float threshold;    // contrast of a line that counts as seen
    float typical;      // median contrast of the lines seen
    bool have_surface;
    float surface; // median log luma about the crossings seen
    double margin; // by which the box is likelier the board than the next best one, score per line
    int samples;
    struct grid_sample sample[FIELD_SAMPLES_MAX];
    struct field_node node[FIELD_SPAN][FIELD_SPAN]; // use field_at()
};

static inline struct field_node *field_at(struct field *f, int i, int j)
{
    return &f->node[j + FIELD_BASE][i + FIELD_BASE];
}

// Starts from a lattice's nodes. -EINVAL: they determine no homography.
int field_start(struct field *f, const struct grid_lattice *lattice);

// A lattice of stones may have been walked along their diagonals: numbers its nodes along its
// shortest steps instead. false: it was numbered so already.
bool field_unshear(struct grid_lattice *lattice);

// Forgets what was measured; needed after g or the numbering changed.
void field_forget(struct field *f);
// Measures the crossings of the box that are not measured yet, then sets the threshold.
void field_measure(struct field *f, double search);
// Collects what the homography is fitted to: pieces of line seen, and stones.
void field_collect(struct field *f);
// Grows over everything that goes on like the lattice. -EINVAL: it can't be fitted.
int field_grow(struct field *f, int limit);

// How much of a line is seen in an arm, 0..1.
float field_seen(const struct field *f, const struct grid_arm *arm);
int field_arms_seen(struct field *f, int i, int j);
// Both directions' lines are seen: along one real line every point of a wrong lattice has two arms.
bool field_crossing_seen(struct field *f, int i, int j);
bool field_looks_like_stone(struct field *f, int i, int j);
// Mean of the picture over a disc of `radius` cells.
float field_disc_mean(const struct field *f, double u, double v, double radius);

// Decides which columns x rows lines are the board and makes them the box, numbered from 0; margin
// says how clearly. false: no window fits.
bool field_select_board(struct field *f, const struct grid_request *request);

// How much the box looks like a whole board, about 0..1. rms: of its line samples, cells; < 0: it
// could not be fitted. Right grids get 0.52 at worst (stones like the board all over it), 0.9
// usually; wrong ones stay below 0.5 with few exceptions that lie beside a right one.
double field_score(struct field *f, double rms);
