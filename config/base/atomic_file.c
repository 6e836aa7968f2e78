#include "config/base/atomic_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int fail(struct error *err, int r, const char *path, const char *step)
{
    if (r == -ENOSPC || r == -EDQUOT)
        return error_set_at(err, r, path, 0, 0,
                            "the disk is full, so the file keeps its old content; make room and "
                            "try again");
    return error_set_at(err, r, path, 0, 0, "cannot %s, so the file keeps its old content: %s",
                        step, strerror(-r));
}

// 0, or the negative errno of the step whose name is then in *ret_step.
static int fill_and_rename(const struct io_ops *io, int fd, const char *from, const char *path,
                           const void *data, size_t size, const char **ret_step)
{
    *ret_step = "write the new content";
    int r = io_write_all(io, fd, data, size);
    if (r < 0)
        return r;
    *ret_step = "bring the new content to the disk";
    r = io_fsync(io, fd);
    if (r < 0)
        return r;
    *ret_step = "replace the file";
    return io->rename(io->user, from, path) < 0 ? -errno : 0;
}

int atomic_file_write(const struct io_ops *io, const char *path, const void *data, size_t size,
                      mode_t mode, struct error *err)
{
    if (!io)
        io = &io_system;
    char temporary[PATH_MAX];
    int n = snprintf(temporary, sizeof temporary, "%s.%ld.new", path, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof temporary)
        return fail(err, -ENAMETOOLONG, path, "make a temporary file beside it");
    int fd = io->open(io->user, temporary, O_WRONLY | O_CREAT | O_TRUNC, mode);
    if (fd < 0)
        return fail(err, -errno, path, "make a temporary file beside it");
    const char *step;
    int r = fill_and_rename(io, fd, temporary, path, data, size, &step);
    if (close(fd) < 0 && r == 0)
        r = -errno;
    if (r < 0) {
        unlink(temporary);
        return fail(err, r, path, step);
    }
    r = io_fsync_parent(io, path);
    if (r < 0)
        return error_set_at(err, r, path, 0, 0,
                            "is replaced, but its folder could not be synced: after a power cut "
                            "the old content may be back: %s",
                            strerror(-r));
    return 0;
}
