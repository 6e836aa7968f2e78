// Descriptors somebody else opened, and ttys by path (ptys among them, which libserialport
// refuses).
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "motion/transport_impl.h"

enum { HOLDER_MAX = 64 };

ssize_t transport_fd_read(int fd, void *buf, size_t size)
{
    if (fd < 0)
        return -ENODEV;
    for (;;) {
        ssize_t n = read(fd, buf, size);
        if (n > 0)
            return n;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return -EAGAIN;
        return -ENODEV;
    }
}

ssize_t transport_fd_write(int fd, const void *buf, size_t size)
{
    if (fd < 0)
        return -ENODEV;
    for (;;) {
        // A peer that closed its socket must be an error code, not SIGPIPE.
        ssize_t n = send(fd, buf, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == ENOTSOCK)
            n = write(fd, buf, size);
        if (n > 0)
            return n;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return -EAGAIN;
        return -ENODEV;
    }
}

static speed_t speed_of(int baud)
{
    switch (baud) {
    case 9600:
        return B9600;
    case 19200:
        return B19200;
    case 38400:
        return B38400;
    case 57600:
        return B57600;
    case 115200:
        return B115200;
    case 230400:
        return B230400;
    case 460800:
        return B460800;
    case 921600:
        return B921600;
    default:
        return B0;
    }
}

int transport_tty_raw(int fd, int baud)
{
    struct termios tio;
    if (tcgetattr(fd, &tio) < 0)
        return errno == ENOTTY || errno == EINVAL ? 0 : -errno;
    cfmakeraw(&tio);
    tio.c_cflag &= ~(tcflag_t)(CSTOPB | CRTSCTS | HUPCL | PARENB);
    tio.c_cflag |= CLOCAL | CREAD | CS8;
    // 1, not 0: with 0 a read without data returns 0, which is how a vanished device looks.
    tio.c_cc[VMIN] = 1;
    tio.c_cc[VTIME] = 0;
    speed_t speed = speed_of(baud);
    if (speed != B0) {
        cfsetispeed(&tio, speed);
        cfsetospeed(&tio, speed);
    }
    return tcsetattr(fd, TCSANOW, &tio) < 0 ? -errno : 0;
}

// The name of a process that has `path` open, for "close it and try again".
static void find_holder(const char *path, char holder[HOLDER_MAX])
{
    snprintf(holder, HOLDER_MAX, "another program");
    DIR *proc = opendir("/proc");
    if (!proc)
        return;
    struct dirent *entry;
    bool found = false;
    while (!found && (entry = readdir(proc))) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (*end || pid <= 0 || pid == (long)getpid())
            continue;
        char dir_name[64];
        snprintf(dir_name, sizeof dir_name, "/proc/%ld/fd", pid);
        DIR *fds = opendir(dir_name);
        if (!fds)
            continue;
        struct dirent *link;
        while (!found && (link = readdir(fds))) {
            char link_name[64 + sizeof link->d_name], target[PATH_MAX];
            snprintf(link_name, sizeof link_name, "%s/%s", dir_name, link->d_name);
            ssize_t n = readlink(link_name, target, sizeof target - 1);
            if (n <= 0)
                continue;
            target[n] = '\0';
            found = strcmp(target, path) == 0;
        }
        closedir(fds);
        if (!found)
            continue;
        char comm_name[64], comm[32] = "";
        snprintf(comm_name, sizeof comm_name, "/proc/%ld/comm", pid);
        FILE *f = fopen(comm_name, "re");
        if (f) {
            if (fgets(comm, sizeof comm, f))
                comm[strcspn(comm, "\n")] = '\0';
            fclose(f);
        }
        snprintf(holder, HOLDER_MAX, "%s (process %ld)", comm[0] ? comm : "a program", pid);
    }
    closedir(proc);
}

int transport_tty_lock(int fd, const char *path, struct error *err)
{
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        char holder[HOLDER_MAX];
        find_holder(path, holder);
        return error_set_code(err, -EBUSY, "PortBusy",
                              "%s is in use by %s. Two programs on one port each get half of the "
                              "bytes; close the other one and try again.",
                              path, holder);
    }
    // Keeps out programs that do not look at the lock. Root gets in all the same, hence both.
    if (ioctl(fd, TIOCEXCL) < 0 && errno != ENOTTY && errno != EINVAL)
        return error_set(err, -errno, "%s cannot be claimed: %s.", path, strerror(errno));
    return 0;
}

