// journal_fixture: a folder with a journal in it, and what a replay of it showed.
#pragma once

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/io.h"
#include "rules/daemon/journal.h"

extern char folder[64], path[128]; // of the journal

int set_up(void **state);
int tear_down(void **state);
void clean(void); // empties the folder

// What was replayed: the sequence numbers, and the members as text.
struct seen {
    int64_t count, last;
    char members[4096];
    int fail_at; // -1 = never
};

// The callback of a replay; user: a struct seen.
int see(void *user, const char *line, size_t size, int64_t seq, struct error *err);

// Opens a journal that must open.
struct journal *open_ok(const struct io_ops *io, struct seen *seen, struct journal_report *report);

void add(struct journal *journal, const char *members);

// Batches of one to three lines, committed one by one; the file's bytes, which the caller frees.
char *make_journal(int batches, size_t *ret_size);

// The folder holds just this file.
void write_journal(const char *data, size_t size);
