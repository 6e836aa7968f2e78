// reach: what a stone on an empty point would do, read off the rules core's board. For the players
// that search on the rules core itself (crowd, points); any number of colours, every row length.
//
// (x, y) is an empty point of a game of the Pente family and `colour` the stone's. The answers are
// for choosing moves worth trying: what really happens is for game_play to say.
#pragma once

#include "rules/game.h"

// Bracketed rows of other colours that the stone would take.
int reach_takes(const struct game *game, int x, int y, unsigned colour);

// Length of the longest unbroken row of its colour that the stone would be part of.
int reach_row(const struct game *game, int x, int y, unsigned colour);

// The most stones of its own side that the stone would join in a stretch of win_len points which
// holds nobody else's: win_len − 1 = it wins there, win_len − 2 = it makes a four.
int reach_open(const struct game *game, int x, int y, unsigned colour);
