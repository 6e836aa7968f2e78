// match: a series of games.
//
// *Points* (S0): points of each game are added, with handicaps, until somebody reaches the target;
// the higher total wins, equal totals play on. *Wins* (S2): first to so many wins; draws count for
// nobody; optionally at most so many games, after which more wins decide. The start alternates.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"
#include "rules/reason.h"
#include "rules/variant.h"

enum match_kind { MATCH_POINTS, MATCH_WINS };

enum {
    MATCH_GAMES_MAX = 1000,
    MATCH_TARGET_MAX = 1000,
    MATCH_WINS_MAX = 100,
};

// Who begins the next game; for MATCH_POINTS also a choice of the players.
enum match_start { START_ALTERNATE, START_SAME, START_LOSER };

struct match {
    enum match_kind kind;
    enum match_start start;
    uint8_t players;    // 2..COLOURS_MAX
    uint8_t first;      // who began the first game, 1-based
    uint16_t target;    // points or wins
    uint16_t max_games; // MATCH_WINS: 0 = no limit
    uint16_t handicap[COLOURS_MAX + 1];

    // State:
    uint16_t games;
    uint32_t totals[COLOURS_MAX + 1]; // points with handicap, or wins
    uint8_t next_start;               // who begins the next game
    bool over;
    uint8_t winner; // 0 = none (when over: a drawn match)
};

// Sets up a match of the given kind; fields not named here have defaults (alternate, first = 1, two
// players, no handicap, no limit) and may be changed before match_begin.
void match_init(struct match *match, enum match_kind kind, unsigned target);

// Checks the settings and sets the state to "nothing played". -EINVAL and why.
int match_begin(struct match *match, struct error *err);

// Adds a finished game: points of each player (MATCH_POINTS; scores[1..players]), or the winner
// (MATCH_WINS; 0 = draw). The other argument is ignored except that START_LOSER looks at `winner`.
// REASON_MATCH_OVER when the match had been decided, REASON_NO_SUCH_SIDE for an unknown winner;
// nothing changes then.
enum reason match_record(struct match *match, unsigned winner, const uint16_t *scores);
