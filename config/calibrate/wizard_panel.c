// Each button, each lamp, and first of all the e-stop: nothing may move before it is proven.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/base/clock.h"
#include "config/calibrate/wizard.h"

enum { PRESS_SECONDS = 60 };

static int fail(struct wizard_result *ret, const char *words)
{
    (void)snprintf(ret->words, sizeof ret->words, "%s", words);
    return 0;
}

// 1 proven, 0 failed (words are written), or a negative errno.
static int prove_estop(struct bench *b, struct wizard_result *ret)
{
    bench_say(b, "The e-stop. Nothing can move now. Let it out if it is pressed.");
    int r = bench_wait_level(b, GPIO_ESTOP, 0, PRESS_SECONDS);
    if (r == -ETIMEDOUT)
        return fail(ret,
                    "the e-stop reads as pressed all the time: its wire is broken, it is wired "
                    "as a normally open contact, or gpio.estop.active_low is wrong");
    if (r == 0) {
        bench_say(b, "Press the e-stop now.");
        r = bench_wait_level(b, GPIO_ESTOP, 1, PRESS_SECONDS);
    }
    if (r == -ETIMEDOUT)
        return fail(ret, "pressing the e-stop is not seen: look at its second contact and at "
                         "gpio.estop.line. The arm stays off until this is mended");
    if (r == 0) {
        bench_say(b, "It is seen. Let it out again.");
        r = bench_wait_level(b, GPIO_ESTOP, 0, PRESS_SECONDS);
    }
    if (r == -ETIMEDOUT)
        return fail(ret, "the e-stop does not let go again");
    return r < 0 ? r : 1;
}

static int prove_button(struct bench *b, enum gpio_line line, struct wizard_result *ret)
{
    const char *name = gpio_line_name(line);
    if (bench_level(b, line) == 1) {
        (void)snprintf(ret->words, sizeof ret->words,
                       "%s reads as pressed while nobody presses it: gpio.%s.active_low is wrong, "
                       "or the wire touches something",
                       name, name);
        return 0;
    }
    bench_say(b, "Press the button %s.", name);
    int r = bench_wait_level(b, line, 1, PRESS_SECONDS);
    if (r == -ETIMEDOUT) {
        (void)snprintf(ret->words, sizeof ret->words,
                       "pressing %s is not seen: look at its wires and at gpio.%s.line", name,
                       name);
        return 0;
    }
    return r < 0 ? r : 1;
}

static int prove_lamp(struct bench *b, enum gpio_line line, struct wizard_result *ret)
{
    const char *name = gpio_line_name(line);
    char question[100];
    bench_lamp(b, line, true);
    int r = bench_wait(b, 300 * NS_PER_MS);
    if (r < 0)
        return r;
    (void)snprintf(question, sizeof question, "Is %s lit?", name);
    bool lit = bench_table(b) ? table_lamp(bench_table(b), line) == 1 : bench_ask(b, question);
    bench_lamp(b, line, false);
    if (!lit)
        (void)snprintf(
            ret->words, sizeof ret->words,
            "%s is not lit: look at its wires, its resistor, gpio.%s.line and .active_low", name,
            name);
    return lit;
}

int wizard_panel(struct bench *b, struct wizard_result *ret, struct error *err)
{
    static const enum gpio_line ORDER[] = {GPIO_ESTOP, GPIO_BUTTON_DONE, GPIO_BUTTON_RESET,
                                           GPIO_LAMP_TURN, GPIO_LAMP_FAULT};
    struct calibration_panel *panel = &bench_calibration(b)->panel;
    int wired = 0;
    int proven = 0;
    panel->estop_proven = false;
    for (size_t i = 0; i < sizeof ORDER / sizeof *ORDER; i++)
        wired += bench_wired(b, ORDER[i]);
    for (size_t i = 0; i < sizeof ORDER / sizeof *ORDER; i++) {
        enum gpio_line line = ORDER[i];
        if (!bench_wired(b, line))
            continue;
        int r = line == GPIO_ESTOP                                  ? prove_estop(b, ret)
                : line == GPIO_LAMP_TURN || line == GPIO_LAMP_FAULT ? prove_lamp(b, line, ret)
                                                                    : prove_button(b, line, ret);
        if (r < 0)
            return r == -ECANCELED
                       ? error_set(err, r, "stopped")
                       : error_set(err, r, "the panel cannot be read: %s", strerror(-r));
        if (r == 1 && line == GPIO_ESTOP)
            panel->estop_proven = true;
        if (r == 0)
            break;
        proven++;
    }
    ret->figure = proven;
    ret->limit = wired;
    ret->what = "of the wired parts proven";
    ret->passed =
        proven == wired && (panel->estop_proven || !bench_settings(b)->safety.estop_required);
    if (ret->passed)
        (void)snprintf(ret->words, sizeof ret->words, "%s",
                       panel->estop_proven ? "the e-stop is seen when it is pressed"
                                           : "no e-stop is wired");
    return 0;
}
