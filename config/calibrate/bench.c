#include "config/calibrate/bench.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "config/calibrate/bench_private.h"

void bench_stop(struct bench *b)
{
    if (b->arm) {
        arm_stop(b->arm, ARM_STOP_PERSON, loop_now(b->loop));
        arm_link_update(b->link);
    }
    b->stopped = true;
    loop_exit(b->loop, 0);
}

static void on_signal(void *user, int signo)
{
    (void)signo;
    bench_stop(user);
}

static void on_timer(void *user, int64_t now_ns)
{
    (void)now_ns;
    struct bench *b = user;
    loop_exit(b->loop, 0);
}

static void on_estop(void *user, bool stop)
{
    struct bench *b = user;
    if (!b->arm)
        return;
    arm_set_stop_input(b->arm, ARM_STOP_ESTOP, stop, loop_now(b->loop));
    arm_link_update(b->link);
}

static void on_lid(void *user, bool open)
{
    struct bench *b = user;
    if (!b->arm)
        return;
    arm_set_stop_input(b->arm, ARM_STOP_LID, open, loop_now(b->loop));
    arm_link_update(b->link);
}

static void on_pressed(void *user, enum gpio_line button)
{
    struct bench *b = user;
    b->pressed[button] = true;
    loop_exit(b->loop, 0);
}

static void on_lost(void *user, const char *text)
{
    bench_say(user, "The panel is gone: %s", text);
}

static int open_panel(struct bench *b, struct error *err)
{
    if (!b->devices.has_gpio)
        return 0;
    const struct controls_events events = {
        .estop = on_estop, .lid = on_lid, .pressed = on_pressed, .lost = on_lost, .user = b};
    b->gpio = b->devices.gpio; // closed by the controls
    int r = controls_new(b->loop, &b->gpio, &events, &b->controls, err);
    if (r == 0)
        b->devices.has_gpio = false;
    return r;
}

static int open_parts(struct bench *b, struct error *err)
{
    const struct settings *s = b->options.settings;
    bool sim = strcmp(s->serial.port, "sim") == 0;
    int r = sim ? loop_new_virtual(NS_PER_S, &b->loop) : loop_new_real(&b->loop);
    if (r == 0)
        r = loop_add_timer(b->loop, INT64_MAX, on_timer, b, &b->timer);
    if (r == 0)
        r = loop_add_endings(b->loop, on_signal, b, NULL);
    if (r < 0)
        return error_set(err, r, "cannot start the event loop: %s", strerror(-r));
    r = devices_open_on(b->loop, s, b->options.calibration,
                        (b->options.camera_only ? 0U : (unsigned)DEVICES_PANEL) |
                            (b->options.arm ? (unsigned)DEVICES_ARM : 0U),
                        NULL, b->options.table, &b->devices, err);
    if (r < 0)
        return r;
    b->opened = true;
    // Not where an older calibration would have it: the board or the camera may have been moved.
    b->devices.arm.park[0] = s->machine.park_x;
    b->devices.arm.park[1] = s->machine.park_y;
    r = open_panel(b, err);
    // The arm is there from the beginning, faulted: somebody must hear what the firmware says.
    return r == 0 && b->options.arm ? bench_make_arm(b, err) : r;
}

int bench_open(const struct bench_options *options, struct bench **ret, struct error *err)
{
    struct bench *b = calloc(1, sizeof *b);
    if (!b)
        return error_set(err, -ENOMEM, "out of memory");
    b->options = *options;
    int r = open_parts(b, err);
    if (r < 0) {
        bench_free(b);
        return r;
    }
    *ret = b;
    return 0;
}

struct bench *bench_free(struct bench *b)
{
    if (!b)
        return NULL;
    bench_close_arm(b);
    bench_new_vision(b);
    if (b->camera_open)
        b->camera.ops->close(b->camera.impl);
    controls_free(b->controls);
    if (b->opened)
        devices_close(&b->devices);
    loop_free(b->loop);
    free(b);
    return NULL;
}

const struct settings *bench_settings(const struct bench *b)
{
    return b->options.settings;
}

struct calibration *bench_calibration(struct bench *b)
{
    return b->options.calibration;
}

