// Reaching a daemon: the socket of a running one, or a private one of our own.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "config/base/io.h"
#include "rules/daemon/client_private.h"

#define PROGRAM "tessera-rulesd"
#define REAP_NS (2 * NS_PER_S) // for a private daemon to end by itself

int client_connect(const char *path, int *ret_fd, struct error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return error_set_at(err, -ENAMETOOLONG, path, 0, 0, "is too long for a socket");
    memcpy(address.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_set(err, -errno, "no socket: %s", strerror(errno));
    int r;
    do
        r = connect(fd, (struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
    while (r == -EINTR);
    if (r == 0)
        r = io_set_nonblocking(fd, true);
    if (r < 0) {
        close(fd);
        return error_set_at(err, r, path, 0, 0,
                            "the rules daemon does not answer here (%s). Is tessera-rulesd "
                            "running?",
                            strerror(-r));
    }
    *ret_fd = fd;
    return 0;
}

// Beside this program first, so that a build folder uses its own daemon; then wherever PATH says.
static void find_program(char *buf, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", buf, size - 1);
    if (n > 0) {
        buf[n] = '\0';
        char *slash = strrchr(buf, '/');
        size_t room = slash ? size - (size_t)(slash + 1 - buf) : 0;
        if (room > sizeof PROGRAM) {
            memcpy(slash + 1, PROGRAM, sizeof PROGRAM);
            if (access(buf, X_OK) == 0)
                return;
        }
    }
    snprintf(buf, size, "%s", PROGRAM);
}

// In the child: only what is safe between fork() and exec().
static _Noreturn void become_daemon(const char *program, const char *state, int fd, int report)
{
    setpgid(0, 0); // Ctrl-C is for the program at the terminal, which ends us when it is done
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    if (dup2(fd, STDIN_FILENO) >= 0 && dup2(fd, STDOUT_FILENO) >= 0) {
        const char *with_state[] = {program, "--stdio", "--quiet", "--state", state, NULL};
        const char *without[] = {program, "--stdio", "--quiet", NULL};
        execvp(program, (char *const *)(state ? with_state : without));
    }
    int error = errno;
    if (write(report, &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

int client_spawn(const char *program, const char *state, int *ret_fd, pid_t *ret_child,
                 struct error *err)
{
    char found[PATH_MAX];
    if (!program) {
        find_program(found, sizeof found);
        program = found;
    }
    int pair[2], report[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return error_set(err, -errno, "no pair of sockets: %s", strerror(errno));
    if (pipe2(report, O_CLOEXEC) < 0) {
        int r = -errno;
        close(pair[0]);
        close(pair[1]);
        return error_set(err, r, "no pipe: %s", strerror(-r));
    }
    pid_t child = fork();
    if (child == 0)
        become_daemon(program, state, pair[1], report[1]);
    int error = child < 0 ? errno : 0;
    close(pair[1]);
    close(report[1]);
    size_t got = 0;
    if (child > 0 && io_read_all(NULL, report[0], &error, sizeof error, &got) == 0 &&
        got == sizeof error)
        waitpid(child, NULL, 0);
    close(report[0]);
    if (error == 0) {
        int r = io_set_nonblocking(pair[0], true);
        error = -r;
    }
    if (error != 0) {
        close(pair[0]);
        return error_set_at(err, -error, program, 0, 0, "cannot be started: %s", strerror(error));
    }
    *ret_fd = pair[0];
    *ret_child = child;
    return 0;
}

void client_reap(pid_t child)
{
    int64_t end = clock_monotonic_ns() + REAP_NS;
    for (;;) {
        pid_t r = waitpid(child, NULL, WNOHANG);
        if (r == child || (r < 0 && errno != EINTR))
            return;
        if (clock_monotonic_ns() >= end)
            break;
        nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}
