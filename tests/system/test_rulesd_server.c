// The daemon's sockets: limits, order, slow and rude clients, subscriptions, a failing disk, and
// the ways it is started and stopped. Plain blocking sockets, so that clients can misbehave.
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
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "config/base/clock.h"
#include "config/base/io.h"
#include "rulesd_daemon.h"

static struct daemon daemon_;

static int set_up(void **state)
{
    (void)state;
    daemon_new(&daemon_, true);
    return daemon_start(&daemon_) ? 0 : -1;
}

static int set_up_stopped(void **state)
{
    (void)state;
    daemon_new(&daemon_, true);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    daemon_free(&daemon_);
    return 0;
}

// ---- a plain client

static void send_text(int fd, const char *text)
{
    assert_int_equal(io_write_all(NULL, fd, text, strlen(text)), 0);
}

// What has been read from a descriptor and not been looked at yet.
static struct {
    size_t begin, end;
    char data[1 << 17];
} pending[128];

static int connect_plain(void)
{
    int fd = daemon_connect(&daemon_);
    assert_in_range(fd, 0, 127);
    pending[fd].begin = pending[fd].end = 0;
    return fd;
}

// The next line; NULL at the end or after five seconds. Good until the next one is read.
static char *read_line(int fd)
{
    for (;;) {
        char *line = pending[fd].data + pending[fd].begin;
        char *newline = memchr(line, '\n', pending[fd].end - pending[fd].begin);
        if (newline) {
            *newline = '\0';
            pending[fd].begin += (size_t)(newline - line) + 1;
            return line;
        }
        memmove(pending[fd].data, line, pending[fd].end - pending[fd].begin);
        pending[fd].end -= pending[fd].begin;
        pending[fd].begin = 0;
        struct pollfd waiting = {fd, POLLIN, 0};
        ssize_t n = poll(&waiting, 1, 5000) > 0 ? read(fd, pending[fd].data + pending[fd].end,
                                                       sizeof pending[fd].data - pending[fd].end)
                                                : 0;
        if (n <= 0)
            return NULL;
        pending[fd].end += (size_t)n;
    }
}

static json_t *read_json(int fd)
{
    const char *line = read_line(fd);
    if (!line)
        return NULL;
    json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    return json;
}

static void request(int fd, int id, const char *method, const char *params)
{
    char text[70000];
    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":%s}\n",
             id, method, params);
    send_text(fd, text);
}

// The reply to `id`; "result" or "error" of it. The caller owns it.
static json_t *reply(int fd, int id, const char *member)
{
    json_t *json = read_json(fd);
    assert_non_null(json);
    assert_string_equal(json_string_value(json_object_get(json, "jsonrpc")), "2.0");
    assert_int_equal(json_integer_value(json_object_get(json, "id")), id);
    json_t *part = json_incref(json_object_get(json, member));
    if (!part)
        print_error("no %s: %s\n", member, json_dumps(json, 0));
    assert_non_null(part);
    json_decref(json);
    return part;
}

static json_t *ask(int fd, const char *method, const char *params)
{
    request(fd, 77, method, params);
    return reply(fd, 77, "result");
}

static void ask_and_forget(int fd, const char *method, const char *params)
{
    json_decref(ask(fd, method, params));
}

static void expect_error(int fd, int id, int rpc, const char *code)
{
    json_t *error = reply(fd, id, "error");
    assert_int_equal(json_integer_value(json_object_get(error, "code")), rpc);
    const json_t *data = json_object_get(error, "data");
    assert_string_equal(json_string_value(json_object_get(data, "code")), code);
    assert_true(json_string_length(json_object_get(data, "text")) > 0);
    assert_true(json_string_length(json_object_get(error, "message")) > 0);
    json_decref(error);
}

static int64_t number_in(int fd, const char *method, const char *params, const char *key)
{
    json_t *result = ask(fd, method, params);
    int64_t value = json_integer_value(json_object_get(result, key));
    json_decref(result);
    return value;
}

// ---- requests

