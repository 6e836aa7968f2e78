// sight: what one observation tells a person: the scene in words, the stones, the doubted points.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "controller/cli/board_view.h"
#include "vision/observation.h"

struct sight {
    enum scene_state scene;
    struct board_seen board; // counts only when the scene is still
    int stones[COLOURS_MAX + 1];
    int doubts; // points, covered ones too
};

enum { SIGHT_TEXT_MAX = DIFFERENCES_TEXT_MAX + 256 };

// A point is doubted below OBSERVATION_DOUBT, and from then on until it is clearly above, so that
// one at the limit doesn't come and go: `before` is the last sight, or NULL.
void sight_take(struct sight *ret, const struct observation *o, const struct sight *before,
                bool blocks);

// True when both tell a person the same.
bool sight_same(const struct sight *a, const struct sight *b);
bool sight_same_board(const struct sight *a, const struct sight *b);

// "still: 12 stones, 6 blue and 6 red; not sure of K10 and L4", "a hand, or the arm, is over the
// board". Returns buf, cut to size.
char *sight_text(const struct sight *sight, const struct colour_names *names, char *buf,
                 size_t size);

// What the scene means, and what to do about it where it does not end by itself. Lasts forever.
const char *sight_scene_text(enum scene_state scene);

// The observation behind it for programs: scene and measures, and while it is still the rows (top
// row first: '.', stone_colour_letter(), '?' = covered), the confidence of every point, the stones
// with their offsets in mm and the doubted points. NULL: out of memory.
json_t *sight_json(const struct sight *sight, const struct observation *o,
                   const struct colour_names *names);
