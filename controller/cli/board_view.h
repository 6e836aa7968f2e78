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

// How one colour's stone is drawn, with the colour's name: "● blue", "X (blue)".
char *board_legend(const struct board_style *style, unsigned colour, char *buf, size_t size);
