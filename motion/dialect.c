#include "motion/dialect.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// printf's %f has the user's decimal point. Trailing zeros are left out: a byte on the wire is
// 87 us, and the first line of a leg is waited for.
void dialect_number(char *buf, size_t size, double value)
{
    long long n = llround(value * 1000), rest = llabs(n) % 1000;
    int digits = 3;
    for (; digits > 0 && rest % 10 == 0; digits--)
        rest /= 10;
    if (digits)
        snprintf(buf, size, "%s%lld.%0*lld", n < 0 ? "-" : "", llabs(n) / 1000, digits, rest);
    else
        snprintf(buf, size, "%lld", n / 1000);
}

static void add(char *buf, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(char *buf, size_t size, const char *format, ...)
{
    size_t used = strlen(buf);
    va_list ap;
    va_start(ap, format);
    vsnprintf(buf + used, size - used, format, ap);
    va_end(ap);
}

static bool differs(const struct dialect_move *m, int axis)
{
    return llround(m->to[axis] * 1000) != llround(m->from[axis] * 1000);
}

static void grbl_move(const struct dialect_move *m, char *buf, size_t size)
{
    char number[24];
    snprintf(buf, size, m->jog ? "$J=G91" : m->feed > 0 ? "G53G1" : "G53G0");
    for (int k = 0; k < GRBL_AXES; k++) {
        if (!differs(m, k))
            continue;
        dialect_number(number, sizeof number, m->jog ? m->to[k] - m->from[k] : m->to[k]);
        add(buf, size, "%c%s", "XYZ"[k], number);
    }
    if (m->feed > 0 || m->jog) {
        dialect_number(number, sizeof number, fmax(1, m->feed * 60));
        add(buf, size, "F%s", number);
    }
}

// Marlin's G0 goes at the feed that was named last: it is named in every line.
static double marlin_feed(const struct dialect_move *m)
{
    double length = 0, most = m->feed > 0 ? m->feed : INFINITY;
    for (int k = 0; k < GRBL_AXES; k++)
        length += (m->to[k] - m->from[k]) * (m->to[k] - m->from[k]);
    length = sqrt(length);
    for (int k = 0; k < GRBL_AXES; k++) {
        double way = fabs(m->to[k] - m->from[k]);
        if (m->speed && m->speed[k] > 0 && way > 0)
            most = fmin(most, m->speed[k] * length / way);
    }
    return isfinite(most) ? most : 10;
}

static void marlin_move(const struct dialect_move *m, char *buf, size_t size)
{
    char number[24];
    snprintf(buf, size, "G1");
    for (int k = 0; k < GRBL_AXES; k++) {
        if (!differs(m, k))
            continue;
        dialect_number(number, sizeof number, m->to[k] + (m->travel ? m->travel[k] : 0));
        add(buf, size, " %c%s", "XYZ"[k], number);
    }
    dialect_number(number, sizeof number, fmax(1, marlin_feed(m) * 60));
    add(buf, size, " F%s", number);
}

const struct dialect dialect_grbl = {
    .name = "grbl",
    .introduce = {"$I", "$$"},
    .home = "$H",
    .modal = {"G21G90G94G17G54"}, // a start-up line may have changed any of these
    .settle = "G4P0",
    .ask = "?",
    .reset = "\x18",
    .hold = "!",
    .resume = "~",
    .jog_cancel = "\x85",
    .asks_by_byte = true,
    .settings_all = true,
    .move = grbl_move,
    .parse = grbl_parse,
};

// A stop begins with a line end: a line may be half written.
const struct dialect dialect_marlin = {
    .name = "marlin",
    .introduce = {"M115", "M211", "M503"},
    .home = "G28",
    .modal = {"G21", "G90"},
    .settle = "M400",
    .ask = "M114",
    .reset = "\nM410\nM110 N0\nM118 tessera %u\n",
    .numbered = true,
    .jog_settles = true,
    .from_zero = true,
    .move = marlin_move,
    .parse = dialect_marlin_parse,
};

const struct dialect *dialect_find(const char *name)
{
    static const struct {
        const char *name;
        const struct dialect *dialect;
    } all[] = {{"grbl", &dialect_grbl}, {"grblhal", &dialect_grbl}, {"marlin", &dialect_marlin}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(all[i].name, name) == 0)
            return all[i].dialect;
    }
    return NULL;
}
