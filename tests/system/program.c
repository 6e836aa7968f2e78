#include "tests/system/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 32 };

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void program_start(struct program *p, const char *name, const char *const *arguments)
{
    char path[4096];
    const char *argv[ARGUMENTS_MAX + 2] = {path};
    int in[2], out[2], err[2];
    const char *bin = getenv("TESSERA_BIN");
    snprintf(path, sizeof path, "%s/%s", bin ? bin : ".", name);
    for (int i = 0; i < ARGUMENTS_MAX && arguments[i]; i++)
        argv[i + 1] = arguments[i];
    memset(p, 0, sizeof *p);
    p->said = calloc(1, PROGRAM_OUTPUT_MAX + 1);
    p->told = calloc(1, PROGRAM_OUTPUT_MAX + 1);
    if (!p->said || !p->told || pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 ||
        pipe2(err, O_CLOEXEC) < 0)
        abort();
    p->pid = fork();
    if (p->pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        dup2(err[1], 2);
        execv(path, (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    close(err[1]);
    p->in = in[1];
    p->out = out[0];
    p->err = err[0];
}

static bool take(int *fd, char *text, size_t *used)
{
    ssize_t n = read(*fd, text + *used, PROGRAM_OUTPUT_MAX - *used);
    if (n > 0) {
        *used += (size_t)n;
        return true;
    }
    close(*fd);
    *fd = -1;
    return false;
}

// Reads what comes within the time; false when both outputs are closed or the time is over.
static bool read_some(struct program *p, double until)
{
    struct pollfd fds[2] = {{.fd = p->out, .events = POLLIN}, {.fd = p->err, .events = POLLIN}};
    double left = until - now();
    if ((p->out < 0 && p->err < 0) || left <= 0)
        return false;
    if (poll(fds, 2, (int)(left * 1000) + 1) <= 0)
        return false;
    if (fds[0].revents)
        take(&p->out, p->said, &p->said_size);
    if (fds[1].revents)
        take(&p->err, p->told, &p->told_size);
    return true;
}

bool program_expect(struct program *p, const char *text, double seconds)
{
    double until = now() + seconds;
    do {
        if (strstr(p->said, text) || strstr(p->told, text))
            return true;
    } while (read_some(p, until));
    return strstr(p->said, text) || strstr(p->told, text);
}

void program_type(struct program *p, const char *text)
{
    ssize_t n = write(p->in, text, strlen(text));
    (void)n; // a program that has ended shows in what is expected next
}

static int code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int program_wait(struct program *p, double seconds)
{
    double until = now() + seconds;
    int status = 0;
    while (read_some(p, until))
        continue;
    if (p->out >= 0 || p->err >= 0) {
        fprintf(stderr, "still running after %.0f s:\n%s\n%s\n", seconds, p->said, p->told);
        kill(p->pid, SIGKILL);
    }
    waitpid(p->pid, &status, 0);
    p->pid = 0;
    return code_of(status);
}

bool program_kill_after(struct program *p, double seconds, int *ret_code)
{
    double until = now() + seconds;
    int status = 0;
    while (read_some(p, until))
        continue;
    bool running = p->out >= 0 || p->err >= 0;
    if (running)
        kill(p->pid, SIGKILL);
    waitpid(p->pid, &status, 0);
    p->pid = 0;
    *ret_code = code_of(status);
    return running && WIFSIGNALED(status);
}

void program_free(struct program *p)
{
    if (p->pid > 0) {
        kill(p->pid, SIGKILL);
        waitpid(p->pid, NULL, 0);
    }
    if (p->in >= 0)
        close(p->in);
    if (p->out >= 0)
        close(p->out);
    if (p->err >= 0)
        close(p->err);
    free(p->said);
    free(p->told);
    memset(p, 0, sizeof *p);
}

int program_run(struct program *p, const char *name, const char *const *arguments, double seconds)
{
    program_start(p, name, arguments);
    return program_wait(p, seconds);
}
