// panel: the simulated buttons, lamps and vacuum lines: an implementation of controller/gpio.h.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"
#include "controller/gpio.h"

struct panel;

struct panel_ops {
    // An output was written: pump or valve switch air, lamps are only seen.
    void (*output)(void *user, enum gpio_line line, int value);
    int (*pick_sensor)(void *user); // its level now, 0 or 1
};

// vents_at_rest: what the valve does while nothing drives its line.
int panel_new(const struct panel_ops *ops, void *user, bool vents_at_rest, struct panel **ret,
              struct error *err);
struct panel *panel_free(struct panel *panel);

struct gpio *panel_gpio(struct panel *panel); // belongs to the panel

// An input has this level from now on; a change is told to the reader as an edge.
void panel_set_input(struct panel *panel, enum gpio_line line, int value, int64_t now_ns);
int panel_level(const struct panel *panel, enum gpio_line line);
// Released outputs, as when the process that held them dies: pump off, valve at rest, lamps dark.
void panel_release(struct panel *panel);
// The chip of the lines disappears, as a port expander that is pulled out: outputs are released,
// reading and writing fail with -ENODEV, and no edge ever comes, nor anything that wakes a poll().
void panel_lose_chip(struct panel *panel);