static void test_protocol_faults(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int rpc;
        const char *code;
    } cases[] = {
        {"nonsense", -32700, "ParseError"},
        {"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"hello\"", -32700, "ParseError"},
        {"[]", -32600, "InvalidRequest"},
        {"[{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"hello\"}]", -32600, "InvalidRequest"},
        {"7", -32600, "InvalidRequest"},
        {"{\"id\":0,\"method\":\"hello\"}", -32600, "InvalidRequest"},
        {"{\"jsonrpc\":\"1.0\",\"id\":0,\"method\":\"hello\"}", -32600, "InvalidRequest"},
        {"{\"jsonrpc\":\"2.0\",\"id\":0}", -32600, "InvalidRequest"},
        {"{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"hello\"}", -32600, "InvalidRequest"},
        {"{\"jsonrpc\":\"2.0\",\"id\":0,\"id\":0,\"method\":\"hello\"}", -32700, "ParseError"},
        {"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"nothing\"}", -32601, "NoSuchMethod"},
        {"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"hello\",\"params\":[1]}", -32602, "BadParams"},
        {"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"game.state\",\"params\":{}}", -32602,
         "BadParams"},
        {"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"game.state\",\"params\":{\"game\":\"g9\"}}", 1,
         "NoSuchGame"},
        {"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"hello\",\"params\":{\"protocol\":2}}", 1,
         "BadProtocol"},
        {"\xff\xfe{}", -32700, "ParseError"},
    };
    int fd = connect_plain();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        send_text(fd, cases[i].line);
        send_text(fd, "\n");
        expect_error(fd, 0, cases[i].rpc, cases[i].code);
    }
    ask_and_forget(fd, "hello", "{\"protocol\":1}"); // and all is well
    close(fd);
}

// Notifications get no reply; ids of any kind come back as they were; empty lines are nothing.
static void test_ids(void **state)
{
    (void)state;
    int fd = connect_plain();
    send_text(fd, "\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"game.new\",\"params\":"
                  "{\"variant\":\"pente\"}}\n"
                  "{\"jsonrpc\":\"2.0\",\"method\":\"nothing\"}\n"
                  "{\"jsonrpc\":\"2.0\",\"id\":\"x\\\"y\",\"method\":\"game.list\"}\n"
                  "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"game.list\",\"params\":null}\n"
                  "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"game.list\"}\n");
    json_t *json = read_json(fd);
    assert_string_equal(json_string_value(json_object_get(json, "id")), "x\"y");
    const json_t *games = json_object_get(json_object_get(json, "result"), "games");
    assert_int_equal(json_array_size(games), 1);
    json_decref(json);
    json = read_json(fd);
    assert_true(json_real_value(json_object_get(json, "id")) == 1.5);
    json_decref(json);
    json = read_json(fd);
    assert_true(json_is_null(json_object_get(json, "id")));
    json_decref(json);
    close(fd);
}

static void test_long_lines(void **state)
{
    (void)state;
    enum { LONG = 300000 };
    int fd = connect_plain();
    char *text = malloc(LONG + 2);
    memset(text, 'x', LONG);
    memcpy(text + LONG, "\n", 2);
    send_text(fd, text);
    expect_error(fd, 0, -32600, "LineTooLong");
    ask_and_forget(fd, "hello", "{}");
    // Exactly the limit is still a line.
    static char exact[64 * 1024 + 2];
    int n =
        snprintf(exact, sizeof exact,
                 "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"hello\",\"params\":{\"client\":\"");
    memset(exact + n, 'c', sizeof exact - 2 - (size_t)n);
    memcpy(exact + sizeof exact - 2 - 3, "\"}}\n", 5);
    assert_int_equal(strlen(exact), 64 * 1024 + 1);
    send_text(fd, exact);
    json_decref(reply(fd, 5, "result"));
    close(fd);
    free(text);
}

static void test_pipelined_in_order(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    int fd = connect_plain();
    ask_and_forget(fd, "game.new", "{\"variant\":\"pente-free\"}");
    pid_t writer = fork();
    if (writer == 0) {
        for (int i = 0; i < COUNT; i++)
            request(fd, i,
                    i % 3 == 2 ? "game.undo"
                    : i % 3    ? "game.state"
                               : "game.play",
                    "{\"game\":\"g1\",\"move\":\"A1\"}");
        _exit(0);
    }
    for (int i = 0; i < COUNT; i++) {
        json_t *result = reply(fd, i, "result");
        if (i % 3 == 1)
            assert_int_equal(json_integer_value(json_object_get(result, "ply")), 1);
        json_decref(result);
    }
    int status;
    waitpid(writer, &status, 0);
    assert_int_equal(status, 0);
    close(fd);
}

