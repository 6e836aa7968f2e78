// watch: some pieces of grid line (of a board of hollows: of its seams), looked at in every frame,
// tell whether the grid is still where it was and whether the picture is sharp. Internal to the
// reader.
#pragma once

#include "vision/sampler.h"

struct watch_edge {
    bool vertical; // a piece of a line u = const
    int32_t at[EDGE_ALONG][EDGE_PROFILE];
};

struct watch {
    int count;
    bool light_lines; // lighter than the board
    bool seams;       // of a board of hollows
    double step;      // cells between two samples of a profile
    struct watch_edge edge[EDGES_MAX];
    float learned;        // contrast of the lines when the geometry was new, log units; 0 = not yet
    float home_u, home_v; // cells by which seams were off the middle then
    // Measures of this frame:
    float contrast;         // median of the pieces; of seams, the upper quartile
    float seen;             // share of the pieces where a line is seen
    float shift_u, shift_v; // median shift of the lines seen since then, cells
};

// Profiles reach this far to each side, cells.
#define WATCH_REACH 0.34

void watch_build(struct watch *w, const struct sampler *s);
void watch_read(struct watch *w, const struct picture *p);
// This is where the lines are with a geometry that is new, and how much they stand out.
void watch_learn(struct watch *w);
