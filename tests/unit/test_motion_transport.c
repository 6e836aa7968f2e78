// Transports on real descriptors: ptys, sockets, recordings.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "motion/transport.h"
#include "motion/usb_place.h"

static int open_master(char *name, size_t size)
{
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0 || ptsname_r(fd, name, size) != 0)
        return -1;
    return fd;
}

static ssize_t read_soon(struct transport *t, char *buf, size_t size)
{
    struct pollfd p = {transport_fd(t), POLLIN, 0};
    poll(&p, 1, 1000);
    return transport_read(t, buf, size);
}

static void test_pty(void **state)
{
    (void)state;
    char name[64], buf[64], link[] = "/tmp/tessera-link-XXXXXX";
    struct error err = {0};
    int master = open_master(name, sizeof name);
    assert_true(master >= 0);
    // Through a link, as /dev/serial/by-id names are.
    int spare = mkstemp(link);
    assert_true(spare >= 0);
    close(spare);
    unlink(link);
    assert_int_equal(symlink(name, link), 0);
    struct transport *t = NULL;
    if (transport_open_device(link, &t, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(transport_read(t, buf, sizeof buf), -EAGAIN); // nothing is not "gone"
    assert_int_equal(write(master, "ok\r\n", 4), 4);
    assert_int_equal(read_soon(t, buf, sizeof buf), 4);
    assert_memory_equal(buf, "ok\r\n", 4); // raw: no line end was changed
    assert_int_equal(transport_write(t, "\x18?!\n", 4), 4);
    assert_int_equal(read(master, buf, sizeof buf), 4);
    assert_memory_equal(buf, "\x18?!\n", 4); // raw: no signal, no echo
    assert_int_equal(t->bytes_read, 4);
    assert_int_equal(t->bytes_written, 4);

    // A second program is refused and told who has it.
    struct transport *second = NULL;
    assert_int_equal(transport_open_device(name, &second, &err), -EBUSY);
    assert_non_null(strstr(err.text, "in use"));

    // Unplugged: noticed by poll and read; gone for good until it is back.
    close(master);
    struct pollfd p = {transport_fd(t), POLLIN, 0};
    assert_int_equal(poll(&p, 1, 1000), 1);
    assert_true(p.revents & (POLLHUP | POLLERR));
    assert_int_equal(transport_read(t, buf, sizeof buf), -ENODEV);
    assert_int_equal(transport_write(t, "?", 1), -ENODEV);
    unlink(link);
    assert_int_equal(transport_reopen(t, &err), -ENODEV);
    assert_int_equal(transport_fd(t), -1);

    // Back under another name, the link moved: found.
    master = open_master(name, sizeof name);
    assert_int_equal(symlink(name, link), 0);
    assert_int_equal(transport_reopen(t, &err), 0);
    assert_int_equal(t->bytes_read, 0);
    assert_int_equal(write(master, "x", 1), 1);
    assert_int_equal(read_soon(t, buf, sizeof buf), 1);
    transport_free(t);
    close(master);
    unlink(link);
}

static void test_holder_is_named(void **state)
{
    (void)state;
    char name[64];
    int master = open_master(name, sizeof name), ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct transport *t = NULL;
        struct error e = {0};
        int r = transport_open_device(name, &t, &e);
        (void)!write(ready[1], r == 0 ? "y" : "n", 1);
        pause();
        _exit(0);
    }
    char c = 0;
    assert_int_equal(read(ready[0], &c, 1), 1);
    assert_int_equal(c, 'y');
    struct transport *t = NULL;
    struct error err = {0};
    assert_int_equal(transport_open_device(name, &t, &err), -EBUSY);
    char pid[32];
    snprintf(pid, sizeof pid, "process %d", (int)child);
    assert_non_null(strstr(err.text, pid));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(master);
    close(ready[0]);
    close(ready[1]);
}

static void test_absent(void **state)
{
    (void)state;
    struct transport *t = NULL;
    struct error err = {0};
    assert_int_equal(transport_open_device("/dev/no-such-tty", &t, &err), -ENODEV);
    assert_non_null(strstr(err.text, "/dev/no-such-tty"));
    struct transport_serial_options o = {.path = "/dev/no-such-tty"};
    assert_int_equal(transport_open_serial(&o, &t, &err), -ENODEV);
    assert_string_equal(err.code, "NoDevice");
    assert_null(t);
}

static void test_socketpair(void **state)
{
    (void)state;
    int pair[2];
    char buf[8];
    struct error err = {0};
    struct transport *t = NULL;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(transport_new_fd(pair[1], "pair", NULL, NULL, &t, &err), 0);
    assert_int_equal(transport_read(t, buf, sizeof buf), -EAGAIN);
    close(pair[0]);
    assert_int_equal(transport_write(t, "x", 1), -ENODEV); // and no SIGPIPE
    assert_int_equal(transport_read(t, buf, sizeof buf), -ENODEV);
    assert_int_equal(transport_reopen(t, &err), -ENODEV);
    transport_free(t);
    assert_int_equal(transport_new_fd(-1, "none", NULL, NULL, &t, &err), -EBADF);
}

static void test_tcp(void **state)
{
    (void)state;
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    assert_int_equal(bind(server, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(server, 1), 0);
    assert_int_equal(getsockname(server, (struct sockaddr *)&a, &size), 0);
    char port[16], buf[16];
    snprintf(port, sizeof port, "%d", ntohs(a.sin_port));
    struct error err = {0};
    struct transport *t = NULL;
    assert_int_equal(transport_open_tcp("127.0.0.1", port, &t, &err), 0);
    int peer = accept(server, NULL, NULL);
    assert_true(peer >= 0);
    assert_int_equal(write(peer, "Grbl", 4), 4);
    assert_int_equal(read_soon(t, buf, sizeof buf), 4);
    assert_int_equal(transport_write(t, "?", 1), 1);
    assert_int_equal(read(peer, buf, sizeof buf), 1);
    close(peer);
    assert_int_equal(read_soon(t, buf, sizeof buf), -ENODEV);
    assert_int_equal(transport_reopen(t, &err), 0);
    peer = accept(server, NULL, NULL);
    assert_true(peer >= 0);
    close(peer);
    close(server);
    transport_free(t);
    assert_int_equal(transport_open_tcp("no.such.host.invalid", "1", &t, &err), -ENODEV);
}

struct heard {
    char in[64], out[64];
};

static void tap(void *user, enum transport_direction direction, const void *data, size_t size)
{
    struct heard *h = user;
    strncat(direction == TRANSPORT_IN ? h->in : h->out, data, size);
}

static void test_replay_and_tap(void **state)
{
    (void)state;
    struct heard heard = {{0}, {0}};
    struct transport *t = NULL;
    char buf[64];
    assert_int_equal(transport_new_replay("hello\nok\n", 9, 4, &t), 0);
    t->tap = tap;
    t->tap_user = &heard;
    struct pollfd p = {transport_fd(t), POLLIN, 0};
    assert_int_equal(poll(&p, 1, 0), 1);
    while (transport_read(t, buf, sizeof buf) > 0)
        continue;
    assert_int_equal(poll(&p, 1, 0), 0); // nothing left: must not spin
    assert_int_equal(transport_write(t, "$$\n", 3), 3);
    assert_string_equal(heard.in, "hello\nok\n");
    assert_string_equal(heard.out, "$$\n");
    transport_free(t);
}

static void test_usb_place(void **state)
{
    (void)state;
    char place[USB_PLACE_MAX] = "";
    assert_true(usb_place_of_path(
        "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-3/1-3.2/1-3.2:1.0/ttyUSB0", place));
    assert_string_equal(place, "1-3.2");
    assert_true(usb_place_of_path("/sys/devices/platform/dummy_hcd.0/usb3/3-1/3-1:1.0", place));
    assert_string_equal(place, "3-1");
    assert_false(usb_place_of_path("/sys/devices/pnp0/00:04/00:04:0/00:04:0.0", place));
    assert_false(usb_place_of_path("", place));
    assert_string_equal(place, "3-1");
    assert_false(usb_place_of_port("/dev/no-such-port", place));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pty),       cmocka_unit_test(test_holder_is_named),
        cmocka_unit_test(test_absent),    cmocka_unit_test(test_socketpair),
        cmocka_unit_test(test_tcp),       cmocka_unit_test(test_replay_and_tap),
        cmocka_unit_test(test_usb_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
