// see_live: `tessera see` without a photograph: through the eyes of the robot, until Ctrl-C.
#pragma once

#include <stdbool.h>

#include "controller/cli/options.h"

struct see_live_options {
    const char *picture; // PNG to keep up to date; NULL = none
    bool once;           // end after the first settled reading
    bool json;
};

// Watches the camera of the settings and says on standard output what it sees whenever that has
// changed. What was recorded (camera.source session or still) is read to its end, as fast as it can
// be.
enum exit_code see_live(const struct settings *settings, const struct see_live_options *options);
