// The arm on the scripted GRBL: what it does and what it refuses.
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "test_motion_arm.h"

// ---- the whole path ----------------------------------------------------------------------------

static void test_starts_faulted(void **state)
{
    (void)state;
    rig_run(&rig, 5 * SECOND);
    assert_int_equal(arm_state(rig.arm), ARM_FAULTED);
    assert_int_equal(rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_HOME}), 0);
    assert_non_null(strstr(rig.text, "Reset"));
    assert_int_equal(rig.fake.motion_lines + rig.fake.homings, 0);
}

static void test_whole_path(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    double at[3];
    assert_true(arm_position(rig.arm, at));
    assert_true(fabs(at[0] + 598) < 0.01 && fabs(at[1] + 538) < 0.01);

    uint64_t p = rig_submit(&rig, place(-300, -270, 0));
    assert_true(rig_settle(&rig, 30));
    assert_done(p);
    assert_true(rig_result(&rig, p)->verified);
    assert_int_equal(rig.stores.store[0].count, 49);
    assert_false(rig.stone_on_cup);

    uint64_t l = rig_submit(&rig, lift(-278.5, -271.25, 3));
    uint64_t k = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_PARK});
    assert_true(rig_settle(&rig, 30));
    assert_done(l);
    assert_done(k);
    assert_true(rig.stores.store[3].full[0]);
    assert_true(arm_position(rig.arm, at));
    assert_true(fabs(at[0] + 590) < 0.01 && fabs(at[1] + 5) < 0.01 && fabs(at[2] + 5) < 0.01);
    assert_non_null(strstr(rig.fake.log, "G53G0X-278.5Y-271.25"));
    assert_int_equal(rig.fake.overlong, 0);
    assert_int_equal(rig.fake.violations, 0);
    assert_int_equal(rig.intents, rig.dones); // what was intended was done
}

static void test_every_leg_is_verified(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    rig.fake.log_length = 0;
    uint64_t p = rig_submit(&rig, place(-300, -270, 0));
    assert_true(rig_settle(&rig, 30));
    assert_done(p);
    // Store, board, withdrawn: three legs, each ended by G4 P0 before the gripper acts.
    int legs = 0;
    for (const char *s = rig.fake.log; (s = strstr(s, "G4P0\n")); s++)
        legs++;
    assert_int_equal(legs, 3);
}

static void test_ready_then_place_is_fast(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    uint64_t r = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_READY, .store = 0});
    assert_true(rig_settle(&rig, 30));
    assert_done(r);
    assert_int_equal(arm_held(rig.arm), ARM_HELD_YES);
    uint64_t p = rig_submit(&rig, place(-300, -270, -1));
    assert_true(rig_settle(&rig, 30));
    assert_done(p);
    assert_int_equal(rig.stores.store[0].count, 49);
    assert_true(rig_result(&rig, p)->took_ns < 3 * SECOND);
}

static void test_near_the_lower_bound(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    uint64_t park = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_PARK});
    assert_true(rig_settle(&rig, 30));
    assert_done(park);
    struct arm_job job = place(-100, -72, 0);
    struct arm_program program;
    struct travel_limits limits;
    double at[3];
    assert_int_equal(arm_plan(rig.arm, &job, NULL, &program, NULL), 0);
    assert_true(arm_limits(rig.arm, &limits) && arm_position(rig.arm, at));
    double bound = arm_program_seconds(&program, &limits, at);
    uint64_t p = rig_submit(&rig, job);
    assert_true(rig_settle(&rig, 30));
    assert_done(p);
    double took = (double)rig_result(&rig, p)->took_ns / 1e9;
    assert_true(took >= bound);
    assert_true(took < bound + 0.1);
}

// ---- stones ------------------------------------------------------------------------------------

static void test_grip_is_retried_in_a_cross(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    rig.fail_grips = 2;
    uint64_t p = rig_submit(&rig, lift(-300, -270, 2));
    assert_true(rig_settle(&rig, 30));
    assert_done(p);
    assert_non_null(strstr(rig.fake.log, "G53G0Y-269"));
    assert_non_null(strstr(rig.fake.log, "G53G0Y-271"));
}

static void test_nothing_gripped(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    rig.fail_grips = 100;
    uint64_t p = rig_submit(&rig, place(-300, -270, 0));
    uint64_t after = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_PARK});
    assert_true(rig_settle(&rig, 60));
    assert_failed(p, ARM_NOTHING_GRIPPED);
    assert_failed(after, ARM_CANCELLED);
    assert_int_equal(rig.stores.store[0].count, 50);
    assert_int_equal(arm_state(rig.arm), ARM_HOMED); // the machine is in order
    double at[3];
    assert_true(arm_position(rig.arm, at) && at[2] > -42 + 3); // withdrawn, not left in the pocket
    assert_false(rig.pump);
}

