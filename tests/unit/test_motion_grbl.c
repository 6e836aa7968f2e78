// The client alone on the scripted GRBL: flow control, replies to their lines, loss, back-off.
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "motion/grbl.h"
#include "test_motion_fake.h"

#define SECOND 1000000000LL

enum { LINES = 120, BAD_LINE = 50 };

static struct {
    struct fake fake;
    struct transport *transport;
    struct grbl *grbl;
    int64_t now;
    int sent, answered, out_of_order, voids;
    enum grbl_void_reason reason;
    uint64_t error_tag;
    int error, links;
} rig;

static int open_again(void *user, int *ret_fd, struct error *err)
{
    return fake_open(user, ret_fd, NULL) < 0 ? error_set(err, -ENODEV, "unplugged") : 0;
}

static void feed(int64_t now)
{
    while (rig.sent < LINES) {
        char line[GRBL_SEND_MAX];
        snprintf(line, sizeof line, rig.sent == BAD_LINE ? "BAD" : "G53G0X-%d.5Y-300Z-30",
                 300 + rig.sent % 7);
        if (grbl_send(rig.grbl, line, 30 * SECOND, (uint64_t)rig.sent, now) < 0)
            break;
        rig.sent++;
    }
}

static void on_reply(void *user, uint64_t tag, int error, int64_t now)
{
    (void)user;
    rig.out_of_order += tag != (uint64_t)rig.answered;
    rig.answered++;
    if (error) {
        rig.error = error;
        rig.error_tag = tag;
    }
    feed(now);
}

static void on_voided(void *user, enum grbl_void_reason reason, int number, int64_t now)
{
    (void)user;
    (void)number;
    (void)now;
    rig.voids++;
    rig.reason = reason;
}

static void on_link(void *user, enum grbl_link link, int64_t now)
{
    (void)user;
    (void)link;
    (void)now;
    rig.links++;
}

static void run(double seconds)
{
    int64_t until = rig.now + (int64_t)(seconds * 1e9);
    while (rig.now < until) {
        bool any = fake_step(&rig.fake, rig.now);
        struct pollfd p = {grbl_fd(rig.grbl), grbl_events_wanted(rig.grbl), 0};
        short revents = p.fd >= 0 && poll(&p, 1, 0) > 0 ? p.revents : 0;
        if (revents || grbl_deadline(rig.grbl) <= rig.now) {
            grbl_process(rig.grbl, rig.now, revents);
            any = true;
        }
        if (any)
            continue;
        int64_t next = fake_next(&rig.fake), own = grbl_deadline(rig.grbl);
        next = own < next ? own : next;
        rig.now = next < until ? (next > rig.now ? next : rig.now) : until;
    }
}

static void start_with(bool count_window, int withheld)
{
    struct error err = {0};
    int fd = -1;
    memset(&rig, 0, sizeof rig);
    fake_init(&rig.fake, 0);
    rig.fake.withheld = withheld;
    fake_open(&rig.fake, &fd, NULL);
    assert_int_equal(transport_new_fd(fd, "fake", open_again, &rig.fake, &rig.transport, &err), 0);
    struct grbl_options o = {.count_window = count_window,
                             .events = {on_reply, on_voided, NULL, on_link, NULL}};
    assert_int_equal(grbl_new(&o, rig.transport, 0, &rig.grbl), 0);
    assert_int_equal(grbl_send(rig.grbl, "G4P0", SECOND, 0, 0), -ENOTCONN); // not before its banner
    run(withheld ? 1.5 : 3);
}

static void start(bool count_window)
{
    start_with(count_window, 0);
    assert_int_equal(grbl_link(rig.grbl), GRBL_LINK_READY);
}

static int teardown(void **state)
{
    (void)state;
    rig.grbl = grbl_free(rig.grbl);
    rig.transport = transport_free(rig.transport);
    fake_close(&rig.fake);
    return 0;
}

static void home(void)
{
    rig.answered = rig.sent = LINES;
    grbl_set_pace(rig.grbl, GRBL_PACE_SILENT, rig.now); // homing answers no question
    assert_int_equal(grbl_send(rig.grbl, "$H", 60 * SECOND, (uint64_t)LINES, rig.now), 0);
    run(8);
    grbl_set_pace(rig.grbl, GRBL_PACE_MOVING, rig.now);
    rig.answered = rig.sent = rig.out_of_order = 0;
}

