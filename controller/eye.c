#include "controller/eye.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "config/base/clock.h"

static const int64_t REOPEN_MIN_NS = NS_PER_S / 2, REOPEN_MAX_NS = 5 * NS_PER_S;
// A camera that opened may take so long until its first whole picture, and so may any other.
static const int64_t SILENT_MAX_NS = 5 * NS_PER_S / 2;

// What the loop wants from the worker; copied under the lock.
struct orders {
    enum eye_pace pace;
    enum vision_arm arm;
    bool expect_changed, geometry_changed, models_changed, anew, draw, quit;
    int expected;
    uint8_t expect[BOARD_POINTS_MAX];
    struct geometry geometry;
    struct vision_models models;
};

struct drawing {
    int width, height;
    uint8_t *rgb;
    size_t room;
};

// What the worker has for the loop; the newest replaces what was not fetched.
struct result {
    bool observed, lost, back, drawn;
    struct observation observation;
    struct frame frame; // data points into `bytes`
    uint8_t *bytes;
    size_t room;
    struct drawing drawing;
    struct error error;
    char name[64];
};

struct eye {
    struct loop *loop;
    struct eye_options options;
    struct eye_events events;

    // The worker's own (on a virtual loop: the loop's).
    struct vision *vision;
    struct frame_source source;
    bool open, was_lost, greeted, busy_scene;
    bool draw; // the next picture
    struct drawing drawing;
    int64_t backoff_ns;
    int64_t heard_ns; // when it was opened or last gave a whole picture
    struct observation observation;

    pthread_mutex_t lock;
    struct orders orders;
    struct result result;  // filled by the worker
    struct result fetched; // of the loop

    pthread_t thread;
    bool threaded;
    int wake_fd;               // loop → worker: new orders
    int ready_fd;              // worker → loop: a result is waiting
    struct loop_source *ready; // watches it
    struct loop_source *timer; // virtual loop only
};

// --- work: everything here runs in the worker, or in a virtual loop ---

static void deliver(struct eye *c);

static void take_orders(struct eye *c, struct orders *ret)
{
    pthread_mutex_lock(&c->lock);
    *ret = c->orders;
    c->orders.expect_changed = c->orders.geometry_changed = c->orders.models_changed = false;
    c->orders.anew = c->orders.draw = false;
    pthread_mutex_unlock(&c->lock);
}

static void obey(struct eye *c, const struct orders *o)
{
    vision_set_arm(c->vision, o->arm);
    if (o->expect_changed)
        vision_expect(c->vision, o->expected ? o->expect : NULL);
    if (o->anew)
        vision_reset(c->vision);
    c->draw = c->draw || o->draw;
    // What doesn't fit is left out: the reader then finds and learns it by itself.
    if (o->geometry_changed)
        vision_set_geometry(c->vision, &o->geometry, NULL);
    if (o->models_changed)
        vision_set_models(c->vision, &o->models, NULL);
}

static void report_lost(struct eye *c, const struct error *err)
{
    if (c->open)
        c->source.ops->close(c->source.impl);
    c->open = false;
    if (c->was_lost)
        return;
    c->was_lost = true;
    pthread_mutex_lock(&c->lock);
    c->result.lost = true;
    c->result.back = false;
    c->result.error = *err;
    pthread_mutex_unlock(&c->lock);
    deliver(c);
}

// Only with a picture: what opens and then shows nothing is not back.
static void report_back(struct eye *c)
{
    c->was_lost = false;
    c->backoff_ns = REOPEN_MIN_NS;
    pthread_mutex_lock(&c->lock);
    c->result.back = true;
    memcpy(c->result.name, c->source.name, sizeof c->result.name);
    pthread_mutex_unlock(&c->lock);
    deliver(c);
}

static bool keep_frame(struct result *r, const struct frame *frame)
{
    if (frame->format != FRAME_JPEG)
        return false;
    if (frame->size > r->room) {
        uint8_t *bytes = realloc(r->bytes, frame->size);
        if (!bytes)
            return false;
        r->bytes = bytes;
        r->room = frame->size;
    }
    memcpy(r->bytes, frame->data, frame->size);
    r->frame = *frame;
    r->frame.data = r->bytes;
    return true;
}

