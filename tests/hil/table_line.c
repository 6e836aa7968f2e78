#include "hil/table_line.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { TRIES = 100, WAIT_US = 100000, EXIT_NO_TABLE = 3 };

static int try_once(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat what;
    if (stat(path, &what) == 0 && S_ISCHR(what.st_mode))
        return open(path, O_RDWR | O_CLOEXEC);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

int table_line_open(const char *path)
{
    for (int i = 0; i < TRIES; i++) {
        const int fd = try_once(path);
        if (fd >= 0)
            return fd;
        usleep(WAIT_US);
    }
    perror(path);
    exit(EXIT_NO_TABLE);
}
