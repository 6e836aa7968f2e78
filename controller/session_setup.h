// session_setup: what stands in the first event of a recorded session.
#pragma once

#include <jansson.h>

#include "config/base/error.h"
#include "config/settings.h"
#include "rules/game.h"

// The settings it was recorded with, on top of the defaults, and its variant. -EINVAL names the
// first that this program does not know.
int session_setup_settings(const json_t *setup, struct settings *ret, struct error *err);

// Plays the moves that were on the board before. -EBADMSG: they can't be played.
int session_setup_play(const json_t *setup, struct game *game, struct error *err);
