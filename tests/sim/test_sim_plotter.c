// The simulated firmware beyond the field notes: parser errors, modes, settings, planner and time.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/plotter_rig.h"

static struct rig rig;

static int set_up(void **state)
{
    (void)state;
    rig_init(&rig);
    rig_power(&rig);
    rig_home(&rig);
    return 0;
}

static void status(void)
{
    rig_forget(&rig);
    rig_byte(&rig, '?');
    rig_run(&rig, 0.02);
}

static void lines_get_their_error_numbers(void **state)
{
    static const struct {
        const char *line;
        int error;
    } CASES[] = {
        {"10", 1},
        {"G", 2},
        {"GX", 2},
        {"G0X-", 2},
        {"$Q", 3},
        {"$300=1", 3},
        {"$10=-1", 4},
        {"$0=2", 6},
        {"G0 F-1", 4},
        {"G2 X1 Y1", 20},
        {"G99", 20},
        {"M50", 20},
        {"G90 G91", 21},
        {"M3 M5", 21},
        {"G1 X-10", 22},
        {"M3.1", 23},
        {"G28 G92 X1", 24},
        {"G10 G0 X1", 24},
        {"X-1 X-2", 25},
        {"G92", 26},
        {"G10 L2 P1", 26},
        {"N99999999", 27},
        {"G4", 28},
        {"G10 X1", 28},
        {"G10 L2 P9 X0", 29},
        {"G10 L3 P1 X0", 20},
        {"G53 G80", 30},
        {"G80 X1", 31},
        {"G0 P1", 36},
        {"G43.1 X1", 37},
        {"$J=X1", 22},
        {"$J=G0 X1 F10", 16},
        {"$J=F10", 26},
        {"G4 P-1", 4},
        {"$N3=G21", 3},
        {"$N0=G99", 20},
        {"G20", 0},
        {"G21 G90 G94 G17 G54 M5 M9", 0},
        {"T1 M9", 0},
        {"%", 1},
        {"G0 X-598 (comment) Y-538 ; more", 0},
        {"g0 x-598", 0},
        {"$112=60000", 12},
    };
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const int error = rig_line(&rig, CASES[i].line);
        if (error != CASES[i].error)
            fail_msg("\"%s\": error %d, not %d", CASES[i].line, error, CASES[i].error);
    }
}

static void an_error_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(rig_line(&rig, "G91 G20 F100 G99"), 20);
    rig_forget(&rig);
    assert_int_equal(rig_line(&rig, "$G"), 0);
    assert_true(rig_said(&rig, "[GC:G0 G54 G17 G21 G90 G94 M5 M9 T0 F0 S0]"));
}

static void modes_are_reported(void **state)
{
    (void)state;
    assert_int_equal(rig_line(&rig, "G1 F600 G55 G91 M3 S500 T2"), 0);
    assert_int_equal(rig_line(&rig, "M8"), 0);
    rig_forget(&rig);
    assert_int_equal(rig_line(&rig, "$G"), 0);
    assert_true(rig_said(&rig, "[GC:G1 G55 G17 G21 G91 G94 M3 M8 T2 F600 S500]"));
}

static void settings_read_and_write(void **state)
{
    (void)state;
    assert_int_equal(rig_line(&rig, "$$"), 0);
    assert_true(rig_said(&rig, "$0=10\r\n$1=255\r\n"));
    assert_true(rig_said(&rig, "$22=1\r\n"));
    assert_true(rig_said(&rig, "$110=12000.000\r\n"));
    assert_true(rig_said(&rig, "$120=1000.000\r\n"));
    assert_true(rig_said(&rig, "$130=600.000\r\n$131=540.000\r\n$132=60.000\r\n"));
    assert_int_equal(rig_count(&rig, "$"), 34);
    assert_int_equal(rig_line(&rig, "$120=500"), 0);
    rig_forget(&rig);
    rig_line(&rig, "$$");
    assert_true(rig_said(&rig, "$120=500.000\r\n"));
    // Kept through a power cut; gone after a restore.
    plotter_restart(&rig.plotter, rig.now_ns);
    rig_run(&rig, 1.5);
    rig_forget(&rig);
    rig_line(&rig, "$$");
    assert_true(rig_said(&rig, "$120=500.000\r\n"));
    rig_line(&rig, "$RST=$");
    rig_run(&rig, 1.5);
    rig_forget(&rig);
    rig_line(&rig, "$$");
    assert_true(rig_said(&rig, "$120=1000.000\r\n"));
}

