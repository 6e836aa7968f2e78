#include "controller/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/base/io.h"

enum { LEAVE_MS = 1000 };

struct child {
    pid_t pid; // 0 once it has been waited for
    int to, from;
    struct loop_source *source;
    child_ended_fn *ended;
    void *user;
};

static void on_ended(void *user, pid_t pid, int status)
{
    (void)pid;
    struct child *child = user;
    child->pid = 0;
    child->source = loop_source_free(child->source);
    if (child->ended)
        child->ended(child->user, status);
}

// Runs between fork and exec: only async-signal-safe calls.
static _Noreturn void become(const char *const *argv, int in, int out, int report, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127); // the parent died before the line above
    if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0) {
        // In a session of its own, Ctrl-C at the terminal reaches only the controller, which then
        // ends its children in order.
        setsid();
        // execvp wants non-const pointers by history only; it does not write to them.
        execvp(argv[0], (char *const *)(uintptr_t)argv);
    }
    int number = errno;
    ssize_t n = write(report, &number, sizeof number);
    (void)n;
    _exit(127);
}

static void close_all(int (*pipes)[2], int count)
{
    for (int i = 0; i < count; i++) {
        for (int end = 0; end < 2; end++) {
            if (pipes[i][end] >= 0)
                close(pipes[i][end]);
        }
    }
}

enum { PIPE_IN, PIPE_OUT, PIPE_REPORT, PIPES };

static int start(const char *const *argv, int (*pipes)[2], pid_t *ret_pid)
{
    for (int i = 0; i < PIPES; i++) {
        if (pipe2(pipes[i], O_CLOEXEC) < 0)
            return -errno;
    }
    pid_t parent = getpid(), pid = fork();
    if (pid < 0)
        return -errno;
    if (pid == 0)
        become(argv, pipes[PIPE_IN][0], pipes[PIPE_OUT][1], pipes[PIPE_REPORT][1], parent);
    // The report pipe closes by itself when exec succeeds; otherwise it carries the reason.
    close(pipes[PIPE_REPORT][1]);
    pipes[PIPE_REPORT][1] = -1;
    int number = 0;
    size_t got = 0;
    io_read_all(&io_system, pipes[PIPE_REPORT][0], &number, sizeof number, &got);
    if (got == sizeof number) {
        waitpid(pid, NULL, 0);
        return -number;
    }
    *ret_pid = pid;
    return 0;
}

int child_start(struct loop *loop, const char *const *argv, child_ended_fn *ended, void *user,
                struct child **ret, struct error *err)
{
    struct child *child = calloc(1, sizeof *child);
    if (!child)
        return error_set(err, -ENOMEM, "out of memory");
    int pipes[PIPES][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    int r = start(argv, pipes, &child->pid);
    if (r == 0) {
        child->to = pipes[PIPE_IN][1];
        child->from = pipes[PIPE_OUT][0];
        pipes[PIPE_IN][1] = pipes[PIPE_OUT][0] = -1;
        child->ended = ended;
        child->user = user;
        io_set_nonblocking(child->to, true);
        io_set_nonblocking(child->from, true);
        r = loop_add_child(loop, child->pid, on_ended, child, &child->source);
    }
    close_all(pipes, PIPES);
    if (r < 0) {
        if (child->pid)
            child_free(child);
        else
            free(child);
        return error_set(err, r, "the program %s can't be started: %s.", argv[0], strerror(-r));
    }
    *ret = child;
    return 0;
}

static void wait_or_kill(pid_t pid)
{
    int fd = pidfd_open(pid, 0);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (fd < 0 || poll(&p, 1, LEAVE_MS) <= 0)
        kill(-pid, SIGKILL); // it leads a session of its own: what it started goes too
    if (fd >= 0)
        close(fd);
    waitpid(pid, NULL, 0);
}

struct child *child_free(struct child *child)
{
    if (!child)
        return NULL;
    loop_source_free(child->source);
    close(child->to);
    if (child->pid)
        wait_or_kill(child->pid);
    close(child->from);
    free(child);
    return NULL;
}

int child_stdin(const struct child *child)
{
    return child->to;
}

int child_stdout(const struct child *child)
{
    return child->from;
}

bool child_running(const struct child *child)
{
    return child->pid != 0;
}

const char *child_status_text(int wait_status, char *buf, size_t size)
{
    if (WIFSIGNALED(wait_status))
        snprintf(buf, size, "was stopped by signal %d (%s)", WTERMSIG(wait_status),
                 strsignal(WTERMSIG(wait_status)));
    else
        snprintf(buf, size, "ended by itself with status %d", WEXITSTATUS(wait_status));
    return buf;
}

static bool beside_me(const char *name, char path[CHILD_PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", path, CHILD_PATH_MAX - 1);
    if (n <= 0)
        return false;
    path[n] = 0;
    char *slash = strrchr(path, '/');
    size_t room = (size_t)(CHILD_PATH_MAX - (slash + 1 - path));
    if ((size_t)snprintf(slash + 1, room, "%s", name) >= room)
        return false;
    return access(path, X_OK) == 0;
}

int child_find_program(const char *name, char ret_path[CHILD_PATH_MAX], struct error *err)
{
    char path[CHILD_PATH_MAX];
    if (beside_me(name, path)) {
        memcpy(ret_path, path, sizeof path);
        return 0;
    }
    const char *places = getenv("PATH");
    for (const char *p = places ? places : "/usr/local/bin:/usr/bin:/bin"; *p;) {
        size_t n = strcspn(p, ":");
        int length = snprintf(path, sizeof path, "%.*s/%s", (int)n, p, name);
        if (n && length > 0 && (size_t)length < sizeof path && access(path, X_OK) == 0) {
            memcpy(ret_path, path, sizeof path);
            return 0;
        }
        p += n + (p[n] == ':');
    }
    return error_set(err, -ENOENT,
                     "the program %s was not found, neither beside this one nor in PATH. It is "
                     "part of Tessera: install or build all of it.",
                     name);
}
