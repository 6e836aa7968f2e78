#include "motion/grbl_parse.h"

#include <string.h>

// A piece of the line: no copies, no NULs needed.
struct span {
    const char *s;
    size_t n;
};

static bool starts(struct span t, const char *with)
{
    size_t n = strlen(with);
    return t.n >= n && memcmp(t.s, with, n) == 0;
}

static struct span after(struct span t, size_t n)
{
    return (struct span){t.s + n, t.n - n};
}

static bool contains(struct span t, const char *what)
{
    return memmem(t.s, t.n, what, strlen(what)) != NULL;
}

// Takes what stands before `stop` (or all) off the front of *t.
static struct span cut(struct span *t, char stop)
{
    const char *p = memchr(t->s, stop, t->n);
    struct span head = {t->s, p ? (size_t)(p - t->s) : t->n};
    *t = after(*t, p ? head.n + 1 : head.n);
    return head;
}

// A whole decimal number: [-]digits[.digits], nothing else. Own code because strtod() reads a
// decimal comma in some locales, and would read "1e9", "nan" and "0x1" that GRBL never says.
static bool number(struct span t, double *ret)
{
    bool negative = t.n && t.s[0] == '-';
    if (negative)
        t = after(t, 1);
    double value = 0, scale = 1;
    bool point = false, digit = false;
    if (t.n > 16)
        return false;
    for (size_t i = 0; i < t.n; i++) {
        char c = t.s[i];
        if (c == '.' && !point) {
            point = true;
        } else if (c >= '0' && c <= '9') {
            digit = true;
            value = value * 10 + (c - '0');
            if (point)
                scale *= 10;
        } else {
            return false;
        }
    }
    if (!digit)
        return false;
    *ret = (negative ? -value : value) / scale;
    return true;
}

static bool whole(struct span t, int *ret)
{
    int value = 0;
    if (t.n == 0 || t.n > 6)
        return false;
    for (size_t i = 0; i < t.n; i++) {
        if (t.s[i] < '0' || t.s[i] > '9')
            return false;
        value = value * 10 + (t.s[i] - '0');
    }
    *ret = value;
    return true;
}

// Three comma-separated numbers; more may follow (further axes).
static bool triple(struct span t, double ret[GRBL_AXES])
{
    double v[GRBL_AXES];
    for (int i = 0; i < GRBL_AXES; i++) {
        if (!number(cut(&t, ','), &v[i]))
            return false;
    }
    memcpy(ret, v, sizeof v);
    return true;
}

static const char *const state_names[] = {
    [GRBL_STATE_UNKNOWN] = "unknown", [GRBL_STATE_IDLE] = "Idle",   [GRBL_STATE_RUN] = "Run",
    [GRBL_STATE_HOLD] = "Hold",       [GRBL_STATE_JOG] = "Jog",     [GRBL_STATE_ALARM] = "Alarm",
    [GRBL_STATE_DOOR] = "Door",       [GRBL_STATE_CHECK] = "Check", [GRBL_STATE_HOME] = "Home",
    [GRBL_STATE_SLEEP] = "Sleep",     [GRBL_STATE_TOOL] = "Tool",
};

const char *grbl_state_name(enum grbl_state state)
{
    return (unsigned)state < sizeof state_names / sizeof *state_names ? state_names[state]
                                                                      : "unknown";
}

static bool state_word(struct span word, struct grbl_status *s)
{
    struct span name = cut(&word, ':');
    s->substate = -1;
    if (word.n && !whole(word, &s->substate))
        return false;
    for (size_t i = 1; i < sizeof state_names / sizeof *state_names; i++) {
        if (name.n == strlen(state_names[i]) && memcmp(name.s, state_names[i], name.n) == 0) {
            s->state = (enum grbl_state)i;
            return true;
        }
    }
    return false;
}

static bool letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool pins(struct span t, unsigned *ret)
{
    static const char letters[] = "XYZPDHRSE";
    unsigned bits = 0;
    for (size_t i = 0; i < t.n; i++) {
        const char *p = strchr(letters, t.s[i]);
        if (t.s[i] && p)
            bits |= 1u << (unsigned)(p - letters);
        else if (!letter(t.s[i]))
            return false; // other letters are pins this program has no use for
    }
    *ret = bits;
    return true;
}

static bool status_field(struct span field, struct grbl_status *s)
{
    struct span name = cut(&field, ':'), first;
    if (starts(name, "MPos"))
        return s->has_machine = triple(field, s->machine);
    if (starts(name, "WPos"))
        return s->has_work = triple(field, s->work);
    if (starts(name, "WCO"))
        return s->has_offset = triple(field, s->offset);
    if (starts(name, "Bf")) {
        first = cut(&field, ',');
        return s->has_buffer = whole(first, &s->planner_free) && whole(field, &s->rx_free);
    }
    if (name.n == 2 && starts(name, "FS"))
        return number(cut(&field, ','), &s->feed);
    if (name.n == 1 && starts(name, "F"))
        return number(field, &s->feed);
    if (starts(name, "Pn"))
        return pins(field, &s->pins);
    return true; // Ov, A, Ln, and whatever other firmware adds
}