static void homing_off_takes_soft_limits_along(void **state)
{
    (void)state;
    assert_int_equal(rig_line(&rig, "$22=0"), 0);
    assert_int_equal(rig_line(&rig, "$20=1"), 10);
    assert_int_equal(rig_line(&rig, "$H"), 5);
}

static void offsets_and_work_position(void **state)
{
    (void)state;
    assert_int_equal(rig_line(&rig, "G10 L20 P2 X0 Y0 Z0"), 0);
    assert_int_equal(rig_line(&rig, "G55"), 0);
    assert_int_equal(rig_line(&rig, "$10=0"), 0);
    status();
    assert_true(rig_said(&rig, "|WPos:0.000,0.000,0.000"));
    assert_int_equal(rig_line(&rig, "G0 X10 Y20"), 0);
    assert_int_equal(rig_line(&rig, "G92 X0"), 0);
    assert_int_equal(rig_line(&rig, "G4 P0"), 0);
    rig_forget(&rig);
    assert_int_equal(rig_line(&rig, "$#"), 0);
    assert_true(rig_said(&rig, "[G55:-598.000,-538.000,-2.000]"));
    assert_true(rig_said(&rig, "[G92:10.000,0.000,0.000]"));
    status();
    assert_true(rig_said(&rig, "|WPos:0.000,20.000,0.000"));
    assert_int_equal(rig_line(&rig, "G53 G0 X-500"), 0);
    assert_int_equal(rig_line(&rig, "G28"), 0); // stored as 0,0,0
    rig_run(&rig, 6);
    assert_int_equal(rig_line(&rig, "$10=1"), 0);
    status();
    assert_true(rig_said(&rig, "MPos:0.000,0.000,0.000"));
}

static void start_up_lines_run_after_the_banner(void **state)
{
    (void)state;
    assert_int_equal(rig_line(&rig, "$N0=G91"), 0);
    rig_forget(&rig);
    rig_byte(&rig, 0x18);
    rig_run(&rig, 0.2);
    assert_true(rig_said(&rig, ">G91:ok"));
    rig_forget(&rig);
    rig_line(&rig, "$G");
    assert_true(rig_said(&rig, " G91 "));
}

static void unlocking_says_so(void **state)
{
    (void)state;
    plotter_restart(&rig.plotter, rig.now_ns);
    rig_run(&rig, 1.5);
    rig_forget(&rig);
    assert_int_equal(rig_line(&rig, "$X"), 0);
    assert_true(rig_said(&rig, "[MSG:Caution: Unlocked]"));
    status();
    assert_true(rig_said(&rig, "<Idle|MPos:0.000,0.000,0.000"));
}

static void check_mode_moves_nothing(void **state)
{
    (void)state;
    assert_int_equal(rig_line(&rig, "$C"), 0);
    assert_int_equal(rig_line(&rig, "G0 X-100"), 0);
    assert_int_equal(rig_line(&rig, "G0 X900"), 0);
    status();
    assert_true(rig_said(&rig, "<Check|MPos:-598.000"));
    rig_line(&rig, "$C");
    rig_run(&rig, 0.2);
    assert_true(rig_said(&rig, "Grbl 1.1h"));
}

// --- motion ---

static double trapezoid(double d, double v, double a)
{
    return d >= v * v / a ? d / v + v / a : 2 * sqrt(d / a);
}

static double leg(const char *line)
{
    assert_int_equal(rig_line(&rig, "G4 P0"), 0);
    const double start = rig_seconds(&rig);
    assert_int_equal(rig_line(&rig, line), 0);
    assert_int_equal(rig_line(&rig, "G4 P0"), 0);
    return rig_seconds(&rig) - start;
}

static void legs_take_the_time_that_physics_needs(void **state)
{
    static const struct {
        const char *line;
        double distance, v, a; // of the slower axis
    } CASES[] = {
        {"G90 G0 X-298", 300, 200, 1000},  {"G0 X-598", 300, 200, 1000},
        {"G0 X-576 Y-516", 22, 200, 1000}, {"G0 X-176 Y-516", 400, 200, 1000},
        {"G0 Z-22", 20, 50, 300},          {"G0 Z-12", 10, 50, 300},
        {"G1 F1500 X-276", 100, 25, 1000}, {"G0 X-476 Y-16", 500, 200, 1000},
    };
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const double ideal = trapezoid(CASES[i].distance, CASES[i].v, CASES[i].a);
        const double took = leg(CASES[i].line);
        // Wire and parser add some 8 ms.
        if (took < ideal || took > ideal + 0.015)
            fail_msg("%s took %.4f s, physics %.4f s", CASES[i].line, took, ideal);
    }
}

