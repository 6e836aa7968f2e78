#include "rules/daemon/client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "config/base/json.h"
#include "rules/daemon/client_private.h"

#define DEFAULT_TIMEOUT_NS (10 * NS_PER_S)

// The i-th open call, oldest first. The ring's capacity is a power of two.
static struct open_call *call_at(const struct rules_client *client, size_t i)
{
    return &client->calls[(client->call_first + i) & (client->call_capacity - 1)];
}

// ---- coming and going

static int copy_string(const char *from, char **ret)
{
    *ret = from ? strdup(from) : NULL;
    return from && !*ret ? -ENOMEM : 0;
}

int rules_client_open(const struct rules_client_settings *settings, struct rules_client **ret,
                      struct error *err)
{
    struct rules_client *client = calloc(1, sizeof *client);
    int r = client ? 0 : -ENOMEM;
    if (r == 0) {
        client->fd = -1;
        client->next_id = 1;
        client->only_connect = settings->only_connect;
        client->only_spawn = settings->only_spawn;
        client->timeout_ns = settings->timeout_ns ? settings->timeout_ns : DEFAULT_TIMEOUT_NS;
        r = line_reader_new(&client->lines);
    }
    if (r == 0)
        r = copy_string(settings->socket, &client->socket);
    if (r == 0)
        r = copy_string(settings->state, &client->state);
    if (r == 0)
        r = copy_string(settings->program, &client->program);
    if (r == 0)
        r = copy_string(settings->name ? settings->name : "", &client->name);
    if (r < 0)
        error_set(err, r, "out of memory");
    else
        r = rules_client_reconnect(client, err);
    if (r < 0) {
        rules_client_free(client);
        return r;
    }
    *ret = client;
    return 0;
}

// Hangs up. A private daemon ends when its input does.
static void hang_up(struct rules_client *client)
{
    if (client->fd >= 0)
        close(client->fd);
    client->fd = -1;
    if (client->child > 0)
        client_reap(client->child);
    client->child = 0;
    writer_cut(&client->output, 0);
}

struct rules_client *rules_client_free(struct rules_client *client)
{
    if (!client)
        return NULL;
    hang_up(client);
    for (size_t i = 0; i < client->call_count; i++)
        free(call_at(client, i)->owned);
    free(client->calls);
    line_reader_free(client->lines);
    writer_clear(&client->output);
    free(client->socket);
    free(client->state);
    free(client->program);
    free(client->name);
    free(client);
    return NULL;
}

static struct open_call take_call(struct rules_client *client)
{
    struct open_call call = client->calls[client->call_first];
    client->call_first = (client->call_first + 1) & (client->call_capacity - 1);
    client->call_count--;
    return call;
}

static void finish(struct open_call call, const json_t *result, const struct error *err)
{
    if (call.fn)
        call.fn(call.user, result, err);
    free(call.owned);
}

// The connection is gone: every open call hears of it once.
static int go_down(struct rules_client *client, int number, const char *code, const char *text)
{
    struct error err;
    if (client->closing.number)
        err = client->closing;
    else
        error_set_code(&err, number, code, "%s", text);
    hang_up(client);
    // Calls that callbacks would like to make now fail at once, so this ends.
    while (client->call_count > 0)
        finish(take_call(client), NULL, &err);
    return number;
}

static void got_hello(void *user, const json_t *result, const struct error *err)
{
    struct rules_client *client = user;
    (void)result;
    if (err && strcmp(err->code, "BadProtocol") == 0)
        client->closing = *err; // process() hangs up when it sees this
}

static int send_hello(struct rules_client *client)
{
    int r = client_call(client, "hello",
                        json_pack("{s:i,s:s}", "protocol", RULES_PROTOCOL, "client", client->name),
                        got_hello, client, NULL);
    if (r == 0 && client->all_games)
        r = client_call(client, "subscribe", NULL, NULL, NULL, NULL);
    for (unsigned i = 0; r == 0 && i < client->subscription_count; i++)
        r = client_call(client, "subscribe", json_pack("{s:s}", "game", client->subscriptions[i]),
                        NULL, NULL, NULL);
    return r;
}