static void swap_drawings(struct drawing *a, struct drawing *b)
{
    struct drawing kept = *a;
    *a = *b;
    *b = kept;
}

// Without memory for it there is no drawing yet: the next picture is tried.
static bool draw_over(struct eye *c, struct drawing *d)
{
    if (vision_overlay_size(c->vision, &d->width, &d->height) < 0)
        return false;
    size_t size = (size_t)d->width * (size_t)d->height * 3;
    if (size > d->room) {
        uint8_t *rgb = realloc(d->rgb, size);
        if (!rgb)
            return false;
        d->rgb = rgb;
        d->room = size;
    }
    return vision_overlay(c->vision, &c->observation, d->rgb) == 0;
}

static void report_observed(struct eye *c, const struct frame *frame)
{
    enum scene_state state = c->observation.scene.state;
    c->busy_scene = c->options.follow_motion &&
                    (state == SCENE_MOVING || state == SCENE_HAND || state == SCENE_LIGHT);
    bool drawn = c->draw && draw_over(c, &c->drawing);
    c->draw = c->draw && !drawn;
    pthread_mutex_lock(&c->lock);
    c->result.observed = true;
    c->result.observation = c->observation;
    if (!keep_frame(&c->result, frame))
        c->result.frame.data = NULL;
    if (drawn) {
        swap_drawings(&c->drawing, &c->result.drawing);
        c->result.drawn = true;
    }
    pthread_mutex_unlock(&c->lock);
    deliver(c);
}

// Reads one frame. Returns when to come again.
static int64_t step(struct eye *c, const struct orders *o, int64_t now)
{
    struct error err;
    if (o->pace == EYE_OFF) {
        c->heard_ns = INT64_MAX; // nobody listened: its silence is counted from the next look
        return INT64_MAX;
    }
    if (c->heard_ns == INT64_MAX)
        c->heard_ns = now;
    if (!c->open) {
        int r = c->options.open(c->options.open_user, &c->source, &err);
        if (r < 0) {
            report_lost(c, &err);
            int64_t wait = c->backoff_ns;
            c->backoff_ns = 2 * wait < REOPEN_MAX_NS ? 2 * wait : REOPEN_MAX_NS;
            return now + wait;
        }
        c->open = true;
        c->heard_ns = now;
    }
    struct frame frame;
    int r = c->source.ops->read(c->source.impl, &frame, &err);
    if (r == 0)
        r = vision_observe(c->vision, &frame, &c->observation, &err);
    bool silent = now - c->heard_ns > SILENT_MAX_NS;
    if (r == -EAGAIN && silent)
        r = error_set(&err, -ETIMEDOUT, "%s is there but sends no pictures.", c->source.name);
    if (r == 0) {
        c->heard_ns = now;
        if (c->was_lost || !c->greeted)
            report_back(c);
        c->greeted = true;
        report_observed(c, &frame);
    } else if (r == -EBADMSG && !silent) {
        // thrown away; the next one is probably whole
    } else if (r != -EAGAIN) {
        if (r == -ENODATA)
            error_set(&err, r, "%s has come to its end.", c->source.name);
        report_lost(c, &err);
        return now + c->backoff_ns;
    }
    bool full = o->pace == EYE_FULL || c->busy_scene;
    double rate = full ? c->options.rate_full : c->options.rate_idle;
    return now + (int64_t)((double)NS_PER_S / rate);
}

// --- virtual loop ---

static void on_timer(void *user, int64_t now)
{
    struct eye *c = user;
    struct orders orders;
    take_orders(c, &orders);
    obey(c, &orders);
    int64_t due = step(c, &orders, now);
    if (c->orders.pace != orders.pace) // changed by what was just seen
        due = now + (int64_t)((double)NS_PER_S / c->options.rate_full);
    loop_source_set_due(c->timer, due);
}

