#include "config/calibrate/sim_seed.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "controller/sim/setup.h"

static void add(struct sim_seed *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct sim_seed *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(s->text[s->count++], SIM_SEED_TEXT, format, args);
    va_end(args);
}

void sim_seed_settings(uint64_t seed, struct sim_seed *ret)
{
    struct table_setup setup;
    table_setup_uncalibrated(seed, &setup);
    *ret = (struct sim_seed){0};
    add(ret, "sim.table=uncalibrated");
    add(ret, "sim.seed=%" PRIu64, seed);
    for (int i = 0; i < setup.stones.colours; i++)
        add(ret, "stones.colour%d=%s", i + 1, stone_colour_name(setup.stones.colour[i]));
    // With a ruler nobody measures a glass bead better than this.
    add(ret, "stones.diameter=%.1f", setup.stones.diameter);
    add(ret, "stones.height=%.1f", setup.stones.height);
}
