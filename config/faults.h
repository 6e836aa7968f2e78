// faults: what is wrong with a set of files, all of it at once.
//
// A person mends a file in one go, so a check goes on after the first fault. The list is bounded:
// beyond FAULTS_MAX only the count grows.
#pragma once

#include <stddef.h>

#include "config/base/error.h"

enum { FAULTS_MAX = 50 };

struct faults {
    size_t count; // of all, also those that are not kept
    struct error fault[FAULTS_MAX];
};

struct faults *faults_new(void); // NULL when out of memory
struct faults *faults_free(struct faults *faults);

// Adds one; returns -EINVAL. line and column 1-based, 0 = unknown.
int faults_add(struct faults *faults, const char *file, int line, int column, const char *format,
               ...) __attribute__((format(printf, 5, 6)));

// Adds a copy of an error; returns its number.
int faults_add_error(struct faults *faults, const struct error *err);

size_t faults_kept(const struct faults *faults);

// *err = the first fault, with the number of the others in its text. Returns its number, 0 when
// there is none (*err is then untouched).
int faults_first(const struct faults *faults, struct error *err);
