// The wizards on the simulated table: they find its geometry, and each kind of bad hardware fails
// with its own reason.
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

#include "config/calibrate/wizard.h"
#include "config/value.h"
#include "controller/sim/world.h"

// mm; a stone that is let go slips by 0.3 mm, and the eye sees it to about as much.
static const double WORST_MAP_ERROR = 2.0;

struct fixture {
    struct settings settings;
    struct calibration calibration;
    struct bench *bench;
    enum table_fault fault; // set off when `when` is said; "" = never
    const char *when;
    double value;
    int said;
};

static void say(void *user, const char *text)
{
    struct fixture *f = user;
    f->said++;
    if (f->when && strstr(text, f->when)) {
        table_fault(bench_table(f->bench), f->fault, f->value);
        f->when = NULL;
    }
}

static bool ask(void *user, const char *text)
{
    (void)user;
    (void)text;
    return false;
}

static bool measure(void *user, const char *text, double proposed, double *ret)
{
    (void)user;
    (void)text;
    *ret = proposed;
    return true;
}

static struct fixture *begin(bool yes)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    char file[512];
    struct error err;
    (void)snprintf(file, sizeof file, "%s/config/samples/sim.yaml", getenv("TESSERA_SOURCE"));
    struct settings_source source = {.file = file};
    if (settings_load(&source, &f->settings, &err) < 0)
        fail_msg("%s", err.text);
    calibration_init(&f->calibration, f->settings.machine.name);
    const struct bench_options options = {
        .settings = &f->settings,
        .calibration = &f->calibration,
        .people = {.say = say, .ask = ask, .measure = measure, .user = f},
        .yes = yes,
        .arm = true,
    };
    if (bench_open(&options, &f->bench, &err) < 0)
        fail_msg("%s", err.text);
    return f;
}

static void end(struct fixture *f)
{
    bench_free(f->bench);
    free(f);
}

static int run(struct fixture *f, const char *name, struct wizard_result *ret, struct error *err)
{
    *err = (struct error){0};
    return wizard_run(wizard_find(name), f->bench, ret, err);
}

static void expect_pass(struct fixture *f, const char *name)
{
    struct wizard_result result;
    struct error err;
    if (run(f, name, &result, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    if (!result.passed)
        fail_msg("%s: %g (limit %g): %s", name, result.figure, result.limit, result.words);
    print_message("%s: %.3g %s; %s\n", name, result.figure, result.what, result.words);
}

// What the map says against how the table truly stands, all over the board.
static double worst_map_error(struct fixture *f)
{
    const struct table_setup *setup = table_setup_of(bench_table(f->bench));
    double worst = 0;
    for (int i = 0; i < 19 * 19; i++) {
        int column = i % 19, row = i / 19;
        double board[2] = {column * 22.0, row * 22.0};
        double ours[2];
        double truth[2];
        board_map_to_machine(&f->calibration.arm.map, board, ours);
        world_table_to_machine(setup, board, truth);
        worst = fmax(worst, hypot(ours[0] - truth[0], ours[1] - truth[1]));
    }
    return worst;
}

static struct calibration prepared; // what was known before the arm moved

static void test_all_in_order(void **state)
{
    (void)state;
    struct fixture *f = begin(true);
    for (int i = 0; i < wizard_count; i++) {
        if (strcmp(wizards[i].name, "arm") == 0)
            prepared = f->calibration;
        expect_pass(f, wizards[i].name);
    }
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
    end(f);
}

static void test_order_is_kept(void **state)
{
    (void)state;
    struct fixture *f = begin(true);
    struct wizard_result result;
    struct error err;
    static const struct {
        const char *name, *needs;
    } NEEDS[] = {
        {"arm", "calibrate board"}, {"stones", "calibrate arm"}, {"gripper", "calibrate arm"}};
    for (size_t i = 0; i < sizeof NEEDS / sizeof *NEEDS; i++) {
        assert_int_equal(run(f, NEEDS[i].name, &result, &err), -EPERM);
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
    end(f);
}

static void test_a_person_who_says_no(void **state)
{
    (void)state;
    struct fixture *f = begin(false);
    struct wizard_result result;
    struct error err;
    assert_int_equal(run(f, "panel", &result, &err), 0);
    f->calibration.board.verdict.valid = true;
    assert_int_equal(bench_arm_ready(f->bench, &err), -ECANCELED);
    end(f);
}

static void test_stopped(void **state)
{
    (void)state;
    struct fixture *f = begin(true);
    struct wizard_result result;
    struct error err;
    bench_stop(f->bench);
    assert_int_equal(run(f, "panel", &result, &err), -ECANCELED);
    assert_int_equal(run(f, "camera", &result, &err), -ECANCELED);
    end(f);
}

// Bad hardware: the fault comes with the words said, or at once.
static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *wizard;
        bool prepared; // panel, camera and board are calibrated
        const char *when;
        enum table_fault fault;
        double value;
        const char *words;
    } FAULTS[] = {
        {"panel", false, NULL, FAULT_ESTOP_WIRE, 1, "its wire is broken"},
        {"camera", false, NULL, FAULT_CAMERA_BLUR, 4, "blur"},
        {"camera", false, NULL, FAULT_LIGHT_GAIN, 0.02, "dark"},
        {"camera", false, NULL, FAULT_CAMERA_STALL, 1, "no pictures"},
        {"arm", true, NULL, FAULT_PUMP_DEAD, 1, "pump"},
        {"arm", true, NULL, FAULT_HOMING_SWITCH, 1, ""},
        {"arm", true, NULL, FAULT_UNPLUG, 0, ""},
        {"arm", true, "proves the map", FAULT_LOSE_STEPS, 2.5, ""},
    };
    for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++) {
        struct fixture *f = begin(true);
        struct wizard_result result;
        struct error err;
        if (FAULTS[i].prepared)
            f->calibration = prepared;
        f->when = FAULTS[i].when;
        f->fault = FAULTS[i].fault;
        f->value = FAULTS[i].value;
        if (!f->when)
            table_fault(bench_table(f->bench), FAULTS[i].fault, FAULTS[i].value);
        int r = run(f, FAULTS[i].wizard, &result, &err);
        if (r == 0 && result.passed)
            fail_msg("%s passes with fault %zu: %s", FAULTS[i].wizard, i, result.words);
        const char *words = r < 0 ? err.text : result.words;
        if (!strstr(words, FAULTS[i].words) || words[0] == '\0')
            fail_msg("%s with fault %zu says: %s", FAULTS[i].wizard, i, words);
        print_message("%s: %s\n", FAULTS[i].wizard, words);
        assert_false(wizard_find(FAULTS[i].wizard)->verdict(&f->calibration)->valid);
        end(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_is_kept), cmocka_unit_test(test_a_person_who_says_no),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_all_in_order), // leaves what the next one begins with
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
