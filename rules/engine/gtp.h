// gtp: the Go Text Protocol, version 2, with GoGui's gogui-rules_* commands, so that GoGui and
// Sabaki can drive the engine, and commands of its own (all start with "tessera-").
//
// Colours: "b"/"black" is colour 1, who moves first; "w"/"white" colour 2; "3", "4" where there are
// more. Moves are written as people write them (K10; 2/4 1R; J9+L11; first, second, pass).
#pragma once

#include "rules/engine/session.h"

// Answers commands until "quit" or the end of the input. Returns 0, or -EPIPE when answers can no
// longer be written.
int gtp_run(struct session *session);

// Whether a line says "stop" (with or without an id).
int gtp_is_stop(const char *line);
