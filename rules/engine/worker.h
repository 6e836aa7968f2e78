// worker: one thread's part of a search (private to search.c and worker.c).
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "rules/engine/search.h"
#include "rules/engine/threat.h"
#include "rules/engine/tt.h"

enum {
    WORKER_PLY_MAX = 96,
    WORKER_MOVES_MAX = 361,
};

// What all workers of a search share.
struct worker_shared {
    struct tt *tt;
    atomic_int *stop;    // the caller's wish
    atomic_int finished; // somebody reached a limit: everybody comes home
    int64_t deadline_ns;
    uint64_t node_limit;
    int lines;       // exact values wanted at the root
    int proof_moves; // as in struct search_limits
};

struct worker_pv {
    int length;
    uint16_t cell[SEARCH_PV_MAX];
};

struct worker {
    struct worker_shared *shared;
    struct sboard board;
    struct threat threat;
    uint64_t nodes; // without those of threat
    int selective_depth;
    int32_t history[2][SB_CELLS];
    uint16_t killer[WORKER_PLY_MAX + 2][2];
    uint16_t counter[2][SB_CELLS];
    uint16_t played[WORKER_PLY_MAX + 2];
    struct worker_pv pv[WORKER_PLY_MAX + 2];
};

// Allocates what the worker needs for itself. Returns 0 or -ENOMEM.
int worker_init(struct worker *w);
void worker_done(struct worker *w);

// Forgets killers, history and proofs.
void worker_forget(struct worker *w);

static inline uint64_t worker_nodes(const struct worker *w)
{
    return w->nodes + w->threat.nodes;
}

// Looks at clock, node limit and stop; non-zero = come home.
int worker_poll(struct worker *w);

// The value of the position for the side to move, searched `depth` plies deep within the window.
// w->pv[ply] holds the line. Meaningless once shared->finished is set.
int worker_search(struct worker *w, int depth, int alpha, int beta, int ply);

// The same for the position after a stone of `side`, whose turn it may still be (Connect6): its
// value for `side`.
int worker_after(struct worker *w, int side, int depth, int alpha, int beta, int ply);
