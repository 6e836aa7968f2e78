// reason: why a move was refused, as a stable name for programs and a sentence for people.
//
// The names are part of the protocol (rulesd's `reason`); new ones may be added, none changes its
// meaning. The sentence is made for the game at hand: it names the points and the numbers of the
// variant's own rules, in words that a child of ten understands.
#pragma once

#include <stddef.h>

enum reason {
    REASON_NONE = 0,   // accepted
    REASON_MALFORMED,  // not a move of this game at all (a twist in Pente, a pair of points…)
    REASON_GAME_OVER,  // the game has ended
    REASON_WRONG_TURN, // another colour is to move
    REASON_OFF_BOARD,  // there is no such point
    REASON_OCCUPIED,   // a stone is there already
    REASON_CENTRE_REQUIRED,   // the first stone belongs on the centre
    REASON_TOO_CLOSE,         // the first player's second stone is inside the forbidden area
    REASON_CHOICE_PENDING,    // colours must be chosen before the next stone
    REASON_NO_CHOICE_PENDING, // a choice of colours, but none is due
    REASON_BAD_CHOICE,        // a choice is due, but not that one
    REASON_TWIST_REQUIRED,    // Pentago: a block must be turned now
    REASON_BAD_TWIST,         // Pentago: no such block, or not a quarter turn
    REASON_ONE_STONE,         // Connect6: a pair of points, but only one stone is due
    REASON_NO_SUCH_SIDE,      // resignation or draw offer by a side that does not play
    REASON_MATCH_OVER,        // the match has been decided
    // Faults of a game record, beside the above:
    REASON_BAD_POINT,    // a token that should be a point and is none
    REASON_NO_RESULT,    // the text ends without a result
    REASON_BAD_HEADER,   // a header that cannot be read
    REASON_UNKNOWN_GAME, // rules that this program does not know
    REASON_BAD_CAPTURES, // the record removes other stones than the rules do
    REASON_TOO_LONG,     // more moves, headers or text than a record can hold
    REASON_BAD_SETUP,    // stones set up that cannot stand there, or not at the start
    REASON_WRONG_RESULT, // the text says that another won than the board shows
    REASON_BAD_TEXT,     // the text breaks off or is not of the format
    REASON_COUNT
};

struct game;
struct move;

// The stable name, such as "too_close"; "" for REASON_NONE. Never NULL.
const char *reason_name(enum reason reason);

// Writes the sentence that explains why `game` refused `move` into buf (NUL-terminated, cut to
// size). Empty for REASON_NONE. Returns buf.
char *reason_explain(enum reason reason, const struct game *game, const struct move *move,
                     char *buf, size_t size);
