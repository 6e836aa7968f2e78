// points: the end of a game that is played for points.
//
// Who can win with the next stone need not: a pair taken first, or a row made that stays on the
// board, is a point more, as long as the win cannot be stopped meanwhile. And who loses with the
// other's next stone can still take a point. Points of a finished game count as match.h counts them
// (S0 Points: they are added over games), so what is aimed at here is the lead in points, not the
// win.
//
// A delay is chosen only when, after every reply of everybody else, the win is still there and
// earns more than winning now: the replies that can matter are all tried on the rules core.
#pragma once

#include "rules/engine/engine.h"

// Whether the variant is played for points.
bool points_count(const struct variant *variant);

// Points of a side's colours less those of the best other colour, if the game ended as it stands.
int points_lead(const struct game *game, unsigned side);

// Decides the move of whoever is to move when the game can end with this stone or, for two colours,
// ends with the next whatever is played. Looks `delays` own moves ahead of the winning one (0 =
// just the best way to win now), within the limits; `stop` may be NULL.
// Returns 1 and *ret (one line, the number of plies to the end, *ret_lead the lead that is sure),
// or 0 when the end is not that near.
int points_end(const struct game *game, const struct engine_limits *limits, int delays,
               atomic_int *stop, struct engine_thought *ret, int *ret_lead);
