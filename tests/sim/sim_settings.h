// sim_settings: the settings of `tessera play --sim`, without this machine's settings file.
#pragma once

#include <errno.h>
#include <stdio.h>

#include "config/paths.h"
#include "config/settings.h"

// state: the folder of journals and world. more: further "key=value", NULL at the end, which count
// for more than those of the simulated table; NULL = none.
static inline int sim_settings_load(const char *state, const char *const *more,
                                    struct settings *ret, struct error *err)
{
    enum { OVERRIDES_MAX = 64 };
    char folder[PATHS_MAX];
    const char *overrides[OVERRIDES_MAX + 1] = {folder};
    int count = 1;
    snprintf(folder, sizeof folder, "paths.state=%s", state);
    for (const char *const *o = settings_sim_overrides; *o && count < OVERRIDES_MAX; o++)
        overrides[count++] = *o;
    for (; more && *more; more++) {
        if (count == OVERRIDES_MAX)
            return error_set(err, -E2BIG, "more than %d settings", OVERRIDES_MAX);
        overrides[count++] = *more;
    }
    const struct settings_source source = {.file = "/dev/null", .overrides = overrides};
    return settings_load(&source, ret, err);
}
