// io: reading and writing files to the last byte, in spite of signals and short counts.
//
// Everything that must survive a power cut (journal, calibration, sessions) writes through a table
// of system calls, so that a test can make the N-th of them fail by name. NULL means the system's.
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "config/base/error.h"

// Each works like the system call of its name: -1 and errno on failure. `user` is handed through.
struct io_ops {
    int (*open)(void *user, const char *path, int flags, mode_t mode);
    ssize_t (*read)(void *user, int fd, void *data, size_t size);
    ssize_t (*write)(void *user, int fd, const void *data, size_t size);
    int (*fsync)(void *user, int fd);
    int (*fdatasync)(void *user, int fd);
    int (*ftruncate)(void *user, int fd, off_t size);
    int (*rename)(void *user, const char *from, const char *to);
    void *user;
};

extern const struct io_ops io_system;

// Writes all `size` bytes, going on after EINTR and short writes. fd must be blocking.
// 0 or the negative errno of the write that failed; how much was written before is then unknown.
int io_write_all(const struct io_ops *io, int fd, const void *data, size_t size);

// Reads until `size` bytes or the end of the file; *ret_got tells how many came.
int io_read_all(const struct io_ops *io, int fd, void *data, size_t size, size_t *ret_got);

// fsync / fdatasync, going on after EINTR. 0 or negative errno. After a failed one the kernel may
// have dropped the data and forgotten about it: do not believe a later success, write anew.
int io_fsync(const struct io_ops *io, int fd);
int io_fdatasync(const struct io_ops *io, int fd);

// Reads a whole file of at most `limit` bytes into a fresh buffer that ends in an extra NUL
// (not counted in *ret_size). The caller frees *ret_data with free(). A longer file is -EFBIG.
int io_read_file(const struct io_ops *io, const char *path, size_t limit, char **ret_data,
                 size_t *ret_size, struct error *err);

// Makes `path` a folder with `mode`, and its parents too. An existing folder is fine.
int io_make_folder(const char *path, mode_t mode, struct error *err);

// Makes the names in the folder of `path` last through a power cut (fsync of that folder).
int io_fsync_parent(const struct io_ops *io, const char *path);

// Sets O_NONBLOCK / takes it away. 0 or negative errno.
int io_set_nonblocking(int fd, bool on);