static bool status_line(struct span t, struct grbl_status *s)
{
    memset(s, 0, sizeof *s);
    if (t.n < 2 || t.s[t.n - 1] != '>')
        return false;
    t = (struct span){t.s + 1, t.n - 2};
    if (memchr(t.s, '<', t.n) || memchr(t.s, '>', t.n))
        return false; // two reports run together: bytes were lost in between
    if (!state_word(cut(&t, '|'), s))
        return false;
    while (t.n) {
        if (!status_field(cut(&t, '|'), s))
            return false;
    }
    s->feed /= 60;
    return true;
}

// Any line with an unmistakable part of "Grbl 1.1h ['$' for help]" in it; but no whole "[PLUGIN:…]"
// or the like, in which grblHAL may name itself.
static bool banner_line(struct span t)
{
    bool bracketed = t.n > 3 && t.s[0] == '[' && letter(t.s[1]) && letter(t.s[2]) &&
                     memchr(t.s, ':', t.n) && t.s[t.n - 1] == ']';
    if (bracketed && !contains(t, "for help]"))
        return false;
    return contains(t, "Grbl ") || contains(t, "GrblHAL") || contains(t, "rbl 1.") ||
           contains(t, "for help]") || contains(t, "['$'");
}

static void bracket_line(struct span t, struct grbl_reply *r)
{
    struct span name = {t.s + 1, t.n - 2}, rest = name;
    r->kind = GRBL_REPLY_MESSAGE;
    name = cut(&rest, ':');
    if (starts(name, "OPT")) {
        cut(&rest, ',');
        struct span blocks = cut(&rest, ','), bytes = cut(&rest, ',');
        r->kind = GRBL_REPLY_OPTIONS;
        if (!whole(blocks, &r->planner_blocks) || !whole(bytes, &r->rx_bytes))
            r->planner_blocks = r->rx_bytes = 0;
    } else if (starts(name, "VER")) {
        r->kind = GRBL_REPLY_VERSION;
    } else if (starts(name, "TLO")) {
        r->kind = number(rest, &r->value3[2]) || triple(rest, r->value3) ? GRBL_REPLY_OFFSET
                                                                         : GRBL_REPLY_GARBAGE;
    } else if (name.n == 3 && name.s[0] == 'G' && name.s[1] >= '0' && name.s[1] <= '9') {
        r->kind = triple(rest, r->value3) ? GRBL_REPLY_OFFSET : GRBL_REPLY_GARBAGE;
    }
}

// "$110=12000.000": digits '=' number; other settings (strings of grblHAL, which may hold "Grbl "
// and anything) are messages. false: no setting, or a banner that lost its line end ran into it.
static bool setting_line(struct span t, struct grbl_reply *r)
{
    const bool setting = t.n >= 2 && t.s[0] == '$' && memchr(t.s, '=', t.n);
    if (!setting || contains(t, "for help]"))
        return false;
    t = after(t, 1);
    struct span key = cut(&t, '=');
    struct span value = cut(&t, ' ');
    if (!whole(key, &r->number))
        return false;
    r->kind = number(value, &r->value) ? GRBL_REPLY_SETTING : GRBL_REPLY_MESSAGE;
    return true;
}

static void copy_text(struct span t, struct grbl_reply *r)
{
    size_t n = t.n < GRBL_LINE_MAX ? t.n : GRBL_LINE_MAX;
    for (size_t i = 0; i < n; i++)
        r->text[i] = t.s[i] >= ' ' && t.s[i] <= '~' ? t.s[i] : '.';
    r->text[n] = '\0';
}

void grbl_parse(const char *line, size_t length, struct grbl_reply *ret)
{
    struct span t = {line, length};
    memset(ret, 0, sizeof *ret);
    copy_text(t, ret);
    ret->kind = GRBL_REPLY_GARBAGE;
    if (t.n == 0)
        ret->kind = GRBL_REPLY_NONE;
    else if (t.n == 2 && starts(t, "ok"))
        ret->kind = GRBL_REPLY_OK;
    else if (starts(t, "error:") && whole(after(t, 6), &ret->number))
        ret->kind = GRBL_REPLY_ERROR;
    else if (starts(t, "ALARM:") && whole(after(t, 6), &ret->number))
        ret->kind = GRBL_REPLY_ALARM;
    else if (contains(t, "ALARM") || contains(t, "LARM:"))
        ret->kind = GRBL_REPLY_ALARM; // its number was lost, its meaning was not
    else if (t.s[0] == '<' && status_line(t, &ret->status))
        ret->kind = GRBL_REPLY_STATUS;
    else if (setting_line(t, ret))
        return;
    else if (banner_line(t))
        ret->kind = GRBL_REPLY_BANNER;
    else if (t.s[0] == '[' && t.n >= 2 && t.s[t.n - 1] == ']')
        bracket_line(t, ret);
    else if (starts(t, ">") || (t.s[0] == '$' && t.n >= 2))
        ret->kind = GRBL_REPLY_MESSAGE; // a start-up line reports itself (">G20:ok"), "$N0=G20"
}
