// power_log: preloaded into the kernel of the tests (a process of this machine), writes down all
// that it does to its disk. POWER_DISK names the disk's file, POWER_LOG the log.
//
// The kernel's block driver has one thread for input and output, so the order here is the order in
// which a drive would have been given the writes. Its flushes need not reach the real drive: no
// power is lost here, and a test would only wait for it.
//
// That thread has neither a stack of the usual size nor thread-local storage: plain system calls
// only.
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/hil/power_log.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int open64(const char *path, int flags, ...);
EXPORT ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset);
EXPORT int fsync(int fd);
EXPORT int fdatasync(int fd);
EXPORT int fallocate64(int fd, int mode, off64_t offset, off64_t size);

static int disk = -1, log_file = -1;

static void note(enum power_log_kind kind, uint64_t offset, const void *data, size_t length)
{
    struct power_record record = {.kind = kind, .length = (uint32_t)length, .offset = offset};
    struct iovec parts[2] = {{&record, sizeof record}, {(void *)(uintptr_t)data, length}};
    syscall(SYS_writev, log_file, parts, data ? 2 : 1);
}

int open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    const char *name = getenv("POWER_DISK"), *log = getenv("POWER_LOG");
    if (fd >= 0 && name && log && strcmp(path, name) == 0 && (flags & O_ACCMODE) == O_RDWR) {
        disk = fd;
        if (log_file < 0)
            log_file = (int)syscall(SYS_openat, AT_FDCWD, log,
                                    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    }
    return fd;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
    const ssize_t n = syscall(SYS_pwrite64, fd, data, size, offset);
    if (fd == disk && n > 0)
        note(POWER_WRITE, (uint64_t)offset, data, (size_t)n);
    return n;
}

int fsync(int fd)
{
    if (fd != disk)
        return (int)syscall(SYS_fsync, fd);
    note(POWER_FLUSH, 0, NULL, 0);
    return 0;
}

int fdatasync(int fd)
{
    if (fd != disk)
        return (int)syscall(SYS_fdatasync, fd);
    return fsync(fd);
}

int fallocate64(int fd, int mode, off64_t offset, off64_t size)
{
    const int r = (int)syscall(SYS_fallocate, fd, mode, offset, size);
    if (fd == disk && r == 0)
        note(POWER_ERASE, (uint64_t)offset, NULL, (size_t)size);
    return r;
}
