#include "controller/gpio_debounce.h"

void gpio_debounce_init(struct gpio_debounce *d, int64_t window_ns, int level)
{
    *d = (struct gpio_debounce){.window_ns = window_ns, .level = level, .due_ns = INT64_MAX};
}

static bool accept(struct gpio_debounce *d, int level)
{
    d->due_ns = INT64_MAX;
    if (level == d->level)
        return false;
    d->level = level;
    return true;
}

bool gpio_debounce_edge(struct gpio_debounce *d, int level, int64_t now_ns)
{
    if (!d->window_ns)
        return accept(d, level);
    d->due_ns = now_ns + d->window_ns;
    return false;
}

bool gpio_debounce_due(struct gpio_debounce *d, int level, int64_t now_ns)
{
    return now_ns >= d->due_ns && accept(d, level);
}
