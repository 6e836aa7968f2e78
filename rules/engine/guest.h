// guest: a foreign program as a child process that is written to and read from by lines.
//
// It runs in its own process group and is killed with it. Every wait has a limit, so a program that
// hangs, dies or talks without end becomes an error with a sentence, never a hang.
#pragma once

#include <stdint.h>

#include "config/base/error.h"

struct guest;

// Starts `command` (by /bin/sh -c); with `launcher`, a program of this project, as
// "launcher sandbox /bin/sh -c command" (see sandbox.h). Returns 0 or negative errno.
int guest_new(const char *launcher, const char *command, struct guest **ret, struct error *err);

// Sends `farewell` (a line with its newline), waits half a second for the end, then kills. Accepts
// NULL, returns NULL.
struct guest *guest_free(struct guest *guest, const char *farewell);

// Writes all of it. -EPIPE when the program is gone.
int guest_send(struct guest *guest, const char *text, struct error *err);

// The next line without its end (and without '\r'), waited for until `end_ns` (monotonic). It stays
// readable until the next call. -ETIMEDOUT, -EPIPE, -EPROTO for a line without end.
int guest_line(struct guest *guest, int64_t end_ns, const char **ret, struct error *err);
