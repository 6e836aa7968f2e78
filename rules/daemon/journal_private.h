// journal_private: what journal.c (writing) and journal_open.c (reading back) share.
#pragma once

#include <limits.h>

#include "rules/daemon/journal.h"
#include "rules/daemon/writer.h"

struct journal {
    const struct io_ops *io;
    char path[PATH_MAX];
    int fd, lock_fd;
    off_t size;           // of the file up to the last line on the disk
    int64_t seq;          // of that line
    bool must_cut;        // the file may be longer than `size`
    struct writer staged; // lines to come
    int64_t staged_seq;   // of the last of them
};
