// Any bytes to the simulated firmware: it neither crashes nor hangs, its position stays a number,
// and after a reset and homing it works again.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/sim/plotter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char last[64]; // the last line it said

static void on_send(void *user, int64_t t_ns, const void *data, size_t size)
{
    (void)user, (void)t_ns;
    if (size < sizeof last) {
        memcpy(last, data, size);
        last[size] = '\0';
    }
}

static void on_outputs(void *user, int64_t t_ns, bool spindle, bool mist, bool flood)
{
    (void)user, (void)t_ns, (void)spindle, (void)mist, (void)flood;
}

static double on_switch(void *user, int axis, bool at_min)
{
    (void)user, (void)axis, (void)at_min;
    return 5;
}

static void on_renamed(void *user, int64_t t_ns, const double at[3], const bool axis[3], bool homed)
{
    (void)user, (void)t_ns, (void)at, (void)axis, (void)homed;
}

static void on_stopped(void *user, int64_t t_ns, const double speed[3])
{
    (void)user, (void)t_ns, (void)speed;
}

static const struct plotter_ops OPS = {.send = on_send,
                                       .outputs = on_outputs,
                                       .switch_distance = on_switch,
                                       .renamed = on_renamed,
                                       .stopped_dead = on_stopped};

static void say(struct plotter *p, int64_t *now, const char *text)
{
    for (; *text; text++)
        plotter_receive(p, *now += 86806, (uint8_t)*text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct plotter p;
    struct table_setup setup;
    int64_t now = 2000000000;
    if (size > 4096)
        return 0;
    table_setup_default(&setup);
    setup.firmware.flavour = size % 2 ? SETUP_GRBL : SETUP_GRBLHAL;
    plotter_init(&p, &setup);
    plotter_attach(&p, &OPS, NULL);
    plotter_restart(&p, 0);
    plotter_advance(&p, now);
    say(&p, &now, "$X\n"); // begin unlocked: more can go wrong
    for (size_t i = 0; i < size; i++) {
        // 0xff … stands for a while of silence.
        if (data[i] == 0xff)
            plotter_advance(&p, now += 700000000);
        else
            plotter_receive(&p, now += 86806, data[i]);
        double at[3];
        plotter_position(&p, now, at);
        if (!(at[0] > -1e12 && at[0] < 1e12 && at[2] > -1e12 && at[2] < 1e12))
            abort();
    }
    // A reset pin always works; its settings may be senseless by now, so they are restored.
    plotter_restart(&p, now);
    plotter_advance(&p, now += 2000000000);
    say(&p, &now, "\n$RST=$\n");
    plotter_advance(&p, now += 5000000000);
    last[0] = '\0';
    say(&p, &now, "$H\n");
    plotter_advance(&p, now += 60000000000);
    if (strncmp(last, "ok", 2) != 0)
        abort();
    return 0;
}