static void test_stone_lost_on_the_way(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    uint64_t p = rig_submit(&rig, place(-150, -270, 0));
    while (arm_held(rig.arm) != ARM_HELD_YES)
        rig_run(&rig, rig.now + SECOND / 100);
    rig_run(&rig, rig.now + 3 * SECOND / 2);
    rig.stone_on_cup = false;
    assert_true(rig_settle(&rig, 30));
    assert_failed(p, ARM_STONE_LOST);
    // Where it fell is known to a fifth of a second of travel.
    const struct arm_event *e = rig_result(&rig, p);
    assert_true(e->at[0] > -560 && e->at[0] < -160);
    assert_int_equal(arm_held(rig.arm), ARM_HELD_NO);
}

static void test_stone_falls_while_it_waits(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    uint64_t r = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_READY, .store = 0});
    assert_true(rig_settle(&rig, 30));
    assert_done(r);
    rig.stone_on_cup = false;
    int before = rig.fake.motion_lines;
    uint64_t p = rig_submit(&rig, place(-300, -270, -1));
    assert_true(rig_settle(&rig, 30));
    assert_failed(p, ARM_STONE_LOST);
    assert_int_equal(rig.fake.motion_lines, before); // known before anything moved
    p = rig_submit(&rig, place(-300, -270, 0));
    assert_true(rig_settle(&rig, 30));
    assert_done(p);
}

// The same, asked by whoever lets the stone wait there.
static void test_stone_waits(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    assert_int_equal(arm_check_held(rig.arm), ARM_HELD_NO);
    uint64_t pick = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_PICK, .store = 0});
    uint64_t park = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_PARK, .store = -1});
    assert_true(rig_settle(&rig, 30));
    assert_done(pick);
    assert_done(park);
    assert_int_equal(arm_check_held(rig.arm), ARM_HELD_YES);
    rig_run(&rig, rig.now + 600 * 1000000000LL);
    assert_int_equal(arm_check_held(rig.arm), ARM_HELD_YES);
    uint64_t rest = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_REST, .store = -1});
    assert_true(rig_settle(&rig, 5));
    assert_failed(rest, ARM_INVALID); // not while it hangs there
    assert_true(rig.pump);
    rig.stone_on_cup = false;
    assert_int_equal(arm_check_held(rig.arm), ARM_HELD_NO);
    assert_true(rig.pump);
    int moved = rig.fake.motion_lines;
    rest = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_REST, .store = -1});
    assert_true(rig_settle(&rig, 5));
    assert_done(rest);
    assert_false(rig.pump);
    assert_int_equal(rig.fake.motion_lines, moved);
    uint64_t p = rig_submit(&rig, place(-300, -270, 0)); // takes another one
    assert_true(rig_settle(&rig, 30));
    assert_done(p);
}

static void test_sensor_contradicts(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    rig.stone_on_cup = true; // nobody gripped it
    uint64_t p = rig_submit(&rig, place(-300, -270, 0));
    assert_true(rig_settle(&rig, 30));
    assert_failed(p, ARM_GRIPPER);
    uint64_t v = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_VENT, .store = 2});
    p = rig_submit(&rig, place(-300, -270, 0));
    assert_true(rig_settle(&rig, 60));
    assert_done(v);
    assert_done(p);
}

static void test_stone_sticks(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    rig.sticky_releases = 1;
    uint64_t p = rig_submit(&rig, place(-300, -270, 0));
    assert_true(rig_settle(&rig, 30));
    assert_done(p);
    rig.sticky_releases = 100;
    p = rig_submit(&rig, place(-278, -270, 0));
    assert_true(rig_settle(&rig, 30));
    assert_failed(p, ARM_STONE_STUCK);
    assert_int_equal(arm_held(rig.arm), ARM_HELD_YES);
}

static void test_no_sensor_is_not_verified(void **state)
{
    (void)state;
    rig.no_sensor = true;
    assert_true(rig_home(&rig));
    uint64_t p = rig_submit(&rig, place(-300, -270, 0));
    assert_true(rig_settle(&rig, 30));
    assert_done(p);
    assert_false(rig_result(&rig, p)->verified);
}

static void test_unknown_cup_must_be_vented(void **state)
{
    (void)state;
    struct error err = {0};
    rig.no_sensor = true;
    assert_int_equal(arm_reset(rig.arm, 0, &err), 0);
    assert_true(rig_reach(&rig, ARM_UNKNOWN, 20));
    rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_HOME});
    uint64_t p = rig_submit(&rig, place(-300, -270, 0));
    assert_true(rig_settle(&rig, 60));
    assert_failed(p, ARM_INVALID);
    uint64_t v = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_VENT, .store = 2});
    p = rig_submit(&rig, place(-300, -270, 0));
    assert_true(rig_settle(&rig, 60));
    assert_done(v);
    assert_done(p);
}

static void test_empty_store(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    stores_set_count(&rig.stores, 0, 0);
    uint64_t p = rig_submit(&rig, place(-300, -270, 0));
    assert_true(rig_settle(&rig, 30));
    assert_failed(p, ARM_STORE);
    assert_non_null(strstr(rig.text, "store 1"));
}

