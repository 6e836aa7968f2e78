// A recording instead of a plotter: what the firmware once said, in order.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "motion/transport_impl.h"

struct replay {
    int fd; // an eventfd that stays readable while bytes are left
    uint8_t *data;
    size_t size, at, piece;
};

static int replay_fd(void *impl)
{
    return ((struct replay *)impl)->fd;
}

static ssize_t replay_read(void *impl, void *buf, size_t size)
{
    struct replay *r = impl;
    size_t n = r->size - r->at;
    if (n > r->piece)
        n = r->piece;
    if (n > size)
        n = size;
    if (n == 0)
        return -EAGAIN;
    memcpy(buf, r->data + r->at, n);
    r->at += n;
    if (r->at == r->size) {
        uint64_t count;
        ssize_t drained = read(r->fd, &count, sizeof count);
        (void)drained; // nothing is left to tell; the next read says -EAGAIN anyway
    }
    return (ssize_t)n;
}

static ssize_t replay_write(void *impl, const void *buf, size_t size)
{
    (void)impl;
    (void)buf;
    return size ? (ssize_t)size : -EAGAIN;
}

static int replay_reopen(void *impl, struct error *err)
{
    (void)impl;
    return error_set(err, -ENODEV, "A recording cannot be opened again.");
}

static void replay_hang_up(void *impl)
{
    struct replay *r = impl;
    r->at = r->size;
}

static void replay_free(void *impl)
{
    struct replay *r = impl;
    close(r->fd);
    free(r->data);
    free(r);
}

static const struct transport_ops replay_ops = {
    .fd = replay_fd,
    .read = replay_read,
    .write = replay_write,
    .reopen = replay_reopen,
    .hang_up = replay_hang_up,
    .free = replay_free,
};

int transport_new_replay(const void *data, size_t size, size_t piece, struct transport **ret)
{
    struct replay *r = calloc(1, sizeof *r);
    uint8_t *copy = malloc(size ? size : 1);
    int fd = eventfd(size > 0, EFD_CLOEXEC | EFD_NONBLOCK);
    int result = -ENOMEM;
    if (r && copy && fd >= 0) {
        if (size)
            memcpy(copy, data, size);
        *r = (struct replay){fd, copy, size, 0, piece ? piece : 1};
        result = transport_make(&replay_ops, r, "recording", ret);
    }
    if (result < 0) {
        if (fd >= 0)
            close(fd);
        free(copy);
        free(r);
    }
    return result;
}