struct loop *bench_loop(struct bench *b)
{
    return b->loop;
}

struct table *bench_table(struct bench *b)
{
    return b->devices.table;
}

int bench_colours(const struct bench *b)
{
    return b->devices.vision.colours;
}

void bench_say(struct bench *b, const char *format, ...)
{
    char text[ERROR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    b->options.people.say(b->options.people.user, text);
}

bool bench_ask(struct bench *b, const char *text)
{
    if (b->options.yes) {
        bench_say(b, "%s yes", text);
        return true;
    }
    return b->options.people.ask(b->options.people.user, text);
}

int bench_tidy(struct bench *b, struct error *err)
{
    struct stores *stores = bench_stores(b);
    bool done = b->devices.table != NULL;
    for (int colour = 1; done && colour <= bench_colours(b); colour++)
        table_empty_tray(b->devices.table, colour);
    // With nobody to ask, the heaps just grow; where they are in the way a lift fails and says so.
    if (!done && !b->options.yes)
        done = bench_ask(b, "The trays are getting full. Are their stones back in the stores?");
    if (!done && !b->options.yes)
        return error_set(err, -ECANCELED, "stopped");
    for (int i = 0; done && i < stores->count; i++) {
        struct store *store = &stores->store[i];
        for (int slot = 0; store->kind == STORE_TRAY && slot < store->columns * store->rows; slot++)
            (void)stores_set_slot(stores, i, slot, store->role == STORE_SUPPLY);
        (void)stores_set_count(stores, i, store->role == STORE_CAPTURED ? 0 : store->capacity);
    }
    return 0;
}

bool bench_asks_nobody(const struct bench *b)
{
    return b->options.yes;
}

bool bench_measure(struct bench *b, const char *text, double proposed, double *ret)
{
    *ret = proposed;
    return b->options.yes || b->options.people.measure(b->options.people.user, text, proposed, ret);
}

int bench_run_until(struct bench *b, int64_t due_ns)
{
    if (b->stopped)
        return -ECANCELED;
    (void)loop_source_set_due(b->timer, due_ns);
    int r = loop_run(b->loop);
    (void)loop_source_set_due(b->timer, INT64_MAX);
    return b->stopped ? -ECANCELED : r < 0 ? r : 0;
}

int bench_wait_failed(int r, struct error *err)
{
    if (r == -ECANCELED)
        return error_set(err, r, "stopped");
    return error_set(err, r, "the event loop failed: %s", strerror(-r));
}

int bench_wait(struct bench *b, int64_t ns)
{
    int64_t due = loop_now(b->loop) + ns;
    int r = 0;
    while (r == 0 && loop_now(b->loop) < due)
        r = bench_run_until(b, due);
    return r;
}

// --- panel ---

bool bench_wired(const struct bench *b, enum gpio_line line)
{
    return b->controls && controls_wired(b->controls, line);
}

int bench_level(const struct bench *b, enum gpio_line line)
{
    return b->controls ? b->gpio.ops->get(b->gpio.impl, line) : -ENOENT;
}

void bench_lamp(struct bench *b, enum gpio_line lamp, bool lit)
{
    if (b->controls)
        controls_lamp(b->controls, lamp, lit);
}

// A button is down for a moment only; its press is remembered.
static bool level_seen(struct bench *b, enum gpio_line line, int value)
{
    if (value == 1 && b->pressed[line])
        return true;
    return bench_level(b, line) == value;
}

int bench_wait_level(struct bench *b, enum gpio_line line, int value, int seconds)
{
    int64_t due = loop_now(b->loop) + seconds * NS_PER_S;
    b->pressed[line] = false;
    if (b->devices.table && line == GPIO_ESTOP)
        table_estop(b->devices.table, value == 1);
    else if (b->devices.table && value == 1)
        table_press(b->devices.table, line);
    int r = 0;
    while (r == 0 && !level_seen(b, line, value)) {
        if (loop_now(b->loop) >= due)
            return -ETIMEDOUT;
        r = bench_run_until(b, loop_now(b->loop) + 20 * NS_PER_MS);
    }
    return r;
}
