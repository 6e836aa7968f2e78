// The facts F1 … F15 of the field notes (controller/sim/README.md): what unmodified firmware does
// to those who talk to it. One test each, named by its number.
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
    return 0;
}

static int set_up_hal(void **state)
{
    (void)state;
    rig_init(&rig);
    rig.setup.firmware.flavour = SETUP_GRBLHAL;
    rig_power(&rig);
    return 0;
}

static void status(void)
{
    rig_forget(&rig);
    rig_byte(&rig, '?');
    rig_run(&rig, 0.02);
}

static void f1_limit_alarm_mutes_until_reset(void **state)
{
    (void)state;
    rig_home(&rig);
    rig_say(&rig, "G90 G0 X10\n");
    rig_run(&rig, 0.05);
    assert_true(rig_said(&rig, "ALARM:2\r\n"));
    assert_false(rig_said(&rig, "[MSG:Reset to continue]"));
    // Too early: thrown away.
    rig_byte(&rig, 0x18);
    rig_run(&rig, 0.6);
    assert_true(rig_said(&rig, "[MSG:Reset to continue]"));
    assert_false(rig_said(&rig, "Grbl 1.1h"));
    // Mute.
    status();
    rig_run(&rig, 3);
    assert_int_equal(rig.length, 0);
    // In time.
    rig_byte(&rig, 0x18);
    rig_run(&rig, 0.05);
    assert_true(rig_said(&rig, "\r\nGrbl 1.1h ['$' for help]\r\n"));
    assert_true(rig_said(&rig, "[MSG:'$H'|'$X' to unlock]"));
    status();
    assert_true(rig_said(&rig, "<Alarm|"));
}

static void f2_soft_limit_gets_no_ok(void **state)
{
    (void)state;
    rig_home(&rig);
    rig_say(&rig, "G90 G1 F600 X-700\n");
    rig_run(&rig, 2);
    assert_true(rig_said(&rig, "ALARM:2"));
    rig_byte(&rig, 0x18);
    rig_run(&rig, 1);
    assert_int_equal(rig_count(&rig, "ok"), 0);
    assert_int_equal(rig_count(&rig, "error"), 0);
}

static void f2_soft_limit_comes_to_rest_first(void **state)
{
    (void)state;
    double at[3];
    rig_home(&rig);
    rig_say(&rig, "G90 G0 X-100\n");
    rig_run(&rig, 1);
    rig_say(&rig, "G0 X50\n");
    rig_run(&rig, 3);
    assert_true(rig_said(&rig, "ALARM:2"));
    rig_position(&rig, at);
    assert_true(at[0] > -598 && at[0] < -100); // braked, position kept
    assert_true(rig.slipped[0] == 0);
}

static void f3_jog_past_travel_is_refused_without_alarm(void **state)
{
    (void)state;
    rig_home(&rig);
    assert_int_equal(rig_line(&rig, "$J=G90 G21 X5 F1000"), 15);
    status();
    assert_true(rig_said(&rig, "<Idle|MPos:-598.000"));
    assert_int_equal(rig_line(&rig, "$J=G91 X10 F1000"), 0);
    rig_run(&rig, 2);
    status();
    assert_true(rig_said(&rig, "<Idle|MPos:-588.000"));
}

static void f4_crlf_is_two_oks(void **state)
{
    (void)state;
    rig_say(&rig, "$G\r\n");
    rig_run(&rig, 0.1);
    assert_int_equal(rig_count(&rig, "ok\r\n"), 2);
    rig_forget(&rig);
    rig_say(&rig, "\n(nothing)\n; nothing\n");
    rig_run(&rig, 0.1);
    assert_int_equal(rig_count(&rig, "ok\r\n"), 3);
}

static void f5_power_up_is_locked_at_zero(void **state)
{
    (void)state;
    status();
    assert_true(rig_said(&rig, "<Alarm|MPos:0.000,0.000,0.000"));
    assert_int_equal(rig_line(&rig, "G0 X-1"), 9);
}

static void f5_reset_at_rest_keeps_position(void **state)
{
    (void)state;
    rig_home(&rig);
    assert_int_equal(rig_line(&rig, "G90 G0 X-500 Y-400"), 0);
    assert_int_equal(rig_line(&rig, "G4 P0"), 0);
    rig_forget(&rig);
    rig_byte(&rig, 0x18);
    rig_run(&rig, 0.1);
    assert_true(rig_said(&rig, "Grbl 1.1h"));
    assert_false(rig_said(&rig, "unlock"));
    status();
    assert_true(rig_said(&rig, "<Idle|MPos:-500.000,-400.000,-2.000"));
}