void eye_push(struct eye *c, const struct frame *frame)
{
    struct orders orders;
    struct error err;
    take_orders(c, &orders);
    obey(c, &orders);
    if (vision_observe(c->vision, frame, &c->observation, &err) == 0)
        report_observed(c, frame);
}

// --- real loop ---

static void wait_for(struct eye *c, int64_t due)
{
    struct pollfd p[2] = {{.fd = c->wake_fd, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
    int64_t now = clock_monotonic_ns(), left = due == INT64_MAX ? -1 : due - now;
    int timeout =
        left < 0 ? (due == INT64_MAX ? -1 : 0) : (int)((left + NS_PER_MS - 1) / NS_PER_MS);
    if (timeout != 0)
        poll(p, 1, timeout);
    // Due: now wait for the device itself, so that the frame is as new as can be.
    if (due != INT64_MAX && clock_monotonic_ns() >= due && c->open) {
        p[1].fd = c->source.ops->fd(c->source.impl);
        if (p[1].fd >= 0)
            poll(p, 2, 1000);
    }
    uint64_t count;
    ssize_t n = read(c->wake_fd, &count, sizeof count);
    (void)n;
}

static void *work(void *user)
{
    struct eye *c = user;
    int64_t due = 0;
    enum eye_pace pace = EYE_IDLE;
    for (;;) {
        wait_for(c, due);
        struct orders orders;
        take_orders(c, &orders);
        if (orders.quit)
            return NULL;
        obey(c, &orders);
        int64_t now = clock_monotonic_ns();
        if (now >= due || orders.pace != pace)
            due = step(c, &orders, now);
        pace = orders.pace;
    }
}

// --- hand-over ---

static void fetch(struct eye *c)
{
    pthread_mutex_lock(&c->lock);
    uint8_t *bytes = c->fetched.bytes;
    size_t room = c->fetched.room;
    struct drawing drawing = c->fetched.drawing;
    c->fetched = c->result; // swaps the buffers, so that no frame is copied twice
    c->result.bytes = bytes;
    c->result.room = room;
    c->result.drawing = drawing;
    c->result.observed = c->result.lost = c->result.back = c->result.drawn = false;
    pthread_mutex_unlock(&c->lock);
    if (c->fetched.back)
        c->events.back(c->events.user, c->fetched.name);
    if (c->fetched.observed)
        c->events.observed(c->events.user, &c->fetched.observation,
                           c->fetched.frame.data ? &c->fetched.frame : NULL);
    if (c->fetched.drawn && c->events.drawn)
        c->events.drawn(c->events.user, c->fetched.drawing.width, c->fetched.drawing.height,
                        c->fetched.drawing.rgb);
    if (c->fetched.lost)
        c->events.lost(c->events.user, &c->fetched.error);
}

static void on_ready(void *user, int fd, uint32_t revents)
{
    (void)revents;
    uint64_t count;
    ssize_t n = read(fd, &count, sizeof count);
    (void)n;
    fetch(user);
}

static void signal_fd(int fd)
{
    uint64_t one = 1;
    ssize_t n = write(fd, &one, sizeof one); // fails only when the reader has plenty to wake up for
    (void)n;
}

static void deliver(struct eye *c)
{
    if (c->threaded)
        signal_fd(c->ready_fd);
    else
        fetch(c);
}

static void wake(struct eye *c)
{
    if (c->threaded)
        signal_fd(c->wake_fd);
}

static int start(struct eye *c, struct error *err)
{
    int r = vision_new(&c->options.vision, &c->vision, err);
    if (r < 0)
        return r;
    if (!c->options.open)
        return 0;
    if (loop_is_virtual(c->loop)) {
        r = loop_add_timer(c->loop, loop_now(c->loop), on_timer, c, &c->timer);
        return r < 0 ? error_set(err, r, "the camera can't be watched: %s.", strerror(-r)) : 0;
    }
    c->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    c->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (c->wake_fd < 0 || c->ready_fd < 0)
        return error_set(err, -errno, "the camera can't be watched: %s.", strerror(errno));
    r = loop_add_io(c->loop, c->ready_fd, EPOLLIN, on_ready, c, &c->ready);
    if (r < 0)
        return error_set(err, r, "the camera can't be watched: %s.", strerror(-r));
    c->threaded = true;
    r = pthread_create(&c->thread, NULL, work, c);
    if (r) {
        c->threaded = false;
        return error_set(err, -r, "no thread for the camera: %s.", strerror(r));
    }
    return 0;
}

int eye_new(struct loop *loop, const struct eye_options *options, const struct eye_events *events,
            struct eye **ret, struct error *err)
{
    struct eye *c = calloc(1, sizeof *c);
    if (!c)
        return error_set(err, -ENOMEM, "out of memory");
    c->loop = loop;
    c->options = *options;
    c->events = *events;
    c->wake_fd = c->ready_fd = -1;
    c->backoff_ns = REOPEN_MIN_NS;
    c->orders.pace = EYE_IDLE;
    pthread_mutex_init(&c->lock, NULL);
    int r = start(c, err);
    if (r < 0) {
        eye_free(c);
        return r;
    }
    *ret = c;
    return 0;
}

struct eye *eye_free(struct eye *c)
{
    if (!c)
        return NULL;
    if (c->threaded) {
        pthread_mutex_lock(&c->lock);
        c->orders.quit = true;
        pthread_mutex_unlock(&c->lock);
        wake(c);
        pthread_join(c->thread, NULL);
    }
    loop_source_free(c->timer);
    loop_source_free(c->ready);
    if (c->open)
        c->source.ops->close(c->source.impl);
    if (c->wake_fd >= 0)
        close(c->wake_fd);
    if (c->ready_fd >= 0)
        close(c->ready_fd);
    vision_free(c->vision);
    pthread_mutex_destroy(&c->lock);
    free(c->result.bytes);
    free(c->fetched.bytes);
    free(c->drawing.rgb);
    free(c->result.drawing.rgb);
    free(c->fetched.drawing.rgb);
    free(c);
    return NULL;
}

void eye_set_pace(struct eye *c, enum eye_pace pace)
{
    pthread_mutex_lock(&c->lock);
    bool changed = c->orders.pace != pace;
    c->orders.pace = pace;
    pthread_mutex_unlock(&c->lock);
    if (!changed)
        return;
    wake(c);
    if (c->timer)
        loop_source_set_due(c->timer, loop_now(c->loop));
}

void eye_set_arm(struct eye *c, enum vision_arm arm)
{
    pthread_mutex_lock(&c->lock);
    c->orders.arm = arm;
    pthread_mutex_unlock(&c->lock);
}

void eye_expect(struct eye *c, const uint8_t *classes, int count)
{
    pthread_mutex_lock(&c->lock);
    c->orders.expected = classes && count <= BOARD_POINTS_MAX ? count : 0;
    if (c->orders.expected)
        memcpy(c->orders.expect, classes, (size_t)count);
    c->orders.expect_changed = true;
    pthread_mutex_unlock(&c->lock);
}

void eye_set_geometry(struct eye *c, const struct geometry *geometry)
{
    pthread_mutex_lock(&c->lock);
    c->orders.geometry = *geometry;
    c->orders.geometry_changed = true;
    pthread_mutex_unlock(&c->lock);
}

void eye_look_anew(struct eye *c)
{
    pthread_mutex_lock(&c->lock);
    c->orders.anew = true;
    pthread_mutex_unlock(&c->lock);
}

void eye_set_models(struct eye *c, const struct vision_models *models)
{
    pthread_mutex_lock(&c->lock);
    c->orders.models = *models;
    c->orders.models_changed = true;
    pthread_mutex_unlock(&c->lock);
}

void eye_draw(struct eye *c)
{
    pthread_mutex_lock(&c->lock);
    c->orders.draw = true;
    pthread_mutex_unlock(&c->lock);
}
