// paths: where programs find their settings, and keep their files when these do not say.
//
// Settings: the file that is named (--config), else $TESSERA_CONFIG, else SETTINGS_FILE.
// State:   paths.state, else $STATE_DIRECTORY (systemd), else /var/lib/tessera when it may be
//          written, else $XDG_STATE_HOME/tessera, else ~/.local/state/tessera.
// Runtime: paths.runtime, else $RUNTIME_DIRECTORY, else /run/tessera when it may be written, else
//          $XDG_RUNTIME_DIR/tessera, else /tmp/tessera-UID.
// So one program run by systemd, by root and by a person without rights finds a place of its own.
#pragma once

#include <stddef.h>

#include "config/settings.h"

enum { PATHS_MAX = 512 };

// named: from the command line, or NULL. The answer is named itself, the environment's text or
// SETTINGS_FILE, which alone may be absent.
const char *paths_settings(const char *named);

// Each writes into ret (PATHS_MAX bytes is enough for what settings can say) and makes nothing.
// 0, -ENAMETOOLONG, or -ENOENT when there is no home folder either.
int paths_state(const struct settings *settings, char *ret, size_t size);
int paths_runtime(const struct settings *settings, char *ret, size_t size);

// calibration.json in the state folder; calibration-sim.json for the simulated table, so that
// trying something out never touches what a real robot measured.
int paths_calibration(const struct settings *settings, char *ret, size_t size);
