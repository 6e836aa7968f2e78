#include "controller/gpio_chip.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "controller/gpio_backend.h"
#include "controller/gpio_debounce.h"

struct gpio_chip {
    struct gpio_handle *handle[GPIO_LINES]; // NULL = not wired
    struct gpio_debounce debounce[GPIO_LINES];
    int epoll_fd; // readable when any line has an edge or a window is over
    int timer_fd;
};

static bool is_output(enum gpio_line line)
{
    return line >= GPIO_LAMP_TURN;
}

static bool is_button(enum gpio_line line)
{
    return line == GPIO_BUTTON_DONE || line == GPIO_BUTTON_RESET;
}

int gpio_request_error(struct error *err, int number, const struct gpio_pin *pin,
                       enum gpio_line what, const char *holder)
{
    char where[3 * GPIO_NAME_MAX];
    if (pin->name[0])
        snprintf(where, sizeof where, "\"%s\"%s%s", pin->name, pin->chip[0] ? " on chip " : "",
                 pin->chip);
    else
        snprintf(where, sizeof where, "%u on chip %s", pin->offset, pin->chip);
    const char *name = gpio_line_name(what);
    switch (-number) {
    case ENOENT:
        return error_set_code(err, number, "NoSuchLine",
                              "the GPIO line %s for %s was not found. `gpioinfo` lists the lines "
                              "this computer has.",
                              where, name);
    case EBUSY:
        return error_set_code(err, number, "LineBusy",
                              "the GPIO line %s for %s is held by %s. Stop that program or wire %s "
                              "to another line.",
                              where, name, holder && holder[0] ? holder : "another program", name);
    case EACCES:
    case EPERM:
        return error_set_code(err, number, "NoPermission",
                              "no permission to use the GPIO line %s for %s. Add your user to the "
                              "group gpio and log in again.",
                              where, name);
    default:
        return error_set(err, number, "the GPIO line %s for %s can't be used: %s.", where, name,
                         strerror(-number));
    }
}

static int64_t first_due(const struct gpio_chip *c)
{
    int64_t due = INT64_MAX;
    for (int i = 0; i < GPIO_LINES; i++) {
        if (c->handle[i] && !is_output((enum gpio_line)i) && c->debounce[i].due_ns < due)
            due = c->debounce[i].due_ns;
    }
    return due;
}

static void arm_timer(struct gpio_chip *c)
{
    int64_t due = first_due(c);
    struct itimerspec spec = {0}; // zero disarms
    if (due != INT64_MAX) {
        spec.it_value.tv_sec = due / NS_PER_S;
        spec.it_value.tv_nsec = due % NS_PER_S;
    }
    timerfd_settime(c->timer_fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

static int chip_get(void *impl, enum gpio_line line)
{
    struct gpio_chip *c = impl;
    return c->handle[line] ? gpio_backend_get(c->handle[line]) : -ENOENT;
}

static int chip_set(void *impl, enum gpio_line line, int value)
{
    struct gpio_chip *c = impl;
    if (!is_output(line))
        return -EINVAL;
    return c->handle[line] ? gpio_backend_set(c->handle[line], value != 0) : -ENOENT;
}

static int chip_fd(void *impl)
{
    struct gpio_chip *c = impl;
    return c->epoll_fd;
}

// Takes every waiting edge of the line and looks what the contact reads now.
static bool line_changed(struct gpio_chip *c, enum gpio_line line, int64_t *ret_ns)
{
    bool edge = false;
    int64_t when = 0;
    while (gpio_backend_drain(c->handle[line], &when) == 0) {
        if (!edge)
            *ret_ns = when;
        edge = true;
    }
    int64_t now = clock_monotonic_ns();
    bool due = now >= c->debounce[line].due_ns;
    if (!edge && !due)
        return false;
    int level = gpio_backend_get(c->handle[line]);
    if (level < 0)
        return false;
    if (edge)
        return gpio_debounce_edge(&c->debounce[line], level, now);
    *ret_ns = now;
    return gpio_debounce_due(&c->debounce[line], level, now);
}

static int chip_read_edge(void *impl, enum gpio_line *ret, int64_t *ret_ns)
{
    struct gpio_chip *c = impl;
    uint64_t expirations;
    ssize_t n = read(c->timer_fd, &expirations, sizeof expirations);
    (void)n; // the windows tell for themselves whether they are over
    // The e-stop first, whatever else is waiting.
    static const enum gpio_line order[] = {GPIO_ESTOP, GPIO_LID, GPIO_PICK_SENSOR,
                                           GPIO_BUTTON_RESET, GPIO_BUTTON_DONE};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        int64_t when = 0;
        if (!c->handle[order[i]] || !line_changed(c, order[i], &when))
            continue;
        arm_timer(c);
        *ret = order[i];
        *ret_ns = when;
        return 0;
    }
    arm_timer(c);
    return -EAGAIN;
}

static void chip_close(void *impl)
{
    struct gpio_chip *c = impl;
    for (int i = 0; i < GPIO_LINES; i++)
        gpio_backend_free(c->handle[i]);
    if (c->timer_fd >= 0)
        close(c->timer_fd);
    if (c->epoll_fd >= 0)
        close(c->epoll_fd);
    free(c);
}

static const struct gpio_ops chip_ops = {
    .get = chip_get,
    .set = chip_set,
    .fd = chip_fd,
    .read_edge = chip_read_edge,
    .close = chip_close,
};

static int watch(struct gpio_chip *c, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return epoll_ctl(c->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static int open_line(struct gpio_chip *c, const struct gpio_wiring *wiring, enum gpio_line line,
                     struct error *err)
{
    int r = gpio_backend_request(&wiring->pin[line], line, is_output(line), &c->handle[line], err);
    if (r < 0 || is_output(line))
        return r;
    int level = gpio_backend_get(c->handle[line]);
    if (level < 0)
        return gpio_request_error(err, level, &wiring->pin[line], line, NULL);
    gpio_debounce_init(&c->debounce[line], is_button(line) ? wiring->debounce_ns : 0, level);
    r = watch(c, gpio_backend_fd(c->handle[line]));
    return r < 0 ? gpio_request_error(err, r, &wiring->pin[line], line, NULL) : 0;
}

int gpio_chip_open(const struct gpio_wiring *wiring, struct gpio *ret, struct error *err)
{
    struct gpio_chip *c = calloc(1, sizeof *c);
    if (!c)
        return error_set(err, -ENOMEM, "out of memory");
    c->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    c->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    int r = c->epoll_fd < 0 || c->timer_fd < 0 ? -errno : watch(c, c->timer_fd);
    if (r < 0)
        error_set(err, r, "the GPIO lines can't be watched: %s.", strerror(-r));
    for (int i = 0; r == 0 && i < GPIO_LINES; i++) {
        if (wiring->pin[i].wired)
            r = open_line(c, wiring, (enum gpio_line)i, err);
    }
    if (r < 0) {
        chip_close(c);
        return r;
    }
    *ret = (struct gpio){.ops = &chip_ops, .impl = c};
    return 0;
}

const char *gpio_chip_library(void)
{
    return gpio_backend_library();
}
