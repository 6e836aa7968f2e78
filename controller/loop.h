// loop: the controller's one event loop, and the only clock.
//
// Two kinds with one interface: a real loop (sd-event, CLOCK_MONOTONIC) and a virtual one, on which
// time jumps to the next timer as soon as nothing is left to do. The same program runs on either,
// so a game of minutes takes seconds in a test, and comes out the same every time.
//
// Single-threaded: every function here is called from the loop's own thread, except loop_post().
// All times are int64 nanoseconds of the loop's clock. Callbacks may add and free sources,
// including their own.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "config/base/error.h"

struct loop;
struct loop_source;

// revents: EPOLLIN, EPOLLOUT, EPOLLHUP, EPOLLERR.
typedef void loop_io_fn(void *user, int fd, uint32_t revents);
typedef void loop_time_fn(void *user, int64_t now_ns);
typedef void loop_signal_fn(void *user, int signo);
typedef void loop_child_fn(void *user, pid_t pid, int wait_status);
typedef bool loop_settled_fn(void *user);

int loop_new_real(struct loop **ret);
int loop_new_virtual(int64_t start_ns, struct loop **ret);
struct loop *loop_free(struct loop *loop); // returns NULL; frees every source with it

bool loop_is_virtual(const struct loop *loop);
int64_t loop_now(const struct loop *loop);

// `events` is EPOLLIN and/or EPOLLOUT. ret may be NULL when the source lives as long as the loop.
int loop_add_io(struct loop *loop, int fd, uint32_t events, loop_io_fn *fn, void *user,
                struct loop_source **ret);
int loop_source_set_events(struct loop_source *source, uint32_t events);

// One-shot: fires once at or after due_ns; loop_source_set_due() arms it again (INT64_MAX = off).
int loop_add_timer(struct loop *loop, int64_t due_ns, loop_time_fn *fn, void *user,
                   struct loop_source **ret);
int loop_source_set_due(struct loop_source *source, int64_t due_ns);

// SIGINT, SIGTERM and SIGHUP (the terminal was closed, the connection to it lost): what asks a
// program to end. One that was ignored when the program was started (nohup) stays ignored. The
// sources go into ret, NULL for an ignored one; ret may be NULL.
enum { LOOP_ENDINGS = 3 };
int loop_add_endings(struct loop *loop, loop_signal_fn *fn, void *user,
                     struct loop_source *ret[LOOP_ENDINGS]);

int loop_add_signal(struct loop *loop, int signo, loop_signal_fn *fn, void *user,
                    struct loop_source **ret);
int loop_add_child(struct loop *loop, pid_t pid, loop_child_fn *fn, void *user,
                   struct loop_source **ret);

struct loop_source *loop_source_free(struct loop_source *source); // NULL allowed; returns NULL

// Runs fn(user, now) in the loop's thread, soon. The only call allowed from other threads.
int loop_post(struct loop *loop, loop_time_fn *fn, void *user);

// Virtual time stands still while a hold is open: take one for work that happens outside the loop
// (a thread, another process) and release it when the answer is in. No effect on a real loop.
void loop_hold(struct loop *loop);
void loop_release(struct loop *loop);

// Asked before virtual time moves on: false = bytes are still on their way through the kernel (a
// pty delivers a little later), look again. No effect on a real loop.
int loop_add_settled(struct loop *loop, loop_settled_fn *fn, void *user);

// Runs until loop_exit(); returns the exit code given there, or a negative errno. May be run again.
int loop_run(struct loop *loop);
void loop_exit(struct loop *loop, int code);
