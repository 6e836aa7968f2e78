// What the firmware says. Every text leaves at the speed of the wire.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "controller/sim/plotter_private.h"

enum { REPORT_MAX = 256 };

void plotter_say(struct plotter *p, const char *format, ...)
{
    char text[REPORT_MAX];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n >= (int)sizeof text)
        n = (int)sizeof text - 1;
    const int64_t start = p->tx_free_ns > p->now_ns ? p->tx_free_ns : p->now_ns;
    p->tx_free_ns = start + n * BYTE_NS;
    p->ops->send(p->user, p->tx_free_ns, text, (size_t)n);
}

void plotter_report_status_message(struct plotter *p, int error)
{
    if (error == E_OK)
        plotter_say(p, "ok\r\n");
    else
        plotter_say(p, "error:%d\r\n", error);
}

void plotter_report_message(struct plotter *p, const char *text)
{
    plotter_say(p, "[MSG:%s]\r\n", text);
}

void plotter_report_banner(struct plotter *p)
{
    if (p->flavour == SETUP_GRBLHAL)
        plotter_say(p, "\r\nGrblHAL 1.1f ['$' or '$HELP' for help]\r\n");
    else
        plotter_say(p, "\r\nGrbl 1.1h ['$' for help]\r\n");
}

void plotter_work_offset(const struct plotter *p, double ret[3])
{
    for (int a = 0; a < 3; a++) {
        ret[a] = p->eeprom.coord[p->modal.coord][a] + p->g92[a];
        if (a == 2)
            ret[a] += p->tool_length;
    }
}

static double unit(const struct plotter *p)
{
    return p->eeprom.setting[S_REPORT_INCHES] != 0 ? 1 / 25.4 : 1;
}

static void axes(const struct plotter *p, char *text, size_t size, const double v[3])
{
    const int decimals = p->eeprom.setting[S_REPORT_INCHES] != 0 ? 4 : 3;
    const double u = unit(p);
    // Adding 0 turns -0.000 into 0.000, as firmware that counts steps prints it.
    snprintf(text, size, "%.*f,%.*f,%.*f", decimals, v[0] * u + 0.0, decimals, v[1] * u + 0.0,
             decimals, v[2] * u + 0.0);
}

static const char *state_name(const struct plotter *p)
{
    switch (p->state) {
    case PLOTTER_IDLE:
        return "Idle";
    case PLOTTER_RUN:
        return "Run";
    case PLOTTER_HOLD:
        return p->held ? "Hold:0" : "Hold:1";
    case PLOTTER_JOG:
        return "Jog";
    case PLOTTER_ALARM:
        return "Alarm";
    case PLOTTER_DOOR:
        if (p->wait == PLOTTER_WAIT_DOOR)
            return "Door:3";
        return !p->held ? "Door:2" : p->door_ajar ? "Door:1" : "Door:0";
    case PLOTTER_CHECK:
        return "Check";
    case PLOTTER_HOME:
        return "Home";
    case PLOTTER_SLEEP:
        return "Sleep";
    }
    return "?";
}

static void add_pins(const struct plotter *p, char *text, size_t size)
{
    char pins[8];
    int n = 0;
    for (int a = 0; a < 3; a++)
        if (p->limit_pin[a])
            pins[n++] = "XYZ"[a];
    if (p->probe_pin)
        pins[n++] = 'P';
    if (p->door_ajar)
        pins[n++] = 'D';
    pins[n] = '\0';
    if (n) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "|Pn:%s", pins);
    }
}

// WCO every 30th report in motion and every 10th at rest, Ov every 20th and 10th.
static void add_slow_fields(struct plotter *p, char *text, size_t size)
{
    const bool busy = p->state == PLOTTER_RUN || p->state == PLOTTER_HOLD ||
                      p->state == PLOTTER_JOG || p->state == PLOTTER_HOME ||
                      p->state == PLOTTER_DOOR;
    const size_t used = strlen(text);
    if (p->wco_counter > 0) {
        p->wco_counter--;
    } else {
        p->wco_counter = busy ? 29 : 9;
        if (p->ovr_counter == 0)
            p->ovr_counter = 1; // the two never come together
        double offset[3];
        char wco[64];
        plotter_work_offset(p, offset);
        axes(p, wco, sizeof wco, offset);
        snprintf(text + used, size - used, "|WCO:%s", wco);
    }
    if (p->ovr_counter > 0) {
        p->ovr_counter--;
        return;
    }
    p->ovr_counter = busy ? 19 : 9;
    char accessory[8];
    int n = 0;
    if (p->modal.spindle != 5)
        accessory[n++] = p->modal.spindle == 3 ? 'S' : 'C';
    if (p->modal.flood)
        accessory[n++] = 'F';
    if (p->modal.mist)
        accessory[n++] = 'M';
    accessory[n] = '\0';
    const size_t end = strlen(text);
    snprintf(text + end, size - end, "|Ov:100,100,100%s%s", n ? "|A:" : "", accessory);
}

