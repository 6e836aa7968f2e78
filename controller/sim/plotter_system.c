// Lines that begin with $: settings, reports, homing, unlocking, jogging.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "controller/sim/plotter_private.h"

static int home(struct plotter *p, const char *rest)
{
    if (*rest)
        return E_STATEMENT;
    if (p->eeprom.setting[S_HOMING] == 0)
        return E_HOMING_OFF;
    if (p->door_ajar)
        return E_DOOR;
    p->homing_reply = true;
    plotter_home_start(p);
    plotter_wait_for(p, PLOTTER_WAIT_HOME, 0);
    return GOES_ON;
}

static int unlock(struct plotter *p)
{
    if (p->state != PLOTTER_ALARM)
        return E_OK;
    if (p->door_ajar)
        return E_DOOR;
    if (p->flavour == SETUP_GRBLHAL && p->hal_locked)
        return E_HOMING_REQUIRED;
    plotter_report_message(p, "Caution: Unlocked");
    p->state = PLOTTER_IDLE;
    return E_OK;
}

static int check_mode(struct plotter *p)
{
    if (p->state == PLOTTER_CHECK) {
        p->realtime |= REALTIME_RESET;
        plotter_report_message(p, "Disabled");
        return E_OK;
    }
    if (p->state != PLOTTER_IDLE)
        return E_NOT_IDLE;
    p->state = PLOTTER_CHECK;
    plotter_report_message(p, "Enabled");
    return E_OK;
}

static int startup_line(struct plotter *p, const char *rest)
{
    if (!*rest) {
        for (int i = 0; i < 2; i++)
            plotter_say(p, "$N%d=%s\r\n", i, p->eeprom.startup[i]);
        return E_OK;
    }
    if ((rest[0] != '0' && rest[0] != '1') || rest[1] != '=')
        return E_STATEMENT;
    if (p->state == PLOTTER_ALARM)
        return E_LOCKED;
    struct plotter_job job = {0};
    const int error = plotter_gcode(p, rest + 2, &job);
    if (error)
        return error;
    char *stored = p->eeprom.startup[rest[0] - '0'];
    memcpy(stored, rest + 2, strlen(rest + 2) + 1); // fits: a line is at most PLOTTER_LINE
    plotter_wait_for(p, PLOTTER_WAIT_EEPROM, 5 * EEPROM_NS);
    return E_OK;
}

static int restore(struct plotter *p, const char *rest)
{
    if (strcmp(rest, "RST=#") == 0)
        plotter_settings_reset_parameters(p);
    else if (strcmp(rest, "RST=$") == 0)
        p->eeprom = p->factory;
    else if (strcmp(rest, "RST=*") == 0) {
        p->eeprom = p->factory;
        plotter_settings_reset_parameters(p);
    } else
        return E_STATEMENT;
    plotter_wait_for(p, PLOTTER_WAIT_EEPROM, 34 * EEPROM_NS);
    plotter_report_message(p, "Restoring defaults");
    p->realtime |= REALTIME_RESET;
    return E_OK;
}

static int setting(struct plotter *p, const char *rest)
{
    char *end;
    if (!isdigit((unsigned char)*rest))
        return E_STATEMENT;
    const long number = strtol(rest, &end, 10);
    if (*end != '=' || number > 255)
        return E_STATEMENT;
    double value;
    const char *after = plotter_read_number(end + 1, &value);
    if (!after)
        return E_NUMBER;
    if (*after)
        return E_STATEMENT;
    const int error = plotter_settings_store(p, (int)number, value);
    if (error == E_OK)
        plotter_wait_for(p, PLOTTER_WAIT_EEPROM, EEPROM_NS);
    return error;
}

static int jog(struct plotter *p, const char *rest)
{
    if (p->state != PLOTTER_IDLE && p->state != PLOTTER_JOG)
        return E_NOT_IDLE;
    return rest[1] == '=' ? plotter_job_start(p, rest + 2, true) : E_STATEMENT;
}

// Allowed only at rest, or locked.
static int at_rest(struct plotter *p, const char *rest)
{
    if (p->state != PLOTTER_IDLE && p->state != PLOTTER_ALARM)
        return E_NOT_IDLE;
    switch (*rest) {
    case '#':
        if (rest[1])
            return E_STATEMENT;
        plotter_report_offsets(p);
        return E_OK;
    case 'H':
        return home(p, rest + 1);
    case 'I':
        if (rest[1])
            return E_STATEMENT;
        plotter_report_build(p);
        return E_OK;
    case 'N':
        return startup_line(p, rest + 1);
    case 'R':
        return restore(p, rest);
    case 'S':
        if (strcmp(rest, "SLP") != 0)
            return E_STATEMENT;
        p->state = PLOTTER_SLEEP;
        plotter_outputs(p, false, false, false);
        plotter_report_message(p, "Sleeping");
        return E_OK;
    default:
        return setting(p, rest);
    }
}

int plotter_system(struct plotter *p, const char *line)
{
    const char *rest = line + 1;
    if (*rest == 'J')
        return jog(p, rest);
    if (*rest && strchr("$GCX", *rest)) {
        if (rest[1])
            return E_STATEMENT;
        switch (*rest) {
        case '$':
            if (p->state == PLOTTER_RUN || p->state == PLOTTER_HOLD)
                return E_NOT_IDLE;
            plotter_settings_report(p);
            return E_OK;
        case 'G':
            plotter_report_modes(p);
            return E_OK;
        case 'C':
            return check_mode(p);
        default:
            return unlock(p);
        }
    }
    if (!*rest) {
        plotter_say(p,
                    "[HLP:$$ $# $G $I $N $x=val $Nx=line $J=line $SLP $C $X $H ~ ! ? ctrl-x]\r\n");
        return E_OK;
    }
    return at_rest(p, rest);
}
