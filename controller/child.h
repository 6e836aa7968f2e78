// child: a program the controller starts for itself (rules daemon, engine) and that must not
// outlive it.
//
// The child gets a pipe on standard input and one on standard output; standard error is the
// controller's own. It is killed by the kernel when the controller dies, however that happens.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "config/base/error.h"
#include "controller/loop.h"

enum { CHILD_PATH_MAX = 4096 };

struct child;

// The child has ended by itself. The object stays until child_free().
typedef void child_ended_fn(void *user, int wait_status);

// argv: NULL-terminated; argv[0] is a path, or a name looked up in PATH. The pipe ends of the
// controller are non-blocking. -ENOENT and others of exec come back here, with the program named.
int child_start(struct loop *loop, const char *const *argv, child_ended_fn *ended, void *user,
                struct child **ret, struct error *err);

// Closes its standard input, waits up to a second for it to leave, then kills it. NULL allowed.
struct child *child_free(struct child *child);

int child_stdin(const struct child *child);  // write here
int child_stdout(const struct child *child); // read here
bool child_running(const struct child *child);

// What a wait status means: "ended by itself with status 3", "was stopped by signal 9 (Killed)".
const char *child_status_text(int wait_status, char *buf, size_t size);

// Finds a program of this project: beside the running executable first (so that a build uses its
// own), then in PATH. Writes a path that can be started; -ENOENT with a sentence when there is
// none.
int child_find_program(const char *name, char ret_path[CHILD_PATH_MAX], struct error *err);