// A request that comes in single bytes does not keep others waiting.
static void test_slow_writer(void **state)
{
    (void)state;
    int slow = connect_plain(), quick = connect_plain();
    const char *text = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"game.list\"}\n";
    for (const char *p = text; *p; p++) {
        assert_int_equal(write(slow, p, 1), 1);
        ask_and_forget(quick, "game.list", "{}");
    }
    json_decref(reply(slow, 1, "result"));
    close(slow);
    close(quick);
}

static void test_half_closed(void **state)
{
    (void)state;
    int fd = connect_plain();
    send_text(fd, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"game.list\"}\n"
                  "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"game.list\"}"); // no newline
    shutdown(fd, SHUT_WR);
    json_decref(reply(fd, 1, "result"));
    json_decref(reply(fd, 2, "result"));
    assert_null(read_json(fd));
    close(fd);
}

// ---- many clients

static void expect_event(int fd, const char *game, const char *kind, int ply)
{
    json_t *json = read_json(fd);
    assert_non_null(json);
    assert_string_equal(json_string_value(json_object_get(json, "method")), "game.event");
    assert_null(json_object_get(json, "id"));
    const json_t *params = json_object_get(json, "params");
    assert_string_equal(json_string_value(json_object_get(params, "game")), game);
    assert_string_equal(json_string_value(json_object_get(params, "kind")), kind);
    assert_int_equal(json_integer_value(json_object_get(params, "ply")), ply);
    json_decref(json);
}

static void test_two_subscribers(void **state)
{
    (void)state;
    int player = connect_plain();
    int all = connect_plain(), second = connect_plain();
    ask_and_forget(player, "game.new", "{\"variant\":\"pente\"}");
    ask_and_forget(player, "game.new", "{\"variant\":\"pente\"}");
    ask_and_forget(all, "subscribe", "{}");
    ask_and_forget(second, "subscribe", "{\"game\":\"g2\"}");
    ask_and_forget(second, "subscribe", "{\"game\":\"g2\"}"); // twice is once
    ask_and_forget(player, "subscribe", "{\"game\":\"g1\"}");
    request(player, 1, "game.play", "{\"game\":\"g1\",\"move\":\"K10\"}");
    json_decref(reply(player, 1, "result")); // the reply first, then one's own event
    expect_event(player, "g1", "play", 1);
    request(player, 2, "game.play", "{\"game\":\"g1\",\"move\":\"K10\"}");
    expect_error(player, 2, 1, "IllegalMove"); // and no event
    ask_and_forget(player, "game.play", "{\"game\":\"g2\",\"move\":\"K10\"}");
    ask_and_forget(player, "game.undo", "{\"game\":\"g2\"}");
    expect_event(all, "g1", "play", 1);
    expect_event(all, "g2", "play", 1);
    expect_event(all, "g2", "undo", 0);
    expect_event(second, "g2", "play", 1);
    expect_event(second, "g2", "undo", 0);
    request(second, 3, "subscribe", "{\"game\":\"g3\"}");
    expect_error(second, 3, 1, "NoSuchGame");
    close(all);
    close(player);
    close(second);
}

// A client that asks and never reads: it is no longer read from, and nobody else notices.
static void test_client_never_reads(void **state)
{
    (void)state;
    int deaf = connect_plain(), other = connect_plain();
    fcntl(deaf, F_SETFL, O_NONBLOCK);
    const char *text = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\"}\n";
    size_t sent = 0;
    for (int64_t end = clock_monotonic_ns() + NS_PER_S; clock_monotonic_ns() < end;) {
        if (write(deaf, text, strlen(text)) > 0)
            sent++;
        else
            break;
    }
    assert_true(sent > 100);
    int64_t begin = clock_monotonic_ns();
    for (int i = 0; i < 100; i++)
        ask_and_forget(other, "game.list", "{}");
    assert_true(clock_monotonic_ns() - begin < 2 * NS_PER_S);
    // It is not lost either: as it begins to read, everything comes, in order. (A write may have
    // been cut short by the full buffer; that request has no newline yet.)
    fcntl(deaf, F_SETFL, 0);
    for (size_t i = 0; i < sent - 1; i++) {
        json_t *json = read_json(deaf);
        assert_non_null(json);
        json_decref(json);
    }
    close(deaf);
    close(other);
}

