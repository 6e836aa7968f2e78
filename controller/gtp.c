#include "controller/gtp.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "controller/child.h"

struct command {
    gtp_reply_fn *reply;
    void *user;
    int64_t timeout_ns;
};

struct gtp {
    struct loop *loop;
    struct child *child;
    struct loop_source *in, *out, *timeout;
    int timer_fd; // real time, also under a virtual clock
    bool failed;
    char name[64];

    struct command queue[GTP_QUEUE_MAX];
    int first, count;

    char *pending; // commands not yet taken by the pipe
    size_t pending_size, pending_room;

    char answer[GTP_REPLY_MAX];
    size_t answer_size;
    char last; // last byte, to see the empty line at an answer's end
};

static void arm_timeout(struct gtp *g)
{
    struct itimerspec spec = {0};
    if (g->count) {
        int64_t ns = g->queue[g->first].timeout_ns;
        spec.it_value.tv_sec = ns / NS_PER_S;
        spec.it_value.tv_nsec = ns % NS_PER_S;
    }
    timerfd_settime(g->timer_fd, 0, &spec, NULL);
}

static struct command pop(struct gtp *g)
{
    struct command c = g->queue[g->first];
    g->first = (g->first + 1) % GTP_QUEUE_MAX;
    g->count--;
    loop_release(g->loop);
    arm_timeout(g);
    return c;
}

// Every command that waits is answered with the same words. New ones are refused from here on.
static void fail(struct gtp *g, int status, const char *text)
{
    if (g->failed)
        return;
    g->failed = true;
    g->in = loop_source_free(g->in);
    g->out = loop_source_free(g->out);
    while (g->count) {
        struct command c = pop(g);
        if (c.reply)
            c.reply(c.user, status, text);
    }
}

static void take_byte(struct gtp *g, char c);

static void on_ended(void *user, int wait_status)
{
    struct gtp *g = user;
    char how[64], text[160], buf[4096];
    // What it said before it went still counts.
    for (ssize_t n; !g->failed && (n = read(child_stdout(g->child), buf, sizeof buf)) > 0;) {
        for (ssize_t i = 0; i < n && !g->failed; i++)
            take_byte(g, buf[i]);
    }
    child_status_text(wait_status, how, sizeof how);
    snprintf(text, sizeof text, "the program %s %s.", g->name, how);
    fail(g, -EPIPE, text);
}

static void on_timeout(void *user, int fd, uint32_t revents)
{
    (void)revents;
    struct gtp *g = user;
    uint64_t expirations;
    if (read(fd, &expirations, sizeof expirations) < 0 || !g->count)
        return;
    char text[160];
    snprintf(text, sizeof text, "the program %s did not answer within %.0f seconds.", g->name,
             (double)g->queue[g->first].timeout_ns / NS_PER_S);
    fail(g, -ETIMEDOUT, text);
}

// An answer is complete: "=id text" or "?id text", already without its empty line.
static void on_answer(struct gtp *g)
{
    char *text = g->answer;
    g->answer[g->answer_size] = 0;
    g->answer_size = 0;
    char kind = *text;
    if ((kind != '=' && kind != '?') || !g->count)
        return; // chatter between answers: the protocol does not allow it, nothing depends on it
    text++;
    text += strspn(text, "0123456789");
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
        text[--n] = 0;
    struct command c = pop(g);
    if (c.reply)
        c.reply(c.user, kind == '=' ? 0 : -EPROTO, text);
}

static void take_byte(struct gtp *g, char c)
{
    if (c == '\r' || (c == '\n' && !g->answer_size))
        return;
    if (c == '\n' && g->last == '\n') {
        g->last = 0;
        on_answer(g);
        return;
    }
    g->last = c;
    if (g->answer_size + 1 < sizeof g->answer)
        g->answer[g->answer_size++] = c == '\t' ? ' ' : c;
    else
        fail(g, -EMSGSIZE, "the program's answer has no end.");
}

