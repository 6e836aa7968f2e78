// The real clock: sd-event on CLOCK_MONOTONIC.
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <systemd/sd-event.h>
#include <time.h>

#include "controller/loop_private.h"

// sd_event_exit() ends an event loop for good; a loop here may be run again, so it is turned by
// hand.
struct real_clock {
    sd_event *event;
    bool exiting;
    int code;
};

enum { TIMER_ACCURACY_US = 200 }; // sd-event's own default would be a quarter of a second

static int on_io(sd_event_source *s, int fd, uint32_t revents, void *user)
{
    (void)s;
    struct loop_source *source = user;
    // In the source's own functions (signal, child, post) `user` is the source.
    source->io(source->owns_fd ? source : source->user, fd, revents);
    return 0;
}

// sd-event counts microseconds; rounding up keeps the promise "at or after".
static uint64_t to_usec(int64_t due_ns)
{
    if (due_ns == INT64_MAX)
        return UINT64_MAX;
    return due_ns <= 0 ? 0 : (uint64_t)due_ns / 1000 + ((uint64_t)due_ns % 1000 != 0);
}

static int on_time(sd_event_source *s, uint64_t usec, void *user)
{
    (void)s, (void)usec;
    struct loop_source *source = user;
    source->due_ns = INT64_MAX;
    source->time(source->user, loop_now(source->loop));
    return 0;
}

static int real_attach(struct loop_source *source)
{
    struct real_clock *clock = source->loop->clock_data;
    sd_event *event = clock->event;
    sd_event_source *s = NULL;
    int r;
    if (source->kind == SOURCE_IO)
        r = sd_event_add_io(event, &s, source->fd, source->events, on_io, source);
    else
        r = sd_event_add_time(event, &s, CLOCK_MONOTONIC, to_usec(source->due_ns),
                              TIMER_ACCURACY_US, on_time, source);
    if (r < 0)
        return r;
    source->clock_data = s;
    if (source->kind == SOURCE_TIMER && source->due_ns == INT64_MAX)
        return sd_event_source_set_enabled(s, SD_EVENT_OFF);
    return 0;
}

static void real_detach(struct loop_source *source)
{
    sd_event_source_disable_unref(source->clock_data);
    source->clock_data = NULL;
}

static int real_change(struct loop_source *source)
{
    sd_event_source *s = source->clock_data;
    if (source->kind == SOURCE_IO) {
        if (!source->events)
            return sd_event_source_set_enabled(s, SD_EVENT_OFF);
        int r = sd_event_source_set_io_events(s, source->events);
        return r < 0 ? r : sd_event_source_set_enabled(s, SD_EVENT_ON);
    }
    if (source->due_ns == INT64_MAX)
        return sd_event_source_set_enabled(s, SD_EVENT_OFF);
    int r = sd_event_source_set_time(s, to_usec(source->due_ns));
    return r < 0 ? r : sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
}

static int64_t real_now(const struct loop *loop)
{
    (void)loop;
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int real_run(struct loop *loop)
{
    struct real_clock *clock = loop->clock_data;
    while (!clock->exiting) {
        int r = sd_event_run(clock->event, UINT64_MAX);
        if (r < 0)
            return r;
    }
    clock->exiting = false;
    return clock->code;
}

static void real_exit(struct loop *loop, int code)
{
    struct real_clock *clock = loop->clock_data;
    clock->exiting = true;
    clock->code = code;
}

// sd-event does not touch the user's pointer after a callback, so it can go at once.
static void real_release(struct loop_source *source)
{
    free(source);
}

static void real_free(struct loop *loop)
{
    struct real_clock *clock = loop->clock_data;
    if (clock)
        sd_event_unref(clock->event);
    free(clock);
}

const struct loop_clock loop_clock_real = {
    .attach = real_attach,
    .detach = real_detach,
    .change = real_change,
    .now = real_now,
    .run = real_run,
    .exit = real_exit,
    .release = real_release,
    .free = real_free,
};

int loop_new_real(struct loop **ret)
{
    struct loop *loop = calloc(1, sizeof *loop);
    if (!loop)
        return -ENOMEM;
    struct real_clock *clock = calloc(1, sizeof *clock);
    int r = clock ? sd_event_new(&clock->event) : -ENOMEM;
    // Under systemd (WatchdogSec) a loop that no longer turns is noticed, and the process ended:
    // the arm then stands after its leg, and the vacuum's lines are released.
    if (r >= 0)
        r = sd_event_set_watchdog(clock->event, true);
    if (r >= 0)
        r = loop_init(loop, &loop_clock_real, clock);
    if (r < 0) {
        if (clock)
            sd_event_unref(clock->event);
        free(clock);
        free(loop);
        return r;
    }
    *ret = loop;
    return 0;
}
