#include "config/settings.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "config/reading.h"
#include "config/value.h"

const char *const settings_sim_overrides[] = {
    "camera.source=sim",
    "serial.port=sim",
    "gpio.backend=sim",
    NULL,
};

void settings_default(struct settings *ret)
{
    memset(ret, 0, sizeof *ret);
    for (size_t i = 0; i < schema_key_count; i++) {
        char why[ERROR_TEXT_MAX];
        int r = value_store(&schema_keys[i], schema_keys[i].initial, ret, why, sizeof why);
        assert(r == 0); // the schema's own defaults fit the schema
        (void)r;
    }
}

int settings_load(const struct settings_source *source, struct settings *ret, struct error *err)
{
    struct reading *reading = reading_new();
    if (!reading)
        return error_set(err, -ENOMEM, "out of memory");
    int r = reading_load(reading, source);
    if (r < 0)
        (void)faults_first(reading->faults, err);
    else
        *ret = reading->settings;
    reading_free(reading);
    return r;
}