// A subscriber that never reads is dropped and told why; the player never waits for it.
static void test_slow_subscriber(void **state)
{
    (void)state;
    int deaf = connect_plain(), player = connect_plain();
    ask_and_forget(deaf, "subscribe", "{}");
    ask_and_forget(player, "game.new", "{\"variant\":\"pente-free\"}");
    for (int i = 0; i < 6000; i++) { // about 400 bytes each
        request(player, i, i % 2 ? "game.undo" : "game.play", "{\"game\":\"g1\",\"move\":\"A1\"}");
        if (i % 20 == 19)
            for (int j = i - 19; j <= i; j++)
                json_decref(reply(player, j, "result"));
    }
    int events = 0;
    bool told = false;
    for (json_t *json; (json = read_json(deaf)); json_decref(json), events++) {
        const char *method = json_string_value(json_object_get(json, "method"));
        assert_false(told); // the reason is the last line
        if (strcmp(method, "closing") == 0) {
            const json_t *params = json_object_get(json, "params");
            assert_string_equal(json_string_value(json_object_get(params, "reason")), "TooSlow");
            told = true;
        }
    }
    assert_true(told);
    assert_true(events > 100 && events < 6000);
    ask_and_forget(player, "game.list", "{}");
    close(deaf);
    close(player);
}

static void test_too_many_clients(void **state)
{
    (void)state;
    enum { CLIENTS = 64 };
    int fds[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
        fds[i] = connect_plain();
        ask_and_forget(fds[i], "game.list", "{}");
    }
    int more = connect_plain();
    json_t *json = read_json(more);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(json, "params"), "reason")),
        "TooManyClients");
    json_decref(json);
    assert_null(read_json(more));
    close(more);
    close(fds[3]);
    for (int i = 0; i < 100; i++) { // the place becomes free
        more = connect_plain();
        request(more, 1, "game.list", "{}");
        json = read_json(more);
        bool served = json && json_object_get(json, "result");
        json_decref(json);
        if (served)
            break;
        close(more);
        more = -1;
    }
    assert_true(more >= 0);
    close(more);
    for (int i = 0; i < CLIENTS; i++)
        if (i != 3)
            close(fds[i]);
}

// Everybody connects at once while the daemon has no time: they wait, nobody is turned away.
static void test_burst_of_clients(void **state)
{
    (void)state;
    enum { BURST = 60 };
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", daemon_.socket);
    int fds[BURST], refused = 0;
    assert_int_equal(kill(daemon_.pid, SIGSTOP), 0);
    for (int i = 0; i < BURST; i++) {
        fds[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        assert_in_range(fds[i], 0, 127);
        refused += connect(fds[i], (const struct sockaddr *)&address, sizeof address) < 0;
    }
    assert_int_equal(kill(daemon_.pid, SIGCONT), 0);
    assert_int_equal(refused, 0);
    for (int i = 0; i < BURST; i++) {
        assert_int_equal(fcntl(fds[i], F_SETFL, 0), 0);
        pending[fds[i]].begin = pending[fds[i]].end = 0;
        request(fds[i], i, "game.list", "{}");
        json_t *reply = read_json(fds[i]);
        assert_non_null(json_object_get(reply, "result"));
        json_decref(reply);
    }
    for (int i = 0; i < BURST; i++)
        close(fds[i]);
}

static void test_rude_clients(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        int fd = connect_plain();
        if (i % 2)
            request(fd, 1, "hello", "{}");
        if (i % 3 == 0)
            send_text(fd, "{\"jsonrpc\":\"2.0\",\"id\":1,\"meth");
        close(fd); // with the reply unread
    }
    int fd = connect_plain();
    ask_and_forget(fd, "game.list", "{}");
    close(fd);
}

// ---- the disk

static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit = {bytes, RLIM_INFINITY};
    assert_int_equal(prlimit(daemon_.pid, RLIMIT_FSIZE, &limit, NULL), 0);
}

