// opening: the stones and choices before the real game in D-Pente and swap2, for engine.c.
//
// Who lays the stones wants a position that is fair, since the other takes the better side; who
// chooses takes the better side.
#pragma once

#include "rules/engine/engine.h"
#include "rules/engine/rows.h"

// Whether the stone that is due now is laid for the other to choose about.
bool opening_lays(const struct game *game);

// Lays such a stone. Returns 0 or negative errno.
int opening_lay(struct rows *rows, const struct game *game, const struct engine_limits *limits,
                struct rng *rng, atomic_int *stop, struct engine_thought *ret);

// Makes the choice that is due.
int opening_choose(struct rows *rows, const struct game *game, const struct engine_limits *limits,
                   struct rng *rng, atomic_int *stop, struct engine_thought *ret);
