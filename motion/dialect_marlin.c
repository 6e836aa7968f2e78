// Marlin's answers, to the same replies that GRBL's become.
#include <string.h>

#include "motion/dialect.h"

enum { SETTING_STEPS = 100, SETTING_SPEED = 110, SETTING_ACCELERATION = 120, SETTING_TRAVEL = 130 };

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

// [-]digits[.digits] after blanks, at *text, which is moved behind it.
static bool number(const char **text, double *ret)
{
    const char *p = *text + strspn(*text, " ");
    bool negative = *p == '-';
    p += negative;
    double value = 0, scale = 1;
    int digits = 0;
    for (bool point = false; digits < 12; p++) {
        if (*p == '.' && !point) {
            point = true;
            continue;
        }
        if (*p < '0' || *p > '9')
            break;
        value = value * 10 + (*p - '0');
        scale *= point ? 10 : 1;
        digits++;
    }
    if (!digits)
        return false;
    *text = p;
    *ret = (negative ? -value : value) / scale;
    return true;
}

// "X:1.0 Y:2.0 Z:3.0" or "X1.0 Y2.0 Z3.0", other letters in between.
static bool axes(const char *text, double ret[GRBL_AXES])
{
    for (int i = 0; i < GRBL_AXES; i++) {
        text = strchr(text, "XYZ"[i]);
        if (!text)
            return false;
        text++;
        text += *text == ':';
        if (!number(&text, &ret[i]))
            return false;
    }
    return true;
}

static bool whole(const char *text, int *ret)
{
    double value;
    if (!number(&text, &value) || *text || value < 0 || value > 1e9)
        return false;
    *ret = (int)value;
    return *ret == value;
}

// The answer to M114: where the motion will end, and the motors' steps. Only asked at rest.
static bool place(const char *text, struct grbl_reply *r)
{
    const char *count = strstr(text, "Count ");
    double planned[GRBL_AXES];
    if (!count || !axes(text, planned) || !axes(count, r->status.steps))
        return false;
    memcpy(r->status.work, planned, sizeof planned);
    r->status.has_work = r->status.has_steps = true;
    r->status.state = GRBL_STATE_IDLE;
    r->status.substate = -1;
    return true;
}

// Lines of M503 and M211 that matter: "echo:  M203 X200.00 Y200.00 Z50.00 E25.00".
static bool settings(const char *text, struct grbl_reply *r)
{
    static const struct {
        const char *word;
        int setting;
    } rows[] = {
        {"M92 ", SETTING_STEPS},
        {"M203 ", SETTING_SPEED},
        {"M201 ", SETTING_ACCELERATION},
        {"Max:", SETTING_TRAVEL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *p = strstr(text, rows[i].word);
        if (p && axes(p + strlen(rows[i].word), r->value3)) {
            r->number = rows[i].setting;
            return true;
        }
    }
    return false;
}

static enum grbl_reply_kind judge_error(const char *text, struct grbl_reply *r)
{
    // These are followed by "Resend:".
    if (strstr(text, "checksum") || strstr(text, "Line Number") || strstr(text, "Checksum"))
        return GRBL_REPLY_NONE;
    r->number = 0;
    return GRBL_REPLY_ALARM;
}

static enum grbl_reply_kind judge_echo(const char *text, struct grbl_reply *r)
{
    if (starts(text, "echo:busy"))
        return GRBL_REPLY_BUSY;
    if (starts(text, "echo:Unknown command")) {
        r->number = 20;
        return GRBL_REPLY_REFUSAL;
    }
    if (starts(text, "echo:Home ")) { // "… XYZ First"
        r->number = 9;
        return GRBL_REPLY_REFUSAL;
    }
    if (starts(text, "echo:endstops hit")) {
        r->number = 1;
        return GRBL_REPLY_ALARM;
    }
    return settings(text, r) ? GRBL_REPLY_AXES : GRBL_REPLY_MESSAGE;
}

static enum grbl_reply_kind judge(const char *text, struct grbl_reply *r)
{
    if (!*text)
        return GRBL_REPLY_NONE;
    if (strcmp(text, "ok") == 0 || starts(text, "ok N") || starts(text, "ok P"))
        return GRBL_REPLY_OK;
    if (strcmp(text, "start") == 0)
        return GRBL_REPLY_BANNER;
    if (starts(text, "tessera "))
        return whole(text + 8, &r->number) ? GRBL_REPLY_SYNC : GRBL_REPLY_GARBAGE;
    if (starts(text, "Resend: "))
        return whole(text + 8, &r->number) ? GRBL_REPLY_RESEND : GRBL_REPLY_GARBAGE;
    if (starts(text, "Error:"))
        return judge_error(text, r);
    if (starts(text, "Cap:EMERGENCY_PARSER:"))
        return whole(text + 21, &r->number) ? GRBL_REPLY_STOPPABLE : GRBL_REPLY_GARBAGE;
    if (starts(text, "X:"))
        return place(text, r) ? GRBL_REPLY_STATUS : GRBL_REPLY_GARBAGE;
    if (starts(text, "echo:"))
        return judge_echo(text, r);
    if (settings(text, r))
        return GRBL_REPLY_AXES;
    return starts(text, "FIRMWARE_NAME:") || starts(text, "Cap:") || starts(text, "//")
               ? GRBL_REPLY_MESSAGE
               : GRBL_REPLY_GARBAGE;
}

void dialect_marlin_parse(const char *line, size_t length, struct grbl_reply *ret)
{
    memset(ret, 0, sizeof *ret);
    size_t n = length < GRBL_LINE_MAX ? length : GRBL_LINE_MAX;
    for (size_t i = 0; i < n; i++)
        ret->text[i] = line[i] >= ' ' && line[i] <= '~' ? line[i] : '.';
    ret->kind = judge(ret->text, ret);
}
