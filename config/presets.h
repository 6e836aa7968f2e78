// presets: settings that go together, for computers and plotters people usually have.
#pragma once

#include <stddef.h>

#include "config/base/error.h"
#include "config/settings.h"

enum { PRESET_VALUES_MAX = 20 };

struct preset {
    const char *name, *title;
    const char *model;                       // part of what the kernel calls the computer, or NULL
    const char *value[PRESET_VALUES_MAX][2]; // key, value; NULL at the end
};

extern const struct preset presets[];
extern const size_t preset_count;

const struct preset *preset_find(const char *name);

// The preset of the computer with this model name; the one for PCs when none fits.
const struct preset *preset_for_model(const char *model);

// Stores its values.
void preset_apply(const struct preset *preset, struct settings *settings);
