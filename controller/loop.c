#include "controller/loop.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controller/loop_private.h"

static void link_source(struct loop_source *source)
{
    struct loop *loop = source->loop;
    source->prev = loop->last;
    if (loop->last)
        loop->last->next = source;
    else
        loop->first = source;
    loop->last = source;
}

static void unlink_source(struct loop_source *source)
{
    struct loop *loop = source->loop;
    if (source->prev)
        source->prev->next = source->next;
    else
        loop->first = source->next;
    if (source->next)
        source->next->prev = source->prev;
    else
        loop->last = source->prev;
}

// Takes a filled-in template, copies it to the heap and starts it.
static int add_source(struct loop *loop, const struct loop_source *wanted, struct loop_source **ret)
{
    struct loop_source *source = malloc(sizeof *source);
    if (!source)
        return -ENOMEM;
    *source = *wanted;
    source->loop = loop;
    link_source(source);
    int r = loop->clock->attach(source);
    if (r < 0) {
        unlink_source(source);
        free(source);
        return r;
    }
    if (ret)
        *ret = source;
    return 0;
}

int loop_add_io(struct loop *loop, int fd, uint32_t events, loop_io_fn *fn, void *user,
                struct loop_source **ret)
{
    if (fd < 0)
        return -EBADF;
    struct loop_source wanted = {
        .kind = SOURCE_IO, .fd = fd, .events = events, .io = fn, .user = user};
    return add_source(loop, &wanted, ret);
}

int loop_source_set_events(struct loop_source *source, uint32_t events)
{
    assert(source->kind == SOURCE_IO);
    if (source->events == events)
        return 0;
    source->events = events;
    return source->loop->clock->change(source);
}

int loop_add_timer(struct loop *loop, int64_t due_ns, loop_time_fn *fn, void *user,
                   struct loop_source **ret)
{
    struct loop_source wanted = {
        .kind = SOURCE_TIMER, .fd = -1, .due_ns = due_ns, .time = fn, .user = user};
    return add_source(loop, &wanted, ret);
}

int loop_source_set_due(struct loop_source *source, int64_t due_ns)
{
    assert(source->kind == SOURCE_TIMER);
    source->due_ns = due_ns;
    return source->loop->clock->change(source);
}

static void on_signal(void *user, int fd, uint32_t revents)
{
    (void)revents;
    struct loop_source *source = user;
    struct signalfd_siginfo info;
    if (read(fd, &info, sizeof info) != (ssize_t)sizeof info)
        return; // taken by another reader, or EAGAIN: the level will tell
    source->signal(source->user, (int)info.ssi_signo);
}

// A source in front of the user's function: user of the descriptor is the source itself.
static int add_own_fd(struct loop *loop, int fd, loop_io_fn *fn, struct loop_source *wanted,
                      struct loop_source **ret)
{
    struct loop_source *source;
    wanted->kind = SOURCE_IO;
    wanted->fd = fd;
    wanted->owns_fd = true;
    wanted->events = EPOLLIN;
    wanted->io = fn;
    int r = add_source(loop, wanted, &source);
    if (r < 0) {
        close(fd);
        return r;
    }
    if (ret)
        *ret = source;
    return 0;
}

int loop_add_signal(struct loop *loop, int signo, loop_signal_fn *fn, void *user,
                    struct loop_source **ret)
{
    sigset_t set;
    sigemptyset(&set);
    if (sigaddset(&set, signo) < 0)
        return -EINVAL;
    // Blocked so that it is read here instead of ending the program. Threads and children started
    // later inherit this; whoever starts a program resets the mask.
    int r = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (r)
        return -r;
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0)
        return -errno;
    struct loop_source wanted = {.signal = fn, .user = user};
    return add_own_fd(loop, fd, on_signal, &wanted, ret);
}

