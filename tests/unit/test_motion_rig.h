// The arm of the library on the scripted GRBL, on one clock that jumps to the next thing to happen.
#pragma once

#include "motion/arm.h"
#include "test_motion_fake.h"

enum { RIG_EVENTS = 512, RIG_INTENTS = 512 };

struct rig {
    struct fake fake;
    struct transport *transport;
    struct gripper *gripper;
    struct stores stores;
    struct arm *arm;
    int64_t now;

    // the world: does the cup hold a stone?
    bool pump, vented, stone_on_cup, stuck;
    int fail_grips;      // this many tries do not seal
    int sticky_releases; // this many tries do not let go
    bool no_sensor;
    bool home_at_once; // homes from within the event that tells that the position is lost

    struct arm_event event[RIG_EVENTS]; // texts are not kept
    char text[512];                     // of the last FAILED
    char warning[512];                  // the last one
    int events, warnings;
    struct arm_intent intent[RIG_INTENTS];
    int intents, dones;
    int refuse_intent; // ≠ 0: the journal refuses
    uint64_t polls;
};

void rig_setup(struct rig *rig, bool mcode); // plugged in, arm made, time 0
void rig_teardown(struct rig *rig);
void rig_run(struct rig *rig, int64_t until); // absolute time
// Runs until the arm is neither busy nor on its way to be ready, at most `seconds`.
bool rig_settle(struct rig *rig, double seconds);
// Runs until the arm has this state.
bool rig_reach(struct rig *rig, enum arm_state state, double seconds);
uint64_t rig_submit(struct rig *rig, struct arm_job job); // 0 = refused (text in rig->text)
bool rig_home(struct rig *rig);                           // reset, wait, home
// The last DONE or FAILED of this job; NULL = none yet.
const struct arm_event *rig_result(const struct rig *rig, uint64_t job);
