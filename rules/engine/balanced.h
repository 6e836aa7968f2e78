// balanced: random openings in which neither side is better, for matches: an opening that decides
// the game tells nothing about the players.
#pragma once

#include "config/base/rng.h"
#include "rules/engine/engine.h"

// Begins `game` with `moves` random moves about the middle, until `judge` (asked for a few thousand
// nodes, then for many more) finds a position within ±limit for the side to move. Returns 0;
// -ERANGE when none of the openings tried was balanced (the last one is laid, when it is no
// finished game).
int balanced_opening(struct engine *judge, const struct variant *variant, int moves, int limit,
                     struct rng *rng, struct game *game);
