// teach: says in words what is going on: the threats against the one to move, how each can be met,
// and what the engine would play. Always at full strength, whatever the level.
#pragma once

#include <stddef.h>

#include "rules/engine/engine.h"

enum { TEACH_TEXT_MAX = 2048 };

// Writes a few sentences about the position of `game` (not over), for which `thought` was found at
// full strength. NUL-terminated, cut to size. Returns buf.
char *teach_explain(const struct game *game, const struct engine_thought *thought, char *buf,
                    size_t size);
