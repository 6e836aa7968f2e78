// The tty: pty, open detection, wire timing, faults.
#include "controller/sim/port.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <termios.h>
#include <unistd.h>

#include "config/base/io.h"

enum {
    IN_MAX = 8192,    // bytes on the wire towards the board; more wait in the kernel
    OUT_CHUNKS = 256, // replies on the wire towards the host
    CHUNK_MAX = 256,
    PATH_BYTES = 64,
};

#define BYTE_NS INT64_C(86806) // 115200 baud, 8N1

struct chunk {
    int64_t due_ns;
    size_t size;
    uint8_t data[CHUNK_MAX];
};

struct port {
    struct loop *loop;
    const struct port_ops *ops;
    void *user;
    int master, notify, watch;
    char path[PATH_BYTES];
    struct loop_source *master_source, *notify_source;
    uint64_t received, sent; // since the last open
    int holders;             // open descriptors of the host
    bool dtr;

    uint8_t in[IN_MAX];
    int64_t in_ns[IN_MAX]; // arrival of each byte
    int in_head, in_count;
    int64_t wire_free_ns;

    struct chunk out[OUT_CHUNKS];
    int out_head, out_count;

    struct rng rng;
    bool garbled, strict;
    int64_t stall_ns;
    int lose_in, lose_out;
};

static void master_ready(void *user, int fd, uint32_t revents);

static void listen_to_host(struct port *port)
{
    if (!port->master_source && port->master >= 0)
        loop_add_io(port->loop, port->master, EPOLLIN, master_ready, port, &port->master_source);
}

static bool wrong_speed(const struct port *port)
{
    struct termios t;
    if (!port->strict || tcgetattr(port->master, &t) < 0)
        return false;
    return cfgetospeed(&t) != B115200;
}

static uint8_t through_noise(struct port *port, uint8_t byte)
{
    if (!port->garbled && !wrong_speed(port))
        return byte;
    return (uint8_t)(byte ^ (0x80 | rng_below(&port->rng, 0x80)));
}

// Reads what the host has written and gives every byte its time of arrival.
static void pull(struct port *port, int64_t now_ns)
{
    uint8_t data[1024];
    while (port->in_count + (int)sizeof data <= IN_MAX) {
        ssize_t n = read(port->master, data, sizeof data);
        if (n <= 0)
            break;
        port->received += (uint64_t)n;
        for (ssize_t i = 0; i < n; i++) {
            if (port->wire_free_ns < now_ns)
                port->wire_free_ns = now_ns;
            port->wire_free_ns += BYTE_NS;
            if (port->lose_in > 0) {
                port->lose_in--;
                continue;
            }
            const int at = (port->in_head + port->in_count++) % IN_MAX;
            port->in[at] = through_noise(port, data[i]);
            port->in_ns[at] = port->wire_free_ns;
        }
    }
}

static void master_ready(void *user, int fd, uint32_t revents)
{
    struct port *port = user;
    const int64_t now = loop_now(port->loop);
    (void)fd;
    if (revents & EPOLLIN)
        pull(port, now);
    // Closed by the host: a pty says so for as long as nobody has it open, so stop listening.
    if (revents & (EPOLLHUP | EPOLLERR))
        port->master_source = loop_source_free(port->master_source);
    port->ops->input(port->user, now);
}

// DTR goes up with the first opening, and a rising DTR resets the board. It stays up after a close
// that does not "hang up" (HUPCL off), and then the next opening is no news to the board.
static void host_opened(struct port *port)
{
    port->holders++;
    const bool rising = !port->dtr;
    port->dtr = true;
    if (port->holders == 1 || rising) {
        port->received = port->sent = 0;
        port->in_count = 0;
        port->out_count = 0;
    }
    listen_to_host(port);
    if (rising)
        port->ops->opened(port->user, loop_now(port->loop));
}

static bool nobody_has_it(const struct port *port)
{
    struct pollfd p = {.fd = port->master};
    return poll(&p, 1, 0) == 1 && p.revents & POLLHUP;
}

static void host_closed(struct port *port)
{
    struct termios t;
    // Two closes in a row may come as one event.
    port->holders = nobody_has_it(port) || port->holders == 0 ? 0 : port->holders - 1;
    if (port->holders == 0 && (tcgetattr(port->master, &t) < 0 || t.c_cflag & HUPCL))
        port->dtr = false;
}

