#include "hil/far_end.h"

#include <libgen.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/base/clock.h"

enum { ARGUMENTS_MAX = 8, LOOK_US = 5000 };

pid_t far_end_start(const char *program, const char *const *arguments)
{
    char self[PATH_MAX], path[PATH_MAX + 64];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = 0;
    snprintf(path, sizeof path, "%s/%s", dirname(self), program);
    const char *argv[ARGUMENTS_MAX] = {path};
    for (int i = 0; arguments[i] && i + 2 < ARGUMENTS_MAX; i++)
        argv[i + 1] = arguments[i];
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // none outlives a failed test
        execv(path, (char *const *)argv);
        perror(path);
        _exit(127);
    }
    return pid;
}

void far_end_kill(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

bool far_end_wait(bool (*true_now)(void), int timeout_ms)
{
    const int64_t until = clock_monotonic_ns() + timeout_ms * NS_PER_MS;
    while (!true_now()) {
        if (clock_monotonic_ns() > until)
            return false;
        usleep(LOOK_US);
    }
    return true;
}

bool far_end_exists(const char *path, int timeout_ms)
{
    for (int waited = 0; access(path, F_OK) < 0; waited += LOOK_US / 1000) {
        if (waited >= timeout_ms)
            return false;
        usleep(LOOK_US);
    }
    return true;
}

bool far_end_gone(const char *path, int timeout_ms)
{
    for (int waited = 0; access(path, F_OK) == 0; waited += LOOK_US / 1000) {
        if (waited >= timeout_ms)
            return false;
        usleep(LOOK_US);
    }
    return true;
}

int64_t far_end_cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}
