// sim_seed: the simulated table of a seed, as its owner would write it into the settings.
//
// A table of `sim.table: uncalibrated` stands, looks and is lit as its seed says, and nobody knows
// how: that is for calibration to find out. What an owner does know is which stones he has bought;
// those settings are taken from the seed here.
#pragma once

#include <stdint.h>

enum {
    SIM_SEED_SETTINGS = 9,
    SIM_SEED_TEXT = 64,
};

struct sim_seed {
    char text[SIM_SEED_SETTINGS][SIM_SEED_TEXT]; // "sim.seed=7", as --set takes them
    int count;
};

void sim_seed_settings(uint64_t seed, struct sim_seed *ret);
