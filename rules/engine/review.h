// review: looks at a played game again, at full strength, and marks where it was decided.
#pragma once

#include "rules/engine/engine.h"

enum review_mark {
    REVIEW_FINE,
    REVIEW_INACCURACY, // lost at least REVIEW_INACCURACY_LOSS of the chance to win
    REVIEW_MISTAKE,
    REVIEW_DECISIVE, // from won or open to lost
};

struct review_move {
    struct move played, best;
    double chance_before; // of the one to move to win, with the best move
    double chance_after;  // with the move played
    enum review_mark mark;
};

// Told once for each stone of the game, in order; entry is its index in the history.
typedef void review_told(void *user, const struct game *before, size_t entry,
                         const struct review_move *move);

// Replays the game's moves and thinks `ms` milliseconds (or `nodes` when not 0) about the position
// before and after each. Ends early, without fault, when *stop becomes non-zero. Returns 0, -EINVAL
// when the game did not start from an empty board, -ENOMEM.
int review_game(struct engine *engine, const struct game *game, int64_t ms, uint64_t nodes,
                atomic_int *stop, review_told *told, void *user, struct error *err);

const char *review_mark_name(enum review_mark mark);
