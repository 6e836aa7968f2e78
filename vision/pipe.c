#include "vision/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "config/base/io.h"
#include "vision/mjpeg.h"

extern char **environ;

enum { READ_AT_ONCE = 256 << 10, READS_MAX = 64 };

struct pipe_source {
    int fd;
    pid_t pid; // 0: the descriptor came from outside
    uint8_t *data;
    size_t size, capacity;
    uint8_t *frame; // handed out last
    size_t frame_capacity;
    uint32_t sequence;
    bool ended;
};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int pipe_fd(void *impl)
{
    return ((struct pipe_source *)impl)->fd;
}

static int reserve(uint8_t **buffer, size_t *capacity, size_t size)
{
    if (*capacity >= size)
        return 0;
    uint8_t *grown = realloc(*buffer, size);
    if (!grown)
        return -ENOMEM;
    *buffer = grown;
    *capacity = size;
    return 0;
}

// Takes in what the pipe holds now. 0, or a negative errno.
static int take_in(struct pipe_source *p)
{
    for (int k = 0; k < READS_MAX && !p->ended; k++) {
        if (p->size + READ_AT_ONCE > 2 * (size_t)PIPE_FRAME_MAX)
            break;
        if (reserve(&p->data, &p->capacity, p->size + READ_AT_ONCE) != 0)
            return -ENOMEM;
        const ssize_t got = read(p->fd, p->data + p->size, READ_AT_ONCE);
        if (got == 0) {
            p->ended = true;
        } else if (got > 0) {
            p->size += (size_t)got;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            break;
        } else if (errno != EINTR) {
            return -errno;
        }
    }
    return 0;
}

static void drop(struct pipe_source *p, size_t count)
{
    memmove(p->data, p->data + count, p->size - count);
    p->size -= count;
}

// The newest whole picture; older ones are stale and dropped.
static int newest(struct pipe_source *p, size_t *ret_size)
{
    size_t start = 0, length, found = 0;
    while (p->size > 0 && (length = mjpeg_find(p->data, p->size, &start)) > 0) {
        if (reserve(&p->frame, &p->frame_capacity, length) != 0)
            return -ENOMEM;
        memcpy(p->frame, p->data + start, length);
        drop(p, start + length);
        p->sequence++;
        found = length;
    }
    if (p->size > 0)
        drop(p, start <= p->size ? start : p->size);
    if (found == 0)
        return p->size > PIPE_FRAME_MAX ? -EBADMSG : -EAGAIN;
    *ret_size = found;
    return 0;
}

static int pipe_read(void *impl, struct frame *ret, struct error *err)
{
    struct pipe_source *p = impl;
    int r = take_in(p);
    if (r != 0)
        return error_set(err, r, "reading from the camera command failed (%s)", strerror(-r));
    size_t size = 0;
    r = newest(p, &size);
    if (r == -EBADMSG) {
        p->size = 0;
        return error_set(err, r,
                         "the camera command writes no MJPEG: %d MiB came without a whole picture",
                         PIPE_FRAME_MAX >> 20);
    }
    if (r == -EAGAIN && p->ended)
        return error_set(err, -ENODEV, "the camera command has ended");
    if (r != 0)
        return r;
    *ret = (struct frame){.format = FRAME_JPEG,
                          .data = p->frame,
                          .size = size,
                          .time_ns = now_ns(),
                          .sequence = p->sequence};
    return 0;
}

// The command gets a moment to end by itself; it must not outlive its reader.
static void end_command(pid_t pid)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    kill(pid, SIGTERM);
    for (int k = 0; k < 50; k++) {
        if (waitpid(pid, NULL, WNOHANG) != 0)
            return;
        nanosleep(&moment, NULL);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void pipe_close(void *impl)
{
    struct pipe_source *p = impl;
    close(p->fd);
    if (p->pid > 0)
        end_command(p->pid);
    free(p->data);
    free(p->frame);
    free(p);
}

static const struct frame_source_ops PIPE_OPS = {pipe_fd, pipe_read, pipe_close};

int pipe_source_open_fd(int fd, const char *name, struct frame_source *ret, struct error *err)
{
    struct pipe_source *p = calloc(1, sizeof *p);
    if (!p)
        return error_set(err, -ENOMEM, "out of memory");
    const int r = io_set_nonblocking(fd, true);
    if (r != 0) {
        free(p);
        return error_set(err, r, "the camera's pipe can't be used (%s)", strerror(-r));
    }
    p->fd = fd;
    *ret = (struct frame_source){.ops = &PIPE_OPS, .impl = p};
    snprintf(ret->name, sizeof ret->name, "command %.54s", name);
    return 0;
}

static int spawn(const char *const *argv, int output, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    char **arguments = NULL;
    memcpy(&arguments, &argv, sizeof arguments); // posix_spawn doesn't write to them
    const int r = posix_spawnp(ret_pid, argv[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return -r;
}

int pipe_source_open(const char *const *argv, struct frame_source *ret, struct error *err)
{
    int end[2];
    pid_t pid;
    if (!argv || !argv[0])
        return error_set(err, -EINVAL, "no camera command was given");
    if (pipe2(end, O_CLOEXEC) != 0)
        return error_set(err, -errno, "no pipe for the camera command (%s)", strerror(errno));
    int r = spawn(argv, end[1], &pid);
    close(end[1]);
    if (r != 0) {
        close(end[0]);
        return error_set(err, r, "the camera command %s can't be started (%s)", argv[0],
                         strerror(-r));
    }
    r = pipe_source_open_fd(end[0], argv[0], ret, err);
    if (r != 0) {
        close(end[0]);
        end_command(pid);
        return r;
    }
    ((struct pipe_source *)ret->impl)->pid = pid;
    return 0;
}