void plotter_report_realtime(struct plotter *p)
{
    char text[REPORT_MAX - 8], place[64];
    double position[3], offset[3];
    const int mask = (int)p->eeprom.setting[S_REPORT];
    plotter_position(p, p->now_ns, position);
    if (!(mask & 1)) {
        plotter_work_offset(p, offset);
        for (int a = 0; a < 3; a++)
            position[a] -= offset[a];
    }
    axes(p, place, sizeof place, position);
    int n =
        snprintf(text, sizeof text, "%s|%s:%s", state_name(p), mask & 1 ? "MPos" : "WPos", place);
    if (mask & 2)
        n += snprintf(text + n, sizeof text - (size_t)n, "|Bf:%d,%d",
                      PLOTTER_BLOCKS - p->block_count, p->rx_size - p->rx_count);
    snprintf(text + n, sizeof text - (size_t)n, "|FS:%.0f,%.0f",
             plotter_steppers_speed(p, p->now_ns) * 60 * unit(p),
             p->modal.spindle == 5 ? 0 : p->speed);
    add_pins(p, text, sizeof text);
    add_slow_fields(p, text, sizeof text);
    plotter_say(p, "<%s>\r\n", text);
}

void plotter_report_modes(struct plotter *p)
{
    const struct plotter_modal *m = &p->modal;
    char motion[8];
    if (m->motion == 38)
        snprintf(motion, sizeof motion, "G38.%d", m->probe);
    else
        snprintf(motion, sizeof motion, "G%d", m->motion);
    plotter_say(p, "[GC:%s G%d G%d G%d G%d G%d M%d %s%s%sT%d F%.0f S%.0f]\r\n", motion,
                54 + m->coord, m->plane, m->inches ? 20 : 21, m->relative ? 91 : 90, 94, m->spindle,
                m->mist ? "M7 " : "", m->flood ? "M8 " : "", m->mist || m->flood ? "" : "M9 ",
                p->tool, p->feed * 60, p->speed);
}

void plotter_report_probe(struct plotter *p)
{
    char text[64];
    axes(p, text, sizeof text, p->probe_at);
    plotter_say(p, "[PRB:%s:%d]\r\n", text, p->probe_ok);
}

void plotter_report_offsets(struct plotter *p)
{
    static const char *const NAMES[PLOTTER_COORDS] = {"G54", "G55", "G56", "G57",
                                                      "G58", "G59", "G28", "G30"};
    char text[64];
    for (int i = 0; i < PLOTTER_COORDS; i++) {
        axes(p, text, sizeof text, p->eeprom.coord[i]);
        plotter_say(p, "[%s:%s]\r\n", NAMES[i], text);
    }
    axes(p, text, sizeof text, p->g92);
    plotter_say(p, "[G92:%s]\r\n", text);
    plotter_say(p, "[TLO:%.3f]\r\n", p->tool_length);
    plotter_report_probe(p);
}

void plotter_report_build(struct plotter *p)
{
    if (p->flavour == SETUP_GRBLHAL) {
        plotter_say(p, "[VER:1.1f.20210803:%s]\r\n", p->eeprom.build);
        plotter_say(p, "[OPT:VNMSL,35,1023,3,0]\r\n");
        plotter_say(p, "[NEWOPT:ENUMS,RT+,HOME]\r\n");
        plotter_say(p, "[FIRMWARE:grblHAL]\r\n");
    } else {
        plotter_say(p, "[VER:1.1h.20190825:%s]\r\n", p->eeprom.build);
        plotter_say(p, "[OPT:VM,15,128]\r\n");
    }
}
