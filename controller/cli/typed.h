// typed: lines of standard input, one after the other, each handed on when it is wanted.
//
// Works on a terminal, a pipe and a file alike. A line that comes too early is kept, and nothing
// further is read, until somebody asks for it again: so a whole game can be typed ahead, or read
// from a file.
#pragma once

#include <stdbool.h>

#include "controller/loop.h"

struct typed;

struct typed_events {
    // A line without its end; may be changed in place. True: dealt with; false: keep it for
    // typed_go_on(). A line of over 255 characters is cut there.
    bool (*line)(void *user, char *line);
    void (*end)(void *user); // nothing more will come; not called while a line is kept
    void *user;
};

// fd stays the caller's. Events come from the loop, never from within these calls.
int typed_new(struct loop *loop, int fd, const struct typed_events *events, struct typed **ret);
struct typed *typed_free(struct typed *typed); // NULL allowed; returns NULL

// Hands the kept line over once more, soon, and those after it.
void typed_go_on(struct typed *typed); // NULL allowed
