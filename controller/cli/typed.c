#include "controller/cli/typed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { LINE_MAX_SIZE = 256 };

struct typed {
    struct loop *loop;
    int fd;
    struct typed_events events;
    struct loop_source *input; // NULL: not watched
    struct loop_source *again; // fires when there is something to look at without the descriptor
    char buffer[4096];         // read and not handed on
    size_t used;
    bool kept;  // the first line was handed on in vain
    bool ended; // the descriptor has nothing more
};

static void on_again(void *user, int64_t now);
static void on_input(void *user, int fd, uint32_t revents);

// Watching stops while a line is kept: a pipe that hung up would wake the loop for ever.
static void watch(struct typed *t, bool wanted)
{
    if (!wanted) {
        t->input = loop_source_free(t->input);
        return;
    }
    if (t->input)
        return;
    // A file can't be waited for; it is ready at any time.
    if (loop_add_io(t->loop, t->fd, EPOLLIN, on_input, t, &t->input) < 0)
        loop_source_set_due(t->again, loop_now(t->loop));
}

// The first line of the buffer, or what is left of it at the end. False: it isn't whole yet.
static bool hand_on(struct typed *t)
{
    char line[LINE_MAX_SIZE];
    const char *newline = memchr(t->buffer, '\n', t->used);
    if (!newline && t->used < sizeof t->buffer && !(t->ended && t->used))
        return false;
    size_t length = newline ? (size_t)(newline - t->buffer) : t->used;
    size_t taken = newline ? length + 1 : length;
    if (length > sizeof line - 1)
        length = sizeof line - 1;
    memcpy(line, t->buffer, length);
    line[length] = 0;
    t->kept = !t->events.line(t->events.user, line);
    if (t->kept)
        return false;
    t->used -= taken;
    memmove(t->buffer, t->buffer + taken, t->used);
    return true;
}

static void look(struct typed *t)
{
    while (hand_on(t))
        ;
    watch(t, !t->kept && !t->ended);
    if (t->ended && !t->kept && t->events.end) {
        void (*end)(void *user) = t->events.end;
        t->events.end = NULL;
        end(t->events.user);
    }
}

static void take(struct typed *t)
{
    ssize_t n = read(t->fd, t->buffer + t->used, sizeof t->buffer - t->used);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    t->ended = n <= 0;
    t->used += n > 0 ? (size_t)n : 0;
    look(t);
}

static void on_input(void *user, int fd, uint32_t revents)
{
    (void)fd;
    (void)revents;
    take(user);
}

static void on_again(void *user, int64_t now)
{
    (void)now;
    struct typed *t = user;
    if (t->kept || t->ended)
        look(t);
    else
        take(t);
}

int typed_new(struct loop *loop, int fd, const struct typed_events *events, struct typed **ret)
{
    struct typed *t = calloc(1, sizeof *t);
    if (!t)
        return -ENOMEM;
    *t = (struct typed){.loop = loop, .fd = fd, .events = *events};
    int r = loop_add_timer(loop, INT64_MAX, on_again, t, &t->again);
    if (r < 0) {
        free(t);
        return r;
    }
    watch(t, true);
    *ret = t;
    return 0;
}

struct typed *typed_free(struct typed *t)
{
    if (!t)
        return NULL;
    loop_source_free(t->input);
    loop_source_free(t->again);
    free(t);
    return NULL;
}

void typed_go_on(struct typed *t)
{
    if (t && t->kept)
        loop_source_set_due(t->again, loop_now(t->loop));
}
