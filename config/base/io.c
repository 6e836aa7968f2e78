#include "config/base/io.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int sys_open(void *user, const char *path, int flags, mode_t mode)
{
    (void)user;
    return open(path, flags | O_CLOEXEC, mode);
}

static ssize_t sys_read(void *user, int fd, void *data, size_t size)
{
    (void)user;
    return read(fd, data, size);
}

static ssize_t sys_write(void *user, int fd, const void *data, size_t size)
{
    (void)user;
    return write(fd, data, size);
}

static int sys_fsync(void *user, int fd)
{
    (void)user;
    return fsync(fd);
}

static int sys_fdatasync(void *user, int fd)
{
    (void)user;
    return fdatasync(fd);
}

static int sys_ftruncate(void *user, int fd, off_t size)
{
    (void)user;
    return ftruncate(fd, size);
}

static int sys_rename(void *user, const char *from, const char *to)
{
    (void)user;
    return rename(from, to);
}

const struct io_ops io_system = {
    .open = sys_open,
    .read = sys_read,
    .write = sys_write,
    .fsync = sys_fsync,
    .fdatasync = sys_fdatasync,
    .ftruncate = sys_ftruncate,
    .rename = sys_rename,
};

int io_write_all(const struct io_ops *io, int fd, const void *data, size_t size)
{
    if (!io)
        io = &io_system;
    const char *p = data;
    while (size) {
        ssize_t n = io->write(io->user, fd, p, size);
        if (n < 0) {
            if (errno == EINTR)
                continue;
            return -errno;
        }
        if (n == 0) // no file does this; a loop that never ends would be the worst answer
            return -EIO;
        p += n;
        size -= (size_t)n;
    }
    return 0;
}

int io_read_all(const struct io_ops *io, int fd, void *data, size_t size, size_t *ret_got)
{
    if (!io)
        io = &io_system;
    char *p = data;
    size_t got = 0;
    while (got < size) {
        ssize_t n = io->read(io->user, fd, p + got, size - got);
        if (n < 0) {
            if (errno == EINTR)
                continue;
            return -errno;
        }
        if (n == 0)
            break;
        got += (size_t)n;
    }
    *ret_got = got;
    return 0;
}

static int sync_call(int (*call)(void *user, int fd), void *user, int fd)
{
    while (call(user, fd) < 0) {
        if (errno != EINTR)
            return -errno;
    }
    return 0;
}

int io_fsync(const struct io_ops *io, int fd)
{
    if (!io)
        io = &io_system;
    return sync_call(io->fsync, io->user, fd);
}

int io_fdatasync(const struct io_ops *io, int fd)
{
    if (!io)
        io = &io_system;
    return sync_call(io->fdatasync, io->user, fd);
}

// Grows by doubling rather than trusting st_size, which is 0 in /proc and wrong for pipes.
static int read_growing(const struct io_ops *io, int fd, size_t limit, char **ret_data,
                        size_t *ret_size)
{
    size_t capacity = 4096, size = 0;
    char *data = malloc(capacity + 1);
    int r = data ? 0 : -ENOMEM;
    while (r == 0) {
        size_t got = 0;
        r = io_read_all(io, fd, data + size, capacity - size, &got);
        if (r < 0)
            break;
        size += got;
        if (size > limit) {
            r = -EFBIG;
        } else if (size < capacity) {
            data[size] = '\0';
            *ret_data = data;
            *ret_size = size;
            return 0;
        } else {
            char *larger = realloc(data, capacity * 2 + 1);
            if (!larger) {
                r = -ENOMEM;
                break;
            }
            data = larger;
            capacity *= 2;
        }
    }
    free(data);
    return r;
}

int io_read_file(const struct io_ops *io, const char *path, size_t limit, char **ret_data,
                 size_t *ret_size, struct error *err)
{
    if (!io)
        io = &io_system;
    int fd = io->open(io->user, path, O_RDONLY, 0);
    int r = fd < 0 ? -errno : read_growing(io, fd, limit, ret_data, ret_size);
    if (fd >= 0)
        close(fd);
    if (r == -EFBIG)
        return error_set_at(err, r, path, 0, 0, "the file is larger than %zu bytes", limit);
    if (r < 0)
        return error_set_at(err, r, path, 0, 0, "cannot be read: %s", strerror(-r));
    return 0;
}

int io_make_folder(const char *path, mode_t mode, struct error *err)
{
    char part[PATH_MAX];
    size_t size = strlen(path);
    if (size == 0 || size >= sizeof part)
        return error_set_at(err, -ENAMETOOLONG, path, 0, 0, "is no usable name of a folder");
    memcpy(part, path, size + 1);
    for (char *p = part + 1;; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        char kept = *p;
        *p = '\0';
        if (mkdir(part, mode) < 0 && errno != EEXIST)
            return error_set_at(err, -errno, part, 0, 0, "the folder cannot be made: %s",
                                strerror(errno));
        *p = kept;
        if (kept == '\0')
            break;
    }
    struct stat st;
    if (stat(path, &st) < 0)
        return error_set_at(err, -errno, path, 0, 0, "%s", strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return error_set_at(err, -ENOTDIR, path, 0, 0, "is a file where a folder is needed");
    return 0;
}

int io_fsync_parent(const struct io_ops *io, const char *path)
{
    if (!io)
        io = &io_system;
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash)
        snprintf(folder, sizeof folder, ".");
    else if (slash == path)
        snprintf(folder, sizeof folder, "/");
    else if ((size_t)(slash - path) < sizeof folder)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    else
        return -ENAMETOOLONG;
    int fd = io->open(io->user, folder, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return -errno;
    int r = io_fsync(io, fd);
    close(fd);
    // Some file systems cannot sync a folder and say so; they then need none.
    return r == -EINVAL ? 0 : r;
}

int io_set_nonblocking(int fd, bool on)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return -errno;
    flags = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
    return fcntl(fd, F_SETFL, flags) < 0 ? -errno : 0;
}
