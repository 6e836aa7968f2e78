// The arm on the simulated table, on a virtual loop: the firmware's pty and the panel's lines are
// all it has; the truth of the world is for the tests.
#pragma once

#include "controller/loop.h"
#include "controller/sim/table.h"
#include "motion/arm.h"
#include "motion/board_map.h"

struct table_rig {
    struct loop *loop;
    struct table *table;
    struct transport *transport;
    struct gripper *gripper;
    struct stores stores;
    struct arm *arm;
    struct board_map map; // true: calibration is not what is tested here
    struct loop_source *io, *timer, *alarm_clock;
    int fd;
    bool alarm_rang;

    int jobs_done, jobs_failed, retries, warnings;
    struct arm_event last; // DONE or FAILED; its text is in `text`
    char text[512];
    int64_t last_ns; // when it came
    double cpu_s;    // processor time spent in the arm so far
    bool verbose;
};

// The gripper follows the setup: vacuum on the panel's lines or by M3/M5, pick sensor on the panel
// or on the firmware's probe pin. Stores: 0, 1 = magazines of colour 1, 2; 2, 3 = trays. Not 0: the
// table could not be made.
int table_rig_setup(struct table_rig *rig, const struct table_setup *setup, struct error *err);
void table_rig_teardown(struct table_rig *rig);

// Runs until done() says so or `seconds` have passed on the loop's clock; true = done.
bool table_rig_run(struct table_rig *rig, bool (*done)(struct table_rig *rig), double seconds);
void table_rig_wait(struct table_rig *rig, double seconds);
bool table_rig_home(struct table_rig *rig); // reset, wait for the firmware, home, vent

// Submits and runs to its end. x, y: board mm for PLACE and LIFT, machine mm for GOTO.
bool table_rig_job(struct table_rig *rig, struct arm_job job);
// Several jobs at once; true = all done.
bool table_rig_jobs(struct table_rig *rig, struct arm_job *jobs, int count);
// To be called after any arm call made directly.
void table_rig_update(struct table_rig *rig);
