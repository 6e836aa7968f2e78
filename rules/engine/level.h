// level: how the lower levels play down.
//
// A weaker player sees less far, misses threats now and then, and is not sure which of two good
// moves is better; he does not play at random. So a level limits depth, nodes and the length of
// threat sequences, sometimes overlooks what the other side is up to (and then goes on with its own
// plan), and chooses among moves whose values it can't tell apart. Level 10 has none of this.
#pragma once

#include <stdint.h>

#include "config/base/rng.h"
#include "rules/engine/engine.h"

struct level {
    uint64_t nodes;    // 0 = no limit
    double oversight;  // the chance to overlook the other side's plans this time
    double miss_four;  // the chance to overlook even a four that must be stopped
    int depth;         // plies, 0 = no limit
    int proof_moves;   // own moves of a threat sequence that are seen (see struct search_limits)
    int lines;         // candidates weighed against each other
    int blur;          // differences of value smaller than this are hardly noticed
    int pentago_depth; // turns looked ahead in Pentago, 0 = no limit
    int delays;        // own moves a win is put off for points (see points.h)
};

// The row for level 1 … 10.
const struct level *level_get(int level);

// Chooses one of the candidates (best first) as the level does. Returns its index.
int level_choose(const struct level *level, const int *scores, int count, struct rng *rng);
