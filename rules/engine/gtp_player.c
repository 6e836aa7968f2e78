#include "rules/engine/gtp_player.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/base/clock.h"

enum { ANSWER_MAX = 65536, COMMAND_MAX = 4096 };
#define QUIT_NS (500 * NS_PER_MS)

extern char **environ;

struct gtp_player {
    pid_t pid;
    int fd;
    char buffer[ANSWER_MAX];
    int used;
};

int gtp_player_new(const char *command, struct gtp_player **ret, struct error *err)
{
    struct gtp_player *p = calloc(1, sizeof *p);
    int fds[2];
    if (!p)
        return error_set(err, -ENOMEM, "There is not enough memory.");
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
        free(p);
        return error_set(err, -errno, "No pipe to the player: %s.", strerror(errno));
    }
    char shell[] = "/bin/sh", flag[] = "-c", line[COMMAND_MAX];
    snprintf(line, sizeof line, "exec %s", command);
    char *argv[] = {shell, flag, line, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fds[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
    int r = posix_spawn(&p->pid, shell, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(fds[1]);
    p->fd = fds[0];
    if (r != 0) {
        close(p->fd);
        free(p);
        return error_set(err, -r, "The player \"%s\" does not start: %s.", command, strerror(r));
    }
    *ret = p;
    return 0;
}

// Sends all bytes. No SIGPIPE when the program is gone.
static int send_all(int fd, const char *text, size_t size)
{
    while (size) {
        ssize_t n = send(fd, text, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -EPIPE;
        text += n;
        size -= (size_t)n;
    }
    return 0;
}

struct gtp_player *gtp_player_free(struct gtp_player *p)
{
    if (!p)
        return NULL;
    send_all(p->fd, "quit\n", 5);
    int64_t end = clock_monotonic_ns() + QUIT_NS;
    int status;
    while (waitpid(p->pid, &status, WNOHANG) == 0) {
        if (clock_monotonic_ns() > end) {
            kill(p->pid, SIGKILL);
            waitpid(p->pid, &status, 0);
            break;
        }
        poll(NULL, 0, 2);
    }
    close(p->fd);
    free(p);
    return NULL;
}

// Where the answer in the buffer ends (after its empty line), −1 when it is not whole yet.
static int answer_end(struct gtp_player *p)
{
    // Carriage returns may come from Windows programs; GTP ignores them.
    int kept = 0;
    for (int i = 0; i < p->used; i++)
        if (p->buffer[i] != '\r')
            p->buffer[kept++] = p->buffer[i];
    p->used = kept;
    while (p->used && (p->buffer[0] == '\n' || p->buffer[0] == ' ')) {
        memmove(p->buffer, p->buffer + 1, (size_t)--p->used);
    }
    for (int i = 0; i + 1 < p->used; i++)
        if (p->buffer[i] == '\n' && p->buffer[i + 1] == '\n')
            return i + 2;
    return -1;
}

static int read_answer(struct gtp_player *p, int64_t end, struct error *err)
{
    int length;
    while ((length = answer_end(p)) < 0) {
        int64_t left = end - clock_monotonic_ns();
        struct pollfd fd = {.fd = p->fd, .events = POLLIN};
        if (left <= 0)
            return error_set(err, -ETIMEDOUT, "The player does not answer in time.");
        if (poll(&fd, 1, (int)(left / NS_PER_MS) + 1) <= 0)
            continue;
        if (p->used == ANSWER_MAX)
            return error_set(err, -EPROTO, "The player's answer is too long.");
        ssize_t n = read(p->fd, p->buffer + p->used, (size_t)(ANSWER_MAX - p->used));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return error_set(err, -EPIPE, "The player ended unexpectedly.");
        p->used += (int)n;
    }
    return length;
}

int gtp_player_ask(struct gtp_player *p, int64_t timeout_ns, char *answer, int size,
                   struct error *err, const char *format, ...)
{
    char command[COMMAND_MAX];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(command, sizeof command - 1, format, args);
    va_end(args);
    if (n < 0 || n >= (int)sizeof command - 1)
        return error_set(err, -E2BIG, "The command is too long.");
    command[n] = '\n';
    command[n + 1] = '\0';
    int64_t end = clock_monotonic_ns() + timeout_ns;
    if (send_all(p->fd, command, (size_t)n + 1) < 0)
        return error_set(err, -EPIPE, "The player ended unexpectedly.");
    int length = read_answer(p, end, err);
    if (length < 0)
        return length;
    int ok = p->buffer[0] == '=', from = 1, to = length;
    if (!ok && p->buffer[0] != '?')
        return error_set(err, -EPROTO, "The player does not speak GTP: \"%.40s\".", p->buffer);
    while (from < length && p->buffer[from] >= '0' && p->buffer[from] <= '9')
        from++;
    while (from < length && p->buffer[from] == ' ')
        from++;
    while (to > from && (p->buffer[to - 1] == '\n' || p->buffer[to - 1] == ' '))
        to--;
    if (!ok)
        error_set(err, -EPROTO, "The player refuses \"%.*s\": %.*s", n < 60 ? n : 60, command,
                  to - from > 200 ? 200 : to - from, p->buffer + from);
    else if (answer)
        snprintf(answer, (size_t)size, "%.*s", to - from, p->buffer + from);
    memmove(p->buffer, p->buffer + length, (size_t)(p->used - length));
    p->used -= length;
    return ok ? 0 : -EPROTO;
}
