// Fields of a variant by name: one table of what they are called, where they lie and which values
// they take, read by settings, the daemon's options and the documentation alike.
#include "rules/variant.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum field_kind { FIELD_TEXT, FIELD_BYTE, FIELD_GOAL, FIELD_BOOL, FIELD_NAME, FIELD_LIST };

enum { LIST_MAX = 8 };

struct field {
    const char *name;
    enum field_kind kind;
    size_t offset;
    unsigned min, max;        // numbers and list items; FIELD_TEXT: max = bytes with the NUL
    const char *const *names; // FIELD_NAME: by value, ended by NULL
    const char *help;
};

static const char *const goal_units[] = {"stones", "captures", NULL};
static const char *const openings[] = {"free", "centre", "tournament", "g-pente", NULL};
static const char *const protocols[] = {"none", "dpente", "dpente-pbm", "swap2", NULL};
static const char *const scorings[] = {"none", "points2", "points34", NULL};
static const char *const run_rules[] = {"exact", "min", "windows", NULL};
static const char *const trias[] = {"off", "strict", "simple", "any", NULL};
static const char *const tesseras[] = {"off", "threat", "solid", "open", NULL};
static const char *const duties[] = {"off", "courtesy", "mandatory", NULL};
static const char *const neutrals[] = {"rulebook", "rotsym", NULL};
static const char *const twists[] = {"optional", "always", NULL};

#define AT(member) offsetof(struct variant, member)

static const struct field fields[] = {
    {"name", FIELD_TEXT, AT(name), 1, VARIANT_NAME_MAX, NULL, "Short name of the game."},
    {"title", FIELD_TEXT, AT(title), 1, VARIANT_TITLE_MAX, NULL, "Name shown to people."},
    {"source", FIELD_TEXT, AT(source), 0, VARIANT_SOURCE_MAX, NULL, "Where the rules stand."},
    {"size", FIELD_BYTE, AT(size), BOARD_SIZE_MIN, BOARD_SIZE_MAX, NULL,
     "Lines of the board, 5 to 19. On an even board the centre is the upper right middle point."},
    {"seats", FIELD_LIST, AT(seats), 1, COLOURS_MAX, NULL,
     "Colour of each person in turn order: 1,2 or 1,2,1,2 for partners."},
    {"sides", FIELD_LIST, AT(sides), 1, COLOURS_MAX, NULL,
     "Side of each colour: 1,2,1,2 for two teams of two; none: everybody for themselves."},
    {"labels", FIELD_LIST, AT(labels), 0, 0, NULL,
     "What the colours are called in game records: white,black."},
    {"win_len", FIELD_BYTE, AT(win_len), 3, BOARD_SIZE_MAX, NULL, "Stones in a row that win."},
    {"exact", FIELD_BOOL, AT(exact), 0, 1, NULL, "Only a row of exactly win_len wins."},
    {"capture", FIELD_LIST, AT(capture), 1, 3, NULL,
     "Lengths of the rows that are captured: 2 or 2,3; none: no captures."},
    {"goal", FIELD_GOAL, AT(goal), 0, POINTS_MAX, NULL,
     "Captures that win, counted in goal_unit; none: captures never win."},
    {"goal_unit", FIELD_NAME, AT(goal_unit), 0, 0, goal_units, "stones or captures."},
    {"poof", FIELD_BOOL, AT(poof), 0, 1, NULL, "Stones moved into a bracket are lost."},
    {"boat", FIELD_BOOL, AT(boat), 0, 1, NULL, "A row can still be broken by the next capture."},
    {"connect6", FIELD_BOOL, AT(connect6), 0, 1, NULL, "One stone first, then two a turn."},
    {"opening", FIELD_NAME, AT(opening), 0, 0, openings,
     "free, centre, tournament or g-pente: where the first stones may go."},
    {"protocol", FIELD_NAME, AT(protocol), 0, 0, protocols,
     "none, dpente, dpente-pbm or swap2: who lays the first stones and who chooses colours."},
    {"scoring", FIELD_NAME, AT(scoring), 0, 0, scorings, "none, points2 or points34."},
    {"run_rule", FIELD_NAME, AT(run_rule), 0, 0, run_rules,
     "exact, min or windows: which rows score points."},
    {"tria", FIELD_NAME, AT(tria), 0, 0, trias, "off, strict, simple or any: what is a tria."},
    {"tessera", FIELD_NAME, AT(tessera), 0, 0, tesseras,
     "off, threat, solid or open: what is a tessera."},
    {"calls", FIELD_NAME, AT(calls), 0, 0, duties,
     "off, courtesy or mandatory: how calling is asked for."},
    {"neutral", FIELD_NAME, AT(neutral), 0, 0, neutrals,
     "Pentago: rulebook or rotsym: which blocks let a player skip the twist."},
    {"twist", FIELD_NAME, AT(twist), 0, 0, twists, "Pentago: optional or always."},
    {"place_wins", FIELD_BOOL, AT(place_wins), 0, 1, NULL,
     "Pentago: five by the marble wins before the twist."},
};

enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };

static const struct field *field_find(const char *name)
{
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

size_t variant_field_count(void)
{
    return FIELD_COUNT;
}

const char *variant_field_name(size_t index)
{
    return index < FIELD_COUNT ? fields[index].name : NULL;
}

const char *variant_field_help(const char *name)
{
    const struct field *field = field_find(name);
    return field ? field->help : NULL;
}

static bool is_none(const char *value)
{
    return strcmp(value, "none") == 0 || strcmp(value, "null") == 0 || value[0] == '\0';
}

static bool parse_number(const char *value, unsigned min, unsigned max, unsigned *ret)
{
    if (!isdigit((unsigned char)value[0]) || strlen(value) > 6)
        return false;
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    if (*end != '\0' || number < min || number > max)
        return false;
    *ret = (unsigned)number;
    return true;
}

// Splits "1, 2,1" into items. Returns their number, -1 when there are too many or one is too long.
static int split_list(const char *value, char items[LIST_MAX][COLOUR_LABEL_MAX])
{
    int count = 0;
    while (*value) {
        value += strspn(value, " ,[]");
        size_t length = strcspn(value, " ,[]");
        if (length == 0)
            break;
        if (count == LIST_MAX || length >= COLOUR_LABEL_MAX)
            return -1;
        memcpy(items[count], value, length);
        items[count++][length] = '\0';
        value += length;
    }
    return count;
}

static bool set_numbers(struct variant *v, const struct field *f,
                        char items[LIST_MAX][COLOUR_LABEL_MAX], int count)
{
    unsigned numbers[LIST_MAX];
    for (int i = 0; i < count; i++)
        if (!parse_number(items[i], f->min, f->max, &numbers[i]))
            return false;
    if (f->offset == AT(capture)) {
        v->capture = 0;
        for (int i = 0; i < count; i++)
            v->capture = (uint8_t)(v->capture | 1u << numbers[i]);
        return true;
    }
    if (f->offset == AT(sides)) {
        if (count > COLOURS_MAX)
            return false;
        for (unsigned c = 1; c <= COLOURS_MAX; c++)
            v->sides[c] = (uint8_t)(c <= (unsigned)count ? numbers[c - 1] : c);
        return true;
    }
    if (count < 2 || count > SEATS_MAX)
        return false;
    v->colours = 0;
    v->seat_count = (uint8_t)count;
    for (int i = 0; i < count; i++) {
        v->seats[i] = (uint8_t)numbers[i];
        if (numbers[i] > v->colours)
            v->colours = (uint8_t)numbers[i];
    }
    return true;
}

static bool set_list(struct variant *v, const struct field *f, const char *value)
{
    char items[LIST_MAX][COLOUR_LABEL_MAX];
    int count = is_none(value) ? 0 : split_list(value, items);
    if (count < 0)
        return false;
    if (f->offset != AT(labels))
        return set_numbers(v, f, items, count);
    if (count > COLOURS_MAX)
        return false;
    for (int i = 0; i < count; i++)
        memcpy(v->labels[i + 1], items[i], COLOUR_LABEL_MAX);
    return true;
}

// Such a text goes into one line of a journal, a record or a terminal.
static bool is_one_line(const char *text)
{
    for (; *text; text++)
        if (iscntrl((unsigned char)*text))
            return false;
    return true;
}

static bool set_value(struct variant *v, const struct field *f, const char *value)
{
    char *at = (char *)v + f->offset;
    unsigned number = 0;
    size_t length = strlen(value);
    switch (f->kind) {
    case FIELD_TEXT:
        if (length < f->min || length >= f->max || !is_one_line(value))
            return false;
        memset(at, 0, f->max);
        snprintf(at, f->max, "%s", value);
        return true;
    case FIELD_BYTE:
        if (!parse_number(value, f->min, f->max, &number))
            return false;
        *at = (char)number;
        return true;
    case FIELD_GOAL:
        if (!is_none(value) && !parse_number(value, f->min, f->max, &number))
            return false;
        v->goal = (uint16_t)number;
        return true;
    case FIELD_BOOL:
        if (strcasecmp(value, "true") != 0 && strcasecmp(value, "false") != 0)
            return false;
        *(bool *)at = strcasecmp(value, "true") == 0;
        return true;
    case FIELD_NAME:
        for (; f->names[number]; number++)
            if (strcmp(f->names[number], value) == 0 ||
                (is_none(value) && strcmp(f->names[number], "none") == 0)) {
                memcpy(at, &number, sizeof number);
                return true;
            }
        return false;
    case FIELD_LIST:
        return set_list(v, f, value);
    }
    return false;
}

// What the field takes, for the sentence that refuses a value.
static void describe_values(const struct field *f, char *buf, size_t size)
{
    if (f->kind == FIELD_BYTE || f->kind == FIELD_GOAL) {
        snprintf(buf, size, "a number from %u to %u%s", f->min, f->max,
                 f->kind == FIELD_GOAL ? ", or none" : "");
        return;
    }
    if (f->kind == FIELD_TEXT) {
        snprintf(buf, size, "one line of text, at most %u bytes", f->max - 1);
        return;
    }
    if (f->kind != FIELD_NAME) {
        snprintf(buf, size, "%s", f->kind == FIELD_BOOL ? "true or false" : "a list");
        return;
    }
    size_t used = (size_t)snprintf(buf, size, "one of");
    for (const char *const *name = f->names; *name && used < size; name++)
        used += (size_t)snprintf(buf + used, size - used, " %s", *name);
}

static int unknown_field(const char *name, struct error *err)
{
    char list[ERROR_TEXT_MAX - 96] = ""; // holds all of them
    for (size_t i = 0, used = 0; i < FIELD_COUNT && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 fields[i].name);
    return error_set_code(err, -ENOENT, "UnknownOption",
                          "The rules have no field \"%.40s\". There are: %s.", name, list);
}

int variant_set(struct variant *variant, const char *name, const char *value, struct error *err)
{
    const struct field *field = field_find(name);
    if (!field)
        return unknown_field(name, err);
    struct variant changed = *variant;
    if (!set_value(&changed, field, value)) {
        char values[128];
        describe_values(field, values, sizeof values);
        return error_set_code(err, -EINVAL, "BadOption",
                              "%s: \"%.40s\" does not fit; it takes %s. %s", name, value, values,
                              field->help);
    }
    *variant = changed;
    return 0;
}

static int put(char *buf, size_t size, const char *text)
{
    size_t length = strlen(text);
    if (length >= size)
        return -ENOSPC;
    memcpy(buf, text, length + 1);
    return 0;
}

static int get_list(const struct variant *v, const struct field *f, char *buf, size_t size)
{
    char text[COLOURS_MAX * COLOUR_LABEL_MAX + LIST_MAX] = "";
    size_t used = 0;
    unsigned count = f->offset == AT(seats) ? v->seat_count : v->colours;
    if (f->offset == AT(capture))
        count = 3;
    for (unsigned i = 0; i < count; i++) {
        char item[COLOUR_LABEL_MAX];
        if (f->offset == AT(capture) && !(v->capture >> (i + 1) & 1))
            continue;
        if (f->offset == AT(labels))
            memcpy(item, v->labels[i + 1], sizeof item);
        else
            snprintf(item, sizeof item, "%u",
                     f->offset == AT(seats)   ? v->seats[i]
                     : f->offset == AT(sides) ? v->sides[i + 1]
                                              : i + 1);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? "," : "", item);
    }
    return put(buf, size, used ? text : "none");
}

int variant_get(const struct variant *variant, const char *name, char *buf, size_t size)
{
    const struct field *f = field_find(name);
    if (!f)
        return -ENOENT;
    const char *at = (const char *)variant + f->offset;
    char number[16];
    unsigned value = 0;
    switch (f->kind) {
    case FIELD_TEXT:
        return put(buf, size, at);
    case FIELD_LIST:
        return get_list(variant, f, buf, size);
    case FIELD_BOOL:
        return put(buf, size, *(const bool *)at ? "true" : "false");
    case FIELD_NAME:
        memcpy(&value, at, sizeof value);
        return put(buf, size, f->names[value]);
    case FIELD_GOAL:
        if (variant->goal == 0)
            return put(buf, size, "none");
        value = variant->goal;
        break;
    case FIELD_BYTE:
        value = *(const uint8_t *)at;
        break;
    }
    snprintf(number, sizeof number, "%u", value);
    return put(buf, size, number);
}
