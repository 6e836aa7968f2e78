// player_engine: a program that plays, over GTP. A foreign one runs in the engine's sandbox (no
// files to write, no network, bounded memory), one that speaks Gomocup behind an engine that
// translates. It is started when first needed and started anew when asked again after it has
// failed; a crash, silence or an illegal move is told, never hidden.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "controller/loop.h"
#include "controller/player.h"

enum { ENGINE_ARGS_MAX = 24, ENGINE_COMMAND_MAX = 512 };

struct engine_options {
    const char *command; // words separated by blanks; "" or NULL = tessera-engine of this project
    bool gomocup;        // the command speaks Gomocup, not GTP
    int level;           // 1 … 10
    uint64_t seed;       // own engine only
    int threads, hash;   // own engine only; 0 = its default
    double move_time;    // seconds; 0 = by level alone, which plays the same game every time
};

// seat: 1 …, handed back in the events.
int player_engine_new(struct loop *loop, const struct engine_options *options, unsigned seat,
                      const struct player_events *events, struct player *ret, struct error *err);
