// Inside of the table: what table.c, table_fault.c and table_truth.c share.
#pragma once

#include "controller/loop.h"
#include "controller/sim/camera.h"
#include "controller/sim/panel.h"
#include "controller/sim/person_private.h"
#include "controller/sim/plotter.h"
#include "controller/sim/port.h"
#include "controller/sim/scene.h"
#include "controller/sim/table.h"
#include "controller/sim/table_file.h"
#include "controller/sim/world.h"

// All that survives the process.
struct table_state {
    struct world world;
    struct plotter plotter;
    struct scene_light light;
    bool firmware_pump; // M3, M7 or M8 is on
    bool estop, broken_wire, dead_estop, pump_dead, dead_switch;
};

struct table {
    struct loop *loop;
    struct table_state *state;
    struct table_file *file; // NULL: kept in memory only
    struct port *port;
    struct panel *panel;
    struct person *person;
    struct camera *camera;
    struct loop_source *timer, *button_timer;
    bool trip; // noise on the limit lines, this moment
};

void table_advance(struct table *table, int64_t now_ns);
void table_now(struct table *table); // table_advance() to the loop's time
void table_rearm(struct table *table);
void table_power(struct table *table);
