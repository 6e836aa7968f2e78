// game_fixture: one game, played by moves as people write them.
#pragma once

#include "tests/unit/rules_data.h"

#include "rules/game.h"

extern struct game game;
extern struct effect effect; // of the last move

void start(const char *variant);
enum reason play(const char *text);
void play_all(const char *moves); // with commas between; all of them must be legal

// A resignation or an offer of a draw by a colour.
struct move by(enum move_kind kind, unsigned colour);
