// Inside of the world: what its source files share.
#pragma once

#include "controller/sim/world.h"

#define WORLD_FALL   3.0  // mm: letting go from higher up is a fall
#define VACUUM_HOLD  0.40 // level that carries a stone
#define VACUUM_SENSE 0.50 // level at which the pick sensor switches

// A stone has been let go at its (x, y) with its underside `fall` mm above what is below.
void world_land(struct world *world, int stone, double fall);
// Makes room around a stone until nothing overlaps; stones that cannot move any more pile up.
void world_settle(struct world *world, int stone);
// The carried stone is let go where it is.
void world_let_go(struct world *world, int64_t t_ns);
// Looks at what the cup touches and starts or ends a seal.
void world_contact(struct world *world, int64_t t_ns);
void world_vacuum_retarget(struct world *world, int64_t t_ns);
// Height of a stone's dome above its underside, `distance` mm from its axis; -1 = beside it.
double world_dome(const struct world_stone *stone, double distance);
void world_refill_pockets(struct world *world, int64_t t_ns);
