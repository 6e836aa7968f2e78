// search: finds the best move of a two-colour game without a twist (the Pente and Gomoku
// families): principal variation search with iterative deepening, a shared transposition table,
// and proofs by continuous threats (threat.h) at every node.
//
// With one thread and a limit of nodes the result depends on nothing but the position, the limits
// and what the table holds; search_forget makes it depend on the first two only.
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "rules/engine/sboard.h"

enum {
    SEARCH_WIN = 30000,    // a win in n plies is worth SEARCH_WIN - n
    SEARCH_PROVEN = 29000, // beyond ±this a value is a proven win or loss
    SEARCH_PV_MAX = 24,
    SEARCH_ROOT_MAX = 361,
    SEARCH_THREADS_MAX = 64,
};

struct search_limits {
    int64_t deadline_ns; // monotonic time to be back by, 0 = none
    uint64_t nodes;      // moves made at most (about), 0 = no limit
    int depth;           // iterations at most, 0 = no limit
    int lines;           // moves whose exact value is wanted, at least 1
    int proof_moves; // own moves that proofs by threats look ahead: 0 = as far as pays, −1 = none
    int bias;        // each root move's value is shifted by up to ± this, by `seed`: variety
    uint64_t seed;
};

struct search_line {
    uint16_t cell;
    int16_t score; // for the side to move, bias included
    int16_t bias;
    int depth; // of the iteration that gave the value
    uint64_t nodes;
    int pv_length;
    uint16_t pv[SEARCH_PV_MAX]; // cells, pv[0] == cell
};

struct search_result {
    int line_count; // best first; at least 1 when a move exists
    struct search_line line[SEARCH_ROOT_MAX];
    int depth;
    int selective_depth;
    uint64_t nodes; // of all threads
};

// Called after each finished iteration, in the caller's thread.
typedef void search_report(void *user, const struct search_result *so_far);

struct search;

// `hash_mib` for the table; `threads` 1 … SEARCH_THREADS_MAX. Returns 0, -EINVAL or -ENOMEM.
int search_new(unsigned hash_mib, int threads, struct search **ret);
struct search *search_free(struct search *search);

// Forgets everything learnt.
void search_forget(struct search *search);

// Searches the position on `board` for the side to move, which chooses among `roots` (all legal
// moves). Stops at the limits, when a win is proved, or soon after *stop becomes non-zero.
// Returns 0 with *ret filled (also when stopped at once: then some sensible move), -EINVAL when
// root_count is 0.
int search_run(struct search *search, const struct sboard *board, const uint16_t *roots,
               int root_count, const struct search_limits *limits, atomic_int *stop,
               search_report *report, void *user, struct search_result *ret);
