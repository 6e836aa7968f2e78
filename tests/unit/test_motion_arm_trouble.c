// The arm on the scripted GRBL: how it stops, what goes wrong, and how it comes back.
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "test_motion_arm.h"

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

static void latch(enum arm_stop_reason input, const char *name)
{
    struct error err = {0};
    assert_true(rig_home(&rig));
    int resets = rig.fake.resets;
    arm_set_stop_input(rig.arm, input, true, rig.now);
    assert_int_equal(arm_state(rig.arm), ARM_FAULTED);
    for (int kind = 0; kind < ARM_JOB_KINDS; kind++)
        assert_int_equal(0, rig_submit(&rig, (struct arm_job){.kind = (enum arm_job_kind)kind}));
    assert_int_equal(arm_reset(rig.arm, rig.now, &err), -EBUSY);
    assert_non_null(strstr(err.text, name));
    rig_run(&rig, rig.now + SECOND);
    assert_true(rig.fake.resets > resets);
    arm_set_stop_input(rig.arm, input, false, rig.now);
    assert_int_equal(arm_state(rig.arm), ARM_FAULTED); // releasing it is not restarting
    assert_int_equal(arm_reset(rig.arm, rig.now, &err), 0);
    assert_true(rig_reach(&rig, ARM_UNKNOWN, 5));
}

static void test_stop_inputs_latch(void **state)
{
    (void)state;
    struct error err = {0};
    latch(ARM_STOP_ESTOP, "emergency stop");
    latch(ARM_STOP_LID, "lid");
    // One of two is not enough.
    arm_set_stop_input(rig.arm, ARM_STOP_ESTOP, true, rig.now);
    arm_set_stop_input(rig.arm, ARM_STOP_LID, true, rig.now);
    arm_set_stop_input(rig.arm, ARM_STOP_ESTOP, false, rig.now);
    assert_int_equal(arm_reset(rig.arm, rig.now, &err), -EBUSY);
    arm_set_stop_input(rig.arm, ARM_STOP_LID, false, rig.now);
    assert_int_equal(arm_reset(rig.arm, rig.now, &err), 0);
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

// ---- the plotter's own buttons -----------------------------------------------------------------

static void held_in_a_move(void)
{
    assert_true(rig_home(&rig));
    rig_submit(&rig, place(-150, -270, 0));
    while (rig.fake.moves == 0)
        rig_run(&rig, rig.now + SECOND / 50);
    rig_run(&rig, rig.now + SECOND / 5);
    arm_hold(rig.arm, rig.now);
    rig_run(&rig, rig.now + SECOND);
    assert_false(arm_held_up(rig.arm));
}

static void assert_stands(void)
{
    double before[3], after[3];
    fake_position(&rig.fake, before);
    rig_run(&rig, rig.now + 5 * SECOND);
    fake_position(&rig.fake, after);
    assert_memory_equal(before, after, sizeof after);
    assert_true(arm_busy(rig.arm));
}

static bool told_of_the_button(void)
{
    for (int i = 0; i < rig.events; i++) {
        if (rig.event[i].kind == ARM_EVENT_WARNING)
            return true;
    }
    return false;
}

// Somebody at the plotter presses its hold while we hold for another reason: ours ends, theirs not.
static void test_their_hold_on_top_of_ours(void **state)
{
    (void)state;
    held_in_a_move();
    fake_press_hold(&rig.fake, true);
    rig_run(&rig, rig.now + SECOND / 2);
    fake_press_hold(&rig.fake, false);
    rig_run(&rig, rig.now + SECOND);
    assert_true(arm_held_up(rig.arm));
    assert_true(told_of_the_button());
    arm_resume(rig.arm, rig.now); // somebody has confirmed it
    assert_true(rig_settle(&rig, 30));
}

// Pressed just when ours ends: no report has told of it yet, and our '~' has overrun it.
static void test_their_hold_as_ours_ends(void **state)
{
    (void)state;
    held_in_a_move();
    fake_press_hold(&rig.fake, true);
    arm_resume(rig.arm, rig.now);
    rig_run(&rig, rig.now + SECOND / 2);
    assert_true(arm_held_up(rig.arm));
    fake_press_hold(&rig.fake, false);
    assert_stands();
    assert_true(arm_held_up(rig.arm));
}

// A pin that says so all the time (its switch is wired the other way round) is nobody's press.
static void test_a_hold_pin_that_never_rests(void **state)
{
    (void)state;
    rig.fake.hold_pressed = true;
    held_in_a_move();
    arm_resume(rig.arm, rig.now);
    assert_true(rig_settle(&rig, 30));
    assert_false(told_of_the_button());
}

// Its start button ends every hold, also one for a hand over the board.
static void test_their_start_under_our_hold(void **state)
{
    (void)state;
    held_in_a_move();
    fake_press_start(&rig.fake);
    rig_run(&rig, rig.now + SECOND / 2);
    assert_true(rig.fake.hold);
    assert_stands();
    arm_resume(rig.arm, rig.now);
    assert_true(rig_settle(&rig, 30));
}

// Nothing moved when we held, so nothing was sent: what holds is theirs, and no '~' of ours ends
// it.
static void test_their_hold_while_we_wait(void **state)
{
    (void)state;
    assert_true(rig_home(&rig));
    arm_hold(rig.arm, rig.now);
    fake_press_hold(&rig.fake, true);
    arm_resume(rig.arm, rig.now);
    assert_null(strstr(rig.fake.log, "<~>"));
    rig_run(&rig, rig.now + 3 * SECOND);
    assert_true(rig.fake.hold);
    assert_true(arm_held_up(rig.arm));
    assert_true(told_of_the_button());
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
        T(test_stop_is_at_once),
        T(test_stop_inputs_latch),
        T(test_stop_while_homing),
        T(test_home_corner_of_another_name),
        T(test_hold_and_resume),
        T(test_their_hold_on_top_of_ours),
        T(test_their_hold_as_ours_ends),
        T(test_a_hold_pin_that_never_rests),
        T(test_their_start_under_our_hold),
        T(test_their_hold_while_we_wait),
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
