#include "config/value.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/nearest.h"

// Other ways to write a quantity: 1 `name` = `factor` of the base unit.
static const struct spelling {
    const char *name;
    enum schema_unit unit;
    double factor;
} SPELLINGS[] = {
    {"mm", SCHEMA_MM, 1},
    {"cm", SCHEMA_MM, 10},
    {"m", SCHEMA_MM, 1000},
    {"in", SCHEMA_MM, 25.4},
    {"mm/s", SCHEMA_MM_PER_S, 1},
    {"mm/min", SCHEMA_MM_PER_S, 1.0 / 60},
    {"m/s", SCHEMA_MM_PER_S, 1000},
    {"mm/s2", SCHEMA_MM_PER_S2, 1},
    {"mm/s^2", SCHEMA_MM_PER_S2, 1},
    {"mm/s²", SCHEMA_MM_PER_S2, 1},
    {"m/s2", SCHEMA_MM_PER_S2, 1000},
    {"s", SCHEMA_SECONDS, 1},
    {"ms", SCHEMA_SECONDS, 0.001},
    {"min", SCHEMA_SECONDS, 60},
    {"deg", SCHEMA_DEGREES, 1},
    {"°", SCHEMA_DEGREES, 1},
    {"rad", SCHEMA_DEGREES, 57.29577951308232},
    {"px", SCHEMA_PIXELS, 1},
    {"fps", SCHEMA_FPS, 1},
    {"Hz", SCHEMA_FPS, 1},
    {"baud", SCHEMA_BAUD, 1},
    {"MiB", SCHEMA_MIB, 1},
    {"GiB", SCHEMA_MIB, 1024},
};

static void *member(const struct schema_key *key, struct settings *settings)
{
    return (char *)settings + key->offset;
}

static const void *member_const(const struct schema_key *key, const struct settings *settings)
{
    return (const char *)settings + key->offset;
}

static const char *skip_digits(const char *at)
{
    while (isdigit((unsigned char)*at))
        at++;
    return at;
}

// The end of a decimal number at `text`, NULL when there is none.
static const char *number_end(const char *text)
{
    const char *at = text;
    if (*at == '-' || *at == '+')
        at++;
    const char *digits = at;
    at = skip_digits(at);
    if (at == digits || (digits[0] == '0' && at > digits + 1))
        return NULL;
    if (*at == '.') {
        const char *fraction = at + 1;
        at = skip_digits(fraction);
        if (at == fraction)
            return NULL;
    }
    if ((*at == 'e' || *at == 'E') &&
        (isdigit((unsigned char)at[1]) ||
         ((at[1] == '-' || at[1] == '+') && isdigit((unsigned char)at[2]))))
        at = skip_digits(at + 2);
    return at;
}

static const struct spelling *find_spelling(const char *name)
{
    for (size_t i = 0; i < sizeof SPELLINGS / sizeof *SPELLINGS; i++)
        if (strcmp(SPELLINGS[i].name, name) == 0)
            return &SPELLINGS[i];
    return NULL;
}

static int say(char *why, size_t size, const struct schema_key *key, const char *what)
{
    char allowed[VALUE_TEXT_MAX];
    (void)snprintf(why, size, "%s; allowed: %s", what, value_allowed(key, allowed, sizeof allowed));
    return -EINVAL;
}

// The number in the key's own unit.
static int parse_quantity(const struct schema_key *key, const char *text, double *ret, char *why,
                          size_t size)
{
    char what[160];
    const char *end = number_end(text);
    if (!end) {
        bool zeros = isdigit((unsigned char)text[0]) && isdigit((unsigned char)text[1]);
        (void)snprintf(what, sizeof what, "\"%.60s\" is not a decimal number%s", text,
                       zeros ? " (no leading zeros)" : "");
        return say(why, size, key, what);
    }
    double factor = 1;
    const char *unit = end + strspn(end, " ");
    if (*unit != '\0') {
        const struct spelling *spelling = find_spelling(unit);
        if (!spelling) {
            (void)snprintf(what, sizeof what, "\"%.60s\" is not a number with a unit known here",
                           text);
            return say(why, size, key, what);
        }
        if (key->unit == SCHEMA_NO_UNIT || spelling->unit != key->unit) {
            (void)snprintf(what, sizeof what, "\"%s\" is the wrong unit", spelling->name);
            return say(why, size, key, what);
        }
        factor = spelling->factor;
    }
    double number = strtod(text, NULL) * factor;
    if (!(number >= key->min && number <= key->max)) { // also when it overflowed to infinity
        (void)snprintf(what, sizeof what, "%.60s is out of range", text);
        return say(why, size, key, what);
    }
    *ret = number;
    return 0;
}

static int store_integer(const struct schema_key *key, const char *text, struct settings *settings,
                         char *why, size_t size)
{
    double number;
    int r = parse_quantity(key, text, &number, why, size);
    if (r < 0)
        return r;
    if (number != floor(number)) {
        char what[160];
        (void)snprintf(what, sizeof what, "%.60s is not a whole number", text);
        return say(why, size, key, what);
    }
    int value = (int)number;
    memcpy(member(key, settings), &value, sizeof value);
    return 0;
}

static int store_real(const struct schema_key *key, const char *text, struct settings *settings,
                      char *why, size_t size)
{
    double number;
    int r = parse_quantity(key, text, &number, why, size);
    if (r < 0)
        return r;
    memcpy(member(key, settings), &number, sizeof number);
    return 0;
}