static void f5_reset_in_motion_loses_position(void **state)
{
    (void)state;
    rig_home(&rig);
    rig_say(&rig, "G90 G0 X-200\n");
    rig_run(&rig, 1);
    rig_forget(&rig);
    rig_byte(&rig, 0x18);
    rig_run(&rig, 1);
    const char *alarm = strstr(rig.text, "ALARM:3"), *banner = strstr(rig.text, "Grbl 1.1h");
    assert_non_null(alarm);
    assert_true(banner > alarm);
    assert_true(rig_said(&rig, "unlock"));
    assert_true(rig.slipped[0] > 190); // the motors were stopped dead at full speed
}

static void f6_machine_space_is_negative(void **state)
{
    (void)state;
    rig_home(&rig); // asserts -598, -538, -2
    assert_int_equal(rig_line(&rig, "$J=G53 X1 F100"), 15);
    assert_int_equal(rig_line(&rig, "$J=G53 X-600.1 F100"), 15);
    assert_int_equal(rig_line(&rig, "$J=G53 X-600 F1000"), 0);
}

static void reply_waits_for_motion(const char *line)
{
    rig_line(&rig, "G90 G0 X-598");
    rig_line(&rig, "G4 P0");
    assert_int_equal(rig_line(&rig, "G0 X-398"), 0);
    const double start = rig_seconds(&rig);
    assert_int_equal(rig_line(&rig, line), 0);
    const double waited = rig_seconds(&rig) - start;
    // 200 mm at 200 mm/s and 1000 mm/s²: 1.2 s
    if (waited < 1.15 || waited > 1.28)
        fail_msg("%s was answered after %.3f s", line, waited);
    status();
    assert_true(rig_said(&rig, "<Idle|MPos:-398.000"));
}

static void f7_outputs_and_dwell_wait_for_motion(void **state)
{
    (void)state;
    rig_home(&rig);
    reply_waits_for_motion("G4 P0.01");
    reply_waits_for_motion("M3 S1000");
    reply_waits_for_motion("M5");
    reply_waits_for_motion("M8");
    reply_waits_for_motion("M9");
    reply_waits_for_motion("M7");
    reply_waits_for_motion("M9");
}

static void f8_default_reports_lack_bf(void **state)
{
    (void)state;
    rig_home(&rig);
    int offsets = 0;
    for (int i = 0; i < 30; i++) {
        status();
        assert_false(rig_said(&rig, "|Bf:"));
        offsets += rig_said(&rig, "|WCO:");
    }
    assert_in_range(offsets, 2, 4); // every tenth at rest
    assert_int_equal(rig_line(&rig, "$10=3"), 0);
    status();
    assert_true(rig_said(&rig, "|Bf:15,128|"));
}

static void f9_eeprom_writes_lose_bytes(void **state)
{
    (void)state;
    rig_home(&rig);
    // Streamed: the second line arrives while the first is written.
    rig_say(&rig, "$1=254\n$G\n$G\n");
    rig_run(&rig, 0.2);
    assert_true(rig_count(&rig, "ok") < 3);
    assert_true(rig.plotter.rx_lost > 0);
    assert_false(rig_said(&rig, "error")); // in silence
    // Line by line nothing is lost.
    const uint64_t lost = rig.plotter.rx_lost;
    rig_forget(&rig);
    assert_int_equal(rig_line(&rig, "G10 L2 P1 X1"), 0);
    assert_int_equal(rig_line(&rig, "G10 L2 P1 X0"), 0);
    assert_int_equal(rig_line(&rig, "$1=255"), 0);
    assert_int_equal(rig.plotter.rx_lost, lost);
}

static void pump_on(const char *line)
{
    rig_home(&rig);
    assert_int_equal(rig_line(&rig, line), 0);
    assert_true(rig.pump);
    rig_say(&rig, "G90 G0 X-300\n");
    rig_run(&rig, 0.8);
}

