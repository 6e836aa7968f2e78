// The arm on the simulated table: real firmware behaviour, real physics.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/sim/world.h"
#include "test_motion_table.h"

static struct table_rig rig;

static int setup_with(const struct table_setup *s)
{
    struct error err = {0};
    if (table_rig_setup(&rig, s, &err) != 0) {
        print_error("%s\n", err.text);
        return -1;
    }
    rig.verbose = getenv("TESSERA_VERBOSE") != NULL;
    return 0;
}

static int setup(void **state)
{
    (void)state;
    struct table_setup s;
    table_setup_default(&s);
    return setup_with(&s);
}

static int setup_hal(void **state)
{
    (void)state;
    struct table_setup s;
    table_setup_default(&s);
    s.firmware.flavour = SETUP_GRBLHAL;
    return setup_with(&s);
}

static int setup_mcode(void **state)
{
    (void)state;
    struct table_setup s;
    table_setup_default(&s);
    s.gripper.vacuum_by_mcode = true;
    s.gripper.probe_is_sensor = true;
    return setup_with(&s);
}

static int teardown(void **state)
{
    (void)state;
    table_rig_teardown(&rig);
    return 0;
}

static void must(bool ok)
{
    if (!ok)
        fail_msg("%s (%s)", rig.text, arm_reason_name(rig.last.reason));
}

static struct arm_job at_point(enum arm_job_kind kind, int column, int row, int store)
{
    return (struct arm_job){.kind = kind, .x = 22.0 * column, .y = 22.0 * row, .store = store};
}

