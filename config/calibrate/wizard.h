// wizard: one part of the robot, measured step by step.
//
// A wizard reads what earlier ones found and writes its own part of the calibration, with a
// verdict: a figure, its limit, passed or not. A failed verdict is a result, not an error; the
// error is for what kept the wizard from measuring (a missing device, a stop). Both come with what
// to do.
#pragma once

#include "config/calibrate/bench.h"

enum { WIZARD_WORDS_MAX = 300 };

struct wizard_result {
    double figure, limit;
    const char *what; // "px RMS of the grid"
    bool passed;
    char words[WIZARD_WORDS_MAX]; // more figures, or why it failed and what to do
};

struct wizard {
    const char *name;  // "arm"
    const char *title; // "Camera and arm"
    bool needs_arm;
    // 0 with *ret filled (and the draft's own part written), or a negative errno.
    int (*run)(struct bench *bench, struct wizard_result *ret, struct error *err);
    struct calibration_verdict *(*verdict)(struct calibration *calibration);
};

extern const struct wizard wizards[]; // in the order they build on each other
extern const int wizard_count;

const struct wizard *wizard_find(const char *name);

// Runs one and writes its verdict (time, figure, limit, valid) into the bench's calibration.
int wizard_run(const struct wizard *wizard, struct bench *bench, struct wizard_result *ret,
               struct error *err);

int wizard_panel(struct bench *bench, struct wizard_result *ret, struct error *err);
int wizard_camera(struct bench *bench, struct wizard_result *ret, struct error *err);
int wizard_board(struct bench *bench, struct wizard_result *ret, struct error *err);
int wizard_arm(struct bench *bench, struct wizard_result *ret, struct error *err);
int wizard_stones(struct bench *bench, struct wizard_result *ret, struct error *err);
int wizard_gripper(struct bench *bench, struct wizard_result *ret, struct error *err);