// The journal cannot grow: changes are refused with a reason, nothing has happened, questions are
// answered; and it goes on as soon as there is room.
static void test_disk_failure(void **state)
{
    (void)state;
    int fd = connect_plain(), watcher = connect_plain();
    ask_and_forget(fd, "game.new", "{\"variant\":\"pente-free\"}");
    ask_and_forget(fd, "game.play", "{\"game\":\"g1\",\"move\":\"A1\"}");
    ask_and_forget(fd, "match.new", "{\"kind\":\"wins\",\"wins\":3}");
    ask_and_forget(watcher, "subscribe", "{}");
    char path[160];
    struct stat before, after;
    snprintf(path, sizeof path, "%s/journal.jsonl", daemon_.state);
    assert_int_equal(stat(path, &before), 0);
    limit_file_size((rlim_t)before.st_size + 20);
    request(fd, 1, "game.play", "{\"game\":\"g1\",\"move\":\"B1\"}");
    expect_error(fd, 1, 1, "DiskFault");
    assert_int_equal(number_in(fd, "game.state", "{\"game\":\"g1\"}", "ply"), 1);
    // A whole batch: every change of it is refused, every question answered as things are.
    send_text(
        fd,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"game.play\",\"params\":{\"game\":\"g1\","
        "\"move\":\"B1\"}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"game.state\",\"params\":{"
        "\"game\":\"g1\"}}\n{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"game.new\",\"params\":{"
        "\"variant\":\"pentago\"}}\n{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"game.undo\","
        "\"params\":{\"game\":\"g1\"}}\n{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":"
        "\"match.record\",\"params\":{\"match\":\"m1\",\"winner\":1}}\n{\"jsonrpc\":\"2.0\","
        "\"id\":6,\"method\":\"match.new\",\"params\":{\"kind\":\"wins\"}}\n{\"jsonrpc\":\"2.0\","
        "\"id\":7,\"method\":\"game.resign\",\"params\":{\"game\":\"g1\",\"side\":1}}\n");
    expect_error(fd, 1, 1, "DiskFault");
    json_t *result = reply(fd, 2, "result");
    assert_int_equal(json_integer_value(json_object_get(result, "ply")), 1);
    json_decref(result);
    for (int id = 3; id <= 7; id++)
        expect_error(fd, id, 1, "DiskFault");
    assert_int_equal(number_in(fd, "game.state", "{\"game\":\"g1\"}", "ply"), 1);
    assert_int_equal(number_in(fd, "game.list", "{}", "total"), 1);
    result = ask(fd, "match.state", "{\"match\":\"m1\"}");
    assert_int_equal(json_array_size(json_object_get(result, "games")), 0);
    json_decref(result);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_size, before.st_size);
    limit_file_size(RLIM_INFINITY);
    ask_and_forget(fd, "game.play", "{\"game\":\"g1\",\"move\":\"C1\"}");
    expect_event(watcher, "g1", "play", 2); // the first thing it has heard
    daemon_stop(&daemon_, SIGKILL);
    assert_true(daemon_start(&daemon_));
    int again = connect_plain();
    result = ask(again, "game.state", "{\"game\":\"g1\"}");
    char *moves = json_dumps(json_object_get(result, "moves"), JSON_COMPACT);
    assert_string_equal(moves, "[\"A1\",\"C1\"]");
    free(moves);
    json_decref(result);
    close(again);
    close(fd);
    close(watcher);
}

// ---- starting and stopping

