// stores_used: what has been played in a game is no longer in the stores, and what was captured in
// it lies in the trays.
#pragma once

#include "motion/stores.h"
#include "rules/game.h"

// Takes out of the supply of its colour each stone of the game that the robot has laid: in the
// order the arm takes them, so slots of a tray are known to be empty, too. A supply that has run
// dry on the way (somebody filled it in between) stays empty.
// robot_seats: bit s-1 = the robot lays the stones of seat s.
void stores_used(struct stores *stores, const struct game *game, unsigned robot_seats);

// Puts into the tray of its colour each stone that was taken off the board for the capture of one
// of these seats (bit s-1 = seat s). What has been taken back since is not among them, and a tray
// that somebody emptied on the way is thought to be fuller than it is: people are asked once too
// often.
void stores_captured(struct stores *stores, const struct game *game, unsigned seats);
