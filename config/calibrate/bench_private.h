// What the parts of the bench share.
#pragma once

#include "config/calibrate/bench.h"
#include "controller/arm_link.h"
#include "controller/controls.h"
#include "controller/loop.h"
#include "motion/arm.h"

struct bench {
    struct bench_options options;
    struct loop *loop;
    struct loop_source *timer;
    struct devices devices;
    bool opened, stopped;

    struct controls *controls; // NULL: no panel
    struct gpio gpio;          // the controls' own, to read levels
    bool pressed[GPIO_LINES];

    struct frame_source camera;
    bool camera_open;
    struct vision *vision;
    uint32_t sequence;   // of the last frame handed out
    const char *picture; // that is wanted; NULL = none
    bool snapped;

    struct gripper *gripper;
    struct arm *arm;
    struct arm_link *link;
    bool homed, over_board;
    uint64_t job; // that is waited for
    bool ended;
    enum arm_reason reason;
    char text[ERROR_TEXT_MAX]; // the arm's last words
};

// Runs the loop until something happened or it is due_ns.
int bench_run_until(struct bench *b, int64_t due_ns);
// The sentence for a wait that did not end as it should: stopped by a person, or the loop failed.
int bench_wait_failed(int r, struct error *err);
int bench_make_arm(struct bench *b, struct error *err);
void bench_close_arm(struct bench *b);
