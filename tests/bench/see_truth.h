// see_truth: the truth of a photograph and how a reading compares with it. For bench_see.
#pragma once

#include <stdbool.h>

#include "vision/photo.h"

enum { SEE_PHOTOS_MAX = 2048 };

struct see_truth {
    int size;
    char row[BOARD_LINES_MAX][BOARD_LINES_MAX + 2]; // top row first; '.', 'B', 'W', '?' hidden
    double corner[4][2];                            // TL TR BR BL, pixels
};

struct see_tally {
    int photos, found, wrong_grids, points, right, perfect, honest, unsure;
    double ms[SEE_PHOTOS_MAX]; // processor time
};

// Reads BASE.txt and BASE.corners. false: there is no (whole) truth.
bool see_truth_read(const char *base, struct see_truth *ret);

// Turns the truth by a quarter, as if the photograph were turned clockwise about the board: the
// column at the left becomes the row at the top. The corners keep their pixels.
void see_truth_turn(struct see_truth *truth);

// Largest distance of a corner from the truth in cells; infinite when the sizes differ.
double see_corner_error(const struct see_truth *truth, const struct photo_result *result);

// Counts one reading (`name` is printed with `verbose` 1, the wrong points too with 2). `any_side`:
// the photograph was turned by us, so the grid may start at any of its corners.
void see_compare(const char *name, const struct see_truth *truth, const struct photo_result *result,
                 bool any_side, int verbose, struct see_tally *tally);

// Prints the lines of one source; `brief`: one line for all of it.
void see_print(const char *source, struct see_tally *tally, bool brief);
void see_add(struct see_tally *sum, const struct see_tally *tally);

double see_now_ms(void); // processor time: other programs do not count
