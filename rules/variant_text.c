// Rules as one line of text: the name of a game and the fields that differ, "pente; size=13".
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rules/variant.h"

// Copies a piece of text without the blanks around it. False when it does not fit.
static bool copy_trimmed(const char *text, size_t length, char *buf, size_t size)
{
    while (length > 0 && isspace((unsigned char)text[0])) {
        text++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    if (length >= size)
        return false;
    memcpy(buf, text, length);
    buf[length] = '\0';
    return true;
}

// "size=13" into the variant.
static int set_piece(struct variant *variant, const char *piece, size_t length, struct error *err)
{
    const char *equals = memchr(piece, '=', length);
    char field[VARIANT_NAME_MAX], value[VARIANT_VALUE_MAX];
    size_t before = equals ? (size_t)(equals - piece) : 0;
    if (!equals || !copy_trimmed(piece, before, field, sizeof field))
        return error_set_code(err, -EINVAL, "BadOption",
                              "\"%.*s\" should read FIELD=VALUE, such as size=13.",
                              length > 60 ? 60 : (int)length, piece);
    if (!copy_trimmed(equals + 1, length - before - 1, value, sizeof value))
        return error_set_code(err, -EINVAL, "BadOption",
                              "%s: the value is too long; it has at most %d bytes.", field,
                              VARIANT_VALUE_MAX - 1);
    if (strcmp(field, "name") == 0)
        return error_set_code(err, -EINVAL, "BadOption",
                              "House rules keep the name of the game they change; give them a "
                              "title instead.");
    return variant_set(variant, field, value, err);
}

int variant_set_fields(struct variant *variant, const char *fields, struct error *err)
{
    struct variant changed = *variant;
    for (const char *at = fields; *at;) {
        size_t length = strcspn(at, ";"), blank = strspn(at, " \t");
        int r = blank < length ? set_piece(&changed, at + blank, length - blank, err) : 0;
        if (r < 0)
            return r;
        at += length + (at[length] == ';');
    }
    int r = variant_validate(&changed, err);
    if (r == 0)
        *variant = changed;
    return r;
}

int variant_parse(struct variant *ret, const char *text, struct error *err)
{
    size_t length = strcspn(text, ";");
    char name[VARIANT_NAME_MAX];
    struct variant variant;
    if (!copy_trimmed(text, length, name, sizeof name))
        snprintf(name, sizeof name, "%.*s", (int)sizeof name - 1, text);
    int r = variant_init(&variant, name, err);
    if (r == 0)
        r = variant_set_fields(&variant, text + length, err);
    if (r == 0)
        *ret = variant;
    return r;
}

bool variant_differs(const struct variant *variant, size_t index, char *value, size_t size)
{
    const struct variant *row = variant_find(variant->name);
    const char *field = variant_field_name(index);
    char usual[VARIANT_VALUE_MAX];
    return row && field && strcmp(field, "name") != 0 &&
           variant_get(variant, field, value, size) == 0 &&
           variant_get(row, field, usual, sizeof usual) == 0 && strcmp(value, usual) != 0;
}

int variant_format(const struct variant *variant, char *buf, size_t size)
{
    int used = snprintf(buf, size, "%s", variant->name);
    char value[VARIANT_VALUE_MAX];
    for (size_t i = 0; i < variant_field_count() && used >= 0 && (size_t)used < size; i++)
        if (variant_differs(variant, i, value, sizeof value) && !strchr(value, ';'))
            used +=
                snprintf(buf + used, size - (size_t)used, "; %s=%s", variant_field_name(i), value);
    return used < 0 || (size_t)used >= size ? -ENOSPC : 0;
}
