// libgpiod 1 (Debian 12).
#include <errno.h>
#include <gpiod.h>
#include <poll.h>
#include <stdlib.h>

#include "config/base/clock.h"
#include "controller/gpio_backend.h"

struct gpio_handle {
    struct gpiod_chip *chip;
    struct gpiod_line *line; // belongs to the chip
};

static int find_line(const struct gpio_pin *pin, struct gpiod_chip **ret_chip,
                     struct gpiod_line **ret_line)
{
    struct gpiod_chip *chip;
    struct gpiod_line *line;
    if (!pin->chip[0]) {
        line = gpiod_line_find(pin->name); // opens the chip it is found on
        if (!line)
            return errno ? -errno : -ENOENT;
        *ret_chip = gpiod_line_get_chip(line);
        *ret_line = line;
        return 0;
    }
    chip = gpiod_chip_open_by_label(pin->chip);
    if (!chip)
        return errno ? -errno : -ENOENT;
    line = pin->name[0] ? gpiod_chip_find_line(chip, pin->name)
                        : gpiod_chip_get_line(chip, pin->offset);
    if (!line) {
        int r = errno == EINVAL || !errno ? -ENOENT : -errno;
        gpiod_chip_close(chip);
        return r;
    }
    *ret_chip = chip;
    *ret_line = line;
    return 0;
}

static int flags_of(const struct gpio_pin *pin)
{
    int flags = pin->active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
    switch (pin->bias) {
    case GPIO_BIAS_PULL_UP:
        return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
    case GPIO_BIAS_PULL_DOWN:
        return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
    case GPIO_BIAS_OFF:
        return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
    case GPIO_BIAS_AS_IS:
        break;
    }
    return flags;
}

int gpio_backend_request(const struct gpio_pin *pin, enum gpio_line what, bool output,
                         struct gpio_handle **ret, struct error *err)
{
    struct gpio_handle *handle = calloc(1, sizeof *handle);
    if (!handle)
        return error_set(err, -ENOMEM, "out of memory");
    errno = 0;
    int r = find_line(pin, &handle->chip, &handle->line);
    if (r < 0) {
        free(handle);
        return gpio_request_error(err, r, pin, what, NULL);
    }
    r = output ? gpiod_line_request_output_flags(handle->line, "tessera", flags_of(pin), 0)
               : gpiod_line_request_both_edges_events_flags(handle->line, "tessera", flags_of(pin));
    if (r < 0) {
        r = gpio_request_error(err, -errno, pin, what, gpiod_line_consumer(handle->line));
        gpio_backend_free(handle);
        return r;
    }
    *ret = handle;
    return 0;
}

int gpio_backend_get(struct gpio_handle *handle)
{
    int value = gpiod_line_get_value(handle->line);
    return value < 0 ? -errno : value;
}

int gpio_backend_set(struct gpio_handle *handle, int value)
{
    return gpiod_line_set_value(handle->line, value) < 0 ? -errno : 0;
}

int gpio_backend_fd(struct gpio_handle *handle)
{
    return gpiod_line_event_get_fd(handle->line);
}

int gpio_backend_drain(struct gpio_handle *handle, int64_t *ret_ns)
{
    struct pollfd p = {.fd = gpio_backend_fd(handle), .events = POLLIN};
    int r = poll(&p, 1, 0);
    if (r <= 0)
        return r < 0 ? -errno : -EAGAIN;
    struct gpiod_line_event event;
    if (gpiod_line_event_read(handle->line, &event) < 0)
        return -errno;
    *ret_ns = (int64_t)event.ts.tv_sec * NS_PER_S + event.ts.tv_nsec;
    return 0;
}

struct gpio_handle *gpio_backend_free(struct gpio_handle *handle)
{
    if (!handle)
        return NULL;
    if (handle->chip)
        gpiod_chip_close(handle->chip); // releases its lines too
    free(handle);
    return NULL;
}

const char *gpio_backend_library(void)
{
    return gpiod_version_string();
}