static void test_settings(void **state)
{
    (void)state;
    start(false);
    const struct grbl_machine *m = grbl_machine(rig.grbl);
    assert_true(m->travel[0] == 600 && m->travel[1] == 540 && m->travel[2] == 60);
    assert_true(m->speed[0] == 200 && m->speed[2] == 50 && m->acceleration[2] == 300);
    assert_true(m->homing_enabled && m->soft_limits && m->hard_limits && !m->hal);
    assert_int_equal(m->rx_bytes, 128);
    assert_int_equal(m->homing_mask, 3);
    double v = 0;
    assert_true(grbl_setting(rig.grbl, 130, &v) && v == 600);
    assert_false(grbl_setting(rig.grbl, 131 + 20, &v));
    assert_false(grbl_setting(rig.grbl, -1, &v));
}

// A line of $$ that is lost on the way is missed, not taken for nothing.
static void test_settings_with_a_hole(void **state)
{
    (void)state;
    memset(&rig, 0, sizeof rig);
    start_with(false, 2);
    assert_int_equal(grbl_link(rig.grbl), GRBL_LINK_READING);
    run(2);
    assert_int_equal(grbl_link(rig.grbl), GRBL_LINK_READY);
    assert_true(grbl_machine(rig.grbl)->travel[2] == 60);
    teardown(state);
    start_with(false, 1000); // never whole: such a firmware is not driven
    for (int i = 0; i < 100 && grbl_link(rig.grbl) != GRBL_LINK_DOWN; i++) {
        assert_int_not_equal(grbl_link(rig.grbl), GRBL_LINK_READY);
        run(0.1);
    }
    assert_non_null(strstr(grbl_last_trouble(rig.grbl), "settings"));
}

static struct grbl_status seen;

static void on_status(void *user, const struct grbl_status *s, int64_t now)
{
    (void)user;
    (void)now;
    seen = *s;
}

#define BANNER "Grbl 1.1h ['$' for help]\r\nok\r\n"
#define MACHINE                                                                                    \
    "$22=1\r\n$100=250\r\n$101=250\r\n$102=250\r\n$110=12000\r\n$111=12000\r\n$112=3000\r\n"       \
    "$120=1000\r\n$121=1000\r\n$122=300\r\n$130=600\r\n$131=540\r\n$132=60\r\nok\r\n"

static void replay(const char *said)
{
    memset(&rig, 0, sizeof rig);
    memset(&seen, 0, sizeof seen);
    rig.fake.fd = -1;
    assert_int_equal(transport_new_replay(said, strlen(said), 16, &rig.transport), 0);
    struct grbl_options o = {.events = {NULL, NULL, on_status, NULL, NULL}};
    assert_int_equal(grbl_new(&o, rig.transport, 0, &rig.grbl), 0);
    for (int i = 0; i < 20; i++)
        grbl_process(rig.grbl, i, POLLIN);
}

// What settings do to reports: inches ($13), and work positions with a late offset ($10 bit 0).
static void test_reports_as_set(void **state)
{
    replay(BANNER "$13=1\r\n" MACHINE "<Idle|MPos:-1.0000,-2.0000,0.0000|FS:0,0>\r\n");
    assert_true(seen.has_machine && seen.machine[0] == -25.4 && seen.machine[1] == -50.8);
    teardown(state);
    replay(BANNER "$10=0\r\n" MACHINE "<Idle|WPos:1.000,2.000,3.000>\r\n");
    assert_false(seen.has_machine); // not known yet: nothing is guessed
    teardown(state);
    replay(BANNER "$10=0\r\n" MACHINE "<Idle|WPos:1.000,2.000,3.000|WCO:-5.000,-6.000,-7.000>\r\n"
                  "<Idle|WPos:2.000,2.000,3.000>\r\n");
    assert_true(seen.has_machine && seen.machine[0] == -3 && seen.machine[2] == -4);
}

static void flow(bool count_window, uint64_t most, uint64_t least)
{
    start(count_window);
    home();
    feed(rig.now);
    run(120);
    assert_int_equal(rig.answered, LINES);
    assert_int_equal(rig.out_of_order, 0);
    assert_int_equal(rig.error, 20); // the bad one, and only that
    assert_int_equal(rig.error_tag, BAD_LINE);
    assert_int_equal(rig.fake.overflows, 0);
    const struct grbl_counts *c = grbl_counts(rig.grbl);
    assert_true(c->peak_in_flight <= most && c->peak_in_flight >= least);
    assert_int_equal(c->stray_oks, 0);
}

