#include "rulesd_daemon.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static void find_program(char *buf, size_t size)
{
    const char *bin = getenv("TESSERA_BIN");
    if (bin) {
        snprintf(buf, size, "%s/tessera-rulesd", bin);
        return;
    }
    char self[200];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    snprintf(buf, size, "%s/tessera-rulesd", self);
    if (access(buf, X_OK) < 0) // benchmarks lie in bench/, programs in bin/
        snprintf(buf, size, "%s/../bin/tessera-rulesd", self);
}

void daemon_new(struct daemon *daemon, bool in_memory)
{
    memset(daemon, 0, sizeof *daemon);
    find_program(daemon->program, sizeof daemon->program);
    const char *tmp = getenv("TMPDIR");
    if (!tmp || strlen(tmp) > 30) // a socket's path is short
        tmp = "/tmp";
    if (in_memory && access("/dev/shm", W_OK) == 0)
        tmp = "/dev/shm";
    snprintf(daemon->folder, sizeof daemon->folder, "%s/rulesd.XXXXXX", tmp);
    if (!mkdtemp(daemon->folder))
        give_up(daemon->folder);
    snprintf(daemon->socket, sizeof daemon->socket, "%s/socket", daemon->folder);
    snprintf(daemon->state, sizeof daemon->state, "%s/state", daemon->folder);
}

static bool wait_for_socket(const struct daemon *daemon)
{
    for (int i = 0; i < 2000; i++) {
        int fd = daemon_connect(daemon);
        if (fd >= 0) {
            close(fd);
            return true;
        }
        if (waitpid(daemon->pid, NULL, WNOHANG) == daemon->pid)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return false;
}

bool daemon_start(struct daemon *daemon)
{
    pid_t pid = fork();
    if (pid < 0)
        give_up("fork");
    if (pid == 0) {
        execl(daemon->program, daemon->program, "--socket", daemon->socket, "--state",
              daemon->state, "--quiet", (char *)NULL);
        give_up(daemon->program);
    }
    daemon->pid = pid;
    return wait_for_socket(daemon);
}

int daemon_stop(struct daemon *daemon, int signo)
{
    int status = 0;
    if (daemon->pid <= 0)
        return 0;
    kill(daemon->pid, signo);
    while (waitpid(daemon->pid, &status, 0) < 0 && errno == EINTR)
        ;
    daemon->pid = 0;
    return status;
}

void daemon_free(struct daemon *daemon)
{
    daemon_stop(daemon, SIGTERM);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", daemon->folder);
    if (system(command) != 0) // NOLINT: a name made by mkdtemp
        fprintf(stderr, "%s stays behind\n", daemon->folder);
}

struct rules_client *daemon_client(const struct daemon *daemon)
{
    struct rules_client_settings settings = {
        .socket = daemon->socket, .only_connect = true, .name = "test"};
    struct rules_client *client;
    struct error err;
    if (rules_client_open(&settings, &client, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return client;
}

int daemon_connect(const struct daemon *daemon)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, daemon->socket, sizeof daemon->socket);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}
