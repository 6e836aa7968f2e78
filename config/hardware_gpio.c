// Through libgpiod, whose two major versions have nothing in common but the name.
#include <dirent.h>
#include <errno.h>
#include <gpiod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/hardware.h"

static void copy(char *ret, size_t size, const char *text)
{
    (void)snprintf(ret, size, "%s", text ? text : "");
}

#if TESSERA_GPIOD == 1

static void ask_lines(struct gpiod_chip *chip, struct hardware_gpio *ret)
{
    copy(ret->label, sizeof ret->label, gpiod_chip_label(chip));
    ret->lines = (int)gpiod_chip_num_lines(chip);
    for (int i = 0; i < ret->lines && i < HARDWARE_LINES_MAX; i++) {
        struct gpiod_line *line = gpiod_chip_get_line(chip, (unsigned)i);
        if (!line)
            continue;
        copy(ret->line[i].name, sizeof ret->line[i].name, gpiod_line_name(line));
        if (gpiod_line_is_used(line)) {
            const char *consumer = gpiod_line_consumer(line);
            copy(ret->line[i].consumer, sizeof ret->line[i].consumer,
                 consumer ? consumer : "kernel");
        }
    }
}

#else

static void ask_lines(struct gpiod_chip *chip, struct hardware_gpio *ret)
{
    struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
    if (!info)
        return;
    copy(ret->label, sizeof ret->label, gpiod_chip_info_get_label(info));
    ret->lines = (int)gpiod_chip_info_get_num_lines(info);
    gpiod_chip_info_free(info);
    for (int i = 0; i < ret->lines && i < HARDWARE_LINES_MAX; i++) {
        struct gpiod_line_info *line = gpiod_chip_get_line_info(chip, (unsigned)i);
        if (!line)
            continue;
        copy(ret->line[i].name, sizeof ret->line[i].name, gpiod_line_info_get_name(line));
        if (gpiod_line_info_is_used(line)) {
            const char *consumer = gpiod_line_info_get_consumer(line);
            copy(ret->line[i].consumer, sizeof ret->line[i].consumer,
                 consumer ? consumer : "kernel");
        }
        gpiod_line_info_free(line);
    }
}

#endif

static int is_chip(const struct dirent *entry)
{
    return strncmp(entry->d_name, "gpiochip", 8) == 0;
}

int hardware_gpios(struct hardware_gpio *ret, struct error *err)
{
    struct dirent **found;
    int n = scandir("/dev", &found, is_chip, versionsort);
    if (n < 0)
        return error_set(err, -errno, "cannot look into /dev: %s", strerror(errno));
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (count < HARDWARE_MAX) {
            struct hardware_gpio *chip = &ret[count++];
            memset(chip, 0, sizeof *chip);
            (void)snprintf(chip->path, sizeof chip->path, "/dev/%.200s", found[i]->d_name);
            struct gpiod_chip *handle = gpiod_chip_open(chip->path);
            if (handle) {
                ask_lines(handle, chip);
                gpiod_chip_close(handle);
            } else {
                chip->error = -errno;
            }
        }
        free(found[i]);
    }
    free((void *)found);
    return count;
}
