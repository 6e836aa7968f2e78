// eval: what a quiet position of the Pente and Gomoku families is worth, and which moves to look
// at first. All terms come from what sboard keeps up to date.
#pragma once

#include "rules/engine/sboard.h"

enum { EVAL_LIMIT = 20000 };

// The value for the side to move, within ±EVAL_LIMIT. 100 is about the worth of an open three.
int eval_position(const struct sboard *b);

// How promising a stone of the side to move on the empty `cell` looks: for ordering only.
int eval_move(const struct sboard *b, int cell);

// The chance of a win, 0 … 1, that fits a value (fitted to games; see README.md).
double eval_win_chance(int value);

// The empty points within two steps of a stone, at most `limit`. Returns how many.
int eval_candidates(const struct sboard *b, int limit, uint16_t *cells);