static void positions_are_whole_steps(void **state)
{
    double at[3];
    (void)state;
    leg("G90 G0 X-123.4567 Y-200.004 Z-10.0013");
    rig_position(&rig, at);
    assert_true(fabs(at[0] + 123.4567) <= 0.5 / 80 + 1e-9);
    assert_true(fabs(at[0] * 80 - round(at[0] * 80)) < 1e-6);
    assert_true(fabs(at[2] * 400 - round(at[2] * 400)) < 1e-6);
}

static void hold_and_resume_end_at_the_target(void **state)
{
    double at[3];
    (void)state;
    rig_say(&rig, "G90 G0 X-198\nG0 X-398 Y-338\n");
    rig_run(&rig, 0.5);
    rig_byte(&rig, '!');
    rig_run(&rig, 0.1);
    status();
    assert_true(rig_said(&rig, "<Hold:1|"));
    rig_run(&rig, 0.4);
    status();
    assert_true(rig_said(&rig, "<Hold:0|"));
    rig_position(&rig, at);
    const double held = at[0];
    rig_run(&rig, 2);
    rig_position(&rig, at);
    assert_true(at[0] == held);
    // v/a = 0.2 s, v²/2a = 20 mm
    rig_byte(&rig, '~');
    rig_run(&rig, 6);
    status();
    assert_true(rig_said(&rig, "<Idle|MPos:-398.000,-338.000,-2.000"));
    // A reset at rest in a hold keeps the position (F5).
    rig_say(&rig, "G0 X-198\n");
    rig_run(&rig, 0.5);
    rig_byte(&rig, '!');
    rig_run(&rig, 0.5);
    rig_forget(&rig);
    rig_byte(&rig, 0x18);
    rig_run(&rig, 1);
    assert_false(rig_said(&rig, "ALARM"));
    assert_true(rig.slipped[0] == 0);
}

static void a_jog_is_cancelled(void **state)
{
    double at[3];
    (void)state;
    assert_int_equal(rig_line(&rig, "$J=G91 X300 F12000"), 0);
    assert_int_equal(rig_line(&rig, "$J=G91 Y300 F12000"), 0);
    rig_run(&rig, 0.5);
    status();
    assert_true(rig_said(&rig, "<Jog|"));
    assert_int_equal(rig_line(&rig, "G0 X-1"), 9);
    rig_byte(&rig, 0x85);
    rig_run(&rig, 1);
    status();
    assert_true(rig_said(&rig, "<Idle|"));
    rig_position(&rig, at);
    assert_true(at[0] > -560 && at[0] < -400 && at[1] == -538);
    assert_int_equal(rig_line(&rig, "$J=G90 X-598 F12000"), 0);
}

// Many short segments along a circle: fed fast enough, the planner keeps its speed.
static void a_path_of_short_segments_runs_smoothly(void **state)
{
    char line[64];
    (void)state;
    leg("G90 G0 X-200 Y-270");
    const double start = rig_seconds(&rig);
    for (int i = 1; i <= 400; i++) {
        const double a = 2 * 3.14159265358979 * i / 400;
        snprintf(line, sizeof line, "G1 F3000 X%.3f Y%.3f", -300 + 100 * cos(a),
                 -270 + 100 * sin(a));
        assert_int_equal(rig_line(&rig, line), 0);
    }
    assert_int_equal(rig_line(&rig, "G4 P0"), 0);
    const double took = rig_seconds(&rig) - start, ideal = 2 * 3.14159265358979 * 100 / 50;
    if (took < ideal || took > ideal + 0.3)
        fail_msg("the circle took %.3f s, %.3f s at the feed", took, ideal);
    status();
    assert_true(rig_said(&rig, "<Idle|MPos:-200.000,-270.000"));
}

static void corners_are_taken_slowly(void **state)
{
    (void)state;
    // There and back without a stop between the lines: the turn is a full stop all the same.
    leg("G90 G0 X-400 Y-300");
    const double start = rig_seconds(&rig);
    rig_say(&rig, "G0 X-300\nG0 X-400\nG4 P0\n");
    rig_forget(&rig);
    while (rig_count(&rig, "ok") < 3)
        rig_run(&rig, 0.001);
    const double took = rig_seconds(&rig) - start;
    assert_true(took > 2 * trapezoid(100, 200, 1000) - 0.01);
}

