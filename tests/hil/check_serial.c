// check-serial: the serial transport on the kernel's own ftdi_sio, the far end in our hand. Run by
// test_serial.sh. The bytes at the far end are those that left the plug.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/base/clock.h"
#include "hil/far_end.h"
#include "motion/transport.h"

enum { PATIENCE_MS = 5000, NOBODY = 65534 };

static int far; // the firmware's end of the line
static char far_path[64];
static pid_t cable, other;

static const char *const PORT = "/dev/ttyUSB0", *const NEXT_PORT = "/dev/ttyUSB1";

static void plug(void)
{
    const char *const arguments[] = {"0", far_path, NULL};
    cable = far_end_start("usb-plotter", arguments);
}

static void unplug(void)
{
    far_end_kill(cable);
    cable = 0;
}

static struct transport *open_path(const char *path)
{
    struct transport *t = NULL;
    struct error err = {0};
    const struct transport_serial_options options = {.path = path, .baud = 115200};
    if (transport_open_serial(&options, &t, &err) < 0)
        fail_msg("%s", err.text);
    return t;
}

static int set_up(void **state)
{
    (void)state;
    far = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    struct termios raw;
    if (far < 0 || grantpt(far) < 0 || unlockpt(far) < 0 ||
        ptsname_r(far, far_path, sizeof far_path) != 0 || tcgetattr(far, &raw) < 0)
        return -1;
    cfmakeraw(&raw);
    tcsetattr(far, TCSANOW, &raw);
    plug();
    return far_end_exists(PORT, PATIENCE_MS) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    if (cable)
        unplug();
    if (other)
        far_end_kill(other);
    other = 0;
    close(far);
    return far_end_gone(PORT, PATIENCE_MS) && far_end_gone(NEXT_PORT, PATIENCE_MS) ? 0 : -1;
}

// Reads until `size` bytes are there; returns how many came.
static size_t collect(int fd, uint8_t *to, size_t size)
{
    size_t have = 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (have < size && poll(&p, 1, 1000) > 0) {
        const ssize_t n = read(fd, to + have, size - have);
        if (n <= 0 && errno == EIO) {
            usleep(1000); // the plug has not opened its line yet
            continue;
        }
        if (n <= 0)
            break;
        have += (size_t)n;
    }
    return have;
}

static void every_byte_passes_both_ways(void **state)
{
    (void)state;
    struct transport *t = open_path(PORT);
    uint8_t all[256], got[256];
    for (int i = 0; i < 256; i++)
        all[i] = (uint8_t)i;
    assert_int_equal(transport_write(t, all, 256), 256);
    assert_int_equal(collect(far, got, 256), 256);
    assert_memory_equal(got, all, 256);
    assert_int_equal(write(far, all, 256), 256);
    assert_int_equal(collect(transport_fd(t), got, 256), 256);
    assert_memory_equal(got, all, 256);
    transport_free(t);
}

static void port_is_raw(void **state)
{
    (void)state;
    struct transport *t = open_path(PORT);
    struct termios s;
    assert_int_equal(tcgetattr(transport_fd(t), &s), 0);
    assert_int_equal(s.c_lflag & (tcflag_t)(ICANON | ECHO | ISIG | IEXTEN), 0);
    assert_int_equal(s.c_iflag & (tcflag_t)(IXON | IXOFF | ICRNL | INLCR | ISTRIP | BRKINT), 0);
    assert_int_equal(s.c_oflag & (tcflag_t)OPOST, 0);
    assert_int_equal(s.c_cflag & (tcflag_t)(CSIZE | PARENB | CSTOPB | CRTSCTS | HUPCL), CS8);
    assert_int_equal(cfgetospeed(&s), B115200);
    assert_int_equal(s.c_cc[VMIN], 1);
    assert_true(fcntl(transport_fd(t), F_GETFD) & FD_CLOEXEC);
    // The adapter was asked not to hold back what comes in.
    FILE *timer = fopen("/sys/bus/usb-serial/devices/ttyUSB0/latency_timer", "r");
    int milliseconds = 0;
    assert_non_null(timer);
    assert_int_equal(fscanf(timer, "%d", &milliseconds), 1);
    (void)fclose(timer);
    assert_int_equal(milliseconds, 1);
    transport_free(t);
}

