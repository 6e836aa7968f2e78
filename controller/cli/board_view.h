// board_view: the board as people see it on a terminal or in a file.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "controller/differences.h"
#include "rules/game.h"

struct board_style {
    bool colour; // ANSI colours
    bool utf8;   // round stones instead of letters
    struct colour_names colours;
};

// From the terminal, NO_COLOR and the locale.
struct board_style board_style_for(int fd, const struct colour_names *colours);

enum { BOARD_VIEW_MAX = 16384 };

// The board with coordinates, the last stone marked by brackets, and below it who has captured how
// much. Returns buf, cut to size.
char *board_view(const struct game *game, const struct board_style *style, char *buf, size_t size);

// A position as it was seen, which no rules need to allow.
enum { BOARD_COVERED = COLOURS_MAX + 1 }; // something that is no stone is there
struct board_seen {
    int columns, rows;
    bool blocks;              // Pentago's
    uint8_t at[POINTS_MAX];   // row * columns + column, row 0 lowest: 0, a colour, BOARD_COVERED
    bool doubted[POINTS_MAX]; // marked by a "?"
};

// The same drawing of that, without anything below it. Returns buf, cut to size.
char *board_view_seen(const struct board_seen *seen, const struct board_style *style, char *buf,
                      size_t size);

// How one colour's stone is drawn, with the colour's name: "● blue", "X (blue)".
char *board_legend(const struct board_style *style, unsigned colour, char *buf, size_t size);
