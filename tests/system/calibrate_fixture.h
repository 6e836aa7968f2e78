// calibrate_fixture: one robot on the simulated table under calibration, for tests.
#pragma once

#include "config/calibrate/wizard.h"

struct fixture {
    struct settings settings;
    struct calibration calibration;
    struct table_setup table;
    struct bench *bench;
    enum table_fault fault; // set off when `when` is said; NULL = never
    const char *when;
    double value;
    int said;
    bool (*answer)(struct fixture *fixture, const char *question); // NULL = every answer is no
};

// table NULL: the one of config/samples/sim.yaml. yes: nobody is asked; else `answer` is.
struct fixture *fixture_begin(const struct table_setup *table, bool yes);
// The same on a board of 13 x 13 points, where the arm lays half as many stones.
struct fixture *fixture_begin_small(bool yes);
// Pentago's board of hollows, which lies that far, mm, from where the settings have it.
struct fixture *fixture_begin_hollows(double off_x, double off_y);
void fixture_end(struct fixture *fixture);
int fixture_run(struct fixture *fixture, const char *name, struct wizard_result *ret,
                struct error *err);
// Fails the test when the wizard does not pass.
void fixture_expect_pass(struct fixture *fixture, const char *name);
