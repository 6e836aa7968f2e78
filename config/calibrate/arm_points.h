// arm_points: stones laid by the arm over the whole board, where the camera sees them, and the map
// that explains both. In hollows marbles roll: there each is felt with the cup (centre.h) after it
// was laid.
//
// The first five stones, about the middle, are laid by the settings' guess and give a first map;
// the others are laid by that. Colours that the eye sees badly before it has learned them, or much
// worse than the best one (clear glass, whose centre it finds by its shadow), are left out: what
// lies where is asked of the eye only where it is sure.
#pragma once

#include "config/calibrate/bench.h"

enum {
    ARM_POINTS_SIDE_MAX = 7, // points each way
    ARM_POINTS_MAX = ARM_POINTS_SIDE_MAX * ARM_POINTS_SIDE_MAX,
};

struct arm_points {
    struct bench *bench;
    struct observation *o; // borrowed scratch
    // The points: side × side intersections, evenly spaced, row by row.
    int side, step_column, step_row, column0, row0;
    struct board_map_pair pair[ARM_POINTS_MAX]; // where it was laid (or felt), where it was seen
    int8_t colour[ARM_POINTS_MAX];              // laid there, 0 = nothing yet
    bool seen[ARM_POINTS_MAX];
    double margin[ARM_POINTS_MAX]; // nats by which it was seen rather than the bare board
    bool sure[SETTINGS_COLOURS];   // [colour - 1] the eye is sure of it
    int strays;                    // stones that lay too far off to be used
};

// `o` is scratch room and must outlive the points.
void arm_points_init(struct arm_points *points, struct bench *bench, struct observation *o);

// Lays and sees all points and fits the bench's map to them. *ret_rms: what is left over, mm. The
// stones are left lying.
int arm_points_fit(struct arm_points *points, double *ret_rms, struct error *err);

// The n-th colour to use, taking turns among those the eye is sure of.
int arm_points_colour(const struct arm_points *points, int n);
