// A plotter behind ser2net or a network board: a TCP stream.
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "motion/transport_impl.h"

struct tcp {
    struct sockaddr_storage address; // resolved once: resolving may block, reopening must not
    socklen_t address_size;
    int family;
    int fd;
    char name[TRANSPORT_NAME_MAX];
};

static int tcp_fd(void *impl)
{
    return ((struct tcp *)impl)->fd;
}

static ssize_t tcp_read(void *impl, void *buf, size_t size)
{
    struct tcp *t = impl;
    if (t->fd < 0)
        return -ENODEV;
    for (;;) {
        ssize_t n = recv(t->fd, buf, size, MSG_DONTWAIT);
        if (n > 0)
            return n;
        if (n < 0 && errno == EINTR)
            continue;
        // ENOTCONN: the connection is still being made.
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOTCONN))
            return -EAGAIN;
        return -ENODEV;
    }
}

static ssize_t tcp_write(void *impl, const void *buf, size_t size)
{
    struct tcp *t = impl;
    if (t->fd < 0)
        return -ENODEV;
    for (;;) {
        ssize_t n = send(t->fd, buf, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0)
            return n;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOTCONN))
            return -EAGAIN;
        return -ENODEV;
    }
}

static void tcp_hang_up(void *impl)
{
    struct tcp *t = impl;
    if (t->fd >= 0)
        close(t->fd);
    t->fd = -1;
}

static int tcp_reopen(void *impl, struct error *err)
{
    struct tcp *t = impl;
    tcp_hang_up(t);
    int fd = socket(t->family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_set(err, -errno, "No socket for %s: %s.", t->name, strerror(errno));
    // A line is a handful of bytes and must not wait for the next one.
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, (const struct sockaddr *)&t->address, t->address_size) < 0 &&
        errno != EINPROGRESS) {
        int e = errno;
        close(fd);
        return error_set_code(err, -ENODEV, "NoDevice",
                              "%s does not answer: %s. Is the plotter switched on and on the "
                              "network?",
                              t->name, strerror(e));
    }
    t->fd = fd;
    return 0;
}

static void tcp_free(void *impl)
{
    tcp_hang_up(impl);
    free(impl);
}

static const struct transport_ops tcp_ops = {
    .fd = tcp_fd,
    .read = tcp_read,
    .write = tcp_write,
    .reopen = tcp_reopen,
    .hang_up = tcp_hang_up,
    .free = tcp_free,
};

int transport_open_tcp(const char *host, const char *port, struct transport **ret,
                       struct error *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    int g = getaddrinfo(host, port, &hints, &list);
    if (g != 0)
        return error_set(err, -ENODEV, "The plotter's address %s:%s is not known: %s.", host, port,
                         gai_strerror(g));
    struct tcp *t = calloc(1, sizeof *t);
    if (!t) {
        freeaddrinfo(list);
        return error_set(err, -ENOMEM, "Out of memory.");
    }
    memcpy(&t->address, list->ai_addr, list->ai_addrlen);
    t->address_size = list->ai_addrlen;
    t->family = list->ai_family;
    t->fd = -1;
    snprintf(t->name, sizeof t->name, "%s:%s", host, port);
    freeaddrinfo(list);
    int r = tcp_reopen(t, err);
    if (r >= 0) {
        r = transport_make(&tcp_ops, t, t->name, ret);
        if (r < 0)
            error_set(err, r, "Out of memory.");
    }
    if (r < 0)
        tcp_free(t);
    return r;
}
