#include "rules/engine/guest.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/base/clock.h"

enum { LINE_MAX_BYTES = 65536, COMMAND_MAX = 4096 };
#define FAREWELL_NS (500 * NS_PER_MS)

extern char **environ;

struct guest {
    pid_t pid;
    bool reaped; // the end was seen already
    int fd;
    int used, next; // bytes in the buffer; where the next line begins
    char buffer[LINE_MAX_BYTES];
};

static int spawn(struct guest *g, const char *launcher, const char *command, int fd)
{
    char shell[] = "/bin/sh", flag[] = "-c", word[] = "sandbox";
    char program[COMMAND_MAX], line[COMMAND_MAX];
    snprintf(program, sizeof program, "%s", launcher ? launcher : shell);
    if (snprintf(line, sizeof line, "exec %s", command) >= (int)sizeof line)
        return -E2BIG;
    char *boxed[] = {program, word, shell, flag, line, NULL};
    char *plain[] = {shell, flag, line, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    int r = posix_spawn(&g->pid, program, &actions, &attributes, launcher ? boxed : plain, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return -r;
}

int guest_new(const char *launcher, const char *command, struct guest **ret, struct error *err)
{
    struct guest *g = calloc(1, sizeof *g);
    int fds[2];
    if (!g)
        return error_set(err, -ENOMEM, "There is not enough memory.");
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
        free(g);
        return error_set(err, -errno, "No pipe to the player: %s.", strerror(errno));
    }
    int r = spawn(g, launcher, command, fds[1]);
    close(fds[1]);
    g->fd = fds[0];
    if (r < 0) {
        close(g->fd);
        free(g);
        return error_set(err, r, "The player \"%s\" does not start: %s.", command, strerror(-r));
    }
    *ret = g;
    return 0;
}

struct guest *guest_free(struct guest *g, const char *farewell)
{
    if (!g)
        return NULL;
    guest_send(g, farewell, NULL);
    int64_t end = clock_monotonic_ns() + FAREWELL_NS;
    int status;
    while (!g->reaped && waitpid(g->pid, &status, WNOHANG) == 0) {
        if (clock_monotonic_ns() > end) {
            kill(-g->pid, SIGKILL);
            waitpid(g->pid, &status, 0);
            break;
        }
        poll(NULL, 0, 2);
    }
    close(g->fd);
    free(g);
    return NULL;
}

// Says how the program ended. Its pipe closes a moment before it can be asked.
static int ended(struct guest *g, struct error *err)
{
    int64_t end = clock_monotonic_ns() + FAREWELL_NS;
    int status = 0;
    while (!g->reaped && clock_monotonic_ns() < end) {
        g->reaped = waitpid(g->pid, &status, WNOHANG) == g->pid;
        if (!g->reaped)
            poll(NULL, 0, 2);
        else if (WIFSIGNALED(status))
            return error_set(err, -EPIPE, "The player ended unexpectedly: it crashed (%s).",
                             strsignal(WTERMSIG(status)));
        else if (WEXITSTATUS(status))
            return error_set(err, -EPIPE, "The player ended unexpectedly, with exit status %d.",
                             WEXITSTATUS(status));
    }
    return error_set(err, -EPIPE, "The player ended unexpectedly.");
}

int guest_send(struct guest *g, const char *text, struct error *err)
{
    for (size_t size = strlen(text); size;) {
        ssize_t n = send(g->fd, text, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return ended(g, err);
        text += n;
        size -= (size_t)n;
    }
    return 0;
}

// Takes a whole line out of the buffer, NULL when there is none yet.
static const char *whole_line(struct guest *g)
{
    char *line = g->buffer + g->next, *newline = memchr(line, '\n', (size_t)(g->used - g->next));
    if (!newline)
        return NULL;
    *newline = '\0';
    g->next = (int)(newline + 1 - g->buffer);
    // Carriage returns come from Windows programs.
    if (newline > line && newline[-1] == '\r')
        newline[-1] = '\0';
    return line;
}

int guest_line(struct guest *g, int64_t end_ns, const char **ret, struct error *err)
{
    const char *line;
    while (!(line = whole_line(g))) {
        g->used -= g->next;
        memmove(g->buffer, g->buffer + g->next, (size_t)g->used);
        g->next = 0;
        if (g->used == LINE_MAX_BYTES)
            return error_set(err, -EPROTO, "The player's answer is too long.");
        int64_t left = end_ns - clock_monotonic_ns();
        struct pollfd fd = {.fd = g->fd, .events = POLLIN};
        if (left <= 0)
            return error_set(err, -ETIMEDOUT, "The player does not answer in time.");
        if (poll(&fd, 1, (int)(left / NS_PER_MS) + 1) <= 0)
            continue;
        ssize_t n = read(g->fd, g->buffer + g->used, (size_t)(LINE_MAX_BYTES - g->used));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return ended(g, err);
        g->used += (int)n;
    }
    *ret = line;
    return 0;
}