static void test_stop_and_start(void **state)
{
    (void)state;
    int fd = connect_plain();
    ask_and_forget(fd, "game.new", "{\"variant\":\"pente\"}");
    struct stat st;
    assert_int_equal(stat(daemon_.socket, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0660);
    int status = daemon_stop(&daemon_, SIGTERM);
    assert_int_equal(status, 0);
    json_t *json = read_json(fd);
    assert_string_equal(json_string_value(json_object_get(json, "method")), "closing");
    json_decref(json);
    assert_null(read_json(fd));
    close(fd);
    assert_int_equal(stat(daemon_.socket, &st), -1); // it cleans up behind itself
    assert_true(daemon_start(&daemon_));
    daemon_stop(&daemon_, SIGKILL);
    assert_int_equal(stat(daemon_.socket, &st), 0); // not when killed
    assert_true(daemon_start(&daemon_));
    fd = connect_plain();
    assert_int_equal(number_in(fd, "game.list", "{}", "total"), 1);
    close(fd);
}

// Runs the daemon with arguments; its exit code, and what it said on standard error.
static int run_daemon(char *const argv[], const char *input, char *output, size_t output_size,
                      char *error, size_t error_size)
{
    int in[2], out[2], err[2], status;
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    assert_int_equal(pipe(err), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        dup2(err[1], 2);
        close(in[1]);
        close(out[0]);
        close(err[0]);
        unsetenv("STATE_DIRECTORY");
        execv(daemon_.program, argv);
        _exit(99);
    }
    close(in[0]);
    close(out[1]);
    close(err[1]);
    assert_int_equal(io_write_all(NULL, in[1], input, strlen(input)), 0);
    close(in[1]);
    size_t got;
    assert_int_equal(io_read_all(NULL, out[0], output, output_size - 1, &got), 0);
    output[got] = '\0';
    assert_int_equal(io_read_all(NULL, err[0], error, error_size - 1, &got), 0);
    error[got] = '\0';
    close(out[0]);
    close(err[0]);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char out[100000], err[4000];

static void test_command_line(void **state)
{
    (void)state;
    char *program = daemon_.program, *socket = daemon_.socket, *folder = daemon_.folder;
    struct {
        char *argv[8];
        int code;
        const char *says;
    } cases[] = {
        {{program, "--help", NULL}, 0, NULL},
        {{program, "--version", NULL}, 0, NULL},
        {{program, NULL}, 2, "--socket"},
        {{program, "--nonsense", NULL}, 2, "--help"},
        {{program, "extra", NULL}, 2, "extra"},
        {{program, "--socket", socket, NULL}, 2, "--state"},
        {{program, "--socket", folder, "--state", daemon_.state, NULL}, 1, "no socket"},
        {{program, "--socket", socket, "--state", "/proc/nowhere", NULL}, 1, "/proc/nowhere"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code = run_daemon(cases[i].argv, "", out, sizeof out, err, sizeof err);
        assert_int_equal(code, cases[i].code);
        if (cases[i].says)
            assert_non_null(strstr(err, cases[i].says));
        else
            assert_non_null(strstr(out, "tessera-rulesd"));
    }
    assert_true(daemon_start(&daemon_)); // two of them: neither the folder nor the socket is shared
    char *same_folder[] = {program, "--stdio", "--state", daemon_.state, NULL};
    assert_int_equal(run_daemon(same_folder, "", out, sizeof out, err, sizeof err), 1);
    assert_non_null(strstr(err, "another tessera-rulesd keeps its games here"));
    char *same_socket[] = {program, "--socket", socket, "--state", folder, NULL};
    assert_int_equal(run_daemon(same_socket, "", out, sizeof out, err, sizeof err), 1);
    assert_non_null(strstr(err, "another tessera-rulesd listens here"));
}

static void test_stdio(void **state)
{
    (void)state;
    char *plain[] = {daemon_.program, "--stdio", NULL};
    const char *input = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"game.new\",\"params\":{"
                        "\"variant\":\"pente\"}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
                        "\"game.play\",\"params\":{\"game\":\"g1\",\"move\":\"K10\"}}";
    assert_int_equal(run_daemon(plain, input, out, sizeof out, err, sizeof err), 0);
    assert_string_equal(err, "");
    assert_non_null(strstr(out, "\"id\":1,\"result\""));
    assert_non_null(strstr(out, "\"id\":2,\"result\""));
    char *stored[] = {daemon_.program, "--stdio", "--state", daemon_.state, NULL};
    assert_int_equal(run_daemon(stored, input, out, sizeof out, err, sizeof err), 0);
    input =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"game.state\",\"params\":{\"game\":\"g1\"}}\n";
    assert_int_equal(run_daemon(stored, input, out, sizeof out, err, sizeof err), 0);
    assert_non_null(strstr(out, "\"moves\":[\"K10\"]"));
    // A file as standard input and one as output are no problem either.
    char command[900], path[160];
    snprintf(path, sizeof path, "%s/in", daemon_.folder);
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 2000; i++)
        fprintf(file, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"game.list\"}\n", i);
    fclose(file);
    snprintf(command, sizeof command, "%s --stdio < %s > %s.out && test $(wc -l < %s.out) = 2000",
             daemon_.program, path, path, path);
    assert_int_equal(system(command), 0); // NOLINT: names of this test's own
}

// As systemd does it: the listening socket is descriptor 3.
static void test_socket_activation(void **state)
{
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, daemon_.socket, sizeof daemon_.socket);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 4), 0);
    int client = connect_plain(); // before anybody is there to accept it
    pid_t pid = fork();
    if (pid == 0) {
        char number[16];
        snprintf(number, sizeof number, "%d", (int)getpid());
        setenv("LISTEN_PID", number, 1);
        setenv("LISTEN_FDS", "1", 1);
        setenv("STATE_DIRECTORY", daemon_.state, 1);
        if (listener != 3) {
            dup2(listener, 3);
            close(listener);
        }
        execl(daemon_.program, daemon_.program, (char *)NULL);
        _exit(99);
    }
    close(listener);
    daemon_.pid = pid;
    ask_and_forget(client, "game.new", "{\"variant\":\"pente\"}");
    struct stat st;
    assert_int_equal(daemon_stop(&daemon_, SIGTERM), 0);
    assert_int_equal(stat(daemon_.socket, &st), 0); // systemd's, not ours to remove
    char path[160];
    snprintf(path, sizeof path, "%s/journal.jsonl", daemon_.state);
    assert_int_equal(stat(path, &st), 0);
    close(client);
}

