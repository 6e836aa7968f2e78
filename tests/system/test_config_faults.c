// Bad hardware on the simulated table: each kind fails in its own wizard, with its own reason.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/devices.h"
#include "tests/system/calibrate_fixture.h"

static struct calibration seen; // panel, camera and board, measured once on the good table

static const struct bad {
    const char *wizard, *name;
    const char *when; // the fault comes with these words; NULL = from the beginning
    enum table_fault fault;
    double value;
    const char *words; // that the verdict must hold
} BAD[] = {
    {"panel", "e-stop wire broken", NULL, FAULT_ESTOP_WIRE, 1, "its wire is broken"},
    {"panel", "e-stop dead", NULL, FAULT_ESTOP_DEAD, 1, "pressing the e-stop is not seen"},
    {"camera", "lens out of focus", NULL, FAULT_CAMERA_BLUR, 4, "blurred by"},
    {"camera", "dim light", NULL, FAULT_LIGHT_GAIN, 0.02, "too dark"},
    {"camera", "camera hangs", NULL, FAULT_CAMERA_STALL, 1, "no pictures"},
    {"arm", "pump dead", NULL, FAULT_PUMP_DEAD, 1, "the pump does not pull"},
    {"arm", "pick sensor stuck off", NULL, FAULT_SENSOR_STUCK, 0, "the pump does not pull"},
    {"arm", "home switch dead", NULL, FAULT_HOMING_SWITCH, 1, "homing"},
    {"arm", "cable out", NULL, FAULT_UNPLUG, 0, "plotter"},
    {"arm", "belt loose", "places", FAULT_LOOSE_BELT, 1.2, "loose belt"},
    {"arm", "steps lost", "proves", FAULT_LOSE_STEPS, 2.5, "lost steps"},
    {"gripper", "cup leaks", NULL, FAULT_PICK_RATE, 0.4, "worn"},
};

// Good as far as the wizards before this one have to know.
static void prepare(struct fixture *f, const char *wizard)
{
    if (strcmp(wizard, "panel") == 0 || strcmp(wizard, "camera") == 0)
        return;
    f->calibration = seen;
    if (strcmp(wizard, "arm") == 0)
        return;
    // The table of the sample stands as it says.
    f->calibration.arm.map = board_map_from_pose(
        f->settings.board.a1_x, f->settings.board.a1_y,
        f->settings.board.rotation + f->settings.sim.rotation, f->settings.sim.scale);
    f->calibration.arm.board_z[0] = f->settings.heights.board;
    f->calibration.arm.verdict.valid = true;
    *bench_map(f->bench) = f->calibration.arm.map;
}

// Fails the test unless the wizard does, saying so in these words.
static void expect_fail(struct fixture *f, const char *wizard, const char *name, const char *words)
{
    struct wizard_result result;
    struct error err;
    int r = fixture_run(f, wizard, &result, &err);
    if (r == 0 && result.passed)
        fail_msg("%s passes with: %s (%s)", wizard, name, result.words);
    const char *said = r < 0 ? err.text : result.words;
    if (!strstr(said, words))
        fail_msg("%s with %s says: %s", wizard, name, said);
    print_message("%s, %s: %s\n", wizard, name, said);
    assert_false(wizard_find(wizard)->verdict(&f->calibration)->valid);
}

static void test_prepare(void **state)
{
    (void)state;
    struct fixture *f = fixture_begin(NULL, true);
    fixture_expect_pass(f, "panel");
    fixture_expect_pass(f, "camera");
    fixture_expect_pass(f, "board");
    seen = f->calibration;
    fixture_end(f);
}

static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        const struct bad *bad = &BAD[i];
        struct fixture *f = fixture_begin(NULL, true);
        prepare(f, bad->wizard);
        f->when = bad->when;
        f->fault = bad->fault;
        f->value = bad->value;
        if (!f->when)
            table_fault(bench_table(f->bench), bad->fault, bad->value);
        expect_fail(f, bad->wizard, bad->name, bad->words);
        fixture_end(f);
    }
}

static void usual_table(struct table_setup *ret)
{
    struct fixture *f = fixture_begin(NULL, true);
    devices_table_setup(&f->settings, ret);
    fixture_end(f);
}

static void test_twin_colours(void **state)
{
    (void)state;
    struct table_setup table;
    usual_table(&table);
    table.stones.colour[1] = table.stones.colour[0]; // sold as red
    struct fixture *f = fixture_begin(&table, true);
    prepare(f, "stones");
    expect_fail(f, "stones", "twin colours", "too alike");
    fixture_end(f);
}

static void test_curled_board(void **state)
{
    (void)state;
    struct table_setup table;
    usual_table(&table);
    table.board.curl = 5;
    struct fixture *f = fixture_begin(&table, true);
    fixture_expect_pass(f, "panel");
    fixture_expect_pass(f, "camera");
    fixture_expect_pass(f, "board");
    expect_fail(f, "arm", "curled board", "the board is not flat");
    fixture_end(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prepare), // leaves what the others begin with
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_twin_colours),
        cmocka_unit_test(test_curled_board),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
