// The firmware's settings: numbers, defaults, what they may be.
#include <math.h>
#include <string.h>

#include "controller/sim/plotter_private.h"

#define STEPS_XY      80.0    // per mm
#define STEPS_Z       400.0   // per mm
#define STEP_RATE_MAX 30000.0 // per second

struct setting {
    int number;
    double factory;
    int decimals;
};

static const struct setting SETTINGS[PLOTTER_SETTINGS] = {
    [S_STEP_PULSE] = {0, 10, 0},       [S_IDLE_DELAY] = {1, 255, 0},
    [S_STEP_INVERT] = {2, 0, 0},       [S_DIR_INVERT] = {3, 0, 0},
    [S_ENABLE_INVERT] = {4, 0, 0},     [S_LIMIT_INVERT] = {5, 0, 0},
    [S_PROBE_INVERT] = {6, 0, 0},      [S_REPORT] = {10, 1, 0},
    [S_JUNCTION] = {11, 0.010, 3},     [S_ARC] = {12, 0.002, 3},
    [S_REPORT_INCHES] = {13, 0, 0},    [S_SOFT_LIMITS] = {20, 1, 0},
    [S_HARD_LIMITS] = {21, 1, 0},      [S_HOMING] = {22, 1, 0},
    [S_HOMING_DIR] = {23, 3, 0},       [S_HOMING_FEED] = {24, 120, 3},
    [S_HOMING_SEEK] = {25, 6000, 3},   [S_HOMING_DEBOUNCE] = {26, 100, 0},
    [S_PULL_OFF] = {27, 2, 3},         [S_SPINDLE_MAX] = {30, 1000, 0},
    [S_SPINDLE_MIN] = {31, 0, 0},      [S_LASER] = {32, 0, 0},
    [S_STEPS] = {100, STEPS_XY, 3},    [S_STEPS + 1] = {101, STEPS_XY, 3},
    [S_STEPS + 2] = {102, STEPS_Z, 3}, [S_RATE] = {110, 0, 3},
    [S_RATE + 1] = {111, 0, 3},        [S_RATE + 2] = {112, 0, 3},
    [S_ACCEL] = {120, 0, 3},           [S_ACCEL + 1] = {121, 0, 3},
    [S_ACCEL + 2] = {122, 0, 3},       [S_TRAVEL] = {130, 0, 3},
    [S_TRAVEL + 1] = {131, 0, 3},      [S_TRAVEL + 2] = {132, 0, 3},
};

void plotter_settings_reset_parameters(struct plotter *p)
{
    memset(p->eeprom.coord, 0, sizeof p->eeprom.coord);
}

void plotter_settings_factory(struct plotter *p, const struct table_setup *setup)
{
    for (int i = 0; i < PLOTTER_SETTINGS; i++)
        p->eeprom.setting[i] = SETTINGS[i].factory;
    const struct setup_machine *m = &setup->machine;
    for (int a = 0; a < 3; a++) {
        p->eeprom.setting[S_RATE + a] = m->feed_max[a] * 60;
        p->eeprom.setting[S_ACCEL + a] = m->accel[a];
        p->eeprom.setting[S_TRAVEL + a] = m->travel[a];
    }
    p->eeprom.setting[S_PULL_OFF] = m->pull_off;
}

static int index_of(int number)
{
    for (int i = 0; i < PLOTTER_SETTINGS; i++)
        if (SETTINGS[i].number == number)
            return i;
    return -1;
}

int plotter_settings_store(struct plotter *p, int number, double value)
{
    const int i = index_of(number);
    double *s = p->eeprom.setting;
    if (value < 0)
        return E_NEGATIVE;
    if (i < 0)
        return E_STATEMENT;
    if (i == S_STEP_PULSE && value < 3)
        return E_STEP_PULSE;
    if (i == S_SOFT_LIMITS && value != 0 && s[S_HOMING] == 0)
        return E_SOFT_NEEDS_HOMING;
    const int axis = (i - S_STEPS) % 3;
    const double steps = i >= S_STEPS && i < S_STEPS + 3 ? value : s[S_STEPS + axis];
    const double rate = i >= S_RATE && i < S_RATE + 3 ? value : s[S_RATE + axis];
    if (i >= S_STEPS && i < S_ACCEL && steps * rate / 60 > STEP_RATE_MAX)
        return E_STEP_RATE;
    s[i] = SETTINGS[i].decimals ? value : floor(value);
    if (i == S_HOMING && value == 0)
        s[S_SOFT_LIMITS] = 0;
    return E_OK;
}

void plotter_settings_report(struct plotter *p)
{
    for (int i = 0; i < PLOTTER_SETTINGS; i++)
        plotter_say(p, "$%d=%.*f\r\n", SETTINGS[i].number, SETTINGS[i].decimals,
                    p->eeprom.setting[i]);
}
