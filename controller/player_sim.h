// player_sim: a simulated person at the simulated table. He knows what he wants to play from an
// engine (--auto) or from what is typed, puts the stone down with his hand and presses the button.
// The robot learns of his move only through the camera, as of any person's.
#pragma once

#include "controller/loop.h"
#include "controller/player.h"
#include "controller/player_engine.h"
#include "controller/sim/table.h"

struct player_sim_options {
    struct table *table;
    const struct engine_options *engine; // NULL = moves are typed
    bool lifts;                          // takes the pairs he captures off himself
    unsigned seat;
    struct player_events events;
};

int player_sim_new(struct loop *loop, const struct player_sim_options *options, struct player *ret,
                   struct error *err);

// Typed: the person puts his stone there now. -EBUSY: his hand is busy; -EPERM: not his turn.
int player_sim_type(struct player *player, struct move move);
