// bench_stop: how long a stop takes from its cause to the wire while the camera is looked at as
// closely as it can be: the real loop, the real worker thread, the arm moving all the time.
//
// The cause comes from a thread of its own at random moments, as an edge of the e-stop's line does:
// what is measured includes whatever the loop was just doing. One cause in CAUSES_A_STOP really
// stops the arm (up to the byte handed to the tty); the others measure the way to the handler, to
// which a stop adds a few microseconds, printed too.
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "config/base/rng.h"
#include "controller/arm_link.h"
#include "controller/evidence.h"
#include "controller/eye.h"
#include "controller/sim/table.h"

enum { CAUSES = 1500, CAUSES_A_STOP = 250, OBSERVED_MIN = 50 };

static const double p99_bar = 10, max_bar = 50; // ms

struct bench {
    struct loop *loop;
    struct table *table;
    struct transport *transport;
    struct gripper *gripper;
    struct stores stores;
    struct arm *arm;
    struct arm_link *link;
    struct eye *eye;
    struct evidence evidence;
    struct loop_source *release;
    int line; // eventfd: the edge
    _Atomic int64_t cause_ns;
    double way[CAUSES], handler[CAUSES / CAUSES_A_STOP + 1]; // ms
    int causes, stops, observed, legs;
    int64_t wire_ns; // first byte out since the last cause
};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

_Noreturn static void fail(const char *what)
{
    fprintf(stderr, "bench_stop: %s\n", what);
    exit(1);
}

// --- the cause ---

static void *causes(void *user)
{
    struct bench *b = user;
    struct rng rng;
    rng_seed(&rng, 1);
    for (int i = 0; i < CAUSES; i++) {
        struct timespec t = {.tv_nsec = (long)rng_range(&rng, 5e6, 25e6)};
        const uint64_t one = 1;
        nanosleep(&t, NULL);
        atomic_store(&b->cause_ns, now_ns());
        if (write(b->line, &one, sizeof one) != sizeof one)
            break;
        while (atomic_load(&b->cause_ns) != 0) {
            t.tv_nsec = 500000;
            nanosleep(&t, NULL);
        }
    }
    return NULL;
}

static void on_cause(void *user, int fd, uint32_t revents)
{
    struct bench *b = user;
    uint64_t count;
    (void)revents;
    int64_t handled = now_ns(), cause = atomic_load(&b->cause_ns);
    if (read(fd, &count, sizeof count) != sizeof count || b->causes == CAUSES)
        return;
    if (b->causes % CAUSES_A_STOP == CAUSES_A_STOP - 1) {
        b->wire_ns = 0;
        arm_set_stop_input(b->arm, ARM_STOP_ESTOP, true, loop_now(b->loop));
        if (!b->wire_ns)
            fail("a stop sent nothing before it returned.");
        b->handler[b->stops++] = (double)(b->wire_ns - handled) / 1e6;
        handled = b->wire_ns;
        loop_source_set_due(b->release, loop_now(b->loop) + NS_PER_S / 2);
        arm_link_update(b->link);
    }
    b->way[b->causes++] = (double)(handled - cause) / 1e6;
    atomic_store(&b->cause_ns, 0);
    if (b->causes == CAUSES)
        loop_exit(b->loop, 0);
}

static void on_bytes(void *user, enum transport_direction direction, const void *data, size_t size)
{
    struct bench *b = user;
    (void)data, (void)size;
    if (direction == TRANSPORT_OUT && !b->wire_ns)
        b->wire_ns = now_ns();
}

// --- what goes on meanwhile ---

static void move_on(struct bench *b)
{
    struct arm_job job = {
        .kind = ARM_JOB_GOTO, .x = b->legs++ % 2 ? -100 : -500, .y = -100, .store = -1};
    arm_submit(b->arm, &job, loop_now(b->loop), NULL, NULL);
}

static void on_event(void *user, const struct arm_event *e, int64_t now)
{
    struct bench *b = user;
    struct arm_job home = {.kind = ARM_JOB_HOME, .store = -1};
    if (e->kind == ARM_EVENT_STATE && e->state == ARM_UNKNOWN && !arm_busy(b->arm))
        arm_submit(b->arm, &home, now, NULL, NULL);
    else if (e->kind == ARM_EVENT_DONE)
        move_on(b);
}

static void on_release(void *user, int64_t now)
{
    struct bench *b = user;
    struct error err;
    arm_set_stop_input(b->arm, ARM_STOP_ESTOP, false, now);
    if (arm_reset(b->arm, now, &err) < 0)
        fail(err.text);
    arm_link_update(b->link);
}