// A damaged journal: what is wrong, where, and what to do; then doing it.
static void test_salvage(void **state)
{
    (void)state;
    char *argv[] = {daemon_.program, "--stdio", "--state", daemon_.state, NULL};
    char *salvage[] = {daemon_.program, "--stdio", "--state", daemon_.state, "--salvage", NULL};
    assert_true(daemon_start(&daemon_));
    int fd = connect_plain();
    ask_and_forget(fd, "game.new", "{\"variant\":\"pente\"}");
    ask_and_forget(fd, "game.play", "{\"game\":\"g1\",\"move\":\"K10\"}");
    ask_and_forget(fd, "game.play", "{\"game\":\"g1\",\"move\":\"K11\"}");
    ask_and_forget(fd, "game.play", "{\"game\":\"g1\",\"move\":\"K12\"}");
    close(fd);
    daemon_stop(&daemon_, SIGTERM);
    char path[160], *data;
    size_t size;
    snprintf(path, sizeof path, "%s/journal.jsonl", daemon_.state);
    assert_int_equal(io_read_file(NULL, path, 10000, &data, &size, NULL), 0);
    char *at = strstr(data, "K11");
    FILE *file = fopen(path, "r+");
    fseek(file, at - data, SEEK_SET);
    fputc('L', file);
    fclose(file);
    free(data);
    assert_int_equal(run_daemon(argv, "", out, sizeof out, err, sizeof err), 1);
    assert_non_null(strstr(err, "journal.jsonl:3: this line is damaged"));
    assert_non_null(strstr(err, "--salvage"));
    const char *input =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"game.state\",\"params\":{\"game\":\"g1\"}}\n";
    assert_int_equal(run_daemon(salvage, input, out, sizeof out, err, sizeof err), 0);
    assert_non_null(strstr(out, "\"moves\":[\"K10\"]"));
    assert_non_null(strstr(err, "torn-3-1.jsonl"));
    assert_int_equal(run_daemon(argv, input, out, sizeof out, err, sizeof err), 0);
    assert_string_equal(err, "");
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
#define S(f) cmocka_unit_test_setup_teardown(f, set_up_stopped, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_protocol_faults),   T(test_ids),
        T(test_long_lines),        T(test_pipelined_in_order),
        T(test_slow_writer),       T(test_half_closed),
        T(test_two_subscribers),   T(test_client_never_reads),
        T(test_slow_subscriber),   T(test_too_many_clients),
        T(test_burst_of_clients),  T(test_rude_clients),
        T(test_disk_failure),      T(test_stop_and_start),
        S(test_command_line),      S(test_stdio),
        S(test_socket_activation), S(test_salvage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
