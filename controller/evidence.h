// evidence: what the last still frames together say about each point of the board.
//
// One frame can err; several that were taken while nothing moved err less, but they share the light
// and the glare, so more than a few of them add nothing: the mean counts as EVIDENCE_LOOKS
// independent looks at most. Any frame that was not still starts afresh.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "vision/observation.h"

enum {
    EVIDENCE_LOOKS = 3,   // what any number of frames is worth at most
    EVIDENCE_FRAMES = 16, // older frames fade out beyond this
};

struct evidence_point {
    double sum[OBSERVATION_CLASSES]; // of log likelihoods, nats
    double offset_x, offset_y;       // sums, mm
};

struct evidence {
    int columns, rows, colours;
    int frames;         // still frames in the sums
    int64_t since_ns;   // time of the first of them
    int64_t until_ns;   // time of the last
    struct scene scene; // of the last frame, still or not
    bool seen;          // any frame at all since the beginning
    struct evidence_point point[BOARD_POINTS_MAX];
};

void evidence_clear(struct evidence *e);
void evidence_add(struct evidence *e, const struct observation *o);

// Total log likelihood of a class at a point, nats; comparable within the point.
double evidence_log(const struct evidence *e, int point, int class);

// The likeliest of empty and the colours (never unknown), and by how much it beats the next, nats.
int evidence_best(const struct evidence *e, int point, double *ret_margin);

// True when something that is no stone covers the point: nothing can be said about it.
bool evidence_covered(const struct evidence *e, int point);

// Mean offset of the stone's centre from its intersection, board mm.
void evidence_offset(const struct evidence *e, int point, double ret[2]);
