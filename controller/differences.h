// differences: where the board and the game disagree, and how to say so to the people at the table.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/game.h"
#include "vision/colour.h"

enum {
    DIFFERENCES_MAX = POINTS_MAX,
    DIFFERENCES_TEXT_MAX = 512,
    DIFFERENCES_NAMED = 6, // points named in one sentence; more are counted
};

struct board_difference {
    struct point at;
    uint8_t expected, seen; // 0 = empty, else colour
};

struct differences {
    int count;
    struct board_difference list[DIFFERENCES_MAX];
};

// What things are called: name[1] = "blue".
struct colour_names {
    const char *name[COLOURS_MAX + 1];
    bool marbles; // Pentago: marbles in holes named block/position, instead of stones on points
};

void differences_add(struct differences *d, int x, int y, unsigned expected, unsigned seen);

// One or more sentences: "the blue stone on K7 has moved to L7", "two blue stones are new: K10 and
// L11", "the red stone on C3 is gone". A stone that is gone and one of its colour that is new close
// by are one that has moved; the only ones of a colour also when they lie far apart. `game` (NULL
// allowed) adds whose turn it is or why the rules refuse a single new stone. Returns buf.
char *differences_text(const struct differences *d, const struct game *game,
                       const struct colour_names *names, char *buf, size_t size);

// "K10", "K10 and L11", "K10, L11 and 3 more". Returns buf.
char *points_text(const struct point *points, int count, char *buf, size_t size);
// The same as the game calls them: "2/5 and 3/1" in Pentago.
char *points_text_named(const struct point *points, int count, const struct colour_names *names,
                        char *buf, size_t size);

// "two", "three", … up to twelve, then digits. Returns a string that lasts until the next call.
const char *count_word(int count);
