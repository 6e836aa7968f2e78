// tt: the transposition table, shared by all search threads without locks.
//
// An entry's key is stored XORed with its data, so an entry that two threads wrote at once fits
// neither position and is ignored (R. Hyatt and T. Mann, "A lock-less transposition table
// implementation", 2002).
#pragma once

#include <stdint.h>

enum tt_bound { TT_NONE, TT_UPPER, TT_LOWER, TT_EXACT };

struct tt_hit {
    int score; // −32768 … 32767
    int eval;  // the position's own value, without search
    int depth; // −64 … 191
    int move;  // 0 … 4095, 0 = none
    enum tt_bound bound;
};

struct tt;

// A table of at most `mib` MiB (at least 1). Returns 0, -ENOMEM or -EINVAL.
int tt_new(unsigned mib, struct tt **ret);
struct tt *tt_free(struct tt *tt);
void tt_clear(struct tt *tt);

// Starts a new search: entries of older ones are replaced first.
void tt_age(struct tt *tt);

// Begins to fetch what tt_get will look at.
void tt_prefetch(const struct tt *tt, uint64_t hash);
int tt_get(const struct tt *tt, uint64_t hash, struct tt_hit *ret); // 1 = found
void tt_put(struct tt *tt, uint64_t hash, const struct tt_hit *hit);

// How full the table is with the current search's entries, in thousandths (from a sample).
int tt_fill(const struct tt *tt);