static void test_probe_pin_as_sensor(void **state)
{
    (void)state;
    // The M-code rig has no GPIO sensor and its fake no probe pin: not held, so the grip fails.
    struct arm_config config = *arm_get_config(rig.arm);
    config.probe_sensor = true;
    rig.arm = arm_free(rig.arm);
    struct arm_hooks hooks = {.event = NULL};
    struct error err = {0};
    assert_int_equal(
        arm_new(&config, 0, rig.transport, rig.gripper, &rig.stores, &hooks, 0, &rig.arm, &err), 0);
    assert_int_equal(arm_reset(rig.arm, 0, &err), 0);
    assert_true(rig_reach(&rig, ARM_UNKNOWN, 20));
    rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_HOME});
    rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_PICK, .store = 0});
    assert_true(rig_settle(&rig, 60));
    assert_int_equal(arm_held(rig.arm), ARM_HELD_NO);
    assert_int_equal(rig.stores.store[0].count, 50);
}

static void test_vacuum_by_m_code(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    uint64_t p = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_PICK, .store = 0});
    assert_true(rig_settle(&rig, 30));
    assert_done(p);
    assert_true(rig.fake.pump);
    // A firmware reset lets the stone fall: afterwards nobody knows what hangs on the cup.
    fake_hurt(&rig.fake, FAKE_RESTART, 0);
    assert_true(rig_reach(&rig, ARM_OFFLINE, 5));
    assert_int_equal(arm_held(rig.arm), ARM_HELD_UNKNOWN);
}

// ---- bounds ------------------------------------------------------------------------------------

static void test_soft_limits_before_anything_is_sent(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    int before = rig.fake.lines;
    assert_int_equal(rig_submit(&rig, place(5, -270, 0)), 0);
    assert_non_null(strstr(rig.text, "X 5.0 mm"));
    assert_int_equal(rig_submit(&rig, place(NAN, -270, 0)), 0);
    uint64_t j = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_JOG, .x = -100});
    assert_true(rig_settle(&rig, 5));
    assert_failed(j, ARM_SOFT_LIMIT);
    assert_int_equal(rig.fake.lines, before);
}

static void test_jog(void **state)
{
    (void)state;
    double at[3];
    assert_true(rig_home(&rig));
    uint64_t j = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_JOG, .x = 10, .feed = 50});
    assert_true(rig_settle(&rig, 10));
    assert_done(j);
    assert_true(arm_position(rig.arm, at) && fabs(at[0] + 588) < 0.01);
    assert_non_null(strstr(rig.fake.log, "$J=G91X10F3000"));
    // Cancelled on the way: done, wherever it is.
    j = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_JOG, .x = 400});
    rig_run(&rig, rig.now + SECOND);
    arm_jog_cancel(rig.arm, rig.now);
    assert_true(rig_settle(&rig, 60));
    assert_done(j);
    assert_true(arm_position(rig.arm, at) && at[0] > -588 && at[0] < -190);
    assert_int_equal(arm_state(rig.arm), ARM_HOMED);
}

static void test_classes(void **state)
{
    (void)state;
    // In stop nothing runs, whatever it is; with the position unknown only what needs none.
    for (int kind = 0; kind < ARM_JOB_KINDS; kind++)
        assert_int_equal(rig_submit(&rig, (struct arm_job){.kind = (enum arm_job_kind)kind}), 0);
    struct error err = {0};
    assert_int_equal(arm_reset(rig.arm, 0, &err), 0);
    assert_true(rig_reach(&rig, ARM_UNKNOWN, 20));
    for (int kind = 0; kind < ARM_JOB_KINDS; kind++) {
        const struct arm_job_class *class = arm_job_class((enum arm_job_kind)kind);
        if (kind == ARM_JOB_HOME)
            continue;
        bool taken =
            rig_submit(
                &rig, (struct arm_job){.kind = (enum arm_job_kind)kind, .x = -300, .y = -200}) != 0;
        assert_int_equal(taken, !class->needs_known);
        assert_true(class->needs_known || !class->moves);
        assert_true(rig_settle(&rig, 10));
    }
    assert_int_equal(rig.fake.motion_lines, 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_starts_faulted),
        T(test_whole_path),
        T(test_every_leg_is_verified),
        T(test_ready_then_place_is_fast),
        T(test_near_the_lower_bound),
        T(test_grip_is_retried_in_a_cross),
        T(test_nothing_gripped),
        T(test_stone_lost_on_the_way),
        T(test_stone_falls_while_it_waits),
        T(test_stone_waits),
        T(test_sensor_contradicts),
        T(test_stone_sticks),
        T(test_no_sensor_is_not_verified),
        T(test_unknown_cup_must_be_vented),
        T(test_empty_store),
        cmocka_unit_test_setup_teardown(test_probe_pin_as_sensor, setup_mcode, teardown),
        cmocka_unit_test_setup_teardown(test_vacuum_by_m_code, setup_mcode, teardown),
        T(test_soft_limits_before_anything_is_sent),
        T(test_jog),
        T(test_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