static void notify_ready(void *user, int fd, uint32_t revents)
{
    struct port *port = user;
    char buf[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    (void)revents;
    ssize_t n = read(fd, buf, sizeof buf);
    for (ssize_t at = 0; at < n;) {
        const struct inotify_event *e = (const struct inotify_event *)(buf + at);
        at += (ssize_t)(sizeof *e + e->len);
        if (e->wd != port->watch)
            continue; // of a tty that has been unplugged
        if (e->mask & IN_OPEN)
            host_opened(port);
        if (e->mask & IN_CLOSE)
            host_closed(port);
    }
}

int port_plug(struct port *port, struct error *err)
{
    if (port->master >= 0)
        return 0;
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return error_set(err, -errno, "No pseudo-terminal for the simulated plotter: %s.",
                         strerror(errno));
    struct termios t;
    int r = -EIO;
    if (grantpt(fd) == 0 && unlockpt(fd) == 0 && ptsname_r(fd, port->path, PATH_BYTES) == 0 &&
        tcgetattr(fd, &t) == 0) {
        cfmakeraw(&t);
        t.c_cflag |= HUPCL; // as every serial port begins
        r = tcsetattr(fd, TCSANOW, &t) == 0 ? io_set_nonblocking(fd, true) : -errno;
    }
    if (r == 0)
        port->watch = inotify_add_watch(port->notify, port->path, IN_OPEN | IN_CLOSE);
    if (r < 0 || port->watch < 0) {
        close(fd);
        return error_set(err, r < 0 ? r : -errno, "The simulated plotter's tty cannot be set up.");
    }
    port->master = fd;
    port->holders = 0;
    port->dtr = false;
    return 0;
}

void port_unplug(struct port *port)
{
    if (port->master < 0)
        return;
    port->master_source = loop_source_free(port->master_source);
    inotify_rm_watch(port->notify, port->watch);
    port->watch = -1;
    close(port->master);
    port->master = -1;
    port->in_count = port->out_count = 0;
}

int port_new(struct loop *loop, const struct port_ops *ops, void *user, uint64_t seed,
             struct port **ret, struct error *err)
{
    struct port *port = calloc(1, sizeof *port);
    if (!port)
        return -ENOMEM;
    port->loop = loop;
    port->ops = ops;
    port->user = user;
    port->master = port->watch = -1;
    rng_seed(&port->rng, seed ^ 0x706f7274);
    port->notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    int r = port->notify < 0 ? -errno : 0;
    if (r == 0)
        r = loop_add_io(loop, port->notify, EPOLLIN, notify_ready, port, &port->notify_source);
    if (r == 0)
        r = port_plug(port, err);
    else
        error_set(err, r, "The simulated plotter's tty cannot be watched: %s.", strerror(-r));
    if (r < 0) {
        port_free(port);
        return r;
    }
    *ret = port;
    return 0;
}

struct port *port_free(struct port *port)
{
    if (!port)
        return NULL;
    port_unplug(port);
    loop_source_free(port->notify_source);
    if (port->notify >= 0)
        close(port->notify);
    free(port);
    return NULL;
}

const char *port_path(const struct port *port)
{
    return port->master >= 0 ? port->path : NULL;
}

int64_t port_next_in(const struct port *port)
{
    return port->in_count ? port->in_ns[port->in_head] : INT64_MAX;
}

uint8_t port_take_in(struct port *port)
{
    const uint8_t byte = port->in[port->in_head];
    port->in_head = (port->in_head + 1) % IN_MAX;
    port->in_count--;
    if (port->master >= 0 && port->in_count == IN_MAX / 2)
        pull(port, port->wire_free_ns); // what had to wait in the kernel
    return byte;
}

static void push_out(struct port *port, int64_t due_ns, const uint8_t *data, size_t size)
{
    if (port->out_count == OUT_CHUNKS)
        return; // nobody has read for seconds: an adapter drops it too
    struct chunk *c = &port->out[(port->out_head + port->out_count++) % OUT_CHUNKS];
    c->due_ns = due_ns;
    c->size = 0;
    for (size_t i = 0; i < size; i++) {
        if (port->lose_out > 0)
            port->lose_out--;
        else
            c->data[c->size++] = through_noise(port, data[i]);
    }
}

void port_send(struct port *port, int64_t t_ns, const void *data, size_t size)
{
    if (!port->master_source)
        return; // nobody has it open
    for (size_t at = 0; at < size; at += CHUNK_MAX)
        push_out(port, t_ns, (const uint8_t *)data + at,
                 size - at < CHUNK_MAX ? size - at : CHUNK_MAX);
}

void port_noise(struct port *port, int64_t now_ns, int bytes)
{
    uint8_t data[CHUNK_MAX];
    if (bytes > CHUNK_MAX)
        bytes = CHUNK_MAX;
    for (int i = 0; i < bytes; i++)
        data[i] = (uint8_t)rng_below(&port->rng, 256);
    port_send(port, now_ns, data, (size_t)bytes);
}

int64_t port_next_out(const struct port *port)
{
    if (!port->out_count)
        return INT64_MAX;
    const int64_t due = port->out[port->out_head].due_ns;
    return due > port->stall_ns ? due : port->stall_ns;
}

void port_flush(struct port *port, int64_t now_ns)
{
    while (port_next_out(port) <= now_ns) {
        struct chunk *c = &port->out[port->out_head];
        ssize_t n = write(port->master, c->data, c->size);
        if (n > 0)
            port->sent += (uint64_t)n;
        port->out_head = (port->out_head + 1) % OUT_CHUNKS;
        port->out_count--;
    }
}

bool port_settled(const struct port *port, uint64_t host_written, uint64_t host_read)
{
    if (port->master < 0 || !port->master_source)
        return true;
    const bool full = port->in_count + 1024 > IN_MAX;
    return (full || host_written <= port->received) && host_read >= port->sent;
}

void port_set_garbled(struct port *port, bool garbled)
{
    port->garbled = garbled;
}

void port_set_strict(struct port *port, bool strict)
{
    port->strict = strict;
}

void port_stall(struct port *port, int64_t until_ns)
{
    port->stall_ns = until_ns;
}

void port_lose_in(struct port *port, int bytes)
{
    port->lose_in = bytes;
}

void port_lose_out(struct port *port, int bytes)
{
    port->lose_out = bytes;
}
