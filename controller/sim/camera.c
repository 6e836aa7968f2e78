// The camera: a mailbox of one scene between the loop and the reader.
#include "controller/sim/camera.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "controller/sim/render.h"

struct camera {
    struct loop *loop;
    struct loop_source *timer;
    camera_scene_fn *take;
    void *user;
    int64_t period_ns, next_ns;
    struct frame_source source;
    struct scene *fresh; // of the loop's thread, before it goes into the mailbox

    pthread_mutex_t lock; // guards what follows
    int event_fd;
    bool waiting; // a scene nobody has read
    bool gone, stalled;
    int truncate;
    int64_t time_ns;
    uint32_t sequence;
    struct scene *mail;

    // Of the reader's thread.
    struct scene *seen;
    struct render *render;
    uint8_t *broken; // copy of a frame that ends in the middle
};

// Makes the descriptor readable or not; the lock is held.
static void set_waiting(struct camera *camera, bool waiting)
{
    uint64_t count = 1;
    if (waiting && !camera->waiting)
        camera->waiting = write(camera->event_fd, &count, sizeof count) == sizeof count;
    else if (!waiting && camera->waiting)
        camera->waiting = read(camera->event_fd, &count, sizeof count) < 0;
}

static void post(struct camera *camera, int64_t now_ns)
{
    camera->take(camera->user, camera->fresh);
    pthread_mutex_lock(&camera->lock);
    struct scene *mail = camera->mail;
    camera->mail = camera->fresh;
    camera->fresh = mail;
    camera->time_ns = now_ns;
    camera->sequence++;
    set_waiting(camera, true);
    pthread_mutex_unlock(&camera->lock);
}

static void tick(void *user, int64_t now_ns)
{
    struct camera *camera = user;
    pthread_mutex_lock(&camera->lock);
    const bool off = camera->gone || camera->stalled;
    pthread_mutex_unlock(&camera->lock);
    if (!off)
        post(camera, now_ns);
    // The camera's own clock: late ticks do not shift the later ones.
    camera->next_ns += camera->period_ns;
    if (camera->next_ns <= now_ns)
        camera->next_ns = now_ns + camera->period_ns;
    loop_source_set_due(camera->timer, camera->next_ns);
}

static int source_fd(void *impl)
{
    return ((struct camera *)impl)->event_fd;
}

static int broken_frame(struct camera *camera, struct frame *frame)
{
    free(camera->broken);
    frame->size /= 2;
    camera->broken = malloc(frame->size);
    if (!camera->broken)
        return -ENOMEM;
    memcpy(camera->broken, frame->data, frame->size);
    frame->data = camera->broken;
    return 0;
}

static int source_read(void *impl, struct frame *ret, struct error *err)
{
    struct camera *camera = impl;
    pthread_mutex_lock(&camera->lock);
    if (camera->gone || !camera->waiting) {
        const int r = camera->gone ? -ENODEV : -EAGAIN;
        pthread_mutex_unlock(&camera->lock);
        return r == -ENODEV ? error_set(err, r, "The simulated camera has been unplugged.") : r;
    }
    set_waiting(camera, false);
    struct scene *scene = camera->mail;
    camera->mail = camera->seen;
    camera->seen = scene;
    struct frame frame = {
        .format = FRAME_JPEG, .time_ns = camera->time_ns, .sequence = camera->sequence};
    const bool cut = camera->truncate > 0;
    camera->truncate -= cut;
    pthread_mutex_unlock(&camera->lock);

    int r = render_frame(camera->render, scene, frame.sequence, &frame, err);
    if (r == 0 && cut)
        r = broken_frame(camera, &frame);
    if (r == 0)
        *ret = frame;
    return r;
}

static void source_close(void *impl)
{
    (void)impl; // belongs to the table
}

static const struct frame_source_ops OPS = {
    .fd = source_fd,
    .read = source_read,
    .close = source_close,
};

void camera_set_gone(struct camera *camera, bool gone)
{
    pthread_mutex_lock(&camera->lock);
    camera->gone = gone;
    set_waiting(camera, gone); // a reader that polls learns of it; no stale frame afterwards
    pthread_mutex_unlock(&camera->lock);
}

void camera_set_stalled(struct camera *camera, bool stalled)
{
    pthread_mutex_lock(&camera->lock);
    camera->stalled = stalled;
    pthread_mutex_unlock(&camera->lock);
}

void camera_truncate(struct camera *camera, int frames)
{
    pthread_mutex_lock(&camera->lock);
    camera->truncate = frames;
    pthread_mutex_unlock(&camera->lock);
}

struct frame_source *camera_source(struct camera *camera)
{
    return &camera->source;
}

int camera_new(struct loop *loop, const struct table_setup *setup, camera_scene_fn *take,
               void *user, struct camera **ret, struct error *err)
{
    struct camera *camera = calloc(1, sizeof *camera);
    if (!camera)
        return error_set(err, -ENOMEM, "Out of memory.");
    camera->loop = loop;
    camera->take = take;
    camera->user = user;
    camera->period_ns = (int64_t)(1e9 / setup->camera.fps);
    camera->next_ns = loop_now(loop) + camera->period_ns;
    pthread_mutex_init(&camera->lock, NULL);
    camera->source = (struct frame_source){.ops = &OPS, .impl = camera};
    snprintf(camera->source.name, sizeof camera->source.name, "simulated camera");
    camera->fresh = calloc(1, sizeof *camera->fresh);
    camera->mail = calloc(1, sizeof *camera->mail);
    camera->seen = calloc(1, sizeof *camera->seen);
    camera->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    int r = !camera->fresh || !camera->mail || !camera->seen ? -ENOMEM : 0;
    if (r == 0 && camera->event_fd < 0)
        r = -errno;
    if (r == 0)
        r = render_new(setup, &camera->render);
    if (r == 0)
        r = loop_add_timer(loop, camera->next_ns, tick, camera, &camera->timer);
    if (r < 0) {
        camera_free(camera);
        return error_set(err, r, "The simulated camera cannot be set up: %s.", strerror(-r));
    }
    *ret = camera;
    return 0;
}

struct camera *camera_free(struct camera *camera)
{
    if (!camera)
        return NULL;
    loop_source_free(camera->timer);
    render_free(camera->render);
    if (camera->event_fd >= 0)
        close(camera->event_fd);
    pthread_mutex_destroy(&camera->lock);
    free(camera->fresh);
    free(camera->mail);
    free(camera->seen);
    free(camera->broken);
    free(camera);
    return NULL;
}
