// crowd: plays the games of rows that search.h does not know: three and four colours, teams, and
// Connect6. It searches on the rules core itself, so every rule of every variant holds, points
// included.
//
// With more than two sides it is paranoid: all others are taken to play against the one who thinks.
#pragma once

#include "rules/engine/engine.h"
#include "rules/engine/level.h"

// As engine_think, for a game of stones in which a stone is due. `level` NULL = full strength.
int crowd_think(const struct game *game, const struct engine_limits *limits,
                const struct level *level, struct rng *rng, atomic_int *stop, engine_report *report,
                void *user, struct engine_thought *ret);
