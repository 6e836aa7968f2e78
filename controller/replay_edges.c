#include "controller/replay_edges.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    double then[3], now[3]; // targets: as recorded, as sent in this replay
    double deviation;
};

static const double AT_TARGET_MM = 0.02;

// Follows motion lines: "G53G0X-344Y-292". Axes that are not named stay.
static void follow(double target[3], const char *bytes, size_t size)
{
    char text[512];
    size = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, bytes, size);
    text[size] = 0;
    for (char *save = NULL, *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        if (strncmp(line, "G53", 3) != 0)
            continue;
        for (int axis = 0; axis < 3; axis++) {
            const char *at = strchr(line, 'X' + axis);
            if (at)
                target[axis] = strtod(at + 1, NULL);
        }
    }
}

static void on_host(void *user, int fd, uint32_t revents)
{
    (void)revents;
    struct replay_line *l = user;
    char buf[512];
    ssize_t n = read(fd, buf, sizeof buf);
    if (n == 0)
        l->source = loop_source_free(l->source);
    if (n > 0)
        follow(l->now, buf, (size_t)n);
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

void replay_line_recorded(struct replay_line *l, const char *bytes, size_t size)
{
    follow(l->then, bytes, size);
}

double replay_line_deviation(const struct replay_line *l)
{
    return l->deviation;
}

// "<Idle|MPos:x,y,z|…" at the recorded target becomes one at the present target.
static int move_rest(struct replay_line *l, const char *bytes, size_t size, char *ret, size_t room)
{
    double at[3];
    int rest = 0;
    char text[256];
    if (size >= sizeof text)
        return -1;
    memcpy(text, bytes, size);
    text[size] = 0;
    if (sscanf(text, "<Idle|MPos:%lf,%lf,%lf%n", &at[0], &at[1], &at[2], &rest) != 3 || !rest)
        return -1;
    for (int axis = 0; axis < 3; axis++) {
        if (fabs(at[axis] - l->then[axis]) > AT_TARGET_MM)
            return -1;
        l->deviation = fmax(l->deviation, fabs(l->now[axis] - l->then[axis]));
    }
    return snprintf(ret, room, "<Idle|MPos:%.3f,%.3f,%.3f%s", l->now[0], l->now[1], l->now[2],
                    text + rest);
}

int replay_line_say(struct replay_line *l, const char *bytes, size_t size)
{
    char moved[320];
    int n = move_rest(l, bytes, size, moved, sizeof moved);
    if (n > 0 && (size_t)n < sizeof moved)
        return io_write_all(&io_system, l->fd, moved, (size_t)n);
    return io_write_all(&io_system, l->fd, bytes, size);
}
