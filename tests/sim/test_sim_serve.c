// tessera-table's commands and sockets.
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "controller/sim/table_serve.h"

static struct loop *loop;
static struct table *table;
static struct table_serve *serve;
static struct loop_source *timer;
static struct table_setup setup;
static char folder[32], panel[64], frames[64];

static void stop(void *user, int64_t now_ns)
{
    (void)user, (void)now_ns;
    loop_exit(loop, 0);
}

static void run(double seconds)
{
    loop_source_set_due(timer, loop_now(loop) + (int64_t)(seconds * 1e9));
    assert_int_equal(loop_run(loop), 0);
}

static int set_up(void **state)
{
    struct error err;
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tessera-sim-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(panel, sizeof panel, "%s/panel", folder);
    snprintf(frames, sizeof frames, "%s/frames", folder);
    table_setup_default(&setup);
    setup.camera.width = 320;
    setup.camera.height = 180;
    setup.person.move_s = 0.3;
    assert_int_equal(loop_new_real(&loop), 0);
    assert_int_equal(table_new(&setup, loop, NULL, &table, &err), 0);
    assert_int_equal(loop_add_timer(loop, INT64_MAX, stop, NULL, &timer), 0);
    if (table_serve_new(loop, table, panel, frames, &serve, &err) < 0)
        fail_msg("%s", err.text);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    table_serve_free(serve);
    table_free(table);
    loop_source_free(timer);
    loop_free(loop);
    assert_int_equal(access(panel, F_OK), -1); // left clean
    assert_int_equal(access(frames, F_OK), -1);
    assert_int_equal(rmdir(folder), 0);
    return 0;
}

static void commands_are_answered(void **state)
{
    static const struct {
        const char *line, *reply;
    } CASES[] = {
        {"get pump", "ok 0"},
        {"set pump 1", "ok"},
        {"get pump", "ok 1"},
        {"set estop 1", "error that line is an input"},
        {"set pump", "error the value is missing"},
        {"get nothing", "error there is no such line"},
        {"estop 1", "ok"},
        {"get estop", "ok 1"},
        {"estop 0", "ok"},
        {"press done", "ok"},
        {"press me", "error press done, or reset"},
        {"put 1 9 9", "ok"},
        {"put 3 9 9", "error no such colour is in play"},
        {"put 1", "error numbers are missing"},
        {"take 9 9", "ok"},
        {"take 9 9", "error nothing lies there"},
        {"fault pick-fails 2", "ok"},
        {"fault everything", "error there is no such fault"},
        {"place 1 3 4", "ok"},
        {"place 1 3 4", "error the person is busy"},
        {"reach 1", "error numbers are missing"},
        {"fault unplug", "ok"},
        {"serial", "error the cable is unplugged"},
        {"dance", "error there is no such command"},
        {"", "error there is no such command"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char reply[1024];
        table_serve_command(serve, CASES[i].line, reply, sizeof reply);
        if (strcmp(reply, CASES[i].reply) != 0)
            fail_msg("%s: %s", CASES[i].line, reply);
    }
}

static void truth_and_ledger_are_told(void **state)
{
    char reply[1024];
    (void)state;
    table_put_stone(table, 2, 0, 0);
    table_serve_command(serve, "truth", reply, sizeof reply);
    assert_int_equal(strlen(reply), 3 + 19 * 20 - 1);
    assert_string_equal(reply + strlen(reply) - 19, "2..................");
    table_serve_command(serve, "ledger", reply, sizeof reply);
    assert_non_null(strstr(reply,
                           "ok total 481 colour 1 board 0 store 120 bowl 120 tray 0 colour 2 "
                           "board 1"));
    for (int i = 0; i < TABLE_FAULTS; i++) {
        enum table_fault fault;
        assert_non_null(table_fault_name((enum table_fault)i));
        assert_int_equal(table_fault_from_name(table_fault_name((enum table_fault)i), &fault), 0);
        assert_int_equal(fault, i);
    }
}

static int join(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void edges_and_ends_are_told_to_clients(void **state)
{
    char text[2048] = "";
    (void)state;
    const int fd = join(panel);
    assert_int_equal(write(fd, "place 1 9 9 press\nget p", 23), 23);
    run(0.6);
    assert_int_equal(write(fd, "ump\n", 4), 4);
    run(0.1);
    const ssize_t n = recv(fd, text, sizeof text - 1, MSG_DONTWAIT);
    assert_true(n > 0);
    text[n] = '\0';
    assert_true(strncmp(text, "ok\n", 3) == 0);
    assert_non_null(strstr(text, "edge button-done 1\n"));
    assert_non_null(strstr(text, "person done\n"));
    assert_non_null(strstr(text, "ok 0\n"));
    close(fd);
    run(0.02);
}

static void frames_come_whole(void **state)
{
    static uint8_t data[1 << 20];
    size_t got = 0;
    (void)state;
    const int fd = join(frames);
    run(0.7);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (got < sizeof data && poll(&p, 1, 0) > 0) {
        const ssize_t n = read(fd, data + got, sizeof data - got);
        assert_true(n > 0);
        got += (size_t)n;
    }
    close(fd);
    int starts = 0;
    for (size_t i = 0; i + 2 < got; i++)
        starts += data[i] == 0xff && data[i + 1] == 0xd8 && data[i + 2] == 0xff;
    assert_true(data[0] == 0xff && data[1] == 0xd8);
    assert_in_range(starts, 3, 11);
    run(0.2); // nobody reads any more
}

// The program with these arguments; its exit code.
static int run_program(const char *arguments)
{
    char command[600];
    snprintf(command, sizeof command, "%s/tessera-table %s 2>%s/said", getenv("TESSERA_BIN"),
             arguments, folder);
    const int status = system(command);
    snprintf(command, sizeof command, "%s/said", folder);
    unlink(command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void camera_has_the_size_asked_for(void **state)
{
    static uint8_t data[1 << 20];
    char arguments[100];
    (void)state;
    snprintf(arguments, sizeof arguments, "--camera 640x360@5 --picture %s/small.jpg", folder);
    assert_int_equal(run_program(arguments), 0);
    snprintf(arguments, sizeof arguments, "%s/small.jpg", folder);
    FILE *f = fopen(arguments, "rb");
    assert_non_null(f);
    const size_t size = fread(data, 1, sizeof data, f);
    fclose(f);
    unlink(arguments);
    size_t at = 0; // of the frame header: ff c0, length, precision, height, width
    while (at + 9 < size && !(data[at] == 0xff && data[at + 1] == 0xc0))
        at++;
    assert_true(at + 9 < size);
    assert_int_equal(data[at + 5] << 8 | data[at + 6], 360);
    assert_int_equal(data[at + 7] << 8 | data[at + 8], 640);

    assert_int_equal(run_program("--camera 640x480@5 --picture /dev/null"), 1); // another shape
    assert_int_equal(run_program("--camera 640x360 --picture /dev/null"), 2);
    assert_int_equal(run_program("--camera 640x360@0 --picture /dev/null"), 2);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(commands_are_answered),
        T(truth_and_ledger_are_told),
        T(edges_and_ends_are_told_to_clients),
        T(frames_come_whole),
        T(camera_has_the_size_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
