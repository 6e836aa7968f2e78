#include "tests/sim/plotter_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BYTE_NS 86806

static void on_send(void *user, int64_t t_ns, const void *data, size_t size)
{
    struct rig *rig = user;
    assert_true(rig->length + (int)size < RIG_TEXT);
    memcpy(rig->text + rig->length, data, size);
    rig->length += (int)size;
    rig->text[rig->length] = '\0';
    rig->last_said_ns = t_ns;
}

static void on_outputs(void *user, int64_t t_ns, bool spindle, bool mist, bool flood)
{
    struct rig *rig = user;
    const bool on = spindle || mist || flood;
    if (rig->pump && !on)
        rig->pump_off_ns = t_ns;
    rig->pump = on;
}

static double on_switch(void *user, int axis, bool at_min)
{
    const struct rig *rig = user;
    double at[3];
    plotter_position(&rig->plotter, rig->plotter.now_ns, at);
    const double true_at = at[axis] - rig->off[axis];
    if (rig->dead_switch && axis == 0)
        return 1e6;
    return at_min ? true_at + rig->setup.machine.travel[axis] : -true_at;
}

static void on_renamed(void *user, int64_t t_ns, const double position[3], const bool axis[3],
                       bool homed)
{
    struct rig *rig = user;
    (void)t_ns;
    (void)position;
    for (int a = 0; a < 3; a++)
        if (axis[a] && homed)
            rig->off[a] = 0;
}

static void on_stopped(void *user, int64_t t_ns, const double speed[3])
{
    (void)t_ns;
    memcpy(((struct rig *)user)->slipped, speed, sizeof(double[3]));
}

static const struct plotter_ops OPS = {.send = on_send,
                                       .outputs = on_outputs,
                                       .switch_distance = on_switch,
                                       .renamed = on_renamed,
                                       .stopped_dead = on_stopped};

void rig_init(struct rig *rig)
{
    memset(rig, 0, sizeof *rig);
    table_setup_default(&rig->setup);
    rig->now_ns = 1000000000;
    // Somewhere in the middle of its travel, which the firmware calls zero.
    rig->off[0] = 250;
    rig->off[1] = 200;
    rig->off[2] = 20;
}

void rig_power(struct rig *rig)
{
    plotter_init(&rig->plotter, &rig->setup);
    plotter_attach(&rig->plotter, &OPS, rig);
    plotter_restart(&rig->plotter, rig->now_ns);
    rig_run(rig, 1.2);
    rig_forget(rig);
}

void rig_byte(struct rig *rig, uint8_t byte)
{
    rig->now_ns += BYTE_NS;
    plotter_receive(&rig->plotter, rig->now_ns, byte);
}

void rig_say(struct rig *rig, const char *text)
{
    for (; *text; text++)
        rig_byte(rig, (uint8_t)*text);
}

void rig_run(struct rig *rig, double seconds)
{
    rig->now_ns += (int64_t)(seconds * 1e9);
    plotter_advance(&rig->plotter, rig->now_ns);
}

void rig_forget(struct rig *rig)
{
    rig->length = 0;
    rig->text[0] = '\0';
}

int rig_line(struct rig *rig, const char *line)
{
    const int from = rig->length;
    rig_say(rig, line);
    rig_byte(rig, '\n');
    for (int i = 0; i < 60000; i++) {
        const char *ok = strstr(rig->text + from, "ok\r\n");
        const char *error = strstr(rig->text + from, "error:");
        if (ok || error) {
            if (rig->last_said_ns > rig->now_ns)
                rig_run(rig, (double)(rig->last_said_ns - rig->now_ns) / 1e9);
            return error ? atoi(error + 6) : 0;
        }
        rig_run(rig, 0.001);
    }
    return -1;
}

bool rig_said(const struct rig *rig, const char *text)
{
    return strstr(rig->text, text) != NULL;
}

int rig_count(const struct rig *rig, const char *text)
{
    int n = 0;
    for (const char *s = rig->text; (s = strstr(s, text)); s += strlen(text))
        n++;
    return n;
}

double rig_seconds(const struct rig *rig)
{
    return (double)rig->now_ns / 1e9;
}

void rig_home(struct rig *rig)
{
    assert_int_equal(rig_line(rig, "$H"), 0);
    rig_forget(rig);
    rig_byte(rig, '?');
    rig_run(rig, 0.02);
    assert_true(rig_said(rig, "<Idle|MPos:-598.000,-538.000,-2.000"));
    rig_forget(rig);
}

void rig_position(const struct rig *rig, double ret[3])
{
    plotter_position(&rig->plotter, rig->now_ns, ret);
}
