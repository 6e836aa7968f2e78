// panel: buttons, lamps, e-stop and vacuum, on the loop. Turns edges into news and keeps the
// outputs at what was last asked for.
#pragma once

#include <stdbool.h>

#include "controller/gpio.h"
#include "controller/loop.h"
#include "motion/gripper.h"

struct panel;

struct panel_events {
    // The chain has opened (true) or closed. Comes first, whatever else is waiting.
    void (*estop)(void *user, bool stop);
    // GPIO_BUTTON_DONE or GPIO_BUTTON_RESET was pressed.
    void (*pressed)(void *user, enum gpio_line button);
    // A line can't be read or set any more. Said once; the e-stop counts as open from then on.
    void (*lost)(void *user, const char *text);
    void *user;
};

// Takes the gpio over (closed in panel_free()).
int panel_new(struct loop *loop, const struct gpio *gpio, const struct panel_events *events,
              struct panel **ret, struct error *err);
struct panel *panel_free(struct panel *panel); // outputs to rest first; NULL allowed

bool panel_wired(const struct panel *panel, enum gpio_line line);
// The chain's level now; true also when it can't be read, false when no e-stop is wired.
bool panel_estop(const struct panel *panel);
void panel_lamp(struct panel *panel, enum gpio_line lamp, bool lit);

// The vacuum as motion wants it; valid as long as the panel. The sensor and valve are left out when
// they are not wired.
struct gripper_lines panel_gripper(struct panel *panel);
