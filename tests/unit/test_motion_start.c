// What the plotter stands behind when it starts: the person is told what it is, it is not asked for
// ever and at once, and it goes on by itself when the cause is gone.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "test_motion_rig.h"

#define SECOND 1000000000LL

static struct rig rig;

static int setup(void **state)
{
    (void)state;
    rig_setup(&rig, false);
    assert_int_equal(arm_reset(rig.arm, 0, NULL), 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rig_teardown(&rig);
    return 0;
}

static void wait_seconds(int seconds)
{
    rig_run(&rig, rig.now + seconds * SECOND);
}

static const char *trouble(void)
{
    return grbl_last_trouble(arm_grbl(rig.arm));
}

static void assert_goes_on(void)
{
    assert_true(rig_reach(&rig, ARM_UNKNOWN, 25));
    assert_string_equal(trouble(), "");
    rig_submit(&rig, (struct arm_job){.kind = ARM_JOB_HOME});
    assert_true(rig_settle(&rig, 30));
    assert_int_equal(arm_state(rig.arm), ARM_HOMED);
    assert_int_equal(rig.fake.violations, 0);
}

static void test_pressed_limit_switch(void **state)
{
    (void)state;
    rig.fake.stands_in = 12;
    wait_seconds(60);
    assert_int_equal(arm_state(rig.arm), ARM_OFFLINE);
    assert_non_null(strstr(trouble(), "limit switch"));
    assert_non_null(strstr(rig.warning, "limit switch"));
    assert_int_equal(rig.warnings, 1);
    assert_in_range(rig.fake.resets, 20, 120); // about one a second or less
    rig.fake.stands_in = 0;
    assert_goes_on();
}

static void test_emergency_stop_of_its_own(void **state)
{
    (void)state;
    rig.fake.banner = "GrblHAL 1.1f ['$' or '$HELP' for help]";
    rig.fake.stands_in = 10;
    wait_seconds(60);
    assert_int_equal(arm_state(rig.arm), ARM_OFFLINE);
    assert_non_null(strstr(trouble(), "emergency stop"));
    assert_int_equal(rig.warnings, 1);
    rig.fake.stands_in = 0;
    assert_goes_on();
}

static void test_open_door(void **state)
{
    (void)state;
    rig.fake.door = true;
    wait_seconds(60);
    assert_int_equal(arm_state(rig.arm), ARM_OFFLINE);
    assert_non_null(strstr(trouble(), "door"));
    assert_int_equal(rig.warnings, 1);
    rig.fake.door = false;
    assert_goes_on();
}

// Unplugged meanwhile: that is the news then, not the door of before.
static void test_unplugged_with_its_door_open(void **state)
{
    (void)state;
    rig.fake.door = true;
    wait_seconds(20);
    fake_hurt(&rig.fake, FAKE_UNPLUG, 30 * SECOND);
    wait_seconds(5);
    assert_null(strstr(trouble(), "door"));
    rig.fake.door = false;
    wait_seconds(30);
    assert_goes_on();
}

static void test_wrong_baud_rate(void **state)
{
    (void)state;
    rig.fake.garbled = true;
    wait_seconds(30);
    assert_non_null(strstr(trouble(), "serial.baud"));
    rig.fake.garbled = false;
    assert_goes_on();
}

static void test_nothing_comes(void **state)
{
    (void)state;
    rig.fake.stalled_until = 40 * SECOND;
    wait_seconds(30);
    assert_non_null(strstr(trouble(), "switched on"));
    rig.fake.stalled_until = 0;
    assert_goes_on();
}

static void test_old_firmware(void **state)
{
    (void)state;
    rig.fake.banner = "Grbl 0.9j ['$' for help]";
    wait_seconds(30);
    assert_non_null(strstr(trouble(), "too old"));
    assert_int_equal(rig.warnings, 1);
    rig.fake.banner = NULL;
    assert_goes_on();
}

// Said once, however often it is reset.
static void test_motors_that_let_go(void **state)
{
    (void)state;
    rig.fake.extra = "$1=25";
    assert_goes_on();
    assert_non_null(strstr(rig.warning, "$1=255"));
    fake_hurt(&rig.fake, FAKE_RESTART, 0);
    wait_seconds(5);
    assert_int_equal(rig.warnings, 1);
}

static void test_laser_mode(void **state)
{
    (void)state;
    rig_teardown(&rig);
    rig_setup(&rig, true); // the gripper is on M3
    assert_int_equal(arm_reset(rig.arm, 0, NULL), 0);
    rig.fake.extra = "$32=1";
    assert_goes_on();
    assert_non_null(strstr(rig.warning, "$32=0"));
}

static void test_nothing_to_say(void **state)
{
    (void)state;
    rig.fake.extra = "$74=Front Door, Limits"; // the name of somebody's network
    assert_goes_on();
    assert_int_equal(rig.warnings, 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_pressed_limit_switch),
        T(test_emergency_stop_of_its_own),
        T(test_open_door),
        T(test_unplugged_with_its_door_open),
        T(test_wrong_baud_rate),
        T(test_nothing_comes),
        T(test_old_firmware),
        T(test_motors_that_let_go),
        T(test_laser_mode),
        T(test_nothing_to_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
