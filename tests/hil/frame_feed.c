#include "hil/frame_feed.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hil/table_line.h"
#include "vision/mjpeg.h"

enum { STREAM_MAX = 4 << 20 };

struct frame_feed {
    int fd;
    pthread_mutex_t lock;
    pthread_cond_t fresh;
    uint64_t count, fetched;
    size_t size;
    uint8_t newest[STREAM_MAX];
    uint8_t stream[STREAM_MAX]; // of the thread
};

static void keep(struct frame_feed *f, const uint8_t *data, size_t size)
{
    pthread_mutex_lock(&f->lock);
    memcpy(f->newest, data, size);
    f->size = size;
    f->count++;
    pthread_cond_signal(&f->fresh);
    pthread_mutex_unlock(&f->lock);
}

static void *fetch(void *user)
{
    struct frame_feed *f = user;
    size_t have = 0;
    for (;;) {
        const ssize_t n = read(f->fd, f->stream + have, STREAM_MAX - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return NULL; // the table has ended: no more pictures, as behind a lens cap
        have += (size_t)n;
        size_t start, size;
        while ((size = mjpeg_find(f->stream, have, &start)) > 0) {
            keep(f, f->stream + start, size);
            have -= start + size;
            memmove(f->stream, f->stream + start + size, have);
        }
        have -= start;
        memmove(f->stream, f->stream + start, have);
        if (have == STREAM_MAX)
            have = 0;
    }
}

struct frame_feed *frame_feed_new(const char *path)
{
    struct frame_feed *f = calloc(1, sizeof *f);
    pthread_t thread;
    pthread_condattr_t clock;
    if (!f)
        exit(1);
    f->fd = table_line_open(path);
    pthread_mutex_init(&f->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&f->fresh, &clock);
    if (pthread_create(&thread, NULL, fetch, f))
        exit(1);
    return f;
}

size_t frame_feed_next(struct frame_feed *f, uint8_t *data, size_t room, int timeout_ms)
{
    struct timespec until;
    size_t size = 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += timeout_ms / 1000;
    until.tv_nsec += timeout_ms % 1000 * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&f->lock);
    while (f->count == f->fetched && pthread_cond_timedwait(&f->fresh, &f->lock, &until) == 0)
        ;
    if (f->count != f->fetched && f->size <= room) {
        f->fetched = f->count;
        size = f->size;
        memcpy(data, f->newest, size);
    }
    pthread_mutex_unlock(&f->lock);
    return size;
}