static int stone_at(int column, int row)
{
    static int8_t board[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(rig.table, board);
    return board[row * 19 + column];
}

static struct table_ledger ledger(void)
{
    struct table_ledger l;
    table_ledger(rig.table, &l);
    return l;
}

// Nothing was struck, pressed, dropped or run into.
static void assert_no_incident(void)
{
    const struct world *w = table_world(rig.table);
    int ours = 0;
    for (int i = 0; i < w->incident_count && i < WORLD_INCIDENTS_KEPT; i++) {
        const struct world_incident *n = &w->incident[i];
        print_error("%.3f s: %s at %.1f, %.1f\n", (double)n->time_ns / 1e9,
                    world_incident_name((enum world_incident_kind)n->kind), n->x, n->y);
        ours++;
    }
    assert_int_equal(ours, 0);
}

static void test_place_and_lift(void **state)
{
    (void)state;
    must(table_rig_home(&rig));
    struct table_ledger before = ledger();
    must(table_rig_job(&rig, at_point(ARM_JOB_PLACE, 9, 9, 0)));
    must(table_rig_job(&rig, at_point(ARM_JOB_PLACE, 10, 9, 1)));
    must(table_rig_job(&rig, (struct arm_job){.kind = ARM_JOB_PARK}));
    assert_int_equal(stone_at(9, 9), 1);
    assert_int_equal(stone_at(10, 9), 2);
    must(table_rig_job(&rig, at_point(ARM_JOB_LIFT, 10, 9, 3)));
    must(table_rig_job(&rig, (struct arm_job){.kind = ARM_JOB_PARK}));
    assert_int_equal(stone_at(10, 9), 0);
    struct table_ledger after = ledger();
    assert_int_equal(after.tray[2], 1);
    assert_int_equal(after.cup, 0);
    assert_int_equal(after.total, before.total);
    assert_no_incident();
    assert_int_equal(table_overflows(rig.table), 0);
}

// A full neighbourhood: the ways are high where stones stand and low where none do; nothing is hit.
static void test_crowded_board(void **state)
{
    (void)state;
    must(table_rig_home(&rig));
    struct travel_obstacle obstacles[9];
    int n = 0;
    for (int c = 8; c <= 10; c++) {
        for (int r = 8; r <= 10; r++) {
            double at[2];
            if (c == 9 && r == 9)
                continue;
            assert_int_equal(table_put_stone(rig.table, 1 + (c + r) % 2, 22.0 * c, 22.0 * r), 0);
            board_map_to_machine(&rig.map, (double[]){22.0 * c, 22.0 * r}, at);
            obstacles[n++] = (struct travel_obstacle){at[0], at[1], 8, -42};
        }
    }
    assert_int_equal(arm_set_obstacles(rig.arm, obstacles, n), 0);
    must(table_rig_job(&rig, at_point(ARM_JOB_PLACE, 9, 9, 0)));
    must(table_rig_job(&rig, at_point(ARM_JOB_LIFT, 8, 8, 2)));
    must(table_rig_job(&rig, at_point(ARM_JOB_PLACE, 3, 15, 0)));
    must(table_rig_job(&rig, (struct arm_job){.kind = ARM_JOB_PARK}));
    assert_int_equal(stone_at(9, 9), 1);
    assert_int_equal(stone_at(8, 8), 0);
    assert_int_equal(stone_at(3, 15), 1);
    assert_no_incident();
}

// Told once, jobs queued together: what the first lays down stands in the way of the next.
static void test_own_stones_stand_in_the_way(void **state)
{
    (void)state;
    must(table_rig_home(&rig));
    assert_int_equal(table_put_stone(rig.table, 2, 22.0 * 4, 22.0 * 9), 0);
    double at[2];
    board_map_to_machine(&rig.map, (double[]){22.0 * 4, 22.0 * 9}, at);
    struct travel_obstacle there = {at[0], at[1], 8, -42};
    assert_int_equal(arm_set_obstacles(rig.arm, &there, 1), 0);
    struct arm_job jobs[8];
    int n = 0;
    // A wall across the way from (4, 9) to the tray, and then that stone over it.
    for (int row = 5; row <= 10; row++)
        jobs[n++] = at_point(ARM_JOB_PLACE, 10, row, row % 2);
    jobs[n++] = at_point(ARM_JOB_LIFT, 4, 9, 3);
    jobs[n++] = (struct arm_job){.kind = ARM_JOB_PARK};
    must(table_rig_jobs(&rig, jobs, n));
    assert_no_incident();
    for (int row = 5; row <= 10; row++)
        assert_int_equal(stone_at(10, row), 1 + row % 2);
}

static void test_failed_picks_are_retried(void **state)
{
    (void)state;
    must(table_rig_home(&rig));
    table_fault(rig.table, FAULT_PICK_FAILS, 2);
    must(table_rig_job(&rig, at_point(ARM_JOB_PLACE, 4, 4, 0)));
    assert_int_equal(rig.retries, 2);
    assert_int_equal(stone_at(4, 4), 1);
}

static void test_empty_magazine(void **state)
{
    (void)state;
    must(table_rig_home(&rig));
    table_fill_store(rig.table, 1, 0);
    table_fault(rig.table, FAULT_PICK_FAILS, 100);
    assert_false(table_rig_job(&rig, at_point(ARM_JOB_PLACE, 4, 4, 0)));
    assert_int_equal(rig.last.reason, ARM_NOTHING_GRIPPED);
    table_fault(rig.table, FAULT_PICK_FAILS, 0);
    must(table_rig_job(&rig, at_point(ARM_JOB_PLACE, 4, 4, 1))); // it can go on at once
}

static void test_dropped_stone(void **state)
{
    (void)state;
    must(table_rig_home(&rig));
    struct arm_job ready = {.kind = ARM_JOB_READY, .store = 0};
    must(table_rig_job(&rig, ready));
    table_fault(rig.table, FAULT_LOSE_STONE, 0.8);
    assert_false(table_rig_job(&rig, at_point(ARM_JOB_PLACE, 15, 9, -1)));
    assert_int_equal(rig.last.reason, ARM_STONE_LOST);
    assert_int_equal(arm_held(rig.arm), ARM_HELD_NO);
    assert_int_equal(arm_state(rig.arm), ARM_HOMED);
}

static bool moving(struct table_rig *r)
{
    const struct world *w = table_world(r->table);
    return w->tool.moving && arm_held(r->arm) == ARM_HELD_YES;
}

// The stone is carried, then this happens; the arm must know that it knows nothing, keep the stone,
// come back, and finish.
static void survives(enum table_fault fault, double value, enum table_fault mend, double mend_value,
                     enum arm_reason reason)
{
    must(table_rig_home(&rig));
    must(table_rig_job(&rig, (struct arm_job){.kind = ARM_JOB_PICK, .store = 0}));
    struct arm_job job = at_point(ARM_JOB_PLACE, 15, 9, -1);
    double to[2];
    board_map_to_machine(&rig.map, (double[]){job.x, job.y}, to);
    job.x = to[0];
    job.y = to[1];
    assert_int_equal(arm_submit(rig.arm, &job, loop_now(rig.loop), NULL, NULL), 0);
    assert_true(table_rig_run(&rig, moving, 10));
    table_rig_wait(&rig, 0.8);
    table_fault(rig.table, fault, value);
    table_rig_wait(&rig, 6);
    if (mend != fault)
        table_fault(rig.table, mend, mend_value);
    if (rig.last.reason != reason)
        fail_msg("reason \"%s\": %s", arm_reason_name(rig.last.reason), rig.text);
    double at[3];
    assert_false(arm_position(rig.arm, at));
    assert_int_equal(ledger().cup, 1); // GPIO vacuum: the stone is still there
    must(table_rig_home(&rig));
    assert_int_equal(arm_held(rig.arm), ARM_HELD_NO); // vented over the tray
    must(table_rig_job(&rig, at_point(ARM_JOB_PLACE, 15, 9, 0)));
    must(table_rig_job(&rig, (struct arm_job){.kind = ARM_JOB_PARK}));
    assert_int_equal(stone_at(15, 9), 1);
    assert_int_equal(ledger().cup, 0);
    assert_int_equal(ledger().floor, 0);
}

static void test_unplugged_while_carrying(void **state)
{
    (void)state;
    survives(FAULT_UNPLUG, 0, FAULT_REPLUG, 0, ARM_LINK_LOST);
}

static void test_brown_out_while_carrying(void **state)
{
    (void)state;
    survives(FAULT_BROWN_OUT, 0, FAULT_BROWN_OUT, 0, ARM_RESTARTED);
}

static void test_limit_noise_while_carrying(void **state)
{
    (void)state;
    survives(FAULT_LIMIT_TRIP, 0, FAULT_LIMIT_TRIP, 0, ARM_ALARM);
}

static void test_stalled_replies_while_carrying(void **state)
{
    (void)state;
    survives(FAULT_STALL_REPLIES, 12, FAULT_STALL_REPLIES, 0, ARM_TIMEOUT);
}

static void test_estop_in_motion(void **state)
{
    (void)state;
    struct error err = {0};
    must(table_rig_home(&rig));
    struct arm_job job = {.kind = ARM_JOB_GOTO, .x = -100, .y = -100, .store = -1};
    assert_int_equal(arm_submit(rig.arm, &job, loop_now(rig.loop), NULL, &err), 0);
    table_rig_wait(&rig, 1.2);
    int64_t pressed = loop_now(rig.loop);
    arm_set_stop_input(rig.arm, ARM_STOP_ESTOP, true, pressed);
    table_rig_update(&rig);
    table_rig_wait(&rig, 0.4);
    double x = table_world(rig.table)->tool.machine[0];
    assert_true(x > -598 && x < -110); // on the way
    table_rig_wait(&rig, 1);
    assert_true(fabs(table_world(rig.table)->tool.machine[0] - x) < 0.001);
    assert_int_equal(rig.last.reason, ARM_STOPPED);
    arm_set_stop_input(rig.arm, ARM_STOP_ESTOP, false, loop_now(rig.loop));
    must(table_rig_home(&rig));
}

static void test_homing_fails(void **state)
{
    (void)state;
    struct error err = {0};
    table_fault(rig.table, FAULT_HOMING_SWITCH, 1);
    assert_int_equal(arm_reset(rig.arm, loop_now(rig.loop), &err), 0);
    assert_false(table_rig_home(&rig));
    assert_int_equal(rig.last.reason, ARM_ALARM);
    assert_int_equal(rig.last.number, 9);
    table_fault(rig.table, FAULT_HOMING_SWITCH, 0);
    table_rig_wait(&rig, 3);
    must(table_rig_home(&rig));
}

static void test_wrong_baud_is_told_not_believed(void **state)
{
    (void)state;
    struct error err = {0};
    table_fault(rig.table, FAULT_WRONG_BAUD, 1);
    assert_int_equal(arm_reset(rig.arm, loop_now(rig.loop), &err), 0);
    table_rig_wait(&rig, 30);
    assert_int_equal(arm_state(rig.arm), ARM_OFFLINE);
    table_fault(rig.table, FAULT_WRONG_BAUD, 0);
    must(table_rig_home(&rig));
}

static void test_door(void **state)
{
    (void)state;
    must(table_rig_home(&rig));
    struct arm_job job = {.kind = ARM_JOB_GOTO, .x = -100, .y = -100, .store = -1};
    assert_int_equal(arm_submit(rig.arm, &job, loop_now(rig.loop), NULL, NULL), 0);
    table_rig_wait(&rig, 1);
    table_fault(rig.table, FAULT_DOOR, 1);
    table_rig_wait(&rig, 30); // longer than the leg's deadline
    assert_true(arm_busy(rig.arm) && arm_held_up(rig.arm));
    table_fault(rig.table, FAULT_DOOR, 0);
    table_rig_wait(&rig, 5); // shut, it still waits to be told
    assert_true(arm_busy(rig.arm) && arm_held_up(rig.arm));
    arm_resume(rig.arm, loop_now(rig.loop));
    table_rig_wait(&rig, 20);
    assert_false(arm_busy(rig.arm));
    assert_int_equal(rig.last.kind, ARM_EVENT_DONE);
}

// GRBL discards a '~' while it still slows down: a hold that is over within 50 ms must not end as
// one for ever, nor be told as somebody's button.
static void test_resumed_while_still_slowing_down(void **state)
{
    (void)state;
    must(table_rig_home(&rig));
    for (int i = 0; i < 4; i++) {
        struct arm_job job = {
            .kind = ARM_JOB_GOTO, .x = i % 2 ? -500 : -100, .y = -100, .store = -1};
        int done = rig.jobs_done, warnings = rig.warnings;
        assert_int_equal(arm_submit(rig.arm, &job, loop_now(rig.loop), NULL, NULL), 0);
        table_rig_wait(&rig, 0.8); // at full speed: 200 ms to stand
        arm_hold(rig.arm, loop_now(rig.loop));
        table_rig_wait(&rig, 0.01 + 0.06 * i);
        arm_resume(rig.arm, loop_now(rig.loop));
        table_rig_wait(&rig, 6);
        assert_int_equal(rig.jobs_done, done + 1);
        assert_int_equal(rig.warnings, warnings);
    }
    assert_no_incident();
}

static void test_grblhal(void **state)
{
    (void)state;
    must(table_rig_home(&rig));
    assert_true(grbl_machine(arm_grbl(rig.arm))->hal);
    assert_true(grbl_machine(arm_grbl(rig.arm))->rx_bytes > 1000);
    must(table_rig_job(&rig, at_point(ARM_JOB_PLACE, 9, 9, 0)));
    must(table_rig_job(&rig, at_point(ARM_JOB_LIFT, 9, 9, 2)));
    table_fault(rig.table, FAULT_BROWN_OUT, 0);
    table_rig_wait(&rig, 3);
    must(table_rig_home(&rig)); // ALARM:11 at every start is no reason to stop
    assert_int_equal(stone_at(9, 9), 0);
}

// Its trap: after a cancelled jog a refused one leaves every G1 at error:15 until a reset.
static void test_grblhal_jog_trap(void **state)
{
    (void)state;
    must(table_rig_home(&rig));
    struct arm_job jog = {.kind = ARM_JOB_JOG, .x = 300, .feed = 50, .store = -1};
    assert_int_equal(arm_submit(rig.arm, &jog, loop_now(rig.loop), NULL, NULL), 0);
    table_rig_wait(&rig, 1);
    arm_jog_cancel(rig.arm, loop_now(rig.loop));
    table_rig_wait(&rig, 3);
    assert_false(arm_busy(rig.arm));
    if (!table_rig_job(&rig, at_point(ARM_JOB_PLACE, 9, 9, 0))) {
        table_rig_wait(&rig, 3);
        must(table_rig_home(&rig));
        must(table_rig_job(&rig, at_point(ARM_JOB_PLACE, 9, 9, 0)));
    }
    assert_int_equal(stone_at(9, 9), 1);
}

static void test_vacuum_by_m_code_and_probe_pin(void **state)
{
    (void)state;
    must(table_rig_home(&rig));
    table_fault(rig.table, FAULT_PICK_FAILS, 1);
    must(table_rig_job(&rig, at_point(ARM_JOB_PLACE, 9, 9, 0)));
    assert_int_equal(rig.retries, 1);
    assert_true(rig.last.verified);
    must(table_rig_job(&rig, at_point(ARM_JOB_LIFT, 9, 9, 2)));
    assert_int_equal(ledger().tray[1], 1);
    // A reset switches the pump off with a stone on the cup: it is reported, and vented for.
    must(table_rig_job(&rig, (struct arm_job){.kind = ARM_JOB_PICK, .store = 0}));
    arm_stop(rig.arm, ARM_STOP_PERSON, loop_now(rig.loop));
    assert_int_equal(arm_held(rig.arm), ARM_HELD_UNKNOWN);
    table_rig_update(&rig);
    table_rig_wait(&rig, 1);
    must(table_rig_home(&rig));
    assert_int_equal(arm_held(rig.arm), ARM_HELD_NO);
    assert_int_equal(ledger().cup, 0);
}

static void test_jog(void **state)
{
    (void)state;
    double before[3], after[3];
    must(table_rig_home(&rig));
    assert_true(arm_position(rig.arm, before));
    must(table_rig_job(&rig, (struct arm_job){.kind = ARM_JOB_JOG, .x = 25.5, .y = 3, .z = -4}));
    assert_true(arm_position(rig.arm, after));
    assert_true(fabs(after[0] - before[0] - 25.5) < 0.01);
    assert_true(fabs(after[1] - before[1] - 3) < 0.01);
    assert_true(fabs(after[2] - before[2] + 4) < 0.01);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_place_and_lift),
        T(test_crowded_board),
        T(test_own_stones_stand_in_the_way),
        T(test_failed_picks_are_retried),
        T(test_empty_magazine),
        T(test_dropped_stone),
        T(test_unplugged_while_carrying),
        T(test_brown_out_while_carrying),
        T(test_limit_noise_while_carrying),
        T(test_stalled_replies_while_carrying),
        T(test_estop_in_motion),
        T(test_homing_fails),
        T(test_wrong_baud_is_told_not_believed),
        T(test_door),
        T(test_resumed_while_still_slowing_down),
        T(test_jog),
        cmocka_unit_test_setup_teardown(test_grblhal, setup_hal, teardown),
        cmocka_unit_test_setup_teardown(test_grblhal_jog_trap, setup_hal, teardown),
        cmocka_unit_test_setup_teardown(test_vacuum_by_m_code_and_probe_pin, setup_mcode, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
