#include "rules/daemon/server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "config/base/io.h"
#include "rules/daemon/server_private.h"

enum {
    POLL_MAX = 1 + SERVER_LISTENERS_MAX + 2 * SERVER_CLIENTS_MAX,
};

#define STOP_GRACE_NS (NS_PER_S / 2) // for clients to read their last lines when we end

void server_notice(const struct server *server, const char *format, ...)
{
    if (!server->notice)
        return;
    char text[ERROR_TEXT_MAX];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    server->notice(server->user, text);
}

int server_new(struct store *store, server_notice_fn *notice, void *user, struct server **ret)
{
    struct server *server = calloc(1, sizeof *server);
    if (!server)
        return -ENOMEM;
    server->store = store;
    server->notice = notice;
    server->user = user;
    server->signal_fd = -1;
    int r = service_new(store, server_distribute, server, &server->service);
    if (r < 0) {
        server_free(server);
        return r;
    }
    *ret = server;
    return 0;
}

struct server *server_free(struct server *server)
{
    if (!server)
        return NULL;
    for (unsigned i = 0; i < server->client_count; i++)
        client_free(server->clients[i]);
    for (unsigned i = 0; i < server->listener_count; i++)
        close(server->listeners[i]);
    if (server->socket_path)
        unlink(server->socket_path);
    if (server->signal_fd >= 0)
        close(server->signal_fd);
    free(server->socket_path);
    service_free(server->service);
    free(server);
    return NULL;
}

// ---- listening

int server_add_listener(struct server *server, int fd, struct error *err)
{
    if (server->listener_count == SERVER_LISTENERS_MAX)
        return error_set(err, -EMFILE, "there are more than %d sockets to listen on",
                         SERVER_LISTENERS_MAX);
    int r = io_set_nonblocking(fd, true);
    if (r < 0)
        return error_set(err, r, "descriptor %d is no socket to listen on: %s", fd, strerror(-r));
    server->listeners[server->listener_count++] = fd;
    return 0;
}

// A socket file stays behind when its daemon was killed. Nobody answers on it, so it may go.
static int remove_stale(const struct sockaddr_un *address, struct error *err)
{
    struct stat st;
    if (lstat(address->sun_path, &st) < 0)
        return errno == ENOENT
                   ? 0
                   : error_set_at(err, -errno, address->sun_path, 0, 0, "%s", strerror(errno));
    if (!S_ISSOCK(st.st_mode))
        return error_set_at(err, -EEXIST, address->sun_path, 0, 0,
                            "there is a file that is no socket; it is left alone. Choose another "
                            "path with --socket");
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return error_set(err, -errno, "no socket: %s", strerror(errno));
    int r = connect(fd, (const struct sockaddr *)address, sizeof *address) < 0 ? -errno : 0;
    close(fd);
    if (r == 0 || r == -EAGAIN)
        return error_set_at(err, -EADDRINUSE, address->sun_path, 0, 0,
                            "another tessera-rulesd listens here");
    if (r == -ECONNREFUSED && unlink(address->sun_path) == 0)
        return 0;
    return error_set_at(err, r, address->sun_path, 0, 0, "cannot be replaced: %s", strerror(-r));
}

static int make_folder_of(const char *path, struct error *err)
{
    char folder[sizeof((struct sockaddr_un *)0)->sun_path];
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return 0;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    return io_make_folder(folder, 0750, err);
}

int server_listen(struct server *server, const char *path, struct error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t size = strlen(path);
    if (size == 0 || size >= sizeof address.sun_path)
        return error_set_at(err, -ENAMETOOLONG, path, 0, 0,
                            "the path of a socket has 1 to %zu bytes", sizeof address.sun_path - 1);
    memcpy(address.sun_path, path, size + 1);
    int r = make_folder_of(path, err);
    if (r == 0)
        r = remove_stale(&address, err);
    if (r < 0)
        return r;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return error_set(err, -errno, "no socket: %s", strerror(errno));
    mode_t mask = umask(0117); // 0660 from the first moment on
    r = bind(fd, (const struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
    umask(mask);
    if (r == 0 && listen(fd, SOMAXCONN) < 0)
        r = -errno;
    char *copy = r == 0 ? strdup(path) : NULL;
    if (r == 0 && !copy)
        r = -ENOMEM;
    if (r == 0)
        r = server_add_listener(server, fd, NULL);
    if (r < 0) {
        close(fd);
        free(copy);
        return error_set_at(err, r, path, 0, 0, "cannot be listened on: %s", strerror(-r));
    }
    server->socket_path = copy;
    return 0;
}

int server_add_stdio(struct server *server, int in, int out, struct error *err)
{
    struct client *client;
    int r = client_new(server, in, out, &client);
    if (r < 0)
        return error_set(err, r, "standard input cannot be served: %s", strerror(-r));
    client->stdio = true;
    // Output must not block the other clients; input is read only when poll() has seen some.
    client->out_flags = fcntl(out, F_GETFL);
    if (client->out_flags >= 0)
        io_set_nonblocking(out, true);
    return 0;
}

static void refuse_client(int fd)
{
    static const char text[] =
        "{\"jsonrpc\":\"2.0\",\"method\":\"closing\",\"params\":{\"reason\":\"TooManyClients\","
        "\"text\":\"The rules daemon has as many clients as it serves. Try again later.\"}}\n";
    // It fits into any fresh socket's buffer; if not, closing says enough.
    if (send(fd, text, sizeof text - 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
        close(fd);
        return;
    }
    close(fd);
}

// As many as there is room for. Those who do not fit wait for the next round, when clients that
// have hung up are gone; only if there is still no room then, one is turned away.
static void accept_some(struct server *server, int listener)
{
    bool was_full = server->client_count == SERVER_CLIENTS_MAX;
    while (was_full || server->client_count < SERVER_CLIENTS_MAX) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0)
            return;
        struct client *client;
        if (client_new(server, fd, fd, &client) == 0)
            continue;
        if (!server->said_full)
            server_notice(server, "clients are turned away: there are %u already",
                          server->client_count);
        server->said_full = true;
        refuse_client(fd);
        return;
    }
    server->said_full = false;
}

// ---- the loop

static int open_signals(struct server *server)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    server->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return server->signal_fd < 0 ? -errno : 0;
}

