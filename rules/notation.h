// notation: points and moves as text, in the forms people and programs write.
//
//   Pente family   K10 (columns A..T without I, rows from the bottom); lower case and 10k are read
//   Connect6       J9+L11
//   Pentago        2/5, 2/4 1R (block/position, then block and R = clockwise, L = anticlockwise)
//                  a1s (OpenSpiel: column a..f, row 1..6 from the top, twist letter s..z) is read
//   choices        first, second, pass
//   others         resign, draw
//   traditional    0, R2U3, L1 (distance from the centre; records F3)
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "rules/game.h"

enum { MOVE_TEXT_MAX = 16 }; // bytes of the longest move with its NUL

// Reads a whole string of `length` bytes as a point. True and *ret on success; a point that is well
// formed but off a 19-line board is no point.
bool point_parse(const char *text, size_t length, struct point *ret);

// Writes a point such as "K10"; buf has room for MOVE_TEXT_MAX. Returns buf.
char *point_format(struct point p, char *buf);

// Reads a move for the family of the variant. The colour is left 0. True and *ret when the text is
// a move of such a game; whether it is legal is game_play's business.
bool move_parse(const struct variant *variant, const char *text, size_t length, struct move *ret);

// Writes a move as move_parse reads it back. buf has room for MOVE_TEXT_MAX. Returns buf.
char *move_format(const struct variant *variant, struct move move, char *buf);

// OpenSpiel's Pentago form, "a1s". Needs a twist: move_format_openspiel returns NULL without one.
bool move_parse_openspiel(const char *text, size_t length, struct move *ret);
char *move_format_openspiel(struct move move, char *buf);

// Traditional Pente notation on a board of `size` lines (odd): both orders are read, horizontal
// first is written.
bool point_parse_traditional(const char *text, size_t length, unsigned size, struct point *ret);
char *point_format_traditional(struct point p, unsigned size, char *buf);