int rules_client_reconnect(struct rules_client *client, struct error *err)
{
    if (client->fd >= 0)
        go_down(client, -ECONNRESET, "ConnectionLost", "The connection was ended to begin anew.");
    struct line_reader *lines;
    int r = line_reader_new(&lines);
    if (r < 0)
        return error_set(err, r, "out of memory");
    line_reader_free(client->lines);
    client->lines = lines;
    memset(&client->closing, 0, sizeof client->closing);
    bool try_socket = client->socket && !client->only_spawn;
    if (!try_socket && client->only_connect)
        return error_set(err, -ENOENT, "no socket of a rules daemon was given");
    r = try_socket ? client_connect(client->socket, &client->fd, err) : -ENOENT;
    if (r < 0 && !client->only_connect)
        r = client_spawn(client->program, client->state, &client->fd, &client->child, err);
    if (r < 0)
        return r;
    r = send_hello(client);
    if (r < 0) {
        hang_up(client);
        return error_set(err, r, "out of memory");
    }
    return 0;
}

bool rules_client_is_up(const struct rules_client *client)
{
    return client->fd >= 0;
}

bool rules_client_is_private(const struct rules_client *client)
{
    return client->child > 0;
}

pid_t rules_client_pid(const struct rules_client *client)
{
    return client->child;
}

// ---- calls

static int make_room(struct rules_client *client)
{
    if (client->call_count < client->call_capacity)
        return 0;
    if (client->call_count == RULES_CALLS_MAX)
        return -ENOBUFS;
    size_t larger = client->call_capacity ? client->call_capacity * 2 : 16;
    struct open_call *calls = malloc(larger * sizeof *calls);
    if (!calls)
        return -ENOMEM;
    for (size_t i = 0; i < client->call_count; i++)
        calls[i] = *call_at(client, i);
    free(client->calls);
    client->calls = calls;
    client->call_first = 0;
    client->call_capacity = larger;
    return 0;
}

static int put_request(struct rules_client *client, const char *method, const json_t *params)
{
    struct writer *w = &client->output;
    size_t before = w->size;
    writer_literal(w, "{\"jsonrpc\":\"2.0\",\"id\":");
    writer_int(w, client->next_id);
    writer_literal(w, ",\"method\":");
    writer_string(w, method);
    if (params) {
        writer_literal(w, ",\"params\":");
        writer_json(w, params);
    }
    writer_literal(w, "}\n");
    int r = w->error;
    if (r == 0 && w->size - before > LINE_MAX_BYTES)
        r = -EMSGSIZE;
    if (r < 0) {
        w->error = 0;
        writer_cut(w, before);
    }
    return r;
}

int client_call(struct rules_client *client, const char *method, json_t *params,
                rules_result_fn *fn, void *user, void *owned)
{
    int r = client->fd < 0 ? -ENOTCONN : make_room(client);
    if (r == 0)
        r = put_request(client, method, params);
    json_decref(params);
    if (r < 0) {
        free(owned);
        return r;
    }
    struct open_call *call = call_at(client, client->call_count++);
    *call = (struct open_call){client->next_id++, INT64_MIN, fn, user, owned};
    return 0;
}

int rules_client_call(struct rules_client *client, const char *method, json_t *params,
                      rules_result_fn *fn, void *user)
{
    return client_call(client, method, params, fn, user, NULL);
}

size_t rules_client_open_calls(const struct rules_client *client)
{
    return client->call_count;
}

// ---- answers

static void read_error(const json_t *json, struct error *err)
{
    const json_t *data = json_object_get(json, "data");
    const char *code = json_string_value(json_object_get(data, "code"));
    const char *text = json_string_value(json_object_get(data, "text"));
    if (!text)
        text = json_string_value(json_object_get(json, "message"));
    error_set_code(err, -EPROTO, code ? code : "Failed", "%s", text ? text : "");
}

