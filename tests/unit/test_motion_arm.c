// The arm on the scripted GRBL: what it does, what it refuses, how it comes back.
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "test_motion_rig.h"

#define SECOND 1000000000LL

static struct rig rig;

static int setup(void **state)
{
    (void)state;
    rig_setup(&rig, false);
    return 0;
}

static int setup_mcode(void **state)
{
    (void)state;
    rig_setup(&rig, true);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rig_teardown(&rig);
    return 0;
}

static struct arm_job place(double x, double y, int store)
{
    return (struct arm_job){.kind = ARM_JOB_PLACE, .x = x, .y = y, .store = store};
}

static struct arm_job lift(double x, double y, int store)
{
    return (struct arm_job){.kind = ARM_JOB_LIFT, .x = x, .y = y, .store = store};
}

static void assert_done(uint64_t id)
{
    const struct arm_event *e = rig_result(&rig, id);
    assert_non_null(e);
    if (e->kind != ARM_EVENT_DONE)
        fail_msg("job failed: %s: %s", arm_reason_name(e->reason), rig.text);
}

static void assert_failed(uint64_t id, enum arm_reason reason)
{
    const struct arm_event *e = rig_result(&rig, id);
    assert_non_null(e);
    assert_int_equal(e->kind, ARM_EVENT_FAILED);
    if (e->reason != reason)
        fail_msg("failed for \"%s\" instead of \"%s\": %s", arm_reason_name(e->reason),
                 arm_reason_name(reason), rig.text);
}

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
    assert_non_null(strstr(rig.fake.log, "G53G0X-299"));
    assert_non_null(strstr(rig.fake.log, "G53G0X-301"));
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

// ---- stopping ----------------------------------------------------------------------------------

static void test_stop_is_at_once(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    uint64_t p = rig_submit(&rig, place(-150, -270, 0));
    while (rig.fake.moves == 0)
        rig_run(&rig, rig.now + SECOND / 50);
    rig_run(&rig, rig.now + SECOND / 2);
    uint64_t before = rig.transport->bytes_written;
    rig.fake.log_length = 0;
    rig.fake.log[0] = '\0';
    arm_stop(rig.arm, ARM_STOP_ESTOP, rig.now);
    assert_int_equal(rig.transport->bytes_written, before + 2); // before it returned
    assert_int_equal(arm_state(rig.arm), ARM_FAULTED);
    assert_failed(p, ARM_STOPPED);
    rig_run(&rig, rig.now + 3 * SECOND);
    assert_int_equal(strncmp(rig.fake.log, "<!>\n<18>\n", 9), 0);
    assert_int_equal(rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_HOME}), 0);
    double at[3];
    assert_false(arm_position(rig.arm, at));
    assert_true(rig_home(&rig));
    assert_int_equal(rig.fake.violations, 0);
}

static void test_stop_inputs_latch(void **state)
{
    (void)state;
    struct error err = {0};
    assert_true(rig_home(&rig));
    arm_set_stop_input(rig.arm, ARM_STOP_ESTOP, true, rig.now);
    assert_int_equal(arm_state(rig.arm), ARM_FAULTED);
    assert_int_equal(arm_reset(rig.arm, rig.now, &err), -EBUSY);
    assert_non_null(strstr(err.text, "emergency stop"));
    arm_set_stop_input(rig.arm, ARM_STOP_ESTOP, false, rig.now);
    assert_int_equal(arm_state(rig.arm), ARM_FAULTED); // releasing it is not restarting
    assert_int_equal(arm_reset(rig.arm, rig.now, &err), 0);
    assert_true(rig_reach(&rig, ARM_UNKNOWN, 5));
}

static void test_stop_while_homing(void **state)
{
    (void)state;
    struct error err = {0};
    assert_int_equal(arm_reset(rig.arm, 0, &err), 0);
    assert_true(rig_reach(&rig, ARM_UNKNOWN, 20));
    uint64_t h = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_HOME});
    rig_run(&rig, rig.now + SECOND);
    arm_stop(rig.arm, ARM_STOP_PERSON, rig.now);
    rig_run(&rig, rig.now + SECOND);
    assert_failed(h, ARM_STOPPED);
    // The aborted $H said ok; that must not count as homed.
    double at[3];
    assert_false(arm_position(rig.arm, at));
    assert_true(rig_home(&rig));
}

