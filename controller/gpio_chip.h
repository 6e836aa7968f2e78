// gpio_chip: the panel and the vacuum on the computer's own GPIO header, through libgpiod 1 or 2.
//
// A chip is found by its label and a line by its name or offset, never by the chip's number: on the
// Raspberry Pi 5 a kernel update moved the header from gpiochip4 to gpiochip0.
// Lines stay requested for the life of the object; what a released output does is up to the board,
// so wire it such that "released" is safe (pump off, valve vented).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "controller/gpio.h"

enum { GPIO_NAME_MAX = 64 };

enum gpio_bias { GPIO_BIAS_AS_IS, GPIO_BIAS_PULL_UP, GPIO_BIAS_PULL_DOWN, GPIO_BIAS_OFF };

struct gpio_pin {
    bool wired;
    char chip[GPIO_NAME_MAX]; // label ("pinctrl-bcm2711"); "" = any chip that has the named line
    char name[GPIO_NAME_MAX]; // line name ("GPIO17"); "" = take `offset` on `chip`
    unsigned offset;
    bool active_low; // logical 1 is a low voltage
    enum gpio_bias bias;
};

struct gpio_wiring {
    struct gpio_pin pin[GPIO_LINES];
    int64_t debounce_ns; // for the buttons
};

// Requests every wired line; outputs start at 0. On failure nothing stays requested and err says
// which line, and for -EBUSY which program holds it.
int gpio_chip_open(const struct gpio_wiring *wiring, struct gpio *ret, struct error *err);

// The version of libgpiod this program runs with, for `tessera doctor`: "1.6.3".
const char *gpio_chip_library(void);