static void f10_hold_keeps_the_vacuum(void **state)
{
    (void)state;
    pump_on("M3 S1000");
    rig_byte(&rig, '!');
    rig_run(&rig, 1);
    status();
    assert_true(rig_said(&rig, "<Hold:0|"));
    assert_true(rig.pump);
    rig_byte(&rig, '~');
    rig_run(&rig, 2);
    assert_true(rig.pump);
    status();
    assert_true(rig_said(&rig, "<Idle|MPos:-300.000"));
}

static void f10_door_drops_the_stone_and_costs_seconds(void **state)
{
    (void)state;
    pump_on("M3 S1000");
    rig_byte(&rig, 0x84);
    rig_run(&rig, 1);
    assert_false(rig.pump);
    status();
    assert_true(rig_said(&rig, "<Door:0|"));
    rig_byte(&rig, '~');
    rig_run(&rig, 3.9);
    status();
    assert_true(rig_said(&rig, "<Door:3|"));
    rig_run(&rig, 0.3);
    status();
    assert_true(rig_said(&rig, "<Run|"));
    assert_true(rig.pump);
}

static void f10_reset_alarm_and_opening_drop_the_stone(void **state)
{
    (void)state;
    pump_on("M8");
    rig_byte(&rig, 0x18);
    rig_run(&rig, 0.01);
    assert_false(rig.pump);
    rig_run(&rig, 1);

    pump_on("M8");
    plotter_pins(&rig.plotter, rig.now_ns, (const bool[3]){true, false, false}, false);
    rig_run(&rig, 0.01);
    assert_false(rig.pump);
    assert_true(rig_said(&rig, "ALARM:1"));
    plotter_pins(&rig.plotter, rig.now_ns, (const bool[3]){false, false, false}, false);
    rig_run(&rig, 1);
    rig_byte(&rig, 0x18);
    rig_run(&rig, 1);
    rig_forget(&rig);

    pump_on("M3 S500");
    plotter_restart(&rig.plotter, rig.now_ns); // the port is opened again
    assert_false(rig.pump);
}

static void f12_overflow_is_silent(void **state)
{
    (void)state;
    rig_home(&rig);
    // The first line waits for its motion; 300 bytes come into 128.
    rig_say(&rig, "G90 G0 X-300\nG4 P0\n");
    rig_run(&rig, 0.01);
    for (int i = 0; i < 30; i++)
        rig_say(&rig, "G1 F9000\n ");
    rig_run(&rig, 4);
    assert_true(rig.plotter.rx_lost > 150);
    assert_int_equal(rig_count(&rig, "error"), 0);
    assert_true(rig_count(&rig, "ok") < 20);
}

static void f13_grblhal_banner_and_lock(void **state)
{
    (void)state;
    rig_byte(&rig, 0x18);
    rig_run(&rig, 0.1);
    assert_true(rig_said(&rig, "GrblHAL 1.1f"));
    assert_true(rig_said(&rig, "ALARM:11"));
    assert_int_equal(rig_line(&rig, "$X"), 46);
    rig_say(&rig, "$H\n");
    rig_run(&rig, 0.1);
    assert_true(rig_said(&rig, "<Home|")); // unasked
    rig_run(&rig, 20);
    status();
    assert_true(rig_said(&rig, "<Idle|"));
    assert_int_equal(rig_line(&rig, "$10=3"), 0);
    status();
    assert_true(rig_said(&rig, ",1023|"));
}

static void f13_grblhal_answers_in_critical_alarm(void **state)
{
    (void)state;
    rig_home(&rig);
    rig_say(&rig, "G90 G0 X10\n");
    rig_run(&rig, 1);
    assert_true(rig_said(&rig, "ALARM:2"));
    status();
    assert_true(rig_said(&rig, "<Alarm|"));
}

static void f13_grblhal_sticks_after_a_refused_jog(void **state)
{
    (void)state;
    rig_home(&rig);
    rig_say(&rig, "$J=G91 X200 F6000\n");
    rig_run(&rig, 0.5);
    rig_byte(&rig, 0x85);
    rig_run(&rig, 1);
    rig_forget(&rig);
    assert_int_equal(rig_line(&rig, "$J=G90 X500 F6000"), 15);
    rig_forget(&rig);
    assert_int_equal(rig_line(&rig, "G1 F6000 X-400"), 15);
    rig_byte(&rig, 0x18);
    rig_run(&rig, 0.2);
    rig_forget(&rig);
    assert_int_equal(rig_line(&rig, "G1 F6000 X-400"), 0);
}

