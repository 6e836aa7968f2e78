// The wizards on the simulated table: they find its geometry, keep their order and can be stopped.
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/base/clock.h"
#include "controller/sim/world.h"
#include "tests/system/calibrate_fixture.h"

// mm; a stone that is let go slips by 0.3 mm, and the eye sees it to about as much.
static const double WORST_MAP_ERROR = 1.0;

// What the map says against how the table truly stands, all over the board.
static double worst_map_error(struct fixture *f)
{
    const struct table_setup *setup = table_setup_of(bench_table(f->bench));
    const struct settings_board *b = &f->settings.board;
    double worst = 0;
    for (int i = 0; i < b->columns * b->rows; i++) {
        int column = i % b->columns, row = i / b->columns;
        double board[2];
        double ours[2];
        double truth[2];
        settings_board_at(b, column, row, board);
        board_map_to_machine(&f->calibration.arm.map, board, ours);
        world_table_to_machine(setup, board, truth);
        worst = fmax(worst, hypot(ours[0] - truth[0], ours[1] - truth[1]));
    }
    return worst;
}

static void test_all_in_order(void **state)
{
    (void)state;
    struct fixture *f = fixture_begin(NULL, true);
    for (int i = 0; i < wizard_count; i++)
        fixture_expect_pass(f, wizards[i].name);
    for (int i = 0; i < wizard_count; i++)
        assert_true(wizards[i].verdict(&f->calibration)->valid);
    print_message("the map is off by %.2f mm at worst\n", worst_map_error(f));
    assert_true(worst_map_error(f) < WORST_MAP_ERROR);
    // Nothing was lost, and the board is empty again.
    struct table_ledger ledger;
    table_ledger(bench_table(f->bench), &ledger);
    assert_int_equal(ledger.floor, 0);
    for (int c = 1; c <= 2; c++)
        assert_int_equal(ledger.board[c], 0);
    assert_true(f->calibration.gripper.grip_time < f->settings.gripper.grip_time);
    fixture_end(f);
}

// Marbles roll into their hollows: seen where they lie, the arm would seem to be right wherever it
// lays them. It is 4 mm off, further than its cup takes hold.
static void test_hollows(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"panel", "camera", "board", "arm"};
    struct fixture *f = fixture_begin_hollows(3.2, -2.4);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        fixture_expect_pass(f, NAMES[i]);
    print_message("the map is off by %.2f mm at worst\n", worst_map_error(f));
    assert_true(worst_map_error(f) < WORST_MAP_ERROR);
    struct table_ledger ledger;
    table_ledger(bench_table(f->bench), &ledger);
    assert_int_equal(ledger.floor + ledger.board[1] + ledger.board[2], 0);
    fixture_end(f);
}

// A picture out of focus is told on a board without lines, too.
static void test_hollows_out_of_focus(void **state)
{
    (void)state;
    struct fixture *f = fixture_begin_hollows(0, 0);
    struct wizard_result result;
    struct error err;
    fixture_expect_pass(f, "panel");
    table_fault(bench_table(f->bench), FAULT_CAMERA_BLUR, 4);
    assert_int_equal(fixture_run(f, "camera", &result, &err), -ENODATA);
    assert_non_null(strstr(err.text, "out of focus"));
    fixture_end(f);
}

static void test_order_is_kept(void **state)
{
    (void)state;
    struct fixture *f = fixture_begin(NULL, true);
    struct wizard_result result;
    struct error err;
    static const struct {
        const char *name, *needs;
    } NEEDS[] = {
        {"arm", "calibrate board"}, {"stones", "calibrate arm"}, {"gripper", "calibrate arm"}};
    for (size_t i = 0; i < sizeof NEEDS / sizeof *NEEDS; i++) {
        assert_int_equal(fixture_run(f, NEEDS[i].name, &result, &err), -EPERM);
        assert_non_null(strstr(err.text, NEEDS[i].needs));
    }
    // Nothing moves before the e-stop is proven, whatever else is known.
    f->calibration.board.verdict.valid = true;
    double before[2] = {table_world(bench_table(f->bench))->tool.x,
                        table_world(bench_table(f->bench))->tool.y};
    assert_int_equal(bench_arm_ready(f->bench, &err), -EPERM);
    assert_non_null(strstr(err.text, "calibrate panel"));
    assert_true(table_world(bench_table(f->bench))->tool.x == before[0] &&
                table_world(bench_table(f->bench))->tool.y == before[1]);
    fixture_end(f);
}

