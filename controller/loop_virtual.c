// The virtual clock: poll() for descriptors and a heap of timers. Time stands still while anything
// is left to do and jumps to the next timer when nothing is.
//
// The order is the same in every run: ready descriptors in the order their sources were added;
// timers by due time, then by the order they were armed; and one timer at a time, with every byte
// it caused delivered and handled before the next.
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

#include "controller/loop_private.h"

enum {
    SETTLE_POLL_NS = 50000, // how soon to look again for bytes on their way
    SETTLE_MAX_S = 20,      // of real time without any progress: somebody has stopped reading
    SETTLED_MAX = 16,
};

struct virtual_clock {
    int64_t now_ns;
    uint64_t next_seq;
    struct loop_source **heap; // timers that are armed, nearest first
    size_t heap_count, heap_size;
    size_t timer_count; // armed or not: room for all is kept in the heap, so arming cannot fail
    struct pollfd *polls;
    struct loop_source **polled;
    size_t poll_size;
    int holds;
    struct {
        loop_settled_fn *fn;
        void *user;
    } settled[SETTLED_MAX];
    int settled_count;
    bool dispatching;
    struct loop_source *graveyard; // freed while the loop was walking over the sources
    bool exiting;
    int code;
};

static struct virtual_clock *clock_of(const struct loop *loop)
{
    return loop->clock_data;
}

// --- the heap ---

static bool earlier(const struct loop_source *a, const struct loop_source *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->seq < b->seq;
}

static void heap_put(struct virtual_clock *v, size_t i, struct loop_source *source)
{
    v->heap[i] = source;
    source->heap_index = i;
}

static void heap_up(struct virtual_clock *v, size_t i, struct loop_source *source)
{
    for (size_t parent; i > 0 && earlier(source, v->heap[parent = (i - 1) / 2]); i = parent)
        heap_put(v, i, v->heap[parent]);
    heap_put(v, i, source);
}

static void heap_down(struct virtual_clock *v, size_t i, struct loop_source *source)
{
    for (size_t child; (child = 2 * i + 1) < v->heap_count; i = child) {
        if (child + 1 < v->heap_count && earlier(v->heap[child + 1], v->heap[child]))
            child++;
        if (!earlier(v->heap[child], source))
            break;
        heap_put(v, i, v->heap[child]);
    }
    heap_put(v, i, source);
}

static void heap_remove(struct virtual_clock *v, struct loop_source *source)
{
    size_t i = source->heap_index;
    if (i == SIZE_MAX)
        return;
    source->heap_index = SIZE_MAX;
    struct loop_source *last = v->heap[--v->heap_count];
    if (last == source)
        return;
    if (i > 0 && earlier(last, v->heap[(i - 1) / 2]))
        heap_up(v, i, last);
    else
        heap_down(v, i, last);
}

static void heap_arm(struct virtual_clock *v, struct loop_source *source)
{
    heap_remove(v, source);
    if (source->due_ns == INT64_MAX)
        return;
    source->seq = v->next_seq++;
    heap_up(v, v->heap_count++, source);
}

// --- sources ---

static int virtual_attach(struct loop_source *source)
{
    struct virtual_clock *v = clock_of(source->loop);
    if (source->kind == SOURCE_IO)
        return 0;
    source->heap_index = SIZE_MAX;
    if (v->timer_count == v->heap_size) {
        size_t size = v->heap_size ? 2 * v->heap_size : 16;
        struct loop_source **heap = realloc(v->heap, size * sizeof(struct loop_source *));
        if (!heap)
            return -ENOMEM;
        v->heap = heap;
        v->heap_size = size;
    }
    v->timer_count++;
    heap_arm(v, source);
    return 0;
}

static void virtual_detach(struct loop_source *source)
{
    struct virtual_clock *v = clock_of(source->loop);
    if (source->kind != SOURCE_TIMER)
        return;
    heap_remove(v, source);
    v->timer_count--;
}

static int virtual_change(struct loop_source *source)
{
    if (source->kind == SOURCE_TIMER)
        heap_arm(clock_of(source->loop), source);
    return 0; // descriptors are collected anew for every poll
}

static void virtual_release(struct loop_source *source)
{
    struct virtual_clock *v = clock_of(source->loop);
    if (v->dispatching) {
        source->next = v->graveyard;
        v->graveyard = source;
    } else {
        free(source);
    }
}