static void f14_long_lines_and_latency(void **state)
{
    (void)state;
    char line[100];
    memset(line, 'N', sizeof line);
    snprintf(line, sizeof line, "G4 P0.%074d", 0); // 79 characters without the blank
    assert_int_equal(strlen(line), 80);
    assert_int_equal(rig_line(&rig, "$X"), 0);
    rig_forget(&rig);
    assert_int_equal(rig_line(&rig, line), 0);
    rig_forget(&rig);
    snprintf(line, sizeof line, "G4 P0.%075d", 0); // 80
    assert_int_equal(rig_line(&rig, line), 11);
    rig_forget(&rig);
    rig_say(&rig, "G90");
    const double start = rig_seconds(&rig);
    rig_byte(&rig, '\n');
    rig_run(&rig, 0.0011);
    assert_int_equal(rig.length, 0);
    rig_run(&rig, 0.0003);
    assert_true(rig_said(&rig, "ok"));
    assert_true(rig_seconds(&rig) - start < 0.002);
    // Newline to first step.
    rig_say(&rig, "G91 G0 X-10\n");
    rig_run(&rig, 0.0030);
    assert_false(plotter_moving(&rig.plotter));
    rig_run(&rig, 0.0020);
    assert_true(plotter_moving(&rig.plotter));
}

static void f15_homing_is_silent(void **state)
{
    (void)state;
    rig_say(&rig, "$H\n");
    rig_run(&rig, 1);
    for (int i = 0; i < 5; i++) {
        rig_byte(&rig, '?');
        rig_run(&rig, 0.2);
    }
    rig_byte(&rig, '!');
    assert_int_equal(rig.length, 0);
    rig_run(&rig, 20);
    assert_int_equal(rig_count(&rig, "<"), 1); // one late answer
    const char *late = strstr(rig.text, "<Home|"), *ok = strstr(rig.text, "ok");
    assert_non_null(late);
    assert_true(ok > late);
    status();
    assert_true(rig_said(&rig, "<Idle|MPos:-598.000,-538.000,-2.000"));
}

static void f15_aborted_homing_still_says_ok(void **state)
{
    (void)state;
    rig_say(&rig, "$H\n");
    rig_run(&rig, 1);
    rig_byte(&rig, 0x18);
    rig_run(&rig, 1);
    const char *alarm = strstr(rig.text, "ALARM:6"), *ok = strstr(rig.text, "ok\r\n"),
               *banner = strstr(rig.text, "Grbl 1.1h");
    assert_non_null(alarm);
    assert_true(ok > alarm && banner > ok);
    status();
    assert_true(rig_said(&rig, "<Alarm|"));
}

static void homing_without_a_switch_fails(void **state)
{
    (void)state;
    rig.dead_switch = true;
    rig_say(&rig, "$H\n");
    rig_run(&rig, 40);
    assert_true(rig_said(&rig, "ALARM:9"));
    status();
    assert_true(rig_said(&rig, "<Alarm|"));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup(name, set_up)
#define H(name) cmocka_unit_test_setup(name, set_up_hal)
    const struct CMUnitTest tests[] = {
        T(f1_limit_alarm_mutes_until_reset),
        T(f2_soft_limit_gets_no_ok),
        T(f2_soft_limit_comes_to_rest_first),
        T(f3_jog_past_travel_is_refused_without_alarm),
        T(f4_crlf_is_two_oks),
        T(f5_power_up_is_locked_at_zero),
        T(f5_reset_at_rest_keeps_position),
        T(f5_reset_in_motion_loses_position),
        T(f6_machine_space_is_negative),
        T(f7_outputs_and_dwell_wait_for_motion),
        T(f8_default_reports_lack_bf),
        T(f9_eeprom_writes_lose_bytes),
        T(f10_hold_keeps_the_vacuum),
        T(f10_door_drops_the_stone_and_costs_seconds),
        T(f10_reset_alarm_and_opening_drop_the_stone),
        T(f12_overflow_is_silent),
        H(f13_grblhal_banner_and_lock),
        H(f13_grblhal_answers_in_critical_alarm),
        H(f13_grblhal_sticks_after_a_refused_jog),
        T(f14_long_lines_and_latency),
        T(f15_homing_is_silent),
        T(f15_aborted_homing_still_says_ok),
        T(homing_without_a_switch_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
