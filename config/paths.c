#include "config/paths.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int print(char *ret, size_t size, const char *folder, const char *name)
{
    int n = snprintf(ret, size, "%s%s%s", folder, *name ? "/" : "", name);
    return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

// The first of a list with colons, as systemd gives it. false: the variable is not set.
static bool first_of(const char *variable, char *ret, size_t size)
{
    const char *value = getenv(variable);
    if (!value || value[0] != '/')
        return false;
    (void)snprintf(ret, size, "%.*s", (int)strcspn(value, ":"), value);
    return true;
}

const char *paths_settings(const char *named)
{
    if (named)
        return named;
    const char *told = getenv("TESSERA_CONFIG");
    return told && told[0] ? told : SETTINGS_FILE;
}

static bool usable(const char *folder)
{
    return access(folder, W_OK | X_OK) == 0;
}

int paths_state(const struct settings *settings, char *ret, size_t size)
{
    char folder[PATHS_MAX];
    if (settings->paths.state[0])
        return print(ret, size, settings->paths.state, "");
    if (first_of("STATE_DIRECTORY", folder, sizeof folder))
        return print(ret, size, folder, "");
    if (usable("/var/lib/tessera") || geteuid() == 0)
        return print(ret, size, "/var/lib/tessera", "");
    if (first_of("XDG_STATE_HOME", folder, sizeof folder))
        return print(ret, size, folder, "tessera");
    if (first_of("HOME", folder, sizeof folder))
        return print(ret, size, folder, ".local/state/tessera");
    return -ENOENT;
}

int paths_runtime(const struct settings *settings, char *ret, size_t size)
{
    char folder[PATHS_MAX];
    if (settings->paths.runtime[0])
        return print(ret, size, settings->paths.runtime, "");
    if (first_of("RUNTIME_DIRECTORY", folder, sizeof folder))
        return print(ret, size, folder, "");
    if (usable("/run/tessera") || geteuid() == 0)
        return print(ret, size, "/run/tessera", "");
    if (first_of("XDG_RUNTIME_DIR", folder, sizeof folder))
        return print(ret, size, folder, "tessera");
    (void)snprintf(folder, sizeof folder, "/tmp/tessera-%u", (unsigned)geteuid());
    return print(ret, size, folder, "");
}

int paths_calibration(const struct settings *settings, char *ret, size_t size)
{
    char folder[PATHS_MAX];
    int r = paths_state(settings, folder, sizeof folder);
    if (r < 0)
        return r;
    bool sim = strcmp(settings->serial.port, "sim") == 0;
    return print(ret, size, folder, sim ? "calibration-sim.json" : "calibration.json");
}
