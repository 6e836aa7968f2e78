// A feeder to take stones from and a tray to put them into, for tests of the pure parts.
#pragma once

#include "motion/stores.h"

static inline struct stores two_stores(void)
{
    struct stores s = {.count = 2};
    s.store[0] = (struct store){.name = "feeder",
                                .kind = STORE_FEEDER,
                                .colour = 1,
                                .x = -560,
                                .y = -300,
                                .z_contact = -42,
                                .z_release = -42,
                                .capacity = 50,
                                .count = 10};
    s.store[1] = (struct store){.name = "tray",
                                .kind = STORE_TRAY,
                                .role = STORE_CAPTURED,
                                .x = -50,
                                .y = -300,
                                .z_contact = -42,
                                .z_release = -42,
                                .columns = 2,
                                .rows = 3,
                                .step_x = 20,
                                .step_y = -20};
    return s;
}
