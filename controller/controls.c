#include "controller/controls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "config/base/clock.h"

// How long a GPIO chip that is gone (a USB expander pulled out) may stay unnoticed: no edge tells
// it.
static const int64_t WATCH_NS = 250 * NS_PER_MS;

struct controls {
    struct gpio gpio;
    struct controls_events events;
    struct loop_source *source, *watch;
    bool lost, estop, lid;
    bool wired[GPIO_LINES];
};

static int get(const struct controls *p, enum gpio_line line)
{
    return p->gpio.ops->get(p->gpio.impl, line);
}

static void set_estop(struct controls *p, bool stop)
{
    if (stop == p->estop)
        return;
    p->estop = stop;
    p->events.estop(p->events.user, stop);
}

static void set_lid(struct controls *p, bool open)
{
    if (open == p->lid)
        return;
    p->lid = open;
    if (p->events.lid)
        p->events.lid(p->events.user, open);
}

static void lose(struct controls *p, const char *text)
{
    if (p->lost)
        return;
    p->lost = true;
    p->source = loop_source_free(p->source);
    p->watch = loop_source_free(p->watch);
    set_estop(p, true);
    p->events.lost(p->events.user, text);
}

// An edge is only a hint: the level decides, and an edge that the queue dropped shows here too.
static void check_stops(struct controls *p)
{
    if (p->wired[GPIO_ESTOP])
        set_estop(p, get(p, GPIO_ESTOP) != 0);
    if (p->wired[GPIO_LID])
        set_lid(p, get(p, GPIO_LID) != 0);
}

static void on_edges(void *user, int fd, uint32_t revents)
{
    (void)fd, (void)revents;
    struct controls *p = user;
    enum gpio_line line;
    int64_t when;
    check_stops(p);
    int r;
    while (p->source && (r = p->gpio.ops->read_edge(p->gpio.impl, &line, &when)) == 0) {
        if (line == GPIO_ESTOP || line == GPIO_LID)
            check_stops(p);
        else if ((line == GPIO_BUTTON_DONE || line == GPIO_BUTTON_RESET) && get(p, line) == 1)
            p->events.pressed(p->events.user, line);
    }
    if (p->source && r != -EAGAIN)
        lose(p, "the GPIO lines of the panel can't be read any more. Check the wiring and start "
                "again.");
}

// The stops are read without an edge as well: a kernel does not wake those who wait for the edges
// of a chip that was taken away.
static void on_watch(void *user, int64_t now)
{
    struct controls *p = user;
    if (get(p, p->wired[GPIO_ESTOP] ? GPIO_ESTOP : GPIO_LID) < 0) {
        lose(p, "the GPIO lines of the panel are gone. Plug their chip in and start again.");
        return;
    }
    check_stops(p);
    if (p->watch)
        loop_source_set_due(p->watch, now + WATCH_NS);
}

int controls_new(struct loop *loop, const struct gpio *gpio, const struct controls_events *events,
                 struct controls **ret, struct error *err)
{
    struct controls *p = calloc(1, sizeof *p);
    if (!p)
        return error_set(err, -ENOMEM, "out of memory");
    p->gpio = *gpio;
    p->events = *events;
    for (int i = 0; i < GPIO_LINES; i++)
        p->wired[i] = get(p, (enum gpio_line)i) != -ENOENT;
    p->estop = p->wired[GPIO_ESTOP] && get(p, GPIO_ESTOP) != 0;
    p->lid = p->wired[GPIO_LID] && get(p, GPIO_LID) != 0;
    int r = loop_add_io(loop, gpio->ops->fd(gpio->impl), EPOLLIN, on_edges, p, &p->source);
    // A simulated panel has no chip that could go away.
    if (r == 0 && (p->wired[GPIO_ESTOP] || p->wired[GPIO_LID]) && !loop_is_virtual(loop))
        r = loop_add_timer(loop, loop_now(loop) + WATCH_NS, on_watch, p, &p->watch);
    if (r < 0) {
        loop_source_free(p->source);
        free(p);
        return error_set(err, r, "the panel can't be watched: %s.", strerror(-r));
    }
    *ret = p;
    return 0;
}

struct controls *controls_free(struct controls *p)
{
    if (!p)
        return NULL;
    loop_source_free(p->source);
    loop_source_free(p->watch);
    static const enum gpio_line outputs[] = {GPIO_LAMP_TURN, GPIO_LAMP_FAULT, GPIO_PUMP,
                                             GPIO_VALVE};
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++)
        p->gpio.ops->set(p->gpio.impl, outputs[i], 0);
    p->gpio.ops->close(p->gpio.impl);
    free(p);
    return NULL;
}

bool controls_wired(const struct controls *p, enum gpio_line line)
{
    return p->wired[line];
}

bool controls_estop(const struct controls *p)
{
    return p->estop;
}

bool controls_lid(const struct controls *p)
{
    return p->lid;
}

static int set(struct controls *p, enum gpio_line line, int value)
{
    int r = p->gpio.ops->set(p->gpio.impl, line, value);
    if (r < 0 && r != -ENOENT)
        lose(p, "an output of the panel can't be set any more. Check the wiring and start again.");
    return r;
}

void controls_lamp(struct controls *p, enum gpio_line lamp, bool lit)
{
    set(p, lamp, lit);
}

static int set_pump(void *user, int on)
{
    return set(user, GPIO_PUMP, on);
}

static int set_valve(void *user, int vented)
{
    return set(user, GPIO_VALVE, vented);
}

static int get_sensor(void *user)
{
    return get(user, GPIO_PICK_SENSOR);
}

struct gripper_lines controls_gripper(struct controls *p)
{
    return (struct gripper_lines){
        .user = p,
        .set_pump = set_pump,
        .set_valve = p->wired[GPIO_VALVE] ? set_valve : NULL,
        .get_sensor = p->wired[GPIO_PICK_SENSOR] ? get_sensor : NULL,
    };
}
