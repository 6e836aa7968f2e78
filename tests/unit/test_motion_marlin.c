// The second row of the dialects: the arm on a simulated Marlin.
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "motion/arm.h"
#include "test_motion_marlin_fake.h"

#define SECOND 1000000000LL

static struct {
    struct marlin fake;
    struct transport *transport;
    struct gripper *gripper;
    struct stores stores;
    struct arm *arm;
    int64_t now;
    bool pump;
    int done, failed;
    enum arm_reason reason;
    char text[512];
} rig;

static int open_again(void *user, int *ret_fd, struct error *err)
{
    *ret_fd = marlin_open(user);
    return *ret_fd < 0 ? error_set(err, -ENODEV, "unplugged") : 0;
}

static int set_pump(void *user, int on)
{
    (void)user;
    rig.pump = on != 0;
    return 0;
}

static int set_valve(void *user, int vented)
{
    (void)user;
    (void)vented;
    return 0;
}

static int get_sensor(void *user)
{
    (void)user;
    return rig.pump;
}

static void on_event(void *user, const struct arm_event *e, int64_t now)
{
    (void)user;
    (void)now;
    if (getenv("TESSERA_VERBOSE"))
        print_message("%.3f event %d %s %s: %s\n", (double)now / 1e9, (int)e->kind,
                      arm_state_name(e->state), arm_reason_name(e->reason), e->text);
    rig.done += e->kind == ARM_EVENT_DONE;
    if (e->kind != ARM_EVENT_FAILED)
        return;
    rig.failed++;
    rig.reason = e->reason;
    snprintf(rig.text, sizeof rig.text, "%s", e->text);
}

static void run(double seconds)
{
    int64_t until = rig.now + (int64_t)(seconds * 1e9);
    while (rig.now < until) {
        bool any = marlin_step(&rig.fake, rig.now);
        struct pollfd p = {arm_fd(rig.arm), arm_events(rig.arm), 0};
        short revents = p.fd >= 0 && poll(&p, 1, 0) > 0 ? p.revents : 0;
        if (revents || arm_deadline(rig.arm) <= rig.now) {
            arm_process(rig.arm, rig.now, revents);
            any = true;
        }
        if (any)
            continue;
        int64_t next = marlin_next(&rig.fake), own = arm_deadline(rig.arm);
        next = own < next ? own : next;
        rig.now = next < until ? (next > rig.now ? next : rig.now + 1) : until;
    }
}

static void add_store(const char *name, enum store_kind kind, enum store_role role, double x)
{
    struct store *s = &rig.stores.store[rig.stores.count++];
    *s = (struct store){.kind = kind,
                        .role = role,
                        .colour = 1,
                        .x = x,
                        .y = -300,
                        .z_contact = -42,
                        .z_release = -40,
                        .capacity = 60,
                        .count = kind == STORE_FEEDER ? 50 : 0};
    snprintf(s->name, sizeof s->name, "%s", name);
}

// automatic: nobody says that it is a Marlin.
static void start_as(bool automatic)
{
    struct error err = {0};
    struct arm_config config = arm_config_default();
    const struct gripper_lines lines = {NULL, set_pump, set_valve, get_sensor};
    const struct arm_hooks hooks = {.event = on_event};
    config.dialect = automatic ? NULL : dialect_find("marlin");
    assert_true(automatic || config.dialect);
    add_store("store", STORE_FEEDER, STORE_SUPPLY, -560);
    add_store("tray", STORE_BOWL, STORE_CAPTURED, -50);
    int fd = marlin_open(&rig.fake);
    assert_int_equal(transport_new_fd(fd, "marlin", open_again, &rig.fake, &rig.transport, &err),
                     0);
    assert_int_equal(gripper_new_gpio(&lines, &rig.gripper), 0);
    assert_int_equal(arm_new(&config, 0, rig.transport, rig.gripper, &rig.stores, &hooks, rig.now,
                             &rig.arm, &err),
                     0);
}

static void start(void)
{
    start_as(false);
}

static int setup(void **state)
{
    (void)state;
    memset(&rig, 0, sizeof rig);
    marlin_init(&rig.fake);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arm_free(rig.arm);
    gripper_free(rig.gripper);
    transport_free(rig.transport);
    marlin_close(&rig.fake);
    return 0;
}

static void submit(struct arm_job job)
{
    struct error err = {0};
    if (arm_submit(rig.arm, &job, rig.now, NULL, &err) < 0)
        fail_msg("%s", err.text);
}

static bool job(struct arm_job j)
{
    int done = rig.done;
    submit(j);
    for (int i = 0; i < 120 && arm_busy(rig.arm); i++)
        run(0.5);
    return rig.done == done + 1 && !arm_busy(rig.arm);
}

static void home(void)
{
    struct error err = {0};
    assert_int_equal(arm_reset(rig.arm, rig.now, &err), 0);
    for (int i = 0; i < 200 && arm_state(rig.arm) != ARM_UNKNOWN; i++)
        run(0.1);
    assert_int_equal(arm_state(rig.arm), ARM_UNKNOWN);
    assert_true(job((struct arm_job){.kind = ARM_JOB_HOME}));
    assert_int_equal(arm_state(rig.arm), ARM_HOMED);
    rig.pump = false;
}