static void take_notification(struct rules_client *client, const char *method, const json_t *params)
{
    const char *game = json_string_value(json_object_get(params, "game"));
    const char *kind = json_string_value(json_object_get(params, "kind"));
    if (strcmp(method, "closing") == 0) {
        const char *code = json_string_value(json_object_get(params, "reason"));
        const char *text = json_string_value(json_object_get(params, "text"));
        error_set_code(&client->closing, -ECONNRESET, code ? code : "ConnectionLost", "%s",
                       text ? text : "The rules daemon hung up.");
        return;
    }
    if (strcmp(method, "game.event") == 0 && game && kind && client->event)
        client->event(client->event_user, game,
                      (unsigned)json_integer_value(json_object_get(params, "ply")), kind, params);
}

static void take_answer(struct rules_client *client, const json_t *answer)
{
    const json_t *id = json_object_get(answer, "id");
    int64_t number = json_is_integer(id) ? json_integer_value(id) : 0;
    // Answers come in order. One to a call that has been given up (NoAnswer) is late, not wrong.
    if (client->call_count == 0 || client->calls[client->call_first].id != number)
        return;
    struct open_call call = take_call(client);
    const json_t *error = json_object_get(answer, "error");
    if (error) {
        struct error err;
        read_error(error, &err);
        finish(call, NULL, &err);
    } else {
        finish(call, json_object_get(answer, "result"), NULL);
    }
}

static int take_line(struct rules_client *client, const char *line, size_t size)
{
    json_t *json;
    if (size == 0)
        return 0;
    if (json_read_text(line, size, NULL, &json, NULL) < 0)
        return go_down(client, -EBADMSG, "ConnectionLost",
                       "What came from the rules daemon was no JSON.");
    const char *method = json_string_value(json_object_get(json, "method"));
    if (method)
        take_notification(client, method, json_object_get(json, "params"));
    else
        take_answer(client, json);
    json_decref(json);
    if (client->closing.number && strcmp(client->closing.code, "BadProtocol") == 0)
        return go_down(client, -EPROTO, "BadProtocol", "");
    return 0;
}

static int send_waiting(struct rules_client *client)
{
    size_t sent = 0;
    int r = 0;
    while (sent < client->output.size) {
        ssize_t n = send(client->fd, client->output.data + sent, client->output.size - sent,
                         MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            // What it said before it hung up may still be there to be read.
            r = errno == EAGAIN || errno == EPIPE || errno == ECONNRESET ? 0 : -errno;
            break;
        }
        sent += (size_t)n;
    }
    writer_consume(&client->output, sent);
    return r;
}

static int read_waiting(struct rules_client *client)
{
    for (;;) {
        ssize_t n = line_fill(client->lines, client->fd);
        if (n == -EAGAIN)
            return 0;
        if (n <= 0)
            return go_down(client, n < 0 ? (int)n : -ECONNRESET, "ConnectionLost",
                           "The connection to the rules daemon was lost.");
        for (;;) {
            const char *line;
            size_t size;
            enum line_kind kind = line_next(client->lines, &line, &size);
            if (kind == LINE_NONE)
                break;
            int r = kind == LINE_WHOLE ? take_line(client, line, size) : 0;
            if (r < 0)
                return r;
        }
    }
}

// Calls made since the last time begin to wait now; the oldest is given up when it waited too long.
static void watch_time(struct rules_client *client, int64_t now_ns)
{
    for (size_t i = client->call_count; i-- > 0;) {
        struct open_call *call = call_at(client, i);
        if (call->due_ns != INT64_MIN)
            break;
        call->due_ns = now_ns + client->timeout_ns;
    }
    while (client->call_count > 0 && client->calls[client->call_first].due_ns != INT64_MIN &&
           client->calls[client->call_first].due_ns <= now_ns) {
        struct error err;
        error_set_code(&err, -ETIMEDOUT, "NoAnswer", "The rules daemon did not answer in time.");
        finish(take_call(client), NULL, &err);
    }
}

int rules_client_process(struct rules_client *client, int64_t now_ns)
{
    if (client->fd < 0)
        return -ENOTCONN;
    int r = send_waiting(client);
    if (r < 0)
        return go_down(client, r, "ConnectionLost", "The connection to the rules daemon was lost.");
    r = read_waiting(client);
    if (r < 0)
        return r;
    watch_time(client, now_ns);
    // What callbacks have asked for meanwhile need not wait for the next round.
    r = send_waiting(client);
    return r < 0 ? go_down(client, r, "ConnectionLost",
                           "The connection to the rules daemon was lost.")
                 : 0;
}

