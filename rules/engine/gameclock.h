// gameclock: the clocks of a game, and how much of them a move may use.
//
// Main time, then either Canadian byo-yomi (so many stones in each further period) or an increment
// that each own move adds. Who knows the true clock tells it before each move (gameclock_tell);
// otherwise the clock counts for itself what was spent. All times in ns.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "rules/variant.h"

struct gameclock {
    bool set;             // false: no clock runs
    int64_t main_ns;      // at the start, for each colour
    int64_t byo_ns;       // of a period after the main time, 0 = none
    int byo_stones;       // in each period, at least 1 when byo_ns > 0
    int64_t increment_ns; // added after each own move
    struct gameclock_side {
        int64_t left_ns;
        int stones; // left in the current byo-yomi period, 0 = still in the main time
    } side[COLOURS_MAX + 1];
};

// Starts all clocks. Byo-yomi without stones means no clock at all (GTP 2).
void gameclock_start(struct gameclock *clock, int64_t main_ns, int64_t byo_ns, int byo_stones,
                     int64_t increment_ns);

// Starts them again as they were set, for a new game.
void gameclock_restart(struct gameclock *clock);

// The true clock of a colour. `stones` as in struct gameclock_side.
void gameclock_tell(struct gameclock *clock, unsigned colour, int64_t left_ns, int stones);

// The time for the colour's next move when about `moves` (at least 1) more are expected of it. A
// player who uses just that never oversteps, and keeps a reserve for being disturbed.
int64_t gameclock_budget(const struct gameclock *clock, unsigned colour, int moves);

// A move of the colour took so long.
void gameclock_spend(struct gameclock *clock, unsigned colour, int64_t ns);
