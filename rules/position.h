// position: boards as drawings.
//
// A drawing is one line per row, the top row first: '.' an empty point, '1'..'4' a colour, '?' a
// point nobody could make out (seen boards only). Blanks between points are ignored, so both
// "..12." and ". . 1 2 ." are five points.
#pragma once

#include <stddef.h>

#include "config/base/error.h"
#include "rules/explain.h"
#include "rules/game.h"

// Writes one row of the board (y counted from the bottom) as '.' and digits, NUL-terminated; buf
// has room for BOARD_SIZE_MAX + 1.
void position_row(const struct game *game, unsigned y, char *buf);

// Writes the whole board with coordinates, for a terminal or a text file. `last` (may be NULL) is
// marked. Cut to size, NUL-terminated. Returns the length the text has in full.
size_t position_draw(const struct game *game, const struct point *last, char *buf, size_t size);

// Reads a drawing of `length` bytes as a seen board; *ret_size is its number of lines (5..19, as
// many columns). -EINVAL with line and column otherwise. '?' becomes SEEN_UNKNOWN.
int position_parse(const char *text, size_t length, seen_board ret, unsigned *ret_size,
                   struct error *err);