static void test_a_person_who_says_no(void **state)
{
    (void)state;
    struct fixture *f = fixture_begin(NULL, false);
    struct wizard_result result;
    struct error err;
    assert_int_equal(fixture_run(f, "panel", &result, &err), 0);
    f->calibration.board.verdict.valid = true;
    assert_int_equal(bench_arm_ready(f->bench, &err), -ECANCELED);
    fixture_end(f);
}

static void test_stopped(void **state)
{
    (void)state;
    struct fixture *f = fixture_begin(NULL, true);
    struct wizard_result result;
    struct error err;
    bench_stop(f->bench);
    assert_int_equal(fixture_run(f, "panel", &result, &err), -ECANCELED);
    assert_int_equal(fixture_run(f, "camera", &result, &err), -ECANCELED);
    fixture_end(f);
}

// --- stops in the middle ---

static int stops, resumed;
static struct loop_source *stop_timer;

static void on_stop_due(void *user, int64_t now_ns)
{
    struct fixture *f = user;
    (void)now_ns;
    stops++;
    table_estop(bench_table(f->bench), true);
}

// A good owner: takes the stone that fell off the cup, lays back one that was being lifted, lets
// the e-stop out, and says yes. He stops the arm again some time later.
static bool owner(struct fixture *f, const char *question)
{
    struct table *table = bench_table(f->bench);
    const struct world_tool *tool = &table_world(table)->tool;
    if (!strstr(question, "was stopped"))
        return true;
    if (strstr(question, "Take away"))
        (void)table_take_stone(table, tool->x, tool->y);
    else
        assert_null(strstr(question, "Lay the stone")); // it is never stopped while it lifts here
    table_estop(table, false);
    resumed++;
    // Not while it homes and lets go, but again among the stones it lays.
    (void)loop_source_set_due(stop_timer, stops < 3 ? loop_now(bench_loop(f->bench)) + 90 * NS_PER_S
                                                    : INT64_MAX);
    return true;
}

// The arm's wizard of a hundred steps goes on where the e-stop stopped it, and finds the same map.
static void test_goes_on_after_a_stop(void **state)
{
    (void)state;
    struct fixture *f = fixture_begin_small(false);
    f->answer = owner;
    fixture_expect_pass(f, "panel");
    fixture_expect_pass(f, "camera");
    fixture_expect_pass(f, "board");
    assert_int_equal(loop_add_timer(bench_loop(f->bench),
                                    loop_now(bench_loop(f->bench)) + 100 * NS_PER_S, on_stop_due, f,
                                    &stop_timer),
                     0);
    fixture_expect_pass(f, "arm");
    assert_int_equal(stops, 3);
    assert_int_equal(resumed, 3);
    assert_true(worst_map_error(f) < WORST_MAP_ERROR);
    // Who does not want to go on is not made to.
    f->answer = NULL;
    struct wizard_result result;
    struct error err;
    table_estop(bench_table(f->bench), true);
    assert_true(fixture_run(f, "gripper", &result, &err) < 0);
    assert_false(f->calibration.gripper.verdict.valid);
    fixture_end(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_is_kept),
        cmocka_unit_test(test_a_person_who_says_no),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_all_in_order),
        cmocka_unit_test(test_hollows),
        cmocka_unit_test(test_hollows_out_of_focus),
        cmocka_unit_test(test_goes_on_after_a_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
