// The G-code parser: one line, checked as a whole before anything of it is done (as Grbl's gcode.c,
// after the NIST RS274NGC interpreter). The result is a job for plotter.c to carry out.
#include <math.h>
#include <string.h>

#include "controller/sim/plotter_private.h"

enum {
    GROUP_NONMODAL,
    GROUP_MOTION,
    GROUP_PLANE,
    GROUP_DISTANCE,
    GROUP_ARC_DISTANCE,
    GROUP_FEED_MODE,
    GROUP_UNITS,
    GROUP_CUTTER,
    GROUP_TOOL_LENGTH,
    GROUP_COORD,
    GROUP_CONTROL,
    GROUP_FLOW,
    GROUP_SPINDLE,
    GROUP_COOLANT,
};

#define PLACE_MOST 1e5 // mm

enum { LINE_NUMBER_MAX = 10000000, DIGITS_MAX = 8 };

enum axis_command { AXIS_NONE, AXIS_NONMODAL, AXIS_MOTION, AXIS_TOOL_LENGTH };

struct words {
    unsigned have;    // bit per letter: value words
    double value[26]; // as written
    unsigned groups;  // bit per modal group
    enum axis_command axis_command;
    bool absolute; // G53
};

#define LETTER(c) (1u << ((c) - 'A'))

static const unsigned AXES = LETTER('X') | LETTER('Y') | LETTER('Z');