// ---- for the loop

int rules_client_fd(const struct rules_client *client)
{
    return client->fd;
}

uint32_t rules_client_events(const struct rules_client *client)
{
    if (client->fd < 0)
        return 0;
    return client->output.size ? EPOLLIN | EPOLLOUT : EPOLLIN;
}

int64_t rules_client_deadline(const struct rules_client *client)
{
    if (client->call_count == 0 || client->fd < 0)
        return INT64_MAX;
    if (call_at(client, client->call_count - 1)->due_ns == INT64_MIN)
        return INT64_MIN;
    return client->calls[client->call_first].due_ns;
}

// ---- waiting

// One round on the real clock. 0, -ETIMEDOUT, or the error of the loss.
static int wait_round(struct rules_client *client, int64_t end)
{
    int r = rules_client_process(client, clock_monotonic_ns());
    int64_t left = end - clock_monotonic_ns();
    if (r < 0 || client->call_count == 0)
        return r;
    if (left <= 0)
        return -ETIMEDOUT;
    int64_t due = rules_client_deadline(client) - clock_monotonic_ns();
    if (due < left)
        left = due < 0 ? 0 : due;
    struct pollfd fd = {client->fd, client->output.size ? POLLIN | POLLOUT : POLLIN, 0};
    if (poll(&fd, 1, (int)((left + NS_PER_MS - 1) / NS_PER_MS)) < 0 && errno != EINTR)
        return -errno;
    return 0;
}

int rules_client_wait(struct rules_client *client, int timeout_ms)
{
    int64_t end = clock_monotonic_ns() + timeout_ms * NS_PER_MS;
    int r = 0;
    while (r == 0 && client->call_count > 0)
        r = wait_round(client, end);
    return r;
}

struct waiter {
    bool done;
    int r;
    json_t **result;
    struct error *err;
};

static void wake(void *user, const json_t *result, const struct error *err)
{
    struct waiter *waiter = user;
    waiter->done = true;
    if (err) {
        waiter->r = err->number;
        if (waiter->err)
            *waiter->err = *err;
    } else if (waiter->result) {
        *waiter->result = json_incref((json_t *)result);
    }
}

int rules_client_call_wait(struct rules_client *client, const char *method, json_t *params,
                           int timeout_ms, json_t **ret_result, struct error *err)
{
    struct waiter waiter = {.result = ret_result, .err = err};
    int r = rules_client_call(client, method, params, wake, &waiter);
    if (r < 0)
        return error_set_code(err, r, "ConnectionLost", "The request could not be sent: %s",
                              strerror(-r));
    int64_t id = client->next_id - 1;
    int64_t end = clock_monotonic_ns() + timeout_ms * NS_PER_MS;
    while (!waiter.done && r == 0)
        r = wait_round(client, end);
    if (waiter.done)
        return waiter.r;
    // Nobody waits any more: the answer, when it comes, must not be written to our stack.
    for (size_t i = 0; i < client->call_count; i++) {
        struct open_call *call = call_at(client, i);
        if (call->id == id)
            call->fn = NULL;
    }
    return error_set_code(err, r, "NoAnswer", "The rules daemon did not answer in time.");
}

// ---- events

void rules_client_set_event_fn(struct rules_client *client, rules_event_fn *fn, void *user)
{
    client->event = fn;
    client->event_user = user;
}

int rules_client_subscribe(struct rules_client *client, const char *game)
{
    if (!game) {
        client->all_games = true;
        return client_call(client, "subscribe", NULL, NULL, NULL, NULL);
    }
    if (strlen(game) >= RULES_GAME_NAME_MAX)
        return -EINVAL;
    bool known = false;
    for (unsigned i = 0; i < client->subscription_count; i++)
        known |= strcmp(client->subscriptions[i], game) == 0;
    if (!known && client->subscription_count == SUBSCRIPTIONS_MAX)
        return -ENOBUFS;
    if (!known)
        memcpy(client->subscriptions[client->subscription_count++], game, strlen(game) + 1);
    return client_call(client, "subscribe", json_pack("{s:s}", "game", game), NULL, NULL, NULL);
}
