// Writing files that people may have written before.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/base/atomic_file.h"
#include "config/base/io.h"
#include "config/calibrate/sim_seed.h"
#include "config/cli/cli.h"

enum { OLD_FILES_MAX = 1000 };

int cli_set_aside(const char *file, struct error *err)
{
    for (int i = 1; i < OLD_FILES_MAX; i++) {
        char old[SETTINGS_PATH_MAX + 8];
        (void)snprintf(old, sizeof old, "%.*s.%d", SETTINGS_PATH_MAX - 1, file, i);
        if (link(file, old) == 0) {
            (void)fprintf(stderr, "The old file is kept as %s\n", old);
            return 0;
        }
        if (errno == ENOENT)
            return 0;
        if (errno != EEXIST)
            break;
    }
    return error_set_at(err, -errno, file, 0, 0,
                        "cannot be kept under another name, so it was not replaced: %s",
                        strerror(errno));
}

int cli_take_seed(const struct cli *cli, struct sim_seed *ret)
{
    char *end = NULL;
    errno = 0;
    unsigned long seed = cli->seed ? strtoul(cli->seed, &end, 10) : 0;
    if (!cli->seed)
        return 0;
    if (errno != 0 || end == cli->seed || *end != '\0' || cli->seed[0] == '-' || seed > INT32_MAX) {
        (void)cli_usage("--seed \"%.40s\" is not a whole number from 0 to %d", cli->seed,
                        INT32_MAX);
        return -EINVAL;
    }
    sim_seed_settings(seed, ret);
    return 0;
}

int cli_write_file(const char *file, const char *text, size_t size, struct error *err)
{
    char folder[SETTINGS_PATH_MAX];
    (void)snprintf(folder, sizeof folder, "%s", file);
    char *slash = strrchr(folder, '/');
    if (slash && slash != folder) {
        *slash = '\0';
        int r = io_make_folder(folder, 0755, err);
        if (r < 0)
            return r;
    }
    char *real = realpath(file, NULL); // through a link to the file it points to
    struct stat st;
    mode_t mode = real && stat(real, &st) == 0 ? st.st_mode & 07777 : 0644;
    int r = atomic_file_write(NULL, real ? real : file, text, size, mode, err);
    free(real);
    return r;
}
