// gomocup: the protocol of the Gomocup tournaments, so that the engine works as a brain in their
// managers, for Gomoku and for the Pente games of two players.
//
// An addition: "INFO game VARIANT" chooses the game (sizes come with START as usual). Without it
// the rules come from "INFO rule": bit 0 = exactly five; default free Gomoku.
#pragma once

#include "rules/engine/session.h"

// Answers until END or the end of the input. Returns 0 or -EPIPE.
int gomocup_run(struct session *session);

// Whether a line ends the current search.
int gomocup_is_stop(const char *line);
