// libgpiod 2 (Debian 13).
#include <dirent.h>
#include <errno.h>
#include <gpiod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/gpio_backend.h"

struct gpio_handle {
    struct gpiod_line_request *request;
    struct gpiod_edge_event_buffer *events; // inputs only
    unsigned offset;
};

// True when the chip is the one meant and has the line.
static bool chip_has(struct gpiod_chip *chip, const struct gpio_pin *pin, unsigned *ret_offset)
{
    struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
    if (!info)
        return false;
    bool label_fits = !pin->chip[0] || strcmp(gpiod_chip_info_get_label(info), pin->chip) == 0;
    size_t lines = gpiod_chip_info_get_num_lines(info);
    gpiod_chip_info_free(info);
    if (!label_fits)
        return false;
    if (!pin->name[0]) {
        *ret_offset = pin->offset;
        return pin->offset < lines;
    }
    int offset = gpiod_chip_get_line_offset_from_name(chip, pin->name);
    if (offset < 0)
        return false;
    *ret_offset = (unsigned)offset;
    return true;
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
    return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_chip(const struct dirent *entry)
{
    return strncmp(entry->d_name, "gpiochip", 8) == 0;
}

// The library has no search of its own any more: look through the chips in their order.
static int find_line(const struct gpio_pin *pin, struct gpiod_chip **ret_chip, unsigned *ret_offset)
{
    struct dirent **entries;
    int count = scandir("/dev", &entries, is_chip, by_number);
    if (count < 0)
        return -errno;
    int r = -ENOENT;
    for (int i = 0; i < count; i++) {
        char path[300];
        snprintf(path, sizeof path, "/dev/%s", entries[i]->d_name);
        free(entries[i]);
        if (r == 0)
            continue;
        struct gpiod_chip *chip = gpiod_chip_open(path);
        if (!chip) {
            if (errno == EACCES)
                r = -EACCES; // may be the one: say so rather than "not found"
            continue;
        }
        if (chip_has(chip, pin, ret_offset)) {
            *ret_chip = chip;
            r = 0;
        } else {
            gpiod_chip_close(chip);
        }
    }
    free(entries);
    return r;
}

static enum gpiod_line_bias bias_of(const struct gpio_pin *pin)
{
    switch (pin->bias) {
    case GPIO_BIAS_PULL_UP:
        return GPIOD_LINE_BIAS_PULL_UP;
    case GPIO_BIAS_PULL_DOWN:
        return GPIOD_LINE_BIAS_PULL_DOWN;
    case GPIO_BIAS_OFF:
        return GPIOD_LINE_BIAS_DISABLED;
    case GPIO_BIAS_AS_IS:
        break;
    }
    return GPIOD_LINE_BIAS_AS_IS;
}

static int set_up(struct gpiod_line_settings *settings, const struct gpio_pin *pin, bool output)
{
    gpiod_line_settings_set_active_low(settings, pin->active_low);
    int r = gpiod_line_settings_set_bias(settings, bias_of(pin));
    if (r == 0)
        r = gpiod_line_settings_set_direction(settings, output ? GPIOD_LINE_DIRECTION_OUTPUT
                                                               : GPIOD_LINE_DIRECTION_INPUT);
    if (r == 0 && output)
        r = gpiod_line_settings_set_output_value(settings, GPIOD_LINE_VALUE_INACTIVE);
    if (r == 0 && !output)
        r = gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
    return r < 0 ? -errno : 0;
}

// Builds the three configuration objects, requests, and frees them again.
static int request_line(struct gpiod_chip *chip, const struct gpio_pin *pin, bool output,
                        struct gpio_handle *handle)
{
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    struct gpiod_line_config *lines = gpiod_line_config_new();
    struct gpiod_request_config *request = gpiod_request_config_new();
    int r = settings && lines && request ? set_up(settings, pin, output) : -ENOMEM;
    if (r == 0 && gpiod_line_config_add_line_settings(lines, &handle->offset, 1, settings) < 0)
        r = -errno;
    if (r == 0) {
        gpiod_request_config_set_consumer(request, "tessera");
        handle->request = gpiod_chip_request_lines(chip, request, lines);
        if (!handle->request)
            r = -errno;
    }
    if (r == 0 && !output) {
        handle->events = gpiod_edge_event_buffer_new(1);
        if (!handle->events)
            r = -ENOMEM;
    }
    if (request)
        gpiod_request_config_free(request);
    if (lines)
        gpiod_line_config_free(lines);
    if (settings)
        gpiod_line_settings_free(settings);
    return r;
}

int gpio_backend_request(const struct gpio_pin *pin, enum gpio_line what, bool output,
                         struct gpio_handle **ret, struct error *err)
{
    struct gpio_handle *handle = calloc(1, sizeof *handle);
    if (!handle)
        return error_set(err, -ENOMEM, "out of memory");
    struct gpiod_chip *chip = NULL;
    int r = find_line(pin, &chip, &handle->offset);
    if (r < 0) {
        free(handle);
        return gpio_request_error(err, r, pin, what, NULL);
    }
    r = request_line(chip, pin, output, handle);
    if (r < 0) {
        struct gpiod_line_info *info = gpiod_chip_get_line_info(chip, handle->offset);
        r = gpio_request_error(err, r, pin, what, info ? gpiod_line_info_get_consumer(info) : NULL);
        if (info)
            gpiod_line_info_free(info);
        handle = gpio_backend_free(handle);
    }
    gpiod_chip_close(chip); // a request outlives its chip
    if (r == 0)
        *ret = handle;
    return r;
}

int gpio_backend_get(struct gpio_handle *handle)
{
    enum gpiod_line_value value = gpiod_line_request_get_value(handle->request, handle->offset);
    if (value == GPIOD_LINE_VALUE_ERROR)
        return -errno;
    return value == GPIOD_LINE_VALUE_ACTIVE;
}

int gpio_backend_set(struct gpio_handle *handle, int value)
{
    int r =
        gpiod_line_request_set_value(handle->request, handle->offset,
                                     value ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
    return r < 0 ? -errno : 0;
}

int gpio_backend_fd(struct gpio_handle *handle)
{
    return gpiod_line_request_get_fd(handle->request);
}

int gpio_backend_drain(struct gpio_handle *handle, int64_t *ret_ns)
{
    int r = gpiod_line_request_wait_edge_events(handle->request, 0);
    if (r <= 0)
        return r < 0 ? -errno : -EAGAIN;
    if (gpiod_line_request_read_edge_events(handle->request, handle->events, 1) < 0)
        return -errno;
    struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(handle->events, 0);
    *ret_ns = (int64_t)gpiod_edge_event_get_timestamp_ns(event);
    return 0;
}

struct gpio_handle *gpio_backend_free(struct gpio_handle *handle)
{
    if (!handle)
        return NULL;
    if (handle->events)
        gpiod_edge_event_buffer_free(handle->events);
    if (handle->request)
        gpiod_line_request_release(handle->request);
    free(handle);
    return NULL;
}

const char *gpio_backend_library(void)
{
    return gpiod_api_version();
}
