// program: runs the project's programs from a test and keeps what they say.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { PROGRAM_OUTPUT_MAX = 1 << 20 };

struct program {
    pid_t pid;
    int in, out, err; // pipes: write to `in`, read from `out` and `err`
    char *said;       // standard output so far, NUL-terminated
    char *told;       // standard error so far
    size_t said_size, told_size;
};

// Starts TESSERA_BIN/name. arguments: NULL at the end, without the program's name.
void program_start(struct program *p, const char *name, const char *const *arguments);

// Reads until `text` has been said on either output, or timeout. True: it has.
bool program_expect(struct program *p, const char *text, double seconds);

void program_type(struct program *p, const char *text);

// Reads to the end; returns the exit code, or 128 + signal. Frees nothing: see program_free().
int program_wait(struct program *p, double seconds);

// Lets it run for a while, then kills it. True: it had not ended before; else *ret_code is its
// code.
bool program_kill_after(struct program *p, double seconds, int *ret_code);

void program_free(struct program *p);

// All at once: *p holds the output until program_free().
int program_run(struct program *p, const char *name, const char *const *arguments, double seconds);