const char *plotter_read_number(const char *s, double *ret)
{
    const bool negative = *s == '-';
    if (*s == '-' || *s == '+')
        s++;
    double value = 0, scale = 1;
    bool point = false;
    int digits = 0, seen = 0;
    for (;; s++) {
        if (*s >= '0' && *s <= '9') {
            seen++;
            if (digits < DIGITS_MAX) {
                value = value * 10 + (*s - '0');
                digits += value != 0;
                scale *= point ? 10 : 1;
            } else if (!point) {
                value *= 10;
            }
        } else if (*s == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (!seen)
        return NULL;
    *ret = (negative ? -value : value) / scale;
    return s;
}

static int take_axes(struct words *w, enum axis_command command)
{
    if (w->axis_command)
        return E_AXIS_CONFLICT;
    w->axis_command = command;
    return E_OK;
}

// `code` in tenths: G38.2 = 382. Returns an error number, the group by *ret_group.
static int motion_word(struct words *w, struct plotter_job *job, int code)
{
    if (code == 800) {
        job->modal.motion = 80;
        return E_OK;
    }
    job->modal.motion = (uint8_t)(code / 10);
    job->modal.probe = (uint8_t)(code % 10);
    return take_axes(w, AXIS_MOTION);
}

static int g_word(struct words *w, struct plotter_job *job, int code, int *ret_group)
{
    struct plotter_modal *m = &job->modal;
    switch (code) {
    case 40:
        job->nonmodal = code;
        *ret_group = GROUP_NONMODAL;
        return E_OK;
    case 530:
        w->absolute = true;
        *ret_group = GROUP_NONMODAL;
        return E_OK;
    case 100:
    case 280:
    case 300:
    case 920:
        job->nonmodal = code;
        *ret_group = GROUP_NONMODAL;
        return take_axes(w, AXIS_NONMODAL);
    case 281:
    case 301:
    case 921:
        job->nonmodal = code;
        *ret_group = GROUP_NONMODAL;
        return E_OK;
    case 0:
    case 10:
    case 382:
    case 383:
    case 384:
    case 385:
    case 800:
        *ret_group = GROUP_MOTION;
        return motion_word(w, job, code);
    case 170:
    case 180:
    case 190:
        m->plane = (uint8_t)(code / 10);
        *ret_group = GROUP_PLANE;
        return E_OK;
    case 200:
    case 210:
        m->inches = code == 200;
        *ret_group = GROUP_UNITS;
        return E_OK;
    case 900:
    case 910:
        m->relative = code == 910;
        *ret_group = GROUP_DISTANCE;
        return E_OK;
    case 911:
        *ret_group = GROUP_ARC_DISTANCE;
        return E_OK;
    case 940:
        *ret_group = GROUP_FEED_MODE;
        return E_OK;
    case 400:
        *ret_group = GROUP_CUTTER;
        return E_OK;
    case 431:
    case 490:
        job->tool_length = code;
        *ret_group = GROUP_TOOL_LENGTH;
        return code == 431 ? take_axes(w, AXIS_TOOL_LENGTH) : E_OK;
    case 540:
    case 550:
    case 560:
    case 570:
    case 580:
    case 590:
        m->coord = (uint8_t)(code / 10 - 54);
        *ret_group = GROUP_COORD;
        return E_OK;
    case 610:
        *ret_group = GROUP_CONTROL;
        return E_OK;
    default:
        return E_UNSUPPORTED;
    }
}

static int m_word(struct plotter_job *job, int code, int *ret_group)
{
    struct plotter_modal *m = &job->modal;
    switch (code) {
    case 0:
    case 1:
    case 2:
    case 30:
        *ret_group = GROUP_FLOW;
        m->flow = code == 0 ? 99 : (uint8_t)code; // 0 = none pending
        return E_OK;
    case 3:
    case 4:
    case 5:
        *ret_group = GROUP_SPINDLE;
        m->spindle = (uint8_t)code;
        return E_OK;
    case 7:
    case 8:
    case 9:
        *ret_group = GROUP_COOLANT;
        m->mist = code == 7 || (code == 8 && m->mist);
        m->flood = code == 8 || (code == 7 && m->flood);
        return E_OK;
    default:
        return E_UNSUPPORTED;
    }
}

static int command_word(struct words *w, struct plotter_job *job, char letter, double value)
{
    const int tenths = (int)lround(value * 100);
    if (tenths < 0 || value > 255)
        return E_UNSUPPORTED;
    if (tenths % 10 || (letter == 'M' && tenths % 100))
        return letter == 'M' ? E_NOT_INTEGER : E_UNSUPPORTED;
    int group = 0;
    const int error =
        letter == 'G' ? g_word(w, job, tenths / 10, &group) : m_word(job, tenths / 100, &group);
    if (error)
        return error;
    if (w->groups & (1u << group))
        return E_MODAL_GROUP;
    w->groups |= 1u << group;
    return E_OK;
}

static int value_word(struct words *w, char letter, double value)
{
    if (!strchr("FIJKLNPRSTXYZ", letter))
        return E_UNSUPPORTED;
    if (w->have & LETTER(letter))
        return E_REPEATED;
    if (strchr("FNPTS", letter) && value < 0)
        return E_NEGATIVE;
    w->have |= LETTER(letter);
    w->value[letter - 'A'] = value;
    return E_OK;
}

static int read_words(struct words *w, struct plotter_job *job, const char *line)
{
    for (const char *s = line; *s;) {
        const char letter = *s++;
        if (letter < 'A' || letter > 'Z')
            return E_LETTER;
        double value = 0;
        s = plotter_read_number(s, &value);
        if (!s)
            return E_NUMBER;
        const int error = letter == 'G' || letter == 'M' ? command_word(w, job, letter, value)
                                                         : value_word(w, letter, value);
        if (error)
            return error;
    }
    return E_OK;
}

// Takes a value word: it has been used.
static bool take(struct words *w, char letter, double *ret)
{
    if (!(w->have & LETTER(letter)))
        return false;
    w->have &= ~LETTER(letter);
    *ret = w->value[letter - 'A'];
    return true;
}

// What 32 bits of steps can count, with room to spare.
static double within(double mm)
{
    return fmax(-PLACE_MOST, fmin(PLACE_MOST, mm));
}

static void find_target(const struct plotter *p, const struct words *w, struct plotter_job *job)
{
    double offset[3];
    memcpy(offset, p->eeprom.coord[job->modal.coord], sizeof offset);
    for (int a = 0; a < 3; a++) {
        const char letter = "XYZ"[a];
        job->target[a] = p->parser_at[a];
        if (!(w->have & LETTER(letter)))
            continue;
        const double v = within(w->value[letter - 'A'] * (job->modal.inches ? 25.4 : 1));
        const double length = a == 2 ? p->tool_length : 0;
        if (w->absolute)
            job->target[a] = v;
        else if (job->modal.relative)
            job->target[a] += v;
        else
            job->target[a] = v + offset[a] + p->g92[a] + length;
        job->target[a] = within(job->target[a]);
    }
}

// G10 L2, L20: a work coordinate system.
static int set_coord(const struct plotter *p, struct words *w, struct plotter_job *job)
{
    double select = 0, kind = 0;
    if (!(w->have & AXES))
        return E_NO_AXIS;
    if (!take(w, 'P', &select) || !take(w, 'L', &kind))
        return E_MISSING;
    if (select > 6 || select != floor(select))
        return E_COORD;
    if (kind != 2 && kind != 20)
        return E_UNSUPPORTED;
    job->coord_select = select == 0 ? job->modal.coord : (int)select - 1;
    for (int a = 0; a < 3; a++) {
        const char letter = "XYZ"[a];
        job->offset[a] = p->eeprom.coord[job->coord_select][a];
        if (!(w->have & LETTER(letter)))
            continue;
        const double v = within(w->value[letter - 'A'] * (job->modal.inches ? 25.4 : 1));
        const double length = a == 2 ? p->tool_length : 0;
        job->offset[a] = within(kind == 2 ? v : p->parser_at[a] - p->g92[a] - length - v);
    }
    w->have &= ~AXES;
    return E_OK;
}

// G92: the present place gets the coordinates given.
static int set_offset(const struct plotter *p, struct words *w, struct plotter_job *job)
{
    if (!(w->have & AXES))
        return E_NO_AXIS;
    for (int a = 0; a < 3; a++) {
        const char letter = "XYZ"[a];
        job->offset[a] = p->g92[a];
        if (!(w->have & LETTER(letter)))
            continue;
        const double v = within(w->value[letter - 'A'] * (job->modal.inches ? 25.4 : 1));
        const double length = a == 2 ? p->tool_length : 0;
        job->offset[a] =
            within(p->parser_at[a] - p->eeprom.coord[job->modal.coord][a] - length - v);
    }
    w->have &= ~AXES;
    return E_OK;
}

static int check_nonmodal(const struct plotter *p, struct words *w, struct plotter_job *job)
{
    switch (job->nonmodal) {
    case 40:
        return take(w, 'P', &job->dwell) ? E_OK : E_MISSING;
    case 100:
        return set_coord(p, w, job);
    case 920:
        return set_offset(p, w, job);
    case 280:
    case 300:
        job->moves = (w->have & AXES) != 0;
        job->stored = job->nonmodal == 280 ? 6 : 7;
        w->have &= ~AXES;
        return E_OK;
    default:
        return E_OK;
    }
}

static bool same_place(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static int check_motion(const struct plotter *p, struct words *w, struct plotter_job *job)
{
    const bool axes = (w->have & AXES) != 0;
    if (w->axis_command == AXIS_NONE && axes)
        w->axis_command = AXIS_MOTION;
    if (w->absolute && job->modal.motion != 0 && job->modal.motion != 1)
        return E_G53;
    if (w->axis_command != AXIS_MOTION)
        return E_OK;
    if (job->modal.motion == 80)
        return axes ? E_AXIS_UNUSED : E_OK;
    if (job->modal.motion != 0 && job->feed == 0)
        return E_NO_FEED;
    if (job->modal.motion == 38) {
        if (!axes)
            return E_NO_AXIS;
        if (same_place(job->target, p->parser_at))
            return E_TARGET;
    }
    job->moves = axes;
    w->have &= ~AXES;
    return E_OK;
}

// A jog knows only units, distance mode, G53, axes and a feed of its own.
static int check_jog(const struct words *w, const struct plotter_job *job)
{
    const unsigned allowed = 1u << GROUP_UNITS | 1u << GROUP_DISTANCE | 1u << GROUP_NONMODAL;
    if ((w->groups & ~allowed) || job->nonmodal)
        return E_JOG_COMMAND;
    if (!(w->have & AXES))
        return E_NO_AXIS;
    return w->have & LETTER('F') ? E_OK : E_NO_FEED;
}

static int tool_length_word(struct words *w, struct plotter_job *job)
{
    if (job->tool_length != 431)
        return E_OK;
    if ((w->have & AXES) != LETTER('Z'))
        return E_G43_AXIS;
    double z = 0;
    take(w, 'Z', &z);
    job->offset[2] = within(z * (job->modal.inches ? 25.4 : 1));
    return E_OK;
}

int plotter_gcode(struct plotter *p, const char *line, struct plotter_job *job)
{
    struct words w = {0};
    job->modal = p->modal;
    job->tool = -1;
    job->stored = -1;
    job->feed = p->feed;
    job->speed = p->speed;
    int error = read_words(&w, job, line);
    if (!error && job->jog)
        error = check_jog(&w, job);
    if (error)
        return error;
    double v = 0;
    if (take(&w, 'N', &v) && v >= LINE_NUMBER_MAX)
        return E_LINE_NUMBER;
    if (take(&w, 'F', &v))
        job->feed = v * (job->modal.inches ? 25.4 : 1) / 60;
    if (take(&w, 'S', &v))
        job->speed = fmin(v, 1e6);
    if (take(&w, 'T', &v))
        job->tool = (int)fmin(v, 255);
    if (job->jog)
        job->modal.motion = 1;
    find_target(p, &w, job);
    error = tool_length_word(&w, job);
    if (!error)
        error = check_nonmodal(p, &w, job);
    if (!error)
        error = check_motion(p, &w, job);
    if (!error && w.have)
        error = E_UNUSED;
    return error;
}
