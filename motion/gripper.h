// gripper: the edge to what holds a stone. A vtable over vacuum by M-code, vacuum by GPIO, a servo
// and an electromagnet, each with an optional pick sensor.
//
// A gripper either acts at once (GPIO) or by a line the arm sends to the firmware; firmware waits
// with M3/M5/M8/M9 until motion has ended before it says ok.
//
// Why GPIO for a pump: a pump on M3/M8 drops its stone in mid-air on a soft reset, the door input,
// a limit alarm and when the port is opened again; on the computer's GPIO it survives all of these.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"

enum { GRIPPER_LINE = 40 };

struct gripper_ops {
    // Begin to hold / let go / rest (nothing held, least power). Each writes the line for the
    // firmware into line ("" = done without one). 0 or a negative errno (-EIO: an output failed).
    int (*grip)(void *impl, char line[GRIPPER_LINE]);
    int (*release)(void *impl, char line[GRIPPER_LINE]);
    int (*rest)(void *impl, char line[GRIPPER_LINE]);
    // 1 = a stone is held, 0 = none, -ENOENT = no sensor, -EIO = it cannot be read.
    int (*sense)(void *impl);
    void (*free)(void *impl);
};

struct gripper {
    const struct gripper_ops *ops;
    void *impl;
    bool drops_on_reset; // firmware reset lets the stone fall (M-code grippers)
};

// Outputs and input of a GPIO vacuum, handed in by the controller (motion knows no GPIO).
struct gripper_lines {
    void *user;
    int (*set_pump)(void *user, int on);
    int (*set_valve)(void *user, int vented); // NULL: no vent valve
    int (*get_sensor)(void *user);            // NULL: no pick sensor; else 1, 0, negative errno
};

int gripper_new_gpio(const struct gripper_lines *lines, struct gripper **ret);

// Words for the firmware, e.g. vacuum "M3 S1000" / "M5", "M8" / "M9"; servo "M3 S90" / "M3 S30";
// electromagnet "M8" / "M9". rest may be NULL: same as release. get_sensor as above, NULL allowed.
struct gripper_words {
    const char *grip, *release, *rest;
    void *user;
    int (*get_sensor)(void *user);
};

// -EINVAL when a word is empty, longer than GRIPPER_LINE or holds more than one line.
int gripper_new_mcode(const struct gripper_words *words, struct gripper **ret, struct error *err);

struct gripper *gripper_free(struct gripper *g); // NULL allowed; returns NULL
