#include "config/hardware.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/io.h"

void hardware_by_id(const char *folder, const char *path, char *ret, size_t size)
{
    ret[0] = '\0';
    char *real = realpath(path, NULL);
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (real && dir && (entry = readdir(dir))) {
        char link[PATH_MAX];
        (void)snprintf(link, sizeof link, "%s/%s", folder, entry->d_name);
        char *target = entry->d_name[0] == '.' ? NULL : realpath(link, NULL);
        bool same = target && strcmp(target, real) == 0;
        free(target);
        if (!same)
            continue;
        (void)snprintf(ret, size, "%s", link);
        break;
    }
    if (dir)
        (void)closedir(dir);
    free(real);
}

void hardware_model(char *ret, size_t size)
{
    ret[0] = '\0';
    char *text;
    size_t length;
    // Boards with a device tree, then PCs.
    static const char *const FILES[] = {"/proc/device-tree/model",
                                        "/sys/class/dmi/id/product_name"};
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES && ret[0] == '\0'; i++) {
        if (io_read_file(NULL, FILES[i], 4096, &text, &length, NULL) < 0)
            continue;
        text[strcspn(text, "\n")] = '\0';
        (void)snprintf(ret, size, "%s", text);
        free(text);
    }
}
