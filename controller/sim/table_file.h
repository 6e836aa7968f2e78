// table_file: keeps a flat state in a mapped file so that SIGKILL at any instruction leaves either
// the state before or the state after the last table_file_commit().
//
// Two slots in turn; a slot counts once its number is written, which is done last. Survives the
// process, not a power cut: the simulated table has no power to lose.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "config/base/error.h"

struct table_file;

// Opens or makes the file for states of `size` bytes. *ret_found tells whether it holds one, which
// is then copied to state. -EBUSY: another process or table has it. -EBADMSG: it is something else,
// or from another version.
int table_file_open(const char *path, void *state, size_t size, bool *ret_found,
                    struct table_file **ret, struct error *err);
void table_file_commit(struct table_file *file, const void *state);
struct table_file *table_file_close(struct table_file *file); // NULL allowed; returns NULL
