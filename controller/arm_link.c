#include "controller/arm_link.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

struct arm_link {
    struct loop *loop;
    struct arm *arm;
    struct loop_source *io, *timer;
    int fd; // what `io` watches; -1 = nothing
};

static uint32_t wanted(const struct arm_link *link)
{
    short events = arm_events(link->arm);
    return (events & POLLIN ? (uint32_t)EPOLLIN : 0) | (events & POLLOUT ? (uint32_t)EPOLLOUT : 0);
}

static void on_io(void *user, int fd, uint32_t revents)
{
    (void)fd;
    struct arm_link *link = user;
    // IN, OUT, ERR and HUP are the same bits for poll and epoll on Linux.
    arm_process(link->arm, loop_now(link->loop), (short)revents);
    arm_link_update(link);
}

static void on_deadline(void *user, int64_t now)
{
    struct arm_link *link = user;
    arm_process(link->arm, now, 0);
    arm_link_update(link);
}

void arm_link_update(struct arm_link *link)
{
    int fd = arm_fd(link->arm);
    // A closed descriptor's number may come back as another device: watch it anew each time.
    if (fd != link->fd) {
        link->io = loop_source_free(link->io);
        link->fd = fd;
        if (fd >= 0 && loop_add_io(link->loop, fd, wanted(link), on_io, link, &link->io) < 0)
            link->fd = -1; // tried again at the next update; the arm's own deadlines go on
    } else if (link->io) {
        loop_source_set_events(link->io, wanted(link));
    }
    loop_source_set_due(link->timer, arm_deadline(link->arm));
}

int arm_link_new(struct loop *loop, struct arm *arm, struct arm_link **ret, struct error *err)
{
    struct arm_link *link = calloc(1, sizeof *link);
    if (!link)
        return error_set(err, -ENOMEM, "out of memory");
    *link = (struct arm_link){.loop = loop, .arm = arm, .fd = -1};
    int r = loop_add_timer(loop, INT64_MAX, on_deadline, link, &link->timer);
    if (r < 0) {
        free(link);
        return error_set(err, r, "the arm can't be watched: %s.", strerror(-r));
    }
    arm_link_update(link);
    *ret = link;
    return 0;
}

struct arm_link *arm_link_free(struct arm_link *link)
{
    if (!link)
        return NULL;
    loop_source_free(link->io);
    loop_source_free(link->timer);
    free(link);
    return NULL;
}
