// agreement_geometry: what the settings say about where things are, for the agreement's files.
//
// Machine frame, mm. GRBL's machine space after homing is [-travel, 0] on every axis, whichever end
// the switch is on; machine.margin of it is kept free at both ends.
#pragma once

#include "config/settings.h"

// Whether the arm gets to (x, y), also when it comes from machine.approach before it.
bool agreement_in_reach(const struct settings *settings, double x, double y);
bool agreement_in_reach_x(const struct settings *settings, double x); // x alone

// Whether a stone at (x, y) would lie among or against the stones on the board.
bool agreement_on_board(const struct settings *settings, double x, double y);
