// gpio_debounce: when a contact that bounces has really changed.
//
// libgpiod 1 has no debounce and libgpiod 2 leaves it to the kernel; done here, both behave alike.
// A level counts once it has stood for the whole window: every edge starts the window anew, and the
// level is read again at its end, because edges can be lost and levels can not.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct gpio_debounce {
    int64_t window_ns; // 0 = the first edge counts (e-stop, pick sensor)
    int level;         // last level that counted
    int64_t due_ns;    // end of the window, INT64_MAX = the contact is at rest
};

// `level` is the contact's present level: it counts at once.
void gpio_debounce_init(struct gpio_debounce *d, int64_t window_ns, int level);

// An edge was seen; `level` is what the contact reads now. True: the level has changed and counts.
bool gpio_debounce_edge(struct gpio_debounce *d, int level, int64_t now_ns);

// To be called at due_ns with a fresh reading. True: the level has changed and counts.
bool gpio_debounce_due(struct gpio_debounce *d, int level, int64_t now_ns);