static void sweep(struct server *server, int64_t now)
{
    for (unsigned i = 0; i < server->client_count;) {
        struct client *client = server->clients[i];
        if (client->closing && now >= client->close_ns)
            client->dead = true;
        if (!client->dead) {
            i++;
            continue;
        }
        client_free(client);
        server->clients[i] = server->clients[--server->client_count];
    }
}

// Milliseconds until something must happen without a descriptor; -1 = nothing.
static int next_timeout(const struct server *server, int64_t now)
{
    int timeout = -1;
    for (unsigned i = 0; i < server->client_count; i++) {
        const struct client *client = server->clients[i];
        if (client->closing) {
            int64_t left = client->close_ns - now;
            int ms = left <= 0 ? 0 : (int)(left / NS_PER_MS) + 1;
            timeout = timeout < 0 || ms < timeout ? ms : timeout;
        } else if (client->has_lines && client->output.size - client->sent < CLIENT_PAUSE_BYTES) {
            return 0;
        }
    }
    return timeout;
}

static nfds_t fill_poll(const struct server *server, struct pollfd *fds)
{
    nfds_t n = 0;
    fds[n++] = (struct pollfd){server->signal_fd, POLLIN, 0};
    for (unsigned i = 0; i < server->listener_count; i++)
        fds[n++] = (struct pollfd){server->listeners[i], POLLIN, 0};
    for (unsigned i = 0; i < server->client_count; i++) {
        const struct client *client = server->clients[i];
        bool in = client_wants_input(client), out = client_wants_output(client);
        // A negative descriptor is skipped: who wants nothing shall not wake us by hanging up.
        fds[n++] = (struct pollfd){in ? client->in : -1, POLLIN, 0};
        fds[n++] = (struct pollfd){out ? client->out : -1, POLLOUT, 0};
    }
    return n;
}

static void serve_clients(struct server *server, const struct pollfd *fds, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct client *client = server->clients[i];
        if (fds[2 * i + 1].revents)
            client_flush(server, client);
        bool goes_on = client->has_lines && client->output.size - client->sent < CLIENT_PAUSE_BYTES;
        if (!client->dead && !client->closing && (fds[2 * i].revents || goes_on))
            client_serve(server, client);
    }
}

static int one_round(struct server *server)
{
    struct pollfd fds[POLL_MAX];
    int64_t now = clock_monotonic_ns();
    sweep(server, now);
    nfds_t n = fill_poll(server, fds);
    unsigned clients = server->client_count;
    if (poll(fds, n, next_timeout(server, now)) < 0)
        return errno == EINTR ? 0 : -errno;
    struct signalfd_siginfo info;
    if (fds[0].revents && read(server->signal_fd, &info, sizeof info) > 0)
        server->stop = true;
    serve_clients(server, fds + 1 + server->listener_count, clients);
    sweep(server, clock_monotonic_ns());
    for (unsigned i = 0; i < server->listener_count; i++)
        if (fds[1 + i].revents)
            accept_some(server, server->listeners[i]);
    return 0;
}

// Everybody is told; who reads gets what it waited for.
static void say_goodbye(struct server *server)
{
    int64_t end = clock_monotonic_ns() + STOP_GRACE_NS;
    for (unsigned i = 0; i < server->client_count; i++) {
        struct client *client = server->clients[i];
        if (client->stdio) // its input has ended, or ours has: only replies are left
            client->closing = true;
        else
            client_drop(server, client, "Stopping", "The rules daemon is being stopped.",
                        STOP_GRACE_NS);
    }
    for (;;) {
        struct pollfd fds[SERVER_CLIENTS_MAX];
        nfds_t n = 0;
        for (unsigned i = 0; i < server->client_count; i++) {
            client_flush(server, server->clients[i]);
            if (client_wants_output(server->clients[i]))
                fds[n++] = (struct pollfd){server->clients[i]->out, POLLOUT, 0};
        }
        int64_t left = end - clock_monotonic_ns();
        if (n == 0 || left <= 0 || poll(fds, n, (int)(left / NS_PER_MS) + 1) < 0)
            return;
    }
}

int server_run(struct server *server)
{
    int r = open_signals(server);
    while (r == 0 && !server->stop)
        r = one_round(server);
    if (r == 0)
        say_goodbye(server);
    return r;
}