static void bury(struct virtual_clock *v)
{
    for (struct loop_source *s = v->graveyard, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    v->graveyard = NULL;
}

// --- running ---

static int collect(struct loop *loop, size_t *ret_count)
{
    struct virtual_clock *v = clock_of(loop);
    size_t count = 0;
    for (struct loop_source *s = loop->first; s; s = s->next)
        count += s->kind == SOURCE_IO && s->events;
    if (count > v->poll_size) {
        struct pollfd *polls = realloc(v->polls, count * sizeof *polls);
        if (!polls)
            return -ENOMEM;
        v->polls = polls;
        struct loop_source **polled = realloc(v->polled, count * sizeof(struct loop_source *));
        if (!polled)
            return -ENOMEM;
        v->polled = polled;
        v->poll_size = count;
    }
    count = 0;
    for (struct loop_source *s = loop->first; s; s = s->next) {
        if (s->kind != SOURCE_IO || !s->events)
            continue;
        // poll and epoll give IN, OUT, ERR and HUP the same bits on Linux.
        v->polls[count] = (struct pollfd){.fd = s->fd, .events = (short)s->events};
        v->polled[count++] = s;
    }
    *ret_count = count;
    return 0;
}

static void dispatch_io(struct virtual_clock *v, size_t count)
{
    v->dispatching = true;
    for (size_t i = 0; i < count && !v->exiting; i++) {
        struct loop_source *s = v->polled[i];
        uint32_t revents = (uint32_t)v->polls[i].revents;
        if (!revents || s->dead || !(revents & (s->events | EPOLLHUP | EPOLLERR)))
            continue;
        s->io(s->owns_fd ? s : s->user, s->fd, revents);
    }
    v->dispatching = false;
    bury(v);
}

// Waits up to timeout (NULL = for ever) for descriptors and handles what is ready. Returns how many
// were, or a negative errno.
static int pump(struct loop *loop, const struct timespec *timeout)
{
    struct virtual_clock *v = clock_of(loop);
    size_t count;
    int r = collect(loop, &count);
    if (r < 0)
        return r;
    int ready = ppoll(v->polls, (nfds_t)count, timeout, NULL);
    if (ready < 0)
        return errno == EINTR ? 0 : -errno;
    if (ready > 0)
        dispatch_io(v, count);
    return ready;
}

static bool all_settled(const struct virtual_clock *v)
{
    for (int i = 0; i < v->settled_count; i++) {
        if (!v->settled[i].fn(v->settled[i].user))
            return false;
    }
    return true;
}

static void fire_next(struct loop *loop)
{
    struct virtual_clock *v = clock_of(loop);
    struct loop_source *source = v->heap[0];
    heap_remove(v, source);
    if (source->due_ns > v->now_ns)
        v->now_ns = source->due_ns;
    source->due_ns = INT64_MAX;
    v->dispatching = true;
    source->time(source->user, v->now_ns);
    v->dispatching = false;
    bury(v);
}

static int virtual_run(struct loop *loop)
{
    struct virtual_clock *v = clock_of(loop);
    const struct timespec at_once = {0}, soon = {.tv_nsec = SETTLE_POLL_NS};
    time_t unsettled_since = 0;
    while (!v->exiting) {
        int r = pump(loop, &at_once);
        if (r == 0 && v->holds > 0) {
            r = pump(loop, NULL);
        } else if (r == 0 && !all_settled(v)) {
            r = pump(loop, &soon);
            if (r == 0) {
                time_t now = time(NULL);
                if (!unsettled_since)
                    unsettled_since = now;
                else if (now - unsettled_since > SETTLE_MAX_S)
                    return -EDEADLK;
                continue;
            }
        } else if (r == 0 && v->heap_count) {
            fire_next(loop);
        } else if (r == 0) {
            r = pump(loop, NULL); // only the outside can wake us now
        }
        if (r < 0)
            return r;
        unsettled_since = 0;
    }
    v->exiting = false;
    return v->code;
}

static void virtual_exit(struct loop *loop, int code)
{
    struct virtual_clock *v = clock_of(loop);
    v->exiting = true;
    v->code = code;
}

static int64_t virtual_now(const struct loop *loop)
{
    return clock_of(loop)->now_ns;
}

void loop_virtual_hold(struct loop *loop, int change)
{
    struct virtual_clock *v = clock_of(loop);
    v->holds += change;
    assert(v->holds >= 0);
}

int loop_virtual_add_settled(struct loop *loop, loop_settled_fn *fn, void *user)
{
    struct virtual_clock *v = clock_of(loop);
    if (v->settled_count == SETTLED_MAX)
        return -ENOSPC;
    v->settled[v->settled_count].fn = fn;
    v->settled[v->settled_count++].user = user;
    return 0;
}

static void clock_free(struct virtual_clock *v)
{
    if (!v)
        return;
    bury(v);
    free(v->heap);
    free(v->polls);
    free(v->polled);
    free(v);
}

static void virtual_free(struct loop *loop)
{
    clock_free(clock_of(loop));
}

const struct loop_clock loop_clock_virtual = {
    .attach = virtual_attach,
    .detach = virtual_detach,
    .change = virtual_change,
    .now = virtual_now,
    .run = virtual_run,
    .exit = virtual_exit,
    .release = virtual_release,
    .free = virtual_free,
};

int loop_new_virtual(int64_t start_ns, struct loop **ret)
{
    struct loop *loop = calloc(1, sizeof *loop);
    struct virtual_clock *v = calloc(1, sizeof *v);
    int r = loop && v ? 0 : -ENOMEM;
    if (r == 0) {
        v->now_ns = start_ns;
        r = loop_init(loop, &loop_clock_virtual, v);
    }
    if (r < 0) {
        clock_free(v);
        free(loop);
        return r;
    }
    *ret = loop;
    return 0;
}