// Firmware that calls its home corner 0 would be driven against its end by the first move.
static void test_home_corner_of_another_name(void **state)
{
    (void)state;
    struct error err = {0};
    rig.fake.zero_corner = true;
    assert_int_equal(arm_reset(rig.arm, rig.now, &err), 0);
    assert_true(rig_reach(&rig, ARM_UNKNOWN, 10));
    uint64_t home = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_HOME});
    rig_run(&rig, rig.now + 20 * SECOND);
    const struct arm_event *e = rig_result(&rig, home);
    assert_non_null(e);
    assert_int_equal(e->kind, ARM_EVENT_FAILED);
    assert_int_equal(e->reason, ARM_OFF_TARGET);
    assert_non_null(strstr(rig.text, "X 0.0 mm"));
    assert_int_not_equal(arm_state(rig.arm), ARM_HOMED);
    assert_int_equal(rig.fake.motion_lines, 0);
}

static void test_hold_and_resume(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    uint64_t p = rig_submit(&rig, place(-150, -270, 0));
    while (rig.fake.moves == 0)
        rig_run(&rig, rig.now + SECOND / 50);
    arm_hold(rig.arm, rig.now);
    rig_run(&rig, rig.now + 120 * SECOND); // far longer than any timeout
    assert_null(rig_result(&rig, p));
    assert_int_equal(arm_state(rig.arm), ARM_HOMED);
    arm_resume(rig.arm, rig.now);
    assert_true(rig_settle(&rig, 30));
    assert_done(p);
}

// ---- trouble -----------------------------------------------------------------------------------

static void mid_move(void)
{
    assert_true(rig_home(&rig));
    rig_submit(&rig, place(-150, -270, 0));
    while (rig.fake.moves == 0)
        rig_run(&rig, rig.now + SECOND / 50);
    rig_run(&rig, rig.now + SECOND / 5);
}

static void recovers(enum arm_reason reason)
{
    double at[3];
    assert_true(rig_settle(&rig, 60));
    bool told = false;
    for (int i = 0; i < rig.events; i++)
        told |= rig.event[i].kind == ARM_EVENT_FAILED && rig.event[i].reason == reason;
    assert_true(told);
    assert_false(arm_position(rig.arm, at));
    assert_true(rig_home(&rig));
    uint64_t p = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_PARK});
    assert_true(rig_settle(&rig, 60));
    assert_done(p);
    assert_int_equal(rig.fake.violations, 0);
}

static void test_alarm_in_motion(void **state)
{
    (void)state;
    mid_move();
    fake_hurt(&rig.fake, FAKE_ALARM, 0);
    recovers(ARM_ALARM);
    assert_true(rig.fake.resets >= 2); // the first came too early and was discarded
}

static void test_unasked_banner(void **state)
{
    (void)state;
    mid_move();
    fake_hurt(&rig.fake, FAKE_RESTART, 0);
    recovers(ARM_RESTARTED);
}

// A job submitted from within the event that tells of the restart, before the settings are read
// again, waits for them.
static void test_home_from_within_the_event(void **state)
{
    (void)state;
    double at[3];
    mid_move();
    rig.home_at_once = true;
    fake_hurt(&rig.fake, FAKE_RESTART, 0);
    rig_run(&rig, rig.now + 20 * SECOND);
    assert_int_equal(arm_state(rig.arm), ARM_HOMED);
    assert_true(arm_position(rig.arm, at));
    assert_false(arm_busy(rig.arm));
    assert_int_equal(rig.fake.violations, 0);
}

static void test_silent_reset(void **state)
{
    (void)state;
    mid_move();
    fake_hurt(&rig.fake, FAKE_SILENT, 0);
    recovers(ARM_RESTARTED); // seen by the status: locked
}

