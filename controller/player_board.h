// player_board: a person at a real board. Nothing is asked of him but to move; the camera and the
// button tell the rest.
#pragma once

#include "controller/player.h"

int player_board_new(const char *name, struct player *ret, struct error *err);
