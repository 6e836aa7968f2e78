// The firmware's settings: numbers, defaults, what they may be.
#include <math.h>
#include <string.h>

#include "controller/sim/plotter_private.h"

#define STEPS_XY      80.0  // per mm
#define STEPS_Z       400.0 // per mm
#define AXIS_LEAST    0.01
#define SETTING_MOST  1e6
#define STEP_RATE_MAX 30000.0 // per second

struct setting {
    double factory;
    int number;
    int decimals;
};

static const struct setting SETTINGS[PLOTTER_SETTINGS] = {
    [S_STEP_PULSE] = {10, 0, 0},       [S_IDLE_DELAY] = {255, 1, 0},
    [S_STEP_INVERT] = {0, 2, 0},       [S_DIR_INVERT] = {0, 3, 0},
    [S_ENABLE_INVERT] = {0, 4, 0},     [S_LIMIT_INVERT] = {0, 5, 0},
    [S_PROBE_INVERT] = {0, 6, 0},      [S_REPORT] = {1, 10, 0},
    [S_JUNCTION] = {0.010, 11, 3},     [S_ARC] = {0.002, 12, 3},
    [S_REPORT_INCHES] = {0, 13, 0},    [S_SOFT_LIMITS] = {1, 20, 0},
    [S_HARD_LIMITS] = {1, 21, 0},      [S_HOMING] = {1, 22, 0},
    [S_HOMING_DIR] = {3, 23, 0},       [S_HOMING_FEED] = {120, 24, 3},
    [S_HOMING_SEEK] = {6000, 25, 3},   [S_HOMING_DEBOUNCE] = {100, 26, 0},
    [S_PULL_OFF] = {2, 27, 3},         [S_SPINDLE_MAX] = {1000, 30, 0},
    [S_SPINDLE_MIN] = {0, 31, 0},      [S_LASER] = {0, 32, 0},
    [S_STEPS] = {STEPS_XY, 100, 3},    [S_STEPS + 1] = {STEPS_XY, 101, 3},
    [S_STEPS + 2] = {STEPS_Z, 102, 3}, [S_RATE] = {0, 110, 3},
    [S_RATE + 1] = {0, 111, 3},        [S_RATE + 2] = {0, 112, 3},
    [S_ACCEL] = {0, 120, 3},           [S_ACCEL + 1] = {0, 121, 3},
    [S_ACCEL + 2] = {0, 122, 3},       [S_TRAVEL] = {0, 130, 3},
    [S_TRAVEL + 1] = {0, 131, 3},      [S_TRAVEL + 2] = {0, 132, 3},
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
    // Nought steps, speed or acceleration make a real board divide by zero; here they are tiny.
    if (i >= S_STEPS && i < S_TRAVEL)
        value = fmax(value, AXIS_LEAST);
    value = fmin(value, SETTING_MOST);
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
