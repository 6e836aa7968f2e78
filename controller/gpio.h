// gpio: the edge to the panel and the vacuum. Lines are named by what they do; which chip and pin
// they are is a matter of the settings and of the implementation (libgpiod v1, libgpiod v2, sim).
//
// Values are logical: 1 = pressed / lit / on / stop demanded, whatever the wiring. An edge is only
// a hint that something changed: readers call gpio_get() for the truth. The e-stop is reported on
// its first edge, buttons after they have been stable for the debounce time.
#pragma once

#include <stdint.h>

#include "config/base/error.h"

enum gpio_line {
    GPIO_BUTTON_DONE,  // in: "my move is done"
    GPIO_BUTTON_RESET, // in: confirms after a stop
    GPIO_ESTOP,        // in: 1 = stop demanded (a broken wire reads 1)
    GPIO_PICK_SENSOR,  // in: 1 = a stone is on the cup
    GPIO_LID,          // in: 1 = a lid or door is open; a stop demanded like the e-stop
    GPIO_LAMP_TURN,    // out: lit = it is the person's turn
    GPIO_LAMP_FAULT,   // out: lit = the robot needs help
    GPIO_PUMP,         // out: vacuum pump
    GPIO_VALVE,        // out: 1 = vented (lets a stone go)
    GPIO_LINES
};

struct gpio;

struct gpio_ops {
    int (*get)(void *impl, enum gpio_line line); // 0, 1, -ENOENT when not wired, -EIO
    int (*set)(void *impl, enum gpio_line line, int value);
    int (*fd)(void *impl); // readable when an edge is waiting
    int (*read_edge)(void *impl, enum gpio_line *ret, int64_t *ret_ns); // -EAGAIN when none is left
    void (*close)(void *impl);
};

struct gpio {
    const struct gpio_ops *ops;
    void *impl;
};

// Turns the name of a line in settings and messages ("estop", "button-done", …) and back.
const char *gpio_line_name(enum gpio_line line);
int gpio_line_from_name(const char *name, enum gpio_line *ret);
