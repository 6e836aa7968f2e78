#include "motion/gripper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int make(const struct gripper_ops *ops, void *impl, bool drops_on_reset,
                struct gripper **ret)
{
    struct gripper *g = calloc(1, sizeof *g);
    if (!g || !impl) {
        free(g);
        free(impl);
        return -ENOMEM;
    }
    *g = (struct gripper){ops, impl, drops_on_reset};
    *ret = g;
    return 0;
}

struct gripper *gripper_free(struct gripper *g)
{
    if (g) {
        g->ops->free(g->impl);
        free(g);
    }
    return NULL;
}

// ---- vacuum by GPIO ----------------------------------------------------------------------------

static int set_lines(const struct gripper_lines *l, int pump, int vented, char line[GRIPPER_LINE])
{
    line[0] = '\0';
    // Close the valve before the pump starts, stop the pump before it opens: no gulp of air.
    int r = 0;
    if (!vented && l->set_valve)
        r = l->set_valve(l->user, 0);
    if (r >= 0)
        r = l->set_pump(l->user, pump);
    if (r >= 0 && vented && l->set_valve)
        r = l->set_valve(l->user, 1);
    return r < 0 ? -EIO : 0;
}

static int gpio_grip(void *impl, char line[GRIPPER_LINE])
{
    return set_lines(impl, 1, 0, line);
}

static int gpio_release(void *impl, char line[GRIPPER_LINE])
{
    return set_lines(impl, 0, 1, line);
}

static int gpio_rest(void *impl, char line[GRIPPER_LINE])
{
    return set_lines(impl, 0, 0, line);
}

static int sensed(int value)
{
    if (value < 0)
        return value == -ENOENT ? -ENOENT : -EIO;
    return value != 0;
}

static int gpio_sense(void *impl)
{
    const struct gripper_lines *l = impl;
    return l->get_sensor ? sensed(l->get_sensor(l->user)) : -ENOENT;
}

static const struct gripper_ops gpio_ops = {
    .grip = gpio_grip,
    .release = gpio_release,
    .rest = gpio_rest,
    .sense = gpio_sense,
    .free = free,
};

int gripper_new_gpio(const struct gripper_lines *lines, struct gripper **ret)
{
    struct gripper_lines *copy = malloc(sizeof *copy);
    if (copy)
        *copy = *lines;
    return make(&gpio_ops, copy, false, ret);
}

// ---- words for the firmware --------------------------------------------------------------------

struct words {
    char grip[GRIPPER_LINE], release[GRIPPER_LINE], rest[GRIPPER_LINE];
    void *user;
    int (*get_sensor)(void *user);
};

static int words_grip(void *impl, char line[GRIPPER_LINE])
{
    memcpy(line, ((struct words *)impl)->grip, GRIPPER_LINE);
    return 0;
}

static int words_release(void *impl, char line[GRIPPER_LINE])
{
    memcpy(line, ((struct words *)impl)->release, GRIPPER_LINE);
    return 0;
}

static int words_rest(void *impl, char line[GRIPPER_LINE])
{
    memcpy(line, ((struct words *)impl)->rest, GRIPPER_LINE);
    return 0;
}

static int words_sense(void *impl)
{
    const struct words *w = impl;
    return w->get_sensor ? sensed(w->get_sensor(w->user)) : -ENOENT;
}

static const struct gripper_ops words_ops = {
    .grip = words_grip,
    .release = words_release,
    .rest = words_rest,
    .sense = words_sense,
    .free = free,
};

static int copy_word(const char *word, const char *what, char ret[GRIPPER_LINE], struct error *err)
{
    size_t n = word ? strlen(word) : 0;
    if (n == 0 || n >= GRIPPER_LINE)
        return error_set(err, -EINVAL, "The gripper's word to %s must have 1 to %d characters.",
                         what, GRIPPER_LINE - 1);
    for (size_t i = 0; i < n; i++) {
        if (word[i] < ' ' || word[i] > '}' || strchr("!?", word[i]))
            return error_set(err, -EINVAL,
                             "The gripper's word to %s holds a character that G-code has not.",
                             what);
    }
    memcpy(ret, word, n + 1);
    return 0;
}

int gripper_new_mcode(const struct gripper_words *words, struct gripper **ret, struct error *err)
{
    struct words *w = calloc(1, sizeof *w);
    if (!w)
        return error_set(err, -ENOMEM, "Out of memory.");
    int r = copy_word(words->grip, "grip", w->grip, err);
    if (r == 0)
        r = copy_word(words->release, "let go", w->release, err);
    if (r == 0)
        r = copy_word(words->rest ? words->rest : words->release, "rest", w->rest, err);
    if (r < 0) {
        free(w);
        return r;
    }
    w->user = words->user;
    w->get_sensor = words->get_sensor;
    r = make(&words_ops, w, true, ret);
    return r < 0 ? error_set(err, r, "Out of memory.") : 0;
}
