#include "io_faults.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

// True when this call is one of those that must fail; errno is then set (0 = be short).
static bool due(struct io_faults *f, enum io_fault_call call)
{
    int n = f->made[call]++;
    if (call != f->call || f->times == 0 || n < f->after || n >= f->after + f->times)
        return false;
    errno = f->error;
    return true;
}

static int f_open(void *user, const char *path, int flags, mode_t mode)
{
    return due(user, IO_OPEN) ? -1 : open(path, flags | O_CLOEXEC, mode);
}

static ssize_t f_read(void *user, int fd, void *data, size_t size)
{
    if (due(user, IO_READ)) {
        if (errno)
            return -1;
        size = size > 1 ? 1 : size;
    }
    return read(fd, data, size);
}

static ssize_t f_write(void *user, int fd, const void *data, size_t size)
{
    struct io_faults *f = user;
    if (due(f, IO_WRITE)) {
        if (errno)
            return -1;
        size = size > 1 ? size / 2 : size;
    }
    if (f->write_room <= 0) {
        errno = ENOSPC;
        return -1;
    }
    if ((int64_t)size > f->write_room)
        size = (size_t)f->write_room;
    ssize_t n = write(fd, data, size);
    if (n > 0 && f->write_room != INT64_MAX)
        f->write_room -= n;
    return n;
}

static int f_fsync(void *user, int fd)
{
    return due(user, IO_FSYNC) ? -1 : fsync(fd);
}

static int f_fdatasync(void *user, int fd)
{
    return due(user, IO_FDATASYNC) ? -1 : fdatasync(fd);
}

static int f_ftruncate(void *user, int fd, off_t size)
{
    return due(user, IO_FTRUNCATE) ? -1 : ftruncate(fd, size);
}

static int f_rename(void *user, const char *from, const char *to)
{
    return due(user, IO_RENAME) ? -1 : rename(from, to);
}

struct io_ops io_faults_ops(struct io_faults *faults)
{
    return (struct io_ops){
        .open = f_open,
        .read = f_read,
        .write = f_write,
        .fsync = f_fsync,
        .fdatasync = f_fdatasync,
        .ftruncate = f_ftruncate,
        .rename = f_rename,
        .user = faults,
    };
}
