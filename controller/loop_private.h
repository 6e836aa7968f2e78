// Inside of the loop: what its two clocks have in common. Not for users of the loop.
//
// A source is a descriptor or a timer; signals (signalfd), children (pidfd) and posts (eventfd) are
// descriptors with a function of their own in front. So a clock has to know only these two.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#include "controller/loop.h"

enum source_kind { SOURCE_IO, SOURCE_TIMER };

struct loop_source {
    struct loop *loop;
    struct loop_source *prev, *next; // every source of the loop, oldest first
    enum source_kind kind;
    bool dead; // freed by its owner while the loop still walks over it

    int fd;          // SOURCE_IO
    bool owns_fd;    // signalfd, pidfd and eventfd are closed with their source
    uint32_t events; // wanted
    loop_io_fn *io;

    int64_t due_ns;    // SOURCE_TIMER; INT64_MAX = off
    uint64_t seq;      // timers due at the same time fire in the order they were armed
    size_t heap_index; // virtual clock
    loop_time_fn *time;

    loop_signal_fn *signal;
    loop_child_fn *child;
    pid_t pid;
    void *user;

    void *clock_data; // real clock: its sd_event_source
};

// The source is complete and linked when attach() is called.
struct loop_clock {
    int (*attach)(struct loop_source *source);
    void (*detach)(struct loop_source *source); // may be called from the source's own callback
    int (*change)(struct loop_source *source);  // events or due_ns were written
    int64_t (*now)(const struct loop *loop);
    int (*run)(struct loop *loop);
    void (*exit)(struct loop *loop, int code);
    void (*release)(struct loop_source *source); // frees the memory, now or when it is safe
    void (*free)(struct loop *loop);             // the sources are gone
};

struct loop_posted {
    loop_time_fn *fn;
    void *user;
    struct loop_posted *next;
};

struct loop {
    const struct loop_clock *clock;
    void *clock_data;
    struct loop_source *first, *last;
    int post_fd;
    pthread_mutex_t post_lock;
    struct loop_posted *posted_first, *posted_last;
};

// Links the loop to a clock; on failure nothing is kept.
int loop_init(struct loop *loop, const struct loop_clock *clock, void *clock_data);

// Of the virtual clock; the real one has no use for them.
int loop_virtual_add_settled(struct loop *loop, loop_settled_fn *fn, void *user);
void loop_virtual_hold(struct loop *loop, int change);
extern const struct loop_clock loop_clock_virtual, loop_clock_real;
