// devices_sim: the simulated table behind the edges.
#pragma once

#include "controller/devices.h"

// setup NULL = the settings'.
int devices_open_table(struct devices *d, const char *world, const struct table_setup *setup,
                       struct error *err);
int devices_table_port(struct devices *d, struct error *err);