static struct arm_job far_away(void)
{
    return (struct arm_job){.kind = ARM_JOB_GOTO, .x = -60, .y = -60, .store = -1};
}

// What every case ends with: it works again, and nothing moved blindly.
static void assert_works(void)
{
    double at[3];
    assert_true(job((struct arm_job){.kind = ARM_JOB_GOTO, .x = -200, .y = -150, .store = -1}));
    assert_true(arm_position(rig.arm, at));
    assert_true(at[0] == -200 && at[1] == -150);
    assert_true(rig.fake.pos[0] == 400 && rig.fake.pos[1] == 390);
    assert_int_equal(rig.fake.blind, 0);
}

static void test_a_game_s_work(void **state)
{
    (void)state;
    struct travel_limits limits;
    start();
    home();
    assert_true(arm_limits(rig.arm, &limits));
    assert_true(limits.speed[0] == 200 && limits.acceleration[2] == 300);
    assert_true(grbl_machine(arm_grbl(rig.arm))->travel[1] == 540);
    assert_true(job((struct arm_job){.kind = ARM_JOB_PLACE, .x = -250, .y = -250, .store = 0}));
    assert_true(rig.fake.pos[0] == 350 && rig.fake.pos[1] == 290);
    assert_true(job((struct arm_job){.kind = ARM_JOB_LIFT, .x = -250, .y = -250, .store = 1}));
    assert_true(job((struct arm_job){.kind = ARM_JOB_PARK, .store = -1}));
    assert_true(job((struct arm_job){.kind = ARM_JOB_JOG, .x = 7, .y = -3}));
    assert_true(rig.fake.pos[0] == 17 && rig.fake.pos[1] == 532);
    assert_int_equal(rig.fake.unknown, 0);
    assert_int_equal(rig.fake.resends, 0);
    assert_int_equal(rig.stores.store[0].count, 49);
    assert_int_equal(rig.stores.store[1].count, 1);
    assert_works();
}

static void test_a_line_is_asked_for_again(void **state)
{
    (void)state;
    start();
    home();
    rig.fake.flip_bytes = 3;
    assert_works();
    assert_int_equal(rig.fake.resends, 3);
    assert_int_equal(grbl_counts(arm_grbl(rig.arm))->resends, 3);
}

static void test_no_end_of_resends(void **state)
{
    (void)state;
    start();
    home();
    rig.fake.flip_bytes = 1000;
    assert_false(job(far_away()));
    assert_int_equal(rig.reason, ARM_LINK_LOST);
    assert_non_null(strstr(rig.text, "garbled"));
    assert_true(rig.fake.resends < 15);
    rig.fake.flip_bytes = 0;
    run(30);
    home();
    assert_works();
}

static void test_lost_ok(void **state)
{
    (void)state;
    start();
    home();
    rig.fake.lose_ok = true;
    assert_false(job(far_away()));
    assert_int_equal(rig.reason, ARM_TIMEOUT);
    home();
    assert_works();
}

static void test_stop(void **state)
{
    (void)state;
    start();
    home();
    submit(far_away());
    run(1);
    assert_int_equal(rig.fake.moves, 1);
    arm_stop(rig.arm, ARM_STOP_ESTOP, rig.now);
    run(0.001);
    assert_int_equal(rig.fake.moves, 0); // the emergency parser obeys at once
    assert_true(rig.fake.stops > 0);
    assert_int_equal(arm_state(rig.arm), ARM_FAULTED);
    run(10);
    home();
    assert_works();
}

// Answers slower than the reset is repeated: those to older resets must not be taken for answers
// to the lines that follow the newest.
static void test_stop_with_late_answers(void **state)
{
    (void)state;
    start();
    home();
    submit(far_away());
    run(1);
    rig.fake.latency = 700 * SECOND / 1000;
    arm_stop(rig.arm, ARM_STOP_HAND, rig.now);
    run(3);
    rig.fake.latency = 2 * SECOND / 1000;
    run(5);
    home();
    assert_works();
}

static void test_restart_in_motion(void **state)
{
    (void)state;
    start();
    home();
    submit(far_away());
    run(1);
    rig.fake.now = rig.now;
    marlin_restart(&rig.fake);
    run(5);
    assert_int_equal(rig.reason, ARM_RESTARTED);
    assert_int_not_equal(arm_state(rig.arm), ARM_HOMED);
    home();
    assert_works();
}

static void test_unplugged(void **state)
{
    (void)state;
    start();
    home();
    submit(far_away());
    run(1);
    marlin_close(&rig.fake);
    run(0.1);
    assert_int_equal(rig.reason, ARM_LINK_LOST);
    run(10);
    home();
    assert_works();
}

