// next_stone: which stone the robot will lay next, told while people still think.
#pragma once

#include "rules/game.h"

// Colour of the stone that the robot lays in its next turn, or 0: not to be told, or no stone that
// the arm should have on its cup already. It is told only when nothing that people may do first
// can take a stone off the board, which the arm must then lift with an empty cup, nor change who
// plays which colour, as a choice in an opening does.
// robot_seats: bit s-1 = the robot lays the stones of seat s.
unsigned next_stone(const struct game *game, unsigned robot_seats);
