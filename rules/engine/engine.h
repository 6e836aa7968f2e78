// engine: the player of every game. Give it a game of the rules core, get a legal move.
//
// Whatever the variant, engine_think answers with a move that game_check accepts, by the deadline,
// at the wanted level. It keeps what it learnt (transposition table) from one call to the next of
// the same variant. One engine is used by one caller at a time; *stop may be set by any thread.
//
//     struct engine *engine;
//     engine_new(&(struct engine_settings){.level = 10, .threads = 1, .hash_mib = 64}, &engine,
//     &err); struct engine_limits limits = {.deadline_ns = clock_monotonic_ns() + NS_PER_S};
//     engine_think(engine, &game, &limits, false, NULL, NULL, NULL, &thought, &err);
//     game_play(&game, thought.line[0].move, NULL);
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"
#include "rules/game.h"

enum {
    ENGINE_LEVELS = 10,
    ENGINE_LINES_MAX = 16,
    ENGINE_PV_MAX = 24,
    ENGINE_HASH_MIB = 256, // default: room for the Pentago solver with 16 holes left
    ENGINE_WIN = 30000,    // score of a proven win of stones in rows, less the plies it takes
};

struct engine_settings {
    int level;         // 1 … 10; 10 = full strength
    int threads;       // 1 … 64; levels below 10 always use one
    unsigned hash_mib; // 1 … 65536
    uint64_t seed;     // for variety and for the lower levels' mistakes
};

struct engine_limits {
    int64_t deadline_ns; // clock_monotonic_ns() to be back by, 0 = none
    uint64_t nodes;      // moves tried at most (about), 0 = no limit
    int depth;           // 0 = no limit
    int lines;           // candidates whose value is wanted; 0 and 1 = just the best
};

struct engine_line {
    struct move move;
    int score;         // for the colour to move; 100 is about an open three
    bool proven;       // the result is certain: won, lost or (score 0) drawn
    int plies;         // to the end when proven and known, else 0
    double win_chance; // 0 … 1, a draw counting half
    int depth;
    uint64_t nodes;
    int pv_length;
    struct move pv[ENGINE_PV_MAX]; // pv[0] is the move
};

struct engine_thought {
    int line_count; // at least 1, best first
    struct engine_line line[ENGINE_LINES_MAX];
    int depth, selective_depth;
    uint64_t nodes;
    bool book; // known without thinking
};

// Called with what is known so far, in the caller's thread, while engine_think runs.
typedef void engine_report(void *user, const struct engine_thought *so_far);

struct engine;

// Returns 0; -EINVAL (a setting is out of range; *err says which) or -ENOMEM.
int engine_new(const struct engine_settings *settings, struct engine **ret, struct error *err);
struct engine *engine_free(struct engine *engine);

// Changes level and seed at once.
int engine_set_level(struct engine *engine, int level, struct error *err);
void engine_set_seed(struct engine *engine, uint64_t seed);

// Forgets everything learnt, as after engine_new.
void engine_forget(struct engine *engine);

// Makes whatever tables the variant needs at this level (up to half a second), so that the first
// move or hint does not pay for them. Optional. Returns 0 or -ENOMEM.
int engine_prepare(struct engine *engine, const struct variant *variant);

// Chooses a move for whoever is to move. -EINVAL when the game is over (*err says so), -ENOMEM.
// `full_strength` in analysis and hints ignores the level. `stop`, `report` may be NULL.
int engine_think(struct engine *engine, const struct game *game, const struct engine_limits *limits,
                 bool full_strength, atomic_int *stop, engine_report *report, void *user,
                 struct engine_thought *ret, struct error *err);
