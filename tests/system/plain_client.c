#include "plain_client.h"

#include <poll.h>
#include <unistd.h>

#include "config/base/io.h"

struct daemon daemon_;

int set_up(void **state)
{
    (void)state;
    daemon_new(&daemon_, true);
    return daemon_start(&daemon_) ? 0 : -1;
}

int set_up_stopped(void **state)
{
    (void)state;
    daemon_new(&daemon_, true);
    return 0;
}

int tear_down(void **state)
{
    (void)state;
    daemon_free(&daemon_);
    return 0;
}

void send_text(int fd, const char *text)
{
    assert_int_equal(io_write_all(NULL, fd, text, strlen(text)), 0);
}

// What has been read from a descriptor and not been looked at yet.
static struct {
    size_t begin, end;
    char data[1 << 17];
} pending[128];

void adopt_plain(int fd)
{
    assert_in_range(fd, 0, 127);
    pending[fd].begin = pending[fd].end = 0;
}

int connect_plain(void)
{
    int fd = daemon_connect(&daemon_);
    adopt_plain(fd);
    return fd;
}

// The next line; NULL at the end or after five seconds. Good until the next one is read.
char *read_line(int fd)
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

json_t *read_json(int fd)
{
    const char *line = read_line(fd);
    if (!line)
        return NULL;
    json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    return json;
}

void request(int fd, int id, const char *method, const char *params)
{
    char text[70000];
    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":%s}\n",
             id, method, params);
    send_text(fd, text);
}

// The reply to `id`; "result" or "error" of it. The caller owns it.
json_t *reply(int fd, int id, const char *member)
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

json_t *ask(int fd, const char *method, const char *params)
{
    request(fd, 77, method, params);
    return reply(fd, 77, "result");
}

void ask_and_forget(int fd, const char *method, const char *params)
{
    json_decref(ask(fd, method, params));
}

void expect_error(int fd, int id, int rpc, const char *code)
{
    json_t *error = reply(fd, id, "error");
    assert_int_equal(json_integer_value(json_object_get(error, "code")), rpc);
    const json_t *data = json_object_get(error, "data");
    assert_string_equal(json_string_value(json_object_get(data, "code")), code);
    assert_true(json_string_length(json_object_get(data, "text")) > 0);
    assert_true(json_string_length(json_object_get(error, "message")) > 0);
    json_decref(error);
}

int64_t number_in(int fd, const char *method, const char *params, const char *key)
{
    json_t *result = ask(fd, method, params);
    int64_t value = json_integer_value(json_object_get(result, key));
    json_decref(result);
    return value;
}

void expect_event(int fd, const char *game, const char *kind, int ply)
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
