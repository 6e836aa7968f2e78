// stores_used: what has been played in a game is no longer in the stores.
#pragma once

#include "motion/stores.h"
#include "rules/game.h"

// Takes out of the supply of its colour each stone of the game that the robot has laid: in the
// order the arm takes them, so slots of a tray are known to be empty, too. A supply that has run
// dry on the way (somebody filled it in between) stays empty.
// robot_seats: bit s-1 = the robot lays the stones of seat s.
void stores_used(struct stores *stores, const struct game *game, unsigned robot_seats);
