// One client: its lines in, its replies out, its bounds.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "rules/daemon/server_private.h"

enum {
    CONSUME_AT = 64 * 1024, // sent bytes that are worth moving the rest for
};

#define DROP_GRACE_NS (2 * NS_PER_S) // for a dropped client to read why

int client_new(struct server *server, int in, int out, struct client **ret)
{
    if (server->client_count == SERVER_CLIENTS_MAX)
        return -EMFILE;
    struct client *client = calloc(1, sizeof *client);
    if (!client)
        return -ENOMEM;
    int r = line_reader_new(&client->lines);
    if (r < 0) {
        free(client);
        return r;
    }
    client->in = in;
    client->out = out;
    client->out_flags = -1;
    struct ucred cred;
    socklen_t size = sizeof cred;
    if (getsockopt(in, SOL_SOCKET, SO_PEERCRED, &cred, &size) == 0) {
        client->pid = cred.pid;
        client->uid = cred.uid;
    }
    server->clients[server->client_count++] = client;
    *ret = client;
    return 0;
}

struct client *client_free(struct client *client)
{
    if (!client)
        return NULL;
    if (client->stdio && client->out_flags >= 0)
        fcntl(client->out, F_SETFL, client->out_flags); // it may be somebody's terminal
    if (!client->stdio)
        close(client->in);
    line_reader_free(client->lines);
    writer_clear(&client->output);
    free(client);
    return NULL;
}

const char *client_name(const struct client *client, char *buf, size_t size)
{
    const char *name = client->session.client[0] ? client->session.client : "unnamed";
    if (client->pid > 0)
        snprintf(buf, size, "client \"%s\" (process %ld of user %ld)", name, (long)client->pid,
                 (long)client->uid);
    else
        snprintf(buf, size, "client \"%s\"", name);
    return buf;
}

static size_t unsent(const struct client *client)
{
    return client->output.size - client->sent;
}

bool client_wants_input(const struct client *client)
{
    return !client->dead && !client->closing && !client->at_end && !client->has_lines &&
           unsent(client) < CLIENT_PAUSE_BYTES;
}

bool client_wants_output(const struct client *client)
{
    return !client->dead && unsent(client) > 0;
}

static ssize_t send_some(struct client *client)
{
    const char *data = client->output.data + client->sent;
    size_t size = unsent(client);
    ssize_t n = client->stdio ? write(client->out, data, size)
                              : send(client->out, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    return n < 0 ? -errno : n;
}

void client_flush(struct server *server, struct client *client)
{
    while (client_wants_output(client)) {
        ssize_t n = send_some(client);
        if (n == -EINTR)
            continue;
        if (n == -EAGAIN)
            break;
        if (n < 0) { // it has gone away
            client->dead = true;
            break;
        }
        client->sent += (size_t)n;
    }
    if (client->sent == client->output.size || client->sent > CONSUME_AT) {
        writer_consume(&client->output, client->sent);
        client->sent = 0;
    }
    if (unsent(client) == 0 && (client->closing || (client->at_end && !client->has_lines)))
        client->dead = true;
    if (client->dead && client->stdio)
        server->stop = true;
}

void client_drop(struct server *server, struct client *client, const char *reason, const char *text,
                 int64_t grace_ns)
{
    if (client->closing || client->dead)
        return;
    // A line that is half sent must be finished; whole ones behind it are given up.
    size_t keep = client->sent;
    if (keep > 0 && client->output.data[keep - 1] != '\n') {
        const char *newline = memchr(client->output.data + keep, '\n', client->output.size - keep);
        if (newline)
            keep = (size_t)(newline - client->output.data) + 1;
    }
    writer_cut(&client->output, keep);
    client->output.error = 0;
    writer_format(&client->output,
                  "{\"jsonrpc\":\"2.0\",\"method\":\"closing\",\"params\":{\"reason\":\"%s\","
                  "\"text\":\"%s\"}}\n",
                  reason, text);
    client->closing = true;
    client->has_lines = false;
    client->close_ns = clock_monotonic_ns() + grace_ns;
    client_flush(server, client);
}

void client_check_output(struct server *server, struct client *client)
{
    char name[128];
    if (client->closing || client->dead)
        return;
    if (client->output.error) {
        server_notice(server, "out of memory: %s is dropped",
                      client_name(client, name, sizeof name));
        client_drop(server, client, "OutOfMemory", "The rules daemon is out of memory.",
                    DROP_GRACE_NS);
    } else if (unsent(client) > CLIENT_OUTPUT_MAX) {
        server_notice(server, "%s does not read what it asked for; it is dropped",
                      client_name(client, name, sizeof name));
        client_drop(server, client, "TooSlow",
                    "More than 1 MiB was waiting to be read. Connect again and read faster.",
                    DROP_GRACE_NS);
    }
}

// ---- requests

static void handle_lines(struct server *server, struct client *client)
{
    for (int i = 0; i < BATCH_LINES_MAX; i++) {
        const char *line;
        size_t size;
        if (unsent(client) >= CLIENT_PAUSE_BYTES)
            return; // has_lines stays set: it goes on when the replies are read
        enum line_kind kind = line_next(client->lines, &line, &size);
        if (kind == LINE_NONE && client->at_end)
            kind = line_last(client->lines, &line, &size);
        if (kind == LINE_NONE) {
            client->has_lines = false;
            return;
        }
        if (kind == LINE_TOO_LONG)
            service_refuse_long_line(&client->output);
        else if (size > 0)
            service_handle(server->service, &client->session, line, size, &client->output);
    }
}

static void batch(struct server *server, struct client *client)
{
    struct line_mark mark = line_mark(client->lines);
    for (unsigned i = 0; i < server->client_count; i++)
        server->clients[i]->mark = server->clients[i]->output.size;
    handle_lines(server, client);
    struct error err;
    if (store_commit(server->store, &err) == 0)
        return;
    server_notice(server, "%s", err.text);
    for (unsigned i = 0; i < server->client_count; i++)
        writer_cut(&server->clients[i]->output, server->clients[i]->mark);
    line_rewind(client->lines, mark);
    client->has_lines = true;
    store_refuse(server->store, &err);
    handle_lines(server, client);
    store_refuse(server->store, NULL);
}

void client_serve(struct server *server, struct client *client)
{
    if (!client->has_lines) {
        ssize_t n = line_fill(client->lines, client->in);
        if (n == -EAGAIN)
            return;
        if (n < 0) {
            client->dead = true;
            server->stop |= client->stdio;
            return;
        }
        client->at_end = n == 0;
        client->has_lines = true;
    }
    batch(server, client);
    for (unsigned i = 0; i < server->client_count; i++) {
        client_flush(server, server->clients[i]);
        client_check_output(server, server->clients[i]);
    }
}

void server_distribute(void *user, uint32_t game, const char *line, size_t size)
{
    struct server *server = user;
    for (unsigned i = 0; i < server->client_count; i++) {
        struct client *client = server->clients[i];
        if (!client->closing && !client->dead && session_wants(&client->session, game))
            writer_bytes(&client->output, line, size);
    }
}