static void the_planner_holds_fifteen_blocks(void **state)
{
    char line[64];
    (void)state;
    assert_int_equal(rig_line(&rig, "$10=3"), 0);
    int accepted = 0;
    for (int i = 0; i < 20; i++) {
        rig_forget(&rig);
        snprintf(line, sizeof line, "G90 G1 F60 X%d\n", -597 + i);
        rig_say(&rig, line);
        rig_run(&rig, 0.01);
        accepted += rig_said(&rig, "ok");
    }
    assert_int_equal(accepted, 15);
    status();
    assert_true(rig_said(&rig, "|Bf:0,"));
}

static void probing_stops_at_the_contact(void **state)
{
    double at[3];
    (void)state;
    leg("G90 G0 Z-20");
    rig_forget(&rig);
    rig_say(&rig, "G38.2 Z-50 F120\n"); // 2 mm/s
    rig_run(&rig, 5);
    plotter_pins(&rig.plotter, rig.now_ns, (const bool[3]){false, false, false}, true);
    rig_run(&rig, 0.2);
    assert_true(rig_said(&rig, "[PRB:-598.000,-538.000,-2"));
    assert_true(rig_said(&rig, ":1]\r\nok"));
    rig_position(&rig, at);
    assert_true(fabs(at[2] + 30) < 0.1);
    plotter_pins(&rig.plotter, rig.now_ns, (const bool[3]){false, false, false}, false);
    // Nothing there.
    rig_forget(&rig);
    rig_say(&rig, "G38.2 Z-33 F600\n");
    rig_run(&rig, 3);
    assert_true(rig_said(&rig, "ALARM:5"));
}

static void hard_limit_noise_stops_dead(void **state)
{
    (void)state;
    rig_say(&rig, "G90 G0 X-100\n");
    rig_run(&rig, 1);
    plotter_pins(&rig.plotter, rig.now_ns, (const bool[3]){false, true, false}, false);
    plotter_pins(&rig.plotter, rig.now_ns, (const bool[3]){false, false, false}, false);
    rig_run(&rig, 1);
    assert_true(rig_said(&rig, "ALARM:1"));
    assert_true(rig_said(&rig, "[MSG:Reset to continue]"));
    assert_true(rig.slipped[0] > 150);
}

static void programs_pause_and_end(void **state)
{
    (void)state;
    rig_say(&rig, "M0\n");
    rig_run(&rig, 0.1);
    assert_false(rig_said(&rig, "ok"));
    status();
    assert_true(rig_said(&rig, "<Hold:0|"));
    rig_byte(&rig, '~');
    rig_run(&rig, 0.1);
    assert_true(rig_said(&rig, "ok"));
    assert_int_equal(rig_line(&rig, "G91 M3 S1"), 0);
    rig_forget(&rig);
    assert_int_equal(rig_line(&rig, "M2"), 0);
    assert_true(rig_said(&rig, "[MSG:Pgm End]"));
    assert_false(rig.pump);
}

static void sleep_lasts_until_reset(void **state)
{
    (void)state;
    assert_int_equal(rig_line(&rig, "$SLP"), 0);
    status();
    assert_true(rig_said(&rig, "<Sleep|"));
    assert_int_equal(rig_line(&rig, "G0 X-1"), -1);
    rig_byte(&rig, 0x18);
    rig_run(&rig, 0.1);
    assert_true(rig_said(&rig, "Grbl 1.1h"));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = {
        T(lines_get_their_error_numbers),
        T(an_error_changes_nothing),
        T(modes_are_reported),
        T(settings_read_and_write),
        T(homing_off_takes_soft_limits_along),
        T(offsets_and_work_position),
        T(start_up_lines_run_after_the_banner),
        T(unlocking_says_so),
        T(check_mode_moves_nothing),
        T(legs_take_the_time_that_physics_needs),
        T(positions_are_whole_steps),
        T(hold_and_resume_end_at_the_target),
        T(a_jog_is_cancelled),
        T(a_path_of_short_segments_runs_smoothly),
        T(corners_are_taken_slowly),
        T(the_planner_holds_fifteen_blocks),
        T(probing_stops_at_the_contact),
        T(hard_limit_noise_stops_dead),
        T(programs_pause_and_end),
        T(sleep_lasts_until_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