struct fd_impl {
    int fd;
    char *path; // device: by path
    transport_reopen_fn *reopen;
    void *user;
};

static int impl_fd(void *impl)
{
    return ((struct fd_impl *)impl)->fd;
}

static ssize_t impl_read(void *impl, void *buf, size_t size)
{
    return transport_fd_read(((struct fd_impl *)impl)->fd, buf, size);
}

static ssize_t impl_write(void *impl, const void *buf, size_t size)
{
    return transport_fd_write(((struct fd_impl *)impl)->fd, buf, size);
}

static void impl_hang_up(void *impl)
{
    struct fd_impl *f = impl;
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}

static int set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
        return -errno;
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
        return -errno;
    return 0;
}

static int impl_reopen(void *impl, struct error *err)
{
    struct fd_impl *f = impl;
    impl_hang_up(f);
    if (!f->reopen)
        return error_set(err, -ENODEV,
                         "The line to the plotter was closed and cannot be opened "
                         "again from here.");
    int fd = -1;
    int r = f->reopen(f->user, &fd, err);
    if (r < 0)
        return r;
    r = set_nonblocking(fd);
    if (r < 0) {
        close(fd);
        return error_set(err, r, "The line to the plotter cannot be used: %s.", strerror(-r));
    }
    f->fd = fd;
    return 0;
}

static void impl_free(void *impl)
{
    struct fd_impl *f = impl;
    impl_hang_up(f);
    free(f->path);
    free(f);
}

static const struct transport_ops fd_ops = {
    .fd = impl_fd,
    .read = impl_read,
    .write = impl_write,
    .reopen = impl_reopen,
    .hang_up = impl_hang_up,
    .free = impl_free,
};

int transport_new_fd(int fd, const char *name, transport_reopen_fn *reopen, void *user,
                     struct transport **ret, struct error *err)
{
    int r = set_nonblocking(fd);
    if (r < 0)
        return error_set(err, r, "%s: the descriptor cannot be used: %s.", name, strerror(-r));
    struct fd_impl *f = calloc(1, sizeof *f);
    if (!f)
        return error_set(err, -ENOMEM, "Out of memory.");
    *f = (struct fd_impl){.fd = fd, .reopen = reopen, .user = user};
    r = transport_make(&fd_ops, f, name, ret);
    if (r < 0) {
        free(f);
        return error_set(err, r, "Out of memory.");
    }
    return 0;
}

// transport_reopen_fn of a device: user is the fd_impl itself.
static int open_path(void *user, int *ret_fd, struct error *err)
{
    struct fd_impl *f = user;
    char path[PATH_MAX];
    if (!realpath(f->path, path))
        return error_set_code(err, -ENODEV, "NoDevice",
                              "%s is not there. Is the plotter plugged in and switched on?",
                              f->path);
    int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        int e = errno;
        if (e == EACCES)
            return error_set_code(err, -EACCES, "NoPermission",
                                  "No permission to open %s. Add this user to the group dialout "
                                  "and log in again.",
                                  path);
        return error_set(err, e == EBUSY ? -EBUSY : -ENODEV, "%s cannot be opened: %s.", path,
                         strerror(e));
    }
    int r = transport_tty_lock(fd, path, err);
    if (r >= 0) {
        r = transport_tty_raw(fd, 115200);
        if (r < 0)
            error_set(err, r, "%s cannot be set to raw 8N1: %s.", path, strerror(-r));
    }
    if (r < 0) {
        close(fd);
        return r;
    }
    *ret_fd = fd;
    return 0;
}

int transport_open_device(const char *path, struct transport **ret, struct error *err)
{
    struct fd_impl *f = calloc(1, sizeof *f);
    char *copy = strdup(path);
    if (!f || !copy) {
        free(f);
        free(copy);
        return error_set(err, -ENOMEM, "Out of memory.");
    }
    *f = (struct fd_impl){.fd = -1, .path = copy, .reopen = open_path, .user = f};
    int r = impl_reopen(f, err);
    if (r >= 0) {
        r = transport_make(&fd_ops, f, path, ret);
        if (r < 0)
            error_set(err, r, "Out of memory.");
    }
    if (r < 0)
        impl_free(f);
    return r;
}