static void test_one_line_in_flight(void **state)
{
    (void)state;
    flow(false, GRBL_SEND_MAX + 1, 10);
}

static void test_character_counting(void **state)
{
    (void)state;
    flow(true, 127, 100); // really fills the buffer, and never beyond it
}

static void test_what_may_not_be_sent(void **state)
{
    (void)state;
    start(false);
    char longest[GRBL_SEND_MAX + 2];
    memset(longest, 'X', sizeof longest);
    longest[GRBL_SEND_MAX] = '\0';
    assert_int_equal(grbl_send(rig.grbl, longest, SECOND, 0, rig.now), 0);
    longest[GRBL_SEND_MAX] = 'X';
    longest[GRBL_SEND_MAX + 1] = '\0';
    assert_int_equal(grbl_send(rig.grbl, longest, SECOND, 0, rig.now), -EMSGSIZE);
    static const char *const bad[] = {"G0\nG1", "G0\r", "G0!", "G0?", "G0~", "\x18", "G0\x85"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(grbl_send(rig.grbl, bad[i], SECOND, 0, rig.now), -EINVAL);
    int r = 0;
    for (int i = 0; i < GRBL_QUEUE + 1; i++)
        r = grbl_send(rig.grbl, "G4P0", SECOND, 0, rig.now);
    assert_int_equal(r, -EAGAIN);
}

static void test_lines_of_a_dead_epoch_get_no_reply(void **state)
{
    (void)state;
    start(true);
    home();
    feed(rig.now);
    run(0.2);
    int answered = rig.answered;
    rig.fake.now = rig.now;
    fake_hurt(&rig.fake, FAKE_ALARM, 0);
    rig.sent = LINES; // feed no more
    run(10);
    assert_int_equal(rig.voids, 1);
    assert_int_equal(rig.reason, GRBL_VOID_ALARM);
    assert_true(rig.answered <= answered + 1);
    assert_int_equal(grbl_pending(rig.grbl), 0);
    assert_int_equal(grbl_link(rig.grbl), GRBL_LINK_READY);
    // And the count is right again: the next line is answered.
    rig.answered = 0;
    assert_int_equal(grbl_send(rig.grbl, "$I", SECOND, 0, rig.now), 0);
    run(1);
    assert_int_equal(rig.answered, 1);
}

static void test_back_off(void **state)
{
    (void)state;
    start(false);
    fake_hurt(&rig.fake, FAKE_UNPLUG, 100 * SECOND);
    run(0.01);
    assert_int_equal(grbl_link(rig.grbl), GRBL_LINK_DOWN);
    assert_int_equal(rig.reason, GRBL_VOID_LOST);
    assert_true(grbl_last_trouble(rig.grbl)[0] != '\0');
    assert_int_equal(grbl_fd(rig.grbl), -1);
    // Deadlines apart: 0.5, 1, 2, 4, 8, 10, 10 … s: about a dozen tries in 100 s.
    int tries = 0;
    int64_t last = 0;
    while (rig.now < 110 * SECOND && grbl_link(rig.grbl) == GRBL_LINK_DOWN) {
        int64_t due = grbl_deadline(rig.grbl);
        assert_true(due > last);
        last = due;
        tries++;
        run((double)(due - rig.now) / 1e9 + 0.001);
    }
    assert_true(tries > 8 && tries < 20);
    run(4);
    assert_int_equal(grbl_link(rig.grbl), GRBL_LINK_READY);
}

// Answers nothing at all, ever: tried, reopened, tried, ever less often, without end or spin.
static void test_mute_board(void **state)
{
    (void)state;
    start(false);
    rig.fake.stalled_until = INT64_MAX;
    run(600);
    assert_int_not_equal(grbl_link(rig.grbl), GRBL_LINK_READY);
    assert_true(grbl_counts(rig.grbl)->reopens > 5);
    assert_true(rig.fake.resets < 1200);
}

int main(void)
{
#define T(name) cmocka_unit_test_teardown(name, teardown)
    const struct CMUnitTest tests[] = {
        T(test_settings),
        T(test_settings_with_a_hole),
        T(test_reports_as_set),
        T(test_one_line_in_flight),
        T(test_character_counting),
        T(test_what_may_not_be_sent),
        T(test_lines_of_a_dead_epoch_get_no_reply),
        T(test_back_off),
        T(test_mute_board),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
