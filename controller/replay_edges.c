#include "controller/replay_edges.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "config/base/io.h"

// --- the panel ---

enum { EDGES = 16 };

struct replay_panel {
    bool wired[GPIO_LINES], asked_wired;
    int level[GPIO_LINES];
    enum gpio_line edge[EDGES];
    int edges, event_fd;
    int *readings;
    size_t reading_count, reading_room, next_reading;
};

static int panel_get(void *impl, enum gpio_line line)
{
    struct replay_panel *p = impl;
    if (!p->wired[line])
        return -ENOENT;
    if (line != GPIO_PICK_SENSOR)
        return p->level[line];
    // The first to ask only wants to know whether it is wired; that is not among the readings.
    if (!p->asked_wired)
        p->asked_wired = true;
    else if (p->next_reading < p->reading_count)
        return p->readings[p->next_reading++];
    return 0;
}

static int panel_set(void *impl, enum gpio_line line, int value)
{
    struct replay_panel *p = impl;
    p->level[line] = value;
    return p->wired[line] ? 0 : -ENOENT;
}

static int panel_fd(void *impl)
{
    struct replay_panel *p = impl;
    return p->event_fd;
}

static int panel_read_edge(void *impl, enum gpio_line *ret, int64_t *ret_ns)
{
    struct replay_panel *p = impl;
    uint64_t count;
    if (!p->edges) {
        ssize_t n = read(p->event_fd, &count, sizeof count);
        (void)n;
        return -EAGAIN;
    }
    *ret = p->edge[--p->edges];
    *ret_ns = 0;
    return 0;
}

static void panel_close(void *impl)
{
    (void)impl;
}

static const struct gpio_ops panel_ops = {
    .get = panel_get,
    .set = panel_set,
    .fd = panel_fd,
    .read_edge = panel_read_edge,
    .close = panel_close,
};

int replay_panel_new(struct replay_panel **ret)
{
    struct replay_panel *p = calloc(1, sizeof *p);
    if (!p)
        return -ENOMEM;
    p->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (p->event_fd < 0) {
        int r = -errno;
        free(p);
        return r;
    }
    *ret = p;
    return 0;
}

struct replay_panel *replay_panel_free(struct replay_panel *p)
{
    if (!p)
        return NULL;
    close(p->event_fd);
    free(p->readings);
    free(p);
    return NULL;
}

struct gpio replay_panel_gpio(struct replay_panel *p)
{
    return (struct gpio){.ops = &panel_ops, .impl = p};
}

void replay_panel_wire(struct replay_panel *p, enum gpio_line line)
{
    p->wired[line] = true;
}

void replay_panel_set(struct replay_panel *p, enum gpio_line line, int level)
{
    uint64_t one = 1;
    p->level[line] = level;
    if (p->edges == EDGES)
        return;
    p->edge[p->edges++] = line;
    ssize_t n = write(p->event_fd, &one, sizeof one);
    (void)n;
}

int replay_panel_sensor(struct replay_panel *p, int level)
{
    if (p->reading_count == p->reading_room) {
        size_t room = p->reading_room ? 2 * p->reading_room : 64;
        int *readings = realloc(p->readings, room * sizeof *readings);
        if (!readings)
            return -ENOMEM;
        p->readings = readings;
        p->reading_room = room;
    }
    p->readings[p->reading_count++] = level;
    return 0;
}

// --- the serial line ---

struct replay_line {
    int fd;
    struct loop_source *source;
};

static void on_host(void *user, int fd, uint32_t revents)
{
    (void)revents;
    struct replay_line *l = user;
    char buf[512];
    if (read(fd, buf, sizeof buf) == 0)
        l->source = loop_source_free(l->source);
}

int replay_line_new(struct loop *loop, struct replay_line **ret_line, struct transport **ret,
                    struct error *err)
{
    int ends[2];
    struct replay_line *l = calloc(1, sizeof *l);
    if (!l)
        return error_set(err, -ENOMEM, "out of memory");
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
        int r = error_set(err, -errno, "no serial line to replay on.");
        free(l);
        return r;
    }
    l->fd = ends[1];
    int r = io_set_nonblocking(l->fd, true);
    if (r == 0)
        r = loop_add_io(loop, l->fd, EPOLLIN, on_host, l, &l->source);
    if (r < 0) {
        close(ends[0]);
        replay_line_free(l);
        return error_set(err, r, "no serial line to replay on.");
    }
    r = transport_new_fd(ends[0], "the recorded plotter", NULL, NULL, ret, err);
    if (r < 0) {
        replay_line_free(l);
        return r;
    }
    *ret_line = l;
    return 0;
}

struct replay_line *replay_line_free(struct replay_line *l)
{
    if (!l)
        return NULL;
    loop_source_free(l->source);
    close(l->fd);
    free(l);
    return NULL;
}

int replay_line_say(struct replay_line *l, const char *bytes, size_t size)
{
    return io_write_all(&io_system, l->fd, bytes, size);
}
