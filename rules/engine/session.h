// session: what the program's protocols share: the engine, the game being played, the clocks and
// where answers go.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "rules/engine/engine.h"
#include "rules/engine/gameclock.h"
#include "rules/engine/gomocup_player.h"
#include "rules/engine/input.h"

struct session_options {
    struct engine_settings engine;
    const char *variant;  // name of the game at the start
    int64_t move_time_ns; // budget of each move when no clock is set
    uint64_t nodes;       // limit of each move, 0 = none
    bool resign;          // resigns positions that are proved lost
    bool ponder;          // goes on thinking while the other side does
    const char *brain;    // NULL, or the command of a Gomocup program that chooses the moves
};

struct session {
    struct session_options options;
    struct engine *engine;
    struct gomocup_player *brain; // NULL = the engine plays
    struct input *input;
    FILE *out;
    atomic_int stop; // the current search must end
    struct variant variant;
    struct game game;
    struct gameclock clock;
    int64_t move_time_ns;
};

// Returns 0 or negative errno with *err. `in` is borrowed, `is_stop` as for input_new.
int session_new(const struct session_options *options, int in, FILE *out,
                int (*is_stop)(const char *line), struct session **ret, struct error *err);
struct session *session_free(struct session *session);

// Starts a new game of the variant `name`, with `field=value` changes (NULL-terminated array).
int session_set_game(struct session *session, const char *name, char *const changes[],
                     struct error *err);

// Time allowed for the next move, from the clock or the fixed budget, in ns.
int64_t session_budget(const struct session *session);

// Thinks about the game's position and returns what was found. Connect6: both stones of the turn
// as one move. Nothing is played. With a brain it is the brain's move (-EPROTO and others when it
// fails or breaks the rules), except at full strength.
int session_think(struct session *session, bool full_strength, struct engine_thought *ret,
                  struct error *err);

// When pondering is on and the engine plays at full strength: thinks about the position, so that
// the table knows it, until a line arrives.
void session_ponder(struct session *session);

// Whether the level and the options say to give up here.
bool session_resigns(const struct session *session, const struct engine_thought *thought);