static int store_boolean(const struct schema_key *key, const char *text, struct settings *settings,
                         char *why, size_t size)
{
    // In YAML all of these are written, in three ways each: yes, Yes, YES.
    static const char *const words[] = {"no", "yes", "false", "true", "off", "on"};
    for (int i = 0; i < (int)(sizeof words / sizeof *words); i++) {
        if (strcasecmp(words[i], text) == 0) {
            bool value = i % 2;
            memcpy(member(key, settings), &value, sizeof value);
            return 0;
        }
    }
    char what[160];
    (void)snprintf(what, sizeof what, "\"%.60s\" is neither yes nor no", text);
    return say(why, size, key, what);
}

static int store_text(const struct schema_key *key, const char *text, struct settings *settings,
                      char *why, size_t size)
{
    size_t length = strlen(text);
    if (length > (size_t)key->max) {
        char what[160];
        (void)snprintf(what, sizeof what, "the text is %zu bytes long", length);
        return say(why, size, key, what);
    }
    for (const char *c = text; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c))
            return say(why, size, key, "the text has a control character or a line break in it");
    char *out = member(key, settings);
    memset(out, 0, (size_t)key->max + 1); // nothing of a longer text before it stays behind
    (void)snprintf(out, (size_t)key->max + 1, "%s", text);
    return 0;
}

static int store_choice(const struct schema_key *key, const char *text, struct settings *settings,
                        char *why, size_t size)
{
    struct nearest nearest;
    nearest_begin(&nearest, text);
    for (int i = 0; key->choices[i]; i++) {
        if (strcmp(key->choices[i], text) == 0) {
            memcpy(member(key, settings), &i, sizeof i);
            return 0;
        }
        nearest_offer(&nearest, key->choices[i]);
    }
    const char *meant = nearest_found(&nearest);
    char what[200];
    (void)snprintf(what, sizeof what, "\"%.60s\" is not known here%s%s%s", text,
                   meant ? " (did you mean " : "", meant ? meant : "", meant ? "?)" : "");
    return say(why, size, key, what);
}

int value_store(const struct schema_key *key, const char *text, struct settings *settings,
                char *ret_why, size_t size)
{
    switch (key->kind) {
    case SCHEMA_INTEGER:
        return store_integer(key, text, settings, ret_why, size);
    case SCHEMA_REAL:
        return store_real(key, text, settings, ret_why, size);
    case SCHEMA_BOOLEAN:
        return store_boolean(key, text, settings, ret_why, size);
    case SCHEMA_TEXT:
        return store_text(key, text, settings, ret_why, size);
    case SCHEMA_CHOICE:
        return store_choice(key, text, settings, ret_why, size);
    }
    return -EINVAL;
}

// The shortest decimal that reads back as the same double.
static void print_real(double number, char *ret, size_t size)
{
    for (int digits = 6; digits <= 17; digits++) {
        (void)snprintf(ret, size, "%.*g", digits, number);
        if (strtod(ret, NULL) == number)
            return;
    }
}

char *value_print(const struct schema_key *key, const struct settings *settings, char *ret,
                  size_t size)
{
    int integer = 0;
    double real = 0;
    bool yes = false;
    switch (key->kind) {
    case SCHEMA_INTEGER:
        memcpy(&integer, member_const(key, settings), sizeof integer);
        (void)snprintf(ret, size, "%d", integer);
        break;
    case SCHEMA_REAL:
        memcpy(&real, member_const(key, settings), sizeof real);
        print_real(real, ret, size);
        break;
    case SCHEMA_BOOLEAN:
        memcpy(&yes, member_const(key, settings), sizeof yes);
        (void)snprintf(ret, size, "%s", yes ? "true" : "false");
        break;
    case SCHEMA_TEXT:
        (void)snprintf(ret, size, "%s", (const char *)member_const(key, settings));
        break;
    case SCHEMA_CHOICE:
        memcpy(&integer, member_const(key, settings), sizeof integer);
        (void)snprintf(ret, size, "%s", key->choices[integer]);
        break;
    }
    return ret;
}

bool value_equal(const struct schema_key *key, const struct settings *a, const struct settings *b)
{
    const void *left = member_const(key, a);
    const void *right = member_const(key, b);
    switch (key->kind) {
    case SCHEMA_TEXT:
        return strcmp(left, right) == 0;
    case SCHEMA_REAL:
        return *(const double *)left == *(const double *)right;
    case SCHEMA_BOOLEAN:
        return *(const bool *)left == *(const bool *)right;
    case SCHEMA_INTEGER:
    case SCHEMA_CHOICE:
        break;
    }
    return *(const int *)left == *(const int *)right;
}

char *value_allowed(const struct schema_key *key, char *ret, size_t size)
{
    const char *unit = schema_unit_name(key->unit);
    int at = 0;
    switch (key->kind) {
    case SCHEMA_INTEGER:
    case SCHEMA_REAL:
        (void)snprintf(ret, size, "%s%.10g to %.10g%s%s",
                       key->kind == SCHEMA_INTEGER ? "whole numbers from " : "", key->min, key->max,
                       *unit ? " " : "", unit);
        break;
    case SCHEMA_BOOLEAN:
        (void)snprintf(ret, size, "true or false, yes or no");
        break;
    case SCHEMA_TEXT:
        (void)snprintf(ret, size, "up to %.0f bytes of text on one line", key->max);
        break;
    case SCHEMA_CHOICE:
        for (int i = 0; key->choices[i] && at >= 0 && (size_t)at < size; i++)
            at += snprintf(ret + at, size - (size_t)at, "%s%s", i > 0 ? ", " : "", key->choices[i]);
        break;
    }
    return ret;
}
