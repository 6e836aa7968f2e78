// The daemon's sockets: limits, order, subscriptions, slow and rude clients.
#include "plain_client.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "config/base/clock.h"
#include "config/base/io.h"

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
        refused += connect(fds[i], (const struct sockaddr *)&address, sizeof address) < 0;
    }
    assert_int_equal(kill(daemon_.pid, SIGCONT), 0);
    assert_int_equal(refused, 0);
    for (int i = 0; i < BURST; i++) {
        assert_int_equal(fcntl(fds[i], F_SETFL, 0), 0);
        adopt_plain(fds[i]);
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

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_protocol_faults),  T(test_ids),
        T(test_long_lines),       T(test_pipelined_in_order),
        T(test_slow_writer),      T(test_half_closed),
        T(test_two_subscribers),  T(test_client_never_reads),
        T(test_slow_subscriber),  T(test_too_many_clients),
        T(test_burst_of_clients), T(test_rude_clients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
