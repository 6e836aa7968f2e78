// The panel: levels, edges, and an eventfd that is readable while an edge waits.
#include "controller/sim/panel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { EDGES_MAX = 16 }; // the kernel's queue has as many; the oldest is dropped, as uAPI v2 does

struct edge {
    enum gpio_line line;
    int64_t time_ns;
};

struct panel {
    const struct panel_ops *ops;
    void *user;
    struct gpio gpio;
    bool vents_at_rest, lost;
    int event_fd;
    int level[GPIO_LINES];
    struct edge edge[EDGES_MAX];
    int edge_head, edge_count;
};

static bool is_output(enum gpio_line line)
{
    return line >= GPIO_LAMP_TURN && line < GPIO_LINES;
}

static int panel_get(void *impl, enum gpio_line line)
{
    struct panel *panel = impl;
    if (line < 0 || line >= GPIO_LINES)
        return -ENOENT;
    if (panel->lost)
        return -ENODEV;
    if (line == GPIO_PICK_SENSOR)
        panel->level[line] = panel->ops->pick_sensor(panel->user);
    return panel->level[line];
}

static void drive(struct panel *panel, enum gpio_line line, bool value)
{
    panel->level[line] = value;
    panel->ops->output(panel->user, line, value);
}

static int panel_set(void *impl, enum gpio_line line, int value)
{
    struct panel *panel = impl;
    if (!is_output(line))
        return -EPERM;
    if (panel->lost)
        return -ENODEV;
    drive(panel, line, value != 0);
    return 0;
}

static int panel_fd(void *impl)
{
    return ((struct panel *)impl)->event_fd;
}

static int panel_read_edge(void *impl, enum gpio_line *ret, int64_t *ret_ns)
{
    struct panel *panel = impl;
    if (panel->edge_count == 0)
        return -EAGAIN;
    const struct edge *e = &panel->edge[panel->edge_head];
    *ret = e->line;
    *ret_ns = e->time_ns;
    panel->edge_head = (panel->edge_head + 1) % EDGES_MAX;
    if (--panel->edge_count == 0) {
        uint64_t count;
        if (read(panel->event_fd, &count, sizeof count) < 0)
            return 0; // it was not readable: nothing to clear
    }
    return 0;
}

static void panel_close(void *impl)
{
    panel_release(impl);
}

static const struct gpio_ops OPS = {
    .get = panel_get,
    .set = panel_set,
    .fd = panel_fd,
    .read_edge = panel_read_edge,
    .close = panel_close,
};

int panel_new(const struct panel_ops *ops, void *user, bool vents_at_rest, struct panel **ret,
              struct error *err)
{
    struct panel *panel = calloc(1, sizeof *panel);
    if (!panel)
        return error_set(err, -ENOMEM, "Out of memory.");
    panel->ops = ops;
    panel->user = user;
    panel->gpio = (struct gpio){.ops = &OPS, .impl = panel};
    panel->vents_at_rest = vents_at_rest;
    panel->level[GPIO_VALVE] = vents_at_rest;
    panel->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (panel->event_fd < 0) {
        const int r = -errno;
        free(panel);
        return error_set(err, r, "No event descriptor for the simulated panel: %s.", strerror(-r));
    }
    *ret = panel;
    return 0;
}

struct panel *panel_free(struct panel *panel)
{
    if (!panel)
        return NULL;
    close(panel->event_fd);
    free(panel);
    return NULL;
}

struct gpio *panel_gpio(struct panel *panel)
{
    return &panel->gpio;
}

void panel_set_input(struct panel *panel, enum gpio_line line, int value, int64_t now_ns)
{
    if (panel->level[line] == value)
        return;
    panel->level[line] = value;
    if (panel->lost)
        return;
    if (panel->edge_count == EDGES_MAX) {
        panel->edge_head = (panel->edge_head + 1) % EDGES_MAX;
        panel->edge_count--;
    }
    panel->edge[(panel->edge_head + panel->edge_count++) % EDGES_MAX] =
        (struct edge){.line = line, .time_ns = now_ns};
    const uint64_t one = 1;
    if (write(panel->event_fd, &one, sizeof one) < 0)
        return; // full: it is readable, which is all that matters
}

int panel_level(const struct panel *panel, enum gpio_line line)
{
    return panel->level[line];
}

void panel_release(struct panel *panel)
{
    drive(panel, GPIO_PUMP, false);
    drive(panel, GPIO_VALVE, panel->vents_at_rest);
    drive(panel, GPIO_LAMP_TURN, false);
    drive(panel, GPIO_LAMP_FAULT, false);
}

void panel_lose_chip(struct panel *panel)
{
    panel_release(panel);
    panel->lost = true;
}
