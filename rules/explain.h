// explain: which legal moves lead from a game's position to the board that somebody sees.
//
// The seen board may have points that nobody could make out. No guess is made about them: a move
// explains the board when every known point agrees. What no move explains is answered with the
// points that differ, never corrected.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rules/game.h"

enum {
    SEEN_UNKNOWN = 255,
    EXPLAIN_MOVES_MAX = 512,
};

// Colours by point, index y * size + x: 0 empty, 1..4, SEEN_UNKNOWN.
typedef uint8_t seen_board[POINTS_MAX];

struct difference {
    struct point at;
    uint8_t expected, seen;
};

struct explanation {
    bool unchanged;    // the known points agree with the position as it stands
    size_t move_count; // moves that explain the board (0 when unchanged is the only way)
    bool more;         // there were more than EXPLAIN_MOVES_MAX
    struct move moves[EXPLAIN_MOVES_MAX];
    size_t difference_count; // known points that differ from the position as it stands
    struct difference differences[POINTS_MAX];
    bool has_nearest;     // there is a legal move; `nearest` is the one that fits best,
    struct move nearest;  // preferring in a tie the one whose own stone is seen
    size_t nearest_count; // known points that differ from the position after it
    struct difference nearest_differences[POINTS_MAX];
};

// The position as a seen board.
void game_seen(const struct game *game, seen_board ret);

// Compares the known points of `seen` with the position; returns how many differ and lists them in
// out (room for POINTS_MAX; may be NULL).
size_t game_differences(const struct game *game, const seen_board seen, struct difference *out);

// Explains `seen` by one legal move of `game` (Connect6: by one stone or by a pair; Pentago: by
// placement and twist). Moves that reach the same board are all listed.
void game_explain(const struct game *game, const seen_board seen, struct explanation *ret);
