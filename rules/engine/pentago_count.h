// pentago_count: how many positions Pentago has, to compare with other programs: those that can be
// reached from a start, one ply after the other, and all arrangements of n marbles up to symmetry.
#pragma once

#include "rules/game.h"
#include "rules/perft.h"

enum {
    // Distinct positions of one ply that are kept; 24 bytes each, in a table at most 3/4 full. The
    // empty board has 3,769,920 after five plies and 38,955,840 after six.
    PENTAGO_COUNT_POSITIONS_MAX = 6 << 20,
};

// What can be reached by exactly that many plies. Games that ended before are not counted.
struct pentago_ply {
    uint64_t positions;  // different ones
    uint64_t ended;      // of these, where the game is over
    struct perft leaves; // by sequences of moves
};

struct pentago_count;

// Starts at the game's position (of the Pentago family, copied). -ENOMEM, or -EINVAL when it
// cannot be a start.
int pentago_count_new(const struct game *game, struct pentago_count **ret, struct error *err);

// Goes one ply further. -ENOSPC: more positions than are kept; -EOVERFLOW: more sequences than can
// be counted; -ENOMEM. Afterwards only pentago_count_free may be called.
int pentago_count_step(struct pentago_count *count, struct pentago_ply *ret, struct error *err);

struct pentago_count *pentago_count_free(struct pentago_count *count);

// Arrangements of n marbles on the board, colour 1 having one more when n is odd, whether or not
// play can lead there.
struct pentago_arrangements {
    uint64_t all;
    uint64_t board;  // up to the eight symmetries of the board
    uint64_t blocks; // up to those and free turns of the four blocks (2048 maps)
};

// Burnside's lemma: the mean number of arrangements that a map leaves as they are.
void pentago_arrangements(struct pentago_arrangements ret[PENTAGO_HOLES + 1]);
