// controls: buttons, lamps, e-stop and vacuum, on the loop. Turns edges into news and keeps the
// outputs at what was last asked for.
#pragma once

#include <stdbool.h>

#include "controller/gpio.h"
#include "controller/loop.h"
#include "motion/gripper.h"

struct controls;

struct controls_events {
    // The chain has opened (true) or closed. Comes first, whatever else is waiting.
    void (*estop)(void *user, bool stop);
    // A lid or door was opened (true) or shut. Comes before everything but the e-stop. NULL
    // allowed.
    void (*lid)(void *user, bool open);
    // GPIO_BUTTON_DONE or GPIO_BUTTON_RESET was pressed.
    void (*pressed)(void *user, enum gpio_line button);
    // A line can't be read or set any more. Said once; the e-stop counts as open from then on.
    void (*lost)(void *user, const char *text);
    void *user;
};

// Takes the gpio over (closed in controls_free()).
int controls_new(struct loop *loop, const struct gpio *gpio, const struct controls_events *events,
                 struct controls **ret, struct error *err);
struct controls *controls_free(struct controls *controls); // outputs to rest first; NULL allowed

bool controls_wired(const struct controls *controls, enum gpio_line line);
// The chain's level now; true also when it can't be read, false when no e-stop is wired.
bool controls_estop(const struct controls *controls);
bool controls_lid(const struct controls *controls); // the same of the lid
void controls_lamp(struct controls *controls, enum gpio_line lamp, bool lit);

// The vacuum as motion wants it; valid as long as the panel. The sensor and valve are left out when
// they are not wired.
struct gripper_lines controls_gripper(struct controls *controls);
