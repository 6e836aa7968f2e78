#include "motion/transport.h"

#include <errno.h>
#include <stdlib.h>

#include "motion/transport_impl.h"

int transport_make(const struct transport_ops *ops, void *impl, const char *name,
                   struct transport **ret)
{
    struct transport *t = calloc(1, sizeof *t);
    if (!t)
        return -ENOMEM;
    t->ops = ops;
    t->impl = impl;
    transport_set_name(t, name);
    *ret = t;
    return 0;
}

void transport_set_name(struct transport *t, const char *name)
{
    size_t i = 0;
    for (; name && name[i] && i < sizeof t->name - 1; i++)
        t->name[i] = name[i];
    t->name[i] = '\0';
}

struct transport *transport_free(struct transport *t)
{
    if (t) {
        t->ops->free(t->impl);
        free(t);
    }
    return NULL;
}

int transport_fd(const struct transport *t)
{
    return t->ops->fd(t->impl);
}

ssize_t transport_read(struct transport *t, void *buf, size_t size)
{
    ssize_t n = t->ops->read(t->impl, buf, size);
    if (n > 0) {
        t->bytes_read += (uint64_t)n;
        if (t->tap)
            t->tap(t->tap_user, TRANSPORT_IN, buf, (size_t)n);
    }
    return n;
}

ssize_t transport_write(struct transport *t, const void *buf, size_t size)
{
    ssize_t n = t->ops->write(t->impl, buf, size);
    if (n > 0) {
        t->bytes_written += (uint64_t)n;
        if (t->tap)
            t->tap(t->tap_user, TRANSPORT_OUT, buf, (size_t)n);
    }
    return n;
}

int transport_reopen(struct transport *t, struct error *err)
{
    int r = t->ops->reopen(t->impl, err);
    if (r >= 0)
        t->bytes_read = t->bytes_written = 0;
    return r;
}

void transport_hang_up(struct transport *t)
{
    t->ops->hang_up(t->impl);
}
