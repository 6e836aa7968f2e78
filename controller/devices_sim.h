// devices_sim: the simulated table behind the edges.
#pragma once

#include "controller/devices.h"

int devices_open_table(struct devices *d, const char *world, struct error *err);
int devices_table_port(struct devices *d, struct error *err);