static void test_silent_reset_at_rest(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    fake_hurt(&rig.fake, FAKE_SILENT, 0);
    rig_run(&rig, rig.now + 3 * SECOND);
    double at[3];
    assert_false(arm_position(rig.arm, at));
}

static void test_unplugged(void **state)
{
    (void)state;
    mid_move();
    fake_hurt(&rig.fake, FAKE_UNPLUG, 7 * SECOND);
    rig_run(&rig, rig.now + SECOND / 10);
    assert_int_equal(arm_state(rig.arm), ARM_OFFLINE);
    assert_int_equal(arm_fd(rig.arm), -1);
    recovers(ARM_LINK_LOST);
}

static void test_lost_ok(void **state)
{
    (void)state;
    mid_move();
    fake_hurt(&rig.fake, FAKE_STALL, 60 * SECOND);
    assert_true(rig_settle(&rig, 60));
    rig.fake.stalled_until = 0;
    recovers(ARM_TIMEOUT);
}

static void test_garbled_line_goes_elsewhere(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    uint64_t g = rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_GOTO, .x = -300, .y = -100});
    // The machine ends elsewhere: only asking where it is finds out.
    while (rig.fake.moves == 0)
        rig_run(&rig, rig.now + SECOND / 100);
    rig.fake.move[rig.fake.moves - 1].to[0] = -330;
    assert_true(rig_settle(&rig, 30));
    assert_failed(g, ARM_OFF_TARGET);
    double at[3];
    assert_false(arm_position(rig.arm, at));
}

static void test_no_banner_at_open(void **state)
{
    (void)state;
    // A board with native USB does not reset when its port is opened.
    rig.fake.silent_open = true;
    rig.fake.banner_at = INT64_MAX;
    assert_true(rig_home(&rig));
    assert_true(rig.fake.resets >= 1);
}

static void test_journal_refuses(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    rig.refuse_intent = -ENOSPC;
    int before = rig.fake.motion_lines;
    uint64_t p = rig_submit(&rig, place(-300, -270, 0));
    assert_true(rig_settle(&rig, 30));
    assert_failed(p, ARM_JOURNAL);
    assert_int_equal(rig.fake.motion_lines, before); // nothing moved without being written down
}

static void test_polling_is_cheap(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    int polls = rig.fake.polls;
    uint64_t bytes = rig.fake.bytes_out;
    int64_t start = rig.now;
    for (int i = 0; i < 5; i++)
        rig_submit(&rig, place(-300 + 22 * i, -270, 0));
    assert_true(rig_settle(&rig, 60));
    double seconds = (double)(rig.now - start) / 1e9;
    assert_true(rig.fake.polls > polls);
    assert_true((double)(rig.fake.bytes_out - bytes) / seconds < 0.05 * 11520);
}

static void test_many_faults_fault_the_arm(void **state)
{
    (void)state;
    struct error err = {0};
    for (int i = 0; i < 6; i++) {
        assert_int_not_equal(arm_state(rig.arm), i ? ARM_FAULTED : ARM_HOMED);
        if (i == 0)
            assert_int_equal(arm_reset(rig.arm, rig.now, &err), 0);
        assert_true(rig_reach(&rig, ARM_UNKNOWN, 20));
        rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_HOME});
        assert_true(rig_settle(&rig, 60));
        fake_hurt(&rig.fake, FAKE_ALARM, 0);
        rig_run(&rig, rig.now + SECOND / 10);
    }
    assert_int_equal(arm_state(rig.arm), ARM_FAULTED);
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
        T(test_stop_is_at_once),
        T(test_stop_inputs_latch),
        T(test_stop_while_homing),
        T(test_home_corner_of_another_name),
        T(test_hold_and_resume),
        T(test_alarm_in_motion),
        T(test_unasked_banner),
        T(test_home_from_within_the_event),
        T(test_silent_reset),
        T(test_silent_reset_at_rest),
        T(test_unplugged),
        T(test_lost_ok),
        T(test_garbled_line_goes_elsewhere),
        T(test_no_banner_at_open),
        T(test_journal_refuses),
        T(test_polling_is_cheap),
        T(test_many_faults_fault_the_arm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