int loop_add_endings(struct loop *loop, loop_signal_fn *fn, void *user,
                     struct loop_source *ret[LOOP_ENDINGS])
{
    static const int SIGNAL[LOOP_ENDINGS] = {SIGINT, SIGTERM, SIGHUP};
    int r = 0;
    for (int i = 0; r == 0 && i < LOOP_ENDINGS; i++) {
        struct sigaction now;
        struct loop_source *source = NULL;
        // Blocked signals reach a signalfd even when they are ignored.
        if (sigaction(SIGNAL[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            r = loop_add_signal(loop, SIGNAL[i], fn, user, &source);
        if (ret)
            ret[i] = source;
    }
    return r;
}

static void on_child(void *user, int fd, uint32_t revents)
{
    (void)fd, (void)revents;
    struct loop_source *source = user;
    int status = 0;
    pid_t pid = waitpid(source->pid, &status, WNOHANG);
    if (pid == 0)
        return;
    // A pidfd stays readable for ever: switch it off before the owner hears of it.
    source->events = 0;
    source->loop->clock->change(source);
    source->child(source->user, source->pid, pid < 0 ? -1 : status);
}

int loop_add_child(struct loop *loop, pid_t pid, loop_child_fn *fn, void *user,
                   struct loop_source **ret)
{
    int fd = pidfd_open(pid, 0);
    if (fd < 0)
        return -errno;
    struct loop_source wanted = {.child = fn, .pid = pid, .user = user};
    return add_own_fd(loop, fd, on_child, &wanted, ret);
}

struct loop_source *loop_source_free(struct loop_source *source)
{
    if (!source)
        return NULL;
    unlink_source(source);
    source->dead = true;
    source->loop->clock->detach(source);
    if (source->owns_fd)
        close(source->fd);
    source->loop->clock->release(source);
    return NULL;
}

int loop_post(struct loop *loop, loop_time_fn *fn, void *user)
{
    struct loop_posted *posted = malloc(sizeof *posted);
    if (!posted)
        return -ENOMEM;
    *posted = (struct loop_posted){.fn = fn, .user = user};
    pthread_mutex_lock(&loop->post_lock);
    if (loop->posted_last)
        loop->posted_last->next = posted;
    else
        loop->posted_first = posted;
    loop->posted_last = posted;
    pthread_mutex_unlock(&loop->post_lock);
    uint64_t one = 1;
    // Can only fail when 2^64 - 1 wake-ups are waiting, and then the loop wakes up anyway.
    ssize_t n = write(loop->post_fd, &one, sizeof one);
    (void)n;
    return 0;
}

static struct loop_posted *take_posted(struct loop *loop)
{
    pthread_mutex_lock(&loop->post_lock);
    struct loop_posted *all = loop->posted_first;
    loop->posted_first = loop->posted_last = NULL;
    pthread_mutex_unlock(&loop->post_lock);
    return all;
}

static void on_posted(void *user, int fd, uint32_t revents)
{
    (void)revents;
    struct loop_source *source = user;
    struct loop *loop = source->loop;
    uint64_t count;
    ssize_t n = read(fd, &count, sizeof count);
    (void)n;
    for (struct loop_posted *p = take_posted(loop), *next; p; p = next) {
        next = p->next;
        struct loop_posted call = *p;
        free(p);
        call.fn(call.user, loop_now(loop));
    }
}

int loop_init(struct loop *loop, const struct loop_clock *clock, void *clock_data)
{
    *loop = (struct loop){.clock = clock, .clock_data = clock_data};
    pthread_mutex_init(&loop->post_lock, NULL);
    loop->post_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->post_fd < 0)
        return -errno;
    struct loop_source wanted = {0};
    return add_own_fd(loop, loop->post_fd, on_posted, &wanted, NULL);
}

struct loop *loop_free(struct loop *loop)
{
    if (!loop)
        return NULL;
    while (loop->first)
        loop_source_free(loop->first);
    for (struct loop_posted *p = take_posted(loop), *next; p; p = next) {
        next = p->next;
        free(p);
    }
    loop->clock->free(loop);
    pthread_mutex_destroy(&loop->post_lock);
    free(loop);
    return NULL;
}

bool loop_is_virtual(const struct loop *loop)
{
    return loop->clock == &loop_clock_virtual;
}

int64_t loop_now(const struct loop *loop)
{
    return loop->clock->now(loop);
}

int loop_run(struct loop *loop)
{
    return loop->clock->run(loop);
}

void loop_exit(struct loop *loop, int code)
{
    loop->clock->exit(loop, code);
}

void loop_hold(struct loop *loop)
{
    if (loop_is_virtual(loop))
        loop_virtual_hold(loop, 1);
}

void loop_release(struct loop *loop)
{
    if (loop_is_virtual(loop))
        loop_virtual_hold(loop, -1);
}

int loop_add_settled(struct loop *loop, loop_settled_fn *fn, void *user)
{
    return loop_is_virtual(loop) ? loop_virtual_add_settled(loop, fn, user) : 0;
}