// It has no feed hold: a hand stops it, and it does not go on by itself.
static void test_hold_is_a_stop(void **state)
{
    (void)state;
    start();
    home();
    submit(far_away());
    run(1);
    arm_hold(rig.arm, rig.now);
    run(0.001);
    assert_int_equal(rig.fake.moves, 0);
    assert_int_equal(rig.reason, ARM_STOPPED);
    assert_non_null(strstr(rig.text, "no feed hold"));
    arm_resume(rig.arm, rig.now);
    run(5);
    assert_int_equal(rig.fake.moves, 0);
    home();
    assert_works();
}

// Recognized by its "start", and by its name when the port is opened without a restart.
static void test_recognized(void **state)
{
    (void)state;
    start_as(true);
    home();
    assert_ptr_equal(grbl_dialect(arm_grbl(rig.arm)), &dialect_marlin);
    assert_works();
    rig.fake.keeps_running = true;
    marlin_close(&rig.fake);
    run(20);
    assert_int_equal(arm_state(rig.arm), ARM_UNKNOWN);
    assert_ptr_equal(grbl_dialect(arm_grbl(rig.arm)), &dialect_marlin);
    assert_true(job((struct arm_job){.kind = ARM_JOB_HOME}));
    assert_works();
    assert_ptr_equal(dialect_find("grblhal"), &dialect_grbl);
    assert_null(dialect_find("smoothie"));
}

static void test_cannot_be_stopped(void **state)
{
    (void)state;
    struct error err = {0};
    rig.fake.no_emergency_parser = true;
    start();
    assert_int_equal(arm_reset(rig.arm, rig.now, &err), 0);
    bool told = false;
    for (int i = 0; i < 100; i++) {
        run(0.1);
        assert_int_equal(arm_state(rig.arm), ARM_OFFLINE);
        told |= strstr(grbl_last_trouble(arm_grbl(rig.arm)), "EMERGENCY_PARSER") != NULL;
    }
    assert_true(told);
    assert_int_equal(rig.fake.motion_lines, 0);
}

static void test_answers(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum grbl_reply_kind kind;
        int number;
    } cases[] = {
        {"ok", GRBL_REPLY_OK, 0},
        {"ok N12 P15 B3", GRBL_REPLY_OK, 0},
        {"okay", GRBL_REPLY_GARBAGE, 0},
        {"start", GRBL_REPLY_BANNER, 0},
        {"tessera 17", GRBL_REPLY_SYNC, 17},
        {"tessera x", GRBL_REPLY_GARBAGE, 0},
        {"Resend: 12", GRBL_REPLY_RESEND, 12},
        {"Resend: 1x", GRBL_REPLY_GARBAGE, 0},
        {"Error:checksum mismatch, Last Line: 11", GRBL_REPLY_NONE, 0},
        {"Error:Printer halted. kill() called!", GRBL_REPLY_ALARM, 0},
        {"echo:busy: processing", GRBL_REPLY_BUSY, 0},
        {"echo:Unknown command: \"G53\"", GRBL_REPLY_REFUSAL, 20},
        {"echo:Home XYZ First", GRBL_REPLY_REFUSAL, 9},
        {"echo:endstops hit:  X:1.00", GRBL_REPLY_ALARM, 1},
        {"echo:  M92 X80.00 Y80.00 Z400.00 E93.00", GRBL_REPLY_AXES, 100},
        {"  M203 X200.00 Y200.00 Z50.00 E25.00", GRBL_REPLY_AXES, 110},
        {"echo:  M203 X200.00 Y200.00", GRBL_REPLY_MESSAGE, 0},
        {"Cap:EMERGENCY_PARSER:1", GRBL_REPLY_STOPPABLE, 1},
        {"Cap:EEPROM:1", GRBL_REPLY_MESSAGE, 0},
        {"X:1.00 Y:2.00 Z:3.00 E:0.00 Count X:80 Y:160 Z:240", GRBL_REPLY_STATUS, 0},
        {"X:1.00 Y:2.00 Z:3.00 E:0.00", GRBL_REPLY_GARBAGE, 0},
        {"X:1.00 Y:2.00 Z:3.00 E:0.00 Count X:80 Y:1", GRBL_REPLY_GARBAGE, 0},
        {"", GRBL_REPLY_NONE, 0},
        {"\x01\xff", GRBL_REPLY_GARBAGE, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct grbl_reply r;
        dialect_marlin_parse(cases[i].line, strlen(cases[i].line), &r);
        if (r.kind != cases[i].kind || r.number != cases[i].number)
            fail_msg("\"%s\" gives kind %d, number %d", cases[i].line, (int)r.kind, r.number);
    }
    assert_null(dialect_find("klipper"));
    assert_ptr_equal(dialect_find("grbl"), &dialect_grbl);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_a_game_s_work),
        T(test_a_line_is_asked_for_again),
        T(test_no_end_of_resends),
        T(test_lost_ok),
        T(test_stop),
        T(test_stop_with_late_answers),
        T(test_restart_in_motion),
        T(test_unplugged),
        T(test_hold_is_a_stop),
        T(test_recognized),
        T(test_cannot_be_stopped),
        cmocka_unit_test(test_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
