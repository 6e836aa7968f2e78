// test_motion_arm: one arm on the scripted GRBL, and what its tests say of a job.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "test_motion_rig.h"

#define SECOND 1000000000LL

static struct rig rig;

static inline int setup(void **state)
{
    (void)state;
    rig_setup(&rig, false);
    return 0;
}

static inline int setup_mcode(void **state)
{
    (void)state;
    rig_setup(&rig, true);
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    rig_teardown(&rig);
    return 0;
}

static inline struct arm_job place(double x, double y, int store)
{
    return (struct arm_job){.kind = ARM_JOB_PLACE, .x = x, .y = y, .store = store};
}

static inline struct arm_job lift(double x, double y, int store)
{
    return (struct arm_job){.kind = ARM_JOB_LIFT, .x = x, .y = y, .store = store};
}

static inline void assert_done(uint64_t id)
{
    const struct arm_event *e = rig_result(&rig, id);
    assert_non_null(e);
    if (e->kind != ARM_EVENT_DONE)
        fail_msg("job failed: %s: %s", arm_reason_name(e->reason), rig.text);
}

static inline void assert_failed(uint64_t id, enum arm_reason reason)
{
    const struct arm_event *e = rig_result(&rig, id);
    assert_non_null(e);
    assert_int_equal(e->kind, ARM_EVENT_FAILED);
    if (e->reason != reason)
        fail_msg("failed for \"%s\" instead of \"%s\": %s", arm_reason_name(e->reason),
                 arm_reason_name(reason), rig.text);
}