static void on_observed(void *user, const struct observation *o, const struct frame *frame)
{
    struct bench *b = user;
    (void)frame;
    evidence_add(&b->evidence, o);
    b->observed++;
}

static void on_lost(void *user, const struct error *err)
{
    (void)user;
    fail(err->text);
}

static void on_back(void *user, const char *name)
{
    (void)user, (void)name;
}

static int open_camera(void *user, struct frame_source *ret, struct error *err)
{
    (void)err;
    *ret = *table_camera(((struct bench *)user)->table);
    return 0;
}

static int set_line(void *user, int value)
{
    (void)user, (void)value;
    return 0;
}

// --- together ---

static int open_arm(struct bench *b, struct error *err)
{
    const struct gripper_lines lines = {b, set_line, set_line, NULL};
    const struct arm_hooks hooks = {.event = on_event, .user = b};
    const struct arm_config config = arm_config_default();
    int r = transport_open_device(table_serial_path(b->table), &b->transport, err);
    if (r == 0)
        r = gripper_new_gpio(&lines, &b->gripper);
    if (r == 0)
        r = arm_new(&config, 0, b->transport, b->gripper, &b->stores, &hooks, loop_now(b->loop),
                    &b->arm, err);
    if (r == 0)
        r = arm_link_new(b->loop, b->arm, &b->link, err);
    if (r < 0)
        return r;
    b->transport->tap = on_bytes;
    b->transport->tap_user = b;
    return loop_add_timer(b->loop, loop_now(b->loop), on_release, b, &b->release);
}

static int open_eye(struct bench *b, struct error *err)
{
    const struct eye_options options = {.vision = vision_settings_default(),
                                        .open = open_camera,
                                        .open_user = b,
                                        .rate_full = 30,
                                        .rate_idle = 30,
                                        .follow_motion = true};
    const struct eye_events events = {
        .observed = on_observed, .lost = on_lost, .back = on_back, .user = b};
    int r = eye_new(b->loop, &options, &events, &b->eye, err);
    if (r < 0)
        return r;
    eye_set_arm(b->eye, VISION_ARM_PARKED);
    eye_set_pace(b->eye, EYE_FULL);
    return 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int report(struct bench *b)
{
    double load = 0;
    qsort(b->way, CAUSES, sizeof *b->way, by_value);
    qsort(b->handler, (size_t)b->stops, sizeof *b->handler, by_value);
    double p99 = b->way[CAUSES * 99 / 100], most = b->way[CAUSES - 1];
    printf("stop_under_vision_median\t%.3g\t0\tms\n", b->way[CAUSES / 2]);
    printf("stop_under_vision_p99\t%.3g\t0\tms\n", p99);
    printf("stop_under_vision_max\t%.3g\t0\tms\n", most);
    printf("stop_handler_to_wire_max\t%.3g\t0\tms\n", b->handler[b->stops - 1]);
    printf("stop_pictures_read_meanwhile\t%d\t0\tframes\n", b->observed);
    if (b->observed < OBSERVED_MIN)
        fail("the camera was hardly looked at: this was no load.");
    if (p99 <= p99_bar && most <= max_bar)
        return 0;
    // On a computer that does other things as well the figure is about those.
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    bool crowded = getloadavg(&load, 1) == 1 && load > (double)processors + 1;
    fprintf(stderr, "bench_stop: above the bar of %.0f ms (p99) and %.0f ms (max)%s\n", p99_bar,
            max_bar, crowded ? ", but other programs were keeping the processors busy." : ".");
    return crowded ? 0 : 1;
}

int main(void)
{
    static struct bench b; // too large for a stack
    struct table_setup setup;
    struct error err = {0};
    pthread_t thread;
    table_setup_default(&setup);
    b.line = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int r = b.line < 0 ? -1 : loop_new_real(&b.loop);
    if (r == 0)
        r = table_new(&setup, b.loop, NULL, &b.table, &err);
    if (r == 0)
        r = open_arm(&b, &err);
    if (r == 0)
        r = open_eye(&b, &err);
    if (r == 0)
        r = loop_add_io(b.loop, b.line, EPOLLIN, on_cause, &b, NULL);
    if (r == 0)
        r = pthread_create(&thread, NULL, causes, &b);
    if (r != 0)
        fail(err.text[0] ? err.text : "it can't be set up.");
    r = loop_run(b.loop);
    pthread_join(thread, NULL);
    eye_free(b.eye);
    arm_link_free(b.link);
    arm_free(b.arm);
    gripper_free(b.gripper);
    transport_free(b.transport);
    table_free(b.table);
    loop_free(b.loop);
    close(b.line);
    return r < 0 ? 1 : report(&b);
}
