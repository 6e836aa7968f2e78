// gpio_backend: one requested line. Implemented by gpio_v1.c (libgpiod 1) or gpio_v2.c (libgpiod
// 2); the build takes the one that fits the installed library. Levels are logical (after
// active_low).
#pragma once

#include <stdint.h>

#include "controller/gpio_chip.h"

struct gpio_handle;

// Errors: -ENOENT no such chip or line, -EBUSY (err names the holder), -EACCES, others of the
// kernel.
int gpio_backend_request(const struct gpio_pin *pin, enum gpio_line what, bool output,
                         struct gpio_handle **ret, struct error *err);
int gpio_backend_get(struct gpio_handle *handle);            // 0, 1 or negative errno
int gpio_backend_set(struct gpio_handle *handle, int value); // 0 or negative errno
int gpio_backend_fd(struct gpio_handle *handle);             // inputs: readable when edges wait
int gpio_backend_drain(struct gpio_handle *handle, int64_t *ret_ns); // takes one; -EAGAIN: none
struct gpio_handle *gpio_backend_free(struct gpio_handle *handle);   // NULL allowed; returns NULL
const char *gpio_backend_library(void);

// What to say when a request failed, the same for both libraries. `holder` may be NULL.
int gpio_request_error(struct error *err, int number, const struct gpio_pin *pin,
                       enum gpio_line what, const char *holder);
