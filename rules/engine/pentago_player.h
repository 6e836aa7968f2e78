// pentago_player: plays Pentago for engine.c: from the exact table with up to four marbles, by
// search from five on, and by the exact solver as soon as it fits the time and the memory.
#pragma once

#include "rules/engine/engine.h"
#include "rules/engine/level.h"

struct pentago_player;

// At most `hash_mib` MiB for table and solver together.
int pentago_player_new(unsigned hash_mib, struct pentago_player **ret);
struct pentago_player *pentago_player_free(struct pentago_player *player);
void pentago_player_forget(struct pentago_player *player);

// As engine_think. `level` NULL = full strength.
int pentago_player_think(struct pentago_player *player, const struct game *game,
                         const struct engine_limits *limits, const struct level *level,
                         struct rng *rng, atomic_int *stop, engine_report *report, void *user,
                         struct engine_thought *ret);