static void second_program_is_refused(void **state)
{
    (void)state;
    struct transport *t = open_path(PORT), *mine;
    struct error err = {0};
    const struct transport_serial_options options = {.path = PORT, .baud = 115200};
    int status;
    pid_t child = fork();
    if (child == 0) {
        const int r = transport_open_serial(&options, &mine, &err);
        // Named, so that a person knows what to close.
        _exit(r == -EBUSY && strstr(err.text, "check-serial") ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    // And a program that knows nothing of our lock, as any user's.
    chmod(PORT, 0666);
    child = fork();
    if (child == 0) {
        if (setuid(NOBODY) < 0)
            _exit(2);
        _exit(open(PORT, O_RDWR | O_NOCTTY | O_NONBLOCK) < 0 && errno == EBUSY ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    transport_free(t);
    t = open_path(PORT); // a closed port is free again
    transport_free(t);
}

static bool hung_up(void)
{
    struct pollfd p = {.fd = far, .events = POLLIN};
    return poll(&p, 1, 0) > 0 && p.revents & POLLHUP;
}

// A board must not restart because a program has ended.
static void closing_keeps_dtr(void **state)
{
    (void)state;
    uint8_t byte;
    struct transport *t = open_path(PORT);
    assert_int_equal(transport_write(t, "?", 1), 1);
    assert_int_equal(collect(far, &byte, 1), 1);
    transport_free(t);
    assert_false(far_end_wait(hung_up, 300));
}

static void dtr_can_be_kept_low(void **state)
{
    (void)state;
    struct transport *t = NULL;
    struct error err;
    const struct transport_serial_options options = {
        .path = PORT, .baud = 115200, .dtr = TRANSPORT_DTR_LOW};
    assert_int_equal(transport_open_serial(&options, &t, &err), 0);
    assert_true(far_end_wait(hung_up, 1000)); // the plug closes its line when DTR falls
    transport_free(t);
}

static void unplugging_is_noticed_at_once(void **state)
{
    (void)state;
    struct transport *t = open_path(PORT);
    struct error err = {0};
    uint8_t data[64];
    const int64_t begin = clock_monotonic_ns();
    unplug();
    struct pollfd p = {.fd = transport_fd(t), .events = POLLIN};
    ssize_t n;
    do
        poll(&p, 1, 1000);
    while ((n = transport_read(t, data, sizeof data)) == -EAGAIN || n > 0);
    const int64_t took = clock_monotonic_ns() - begin;
    assert_int_equal(n, -ENODEV);
    assert_int_equal(transport_write(t, "?", 1), -ENODEV);
    printf("  unplugged: noticed after %.1f ms\n", (double)took / 1e6);
    assert_true(took < NS_PER_S / 2);
    assert_int_equal(transport_reopen(t, &err), -ENODEV);
    assert_non_null(strstr(err.text, PORT));
    plug();
    assert_true(far_end_exists(PORT, PATIENCE_MS));
    assert_int_equal(transport_reopen(t, &err), 0);
    assert_int_equal(transport_write(t, "?", 1), 1);
    assert_int_equal(collect(far, data, 1), 1);
    transport_free(t);
}

// Plugged in again before the old name was given back.
static void found_under_its_next_name(void **state)
{
    (void)state;
    struct transport *t = open_path(PORT);
    struct error err = {0};
    uint8_t data[64];
    unplug();
    plug();
    assert_true(far_end_exists(NEXT_PORT, PATIENCE_MS));
    if (transport_reopen(t, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(transport_write(t, "?", 1), 1);
    assert_int_equal(collect(far, data, 1), 1);
    transport_free(t);
}

// The old name belongs to somebody else by now: talking to him would be worse than silence.
static void stranger_under_the_old_name_is_left_alone(void **state)
{
    (void)state;
    struct transport *t = open_path(PORT);
    struct error err = {0};
    uint8_t data[64];
    unplug();
    transport_hang_up(t);
    assert_true(far_end_gone(PORT, PATIENCE_MS));
    const char *const stranger[] = {"1", "/dev/null", "", "STRANGER", NULL};
    other = far_end_start("usb-plotter", stranger);
    assert_true(far_end_exists(PORT, PATIENCE_MS));
    assert_int_equal(transport_reopen(t, &err), -ENODEV);
    plug();
    assert_true(far_end_exists(NEXT_PORT, PATIENCE_MS));
    if (transport_reopen(t, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(transport_write(t, "?", 1), 1);
    assert_int_equal(collect(far, data, 1), 1);
    transport_free(t);
}

// As udev names it: the link moves with the device.
static void link_is_followed(void **state)
{
    (void)state;
    const char *const link = "/run/hil/by-id-plotter";
    struct error err = {0};
    uint8_t data[64];
    unlink(link);
    assert_int_equal(symlink(PORT, link), 0);
    struct transport *t = open_path(link);
    unplug();
    plug();
    assert_true(far_end_exists(NEXT_PORT, PATIENCE_MS));
    unlink(link);
    assert_int_equal(symlink(NEXT_PORT, link), 0);
    if (transport_reopen(t, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(transport_write(t, "?", 1), 1);
    assert_int_equal(collect(far, data, 1), 1);
    transport_free(t);
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void replies_come_without_delay(void **state)
{
    (void)state;
    enum { ROUNDS = 200 };
    struct transport *t = open_path(PORT);
    int64_t took[ROUNDS];
    uint8_t data[64];
    for (int i = 0; i < ROUNDS; i++) {
        const int64_t begin = clock_monotonic_ns();
        assert_int_equal(transport_write(t, "?", 1), 1);
        assert_int_equal(collect(far, data, 1), 1);
        assert_int_equal(write(far, "ok\n", 3), 3);
        assert_int_equal(collect(transport_fd(t), data, 3), 3);
        took[i] = clock_monotonic_ns() - begin;
    }
    qsort(took, ROUNDS, sizeof took[0], compare);
    const int64_t median = took[ROUNDS / 2], late = took[ROUNDS * 99 / 100];
    printf("  there and back: median %.2f ms, p99 %.2f ms\n", (double)median / 1e6,
           (double)late / 1e6);
    assert_true(median <
                5 * NS_PER_MS); // not half of what an adapter holds back unless asked not to
    transport_free(t);
}

#define CHECK(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK(every_byte_passes_both_ways),
        CHECK(port_is_raw),
        CHECK(second_program_is_refused),
        CHECK(closing_keeps_dtr),
        CHECK(dtr_can_be_kept_low),
        CHECK(unplugging_is_noticed_at_once),
        CHECK(found_under_its_next_name),
        CHECK(stranger_under_the_old_name_is_left_alone),
        CHECK(link_is_followed),
        CHECK(replies_come_without_delay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
