// pentago_search: alpha-beta for Pentago, for the positions between the opening table and the
// solver (five to about twenty marbles).
//
// A node is a placement with its twist; that the other side could win at once is seen without
// playing it out (pentago_lines.h).
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "rules/engine/pentago_opening.h"

enum {
    PENTAGO_WIN = 10000,     // a win in n plies is worth PENTAGO_WIN − n
    PENTAGO_PROVEN = 9000,   // beyond ± this it is certain
    PENTAGO_MOVES_MAX = 288, // 36 holes, 8 twists
    PENTAGO_PV_MAX = 16,
};

struct pentago_line {
    struct pentago_turn_move move;
    int score;
    int depth;
    int pv_length;
    struct pentago_turn_move pv[PENTAGO_PV_MAX];
};

struct pentago_search_limits {
    int64_t deadline_ns;
    uint64_t nodes;
    int depth;
    int lines;
};

struct pentago_result {
    int line_count; // best first
    struct pentago_line line[PENTAGO_MOVES_MAX];
    int depth;
    uint64_t nodes;
};

typedef void pentago_report(void *user, const struct pentago_result *so_far);

struct pentago_search;

int pentago_search_new(unsigned hash_mib, struct pentago_search **ret);
struct pentago_search *pentago_search_free(struct pentago_search *search);
void pentago_search_forget(struct pentago_search *search);

// Searches for the owner of `own`, whose turn it is; neither side has five and a hole is free.
// Moves that lead to the same position are looked at once.
void pentago_search_run(struct pentago_search *search, uint64_t own, uint64_t enemy,
                        const struct pentago_search_limits *limits, atomic_int *stop,
                        pentago_report *report, void *user, struct pentago_result *ret);

// Whether the owner of `own` wins with this very turn.
int pentago_wins_now(uint64_t own, uint64_t enemy);