static void on_output(void *user, int fd, uint32_t revents)
{
    (void)revents;
    struct gtp *g = user;
    char buf[4096];
    ssize_t n = read(fd, buf, sizeof buf);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        g->out = loop_source_free(g->out); // on_ended() tells the rest
        if (!child_running(g->child))
            fail(g, -EPIPE, "the program has closed its output.");
        return;
    }
    for (ssize_t i = 0; i < n && !g->failed; i++)
        take_byte(g, buf[i]);
}

static void flush(struct gtp *g)
{
    while (g->pending_size) {
        ssize_t n = write(child_stdin(g->child), g->pending, g->pending_size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break; // EAGAIN: on_input() goes on. EPIPE: on_ended() comes.
        g->pending_size -= (size_t)n;
        memmove(g->pending, g->pending + n, g->pending_size);
    }
    if (g->in)
        loop_source_set_events(g->in, g->pending_size ? EPOLLOUT : 0);
}

static void on_input(void *user, int fd, uint32_t revents)
{
    (void)fd;
    struct gtp *g = user;
    if (revents & (EPOLLERR | EPOLLHUP))
        loop_source_set_events(g->in, 0);
    else
        flush(g);
}

int gtp_start(struct loop *loop, const char *const *argv, struct gtp **ret, struct error *err)
{
    struct gtp *g = calloc(1, sizeof *g);
    if (!g)
        return error_set(err, -ENOMEM, "out of memory");
    g->loop = loop;
    const char *slash = strrchr(argv[0], '/');
    snprintf(g->name, sizeof g->name, "%s", slash ? slash + 1 : argv[0]);
    g->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    int r = g->timer_fd < 0 ? error_set(err, -errno, "no timer: %s.", strerror(errno))
                            : child_start(loop, argv, on_ended, g, &g->child, err);
    if (r == 0) {
        r = loop_add_io(loop, child_stdout(g->child), EPOLLIN, on_output, g, &g->out);
        if (r == 0)
            r = loop_add_io(loop, child_stdin(g->child), 0, on_input, g, &g->in);
        if (r == 0)
            r = loop_add_io(loop, g->timer_fd, EPOLLIN, on_timeout, g, &g->timeout);
        if (r < 0)
            error_set(err, r, "the program %s can't be watched: %s.", g->name, strerror(-r));
    }
    if (r < 0) {
        gtp_free(g);
        return r;
    }
    *ret = g;
    return 0;
}

struct gtp *gtp_free(struct gtp *g)
{
    if (!g)
        return NULL;
    while (g->count) {
        pop(g);
    }
    loop_source_free(g->in);
    loop_source_free(g->out);
    loop_source_free(g->timeout);
    child_free(g->child);
    if (g->timer_fd >= 0)
        close(g->timer_fd);
    free(g->pending);
    free(g);
    return NULL;
}

static int append(struct gtp *g, const char *line, size_t n)
{
    if (g->pending_size + n > g->pending_room) {
        size_t room = 2 * (g->pending_size + n);
        char *pending = realloc(g->pending, room);
        if (!pending)
            return -ENOMEM;
        g->pending = pending;
        g->pending_room = room;
    }
    memcpy(g->pending + g->pending_size, line, n);
    g->pending_size += n;
    return 0;
}

int gtp_send(struct gtp *g, int64_t timeout_ns, gtp_reply_fn *reply, void *user, const char *format,
             ...)
{
    if (!gtp_alive(g))
        return -ENOTCONN;
    if (g->count == GTP_QUEUE_MAX)
        return -ENOSPC;
    char line[GTP_COMMAND_MAX];
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(line, sizeof line - 1, format, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof line - 1)
        return -EMSGSIZE;
    line[n++] = '\n';
    int r = append(g, line, (size_t)n);
    if (r < 0)
        return r;
    g->queue[(g->first + g->count++) % GTP_QUEUE_MAX] =
        (struct command){.reply = reply, .user = user, .timeout_ns = timeout_ns};
    loop_hold(g->loop);
    if (g->count == 1)
        arm_timeout(g);
    flush(g);
    return 0;
}

void gtp_call(struct gtp *g, const char *name)
{
    snprintf(g->name, sizeof g->name, "%s", name);
}

bool gtp_alive(const struct gtp *g)
{
    return !g->failed && child_running(g->child);
}

const char *gtp_name(const struct gtp *g)
{
    return g->name;
}
