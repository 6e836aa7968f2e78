// Names of rules as they stand in files: pente.org's, this project's, and fields that differ.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "rules/record_internal.h"

static const struct {
    const char *site, *variant;
} names[] = {
    {"Pente", "pente"},       {"Keryo-Pente", "keryo"},       {"Gomoku", "gomoku"},
    {"D-Pente", "d-pente"},   {"G-Pente", "g-pente"},         {"Poof-Pente", "poof"},
    {"Connect6", "connect6"}, {"Boat-Pente", "boat"},         {"DK-Pente", "dk-pente"},
    {"O-Pente", "o-pente"},   {"Swap2-Pente", "swap2-pente"}, {"Swap2-Keryo", "swap2-keryo"},
    {"Pentago", "pentago"},   {"Keryo Pente", "keryo"},       {"D Pente", "d-pente"},
    {"Poof Pente", "poof"},   {"Boat Pente", "boat"},
};

const char *record_site_name(const struct variant *variant)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(variant->name, names[i].variant) == 0)
            return names[i].site;
    return variant->name;
}

// The rules with this name alone.
static const struct variant *find(const char *name, const struct variant_list *house)
{
    for (size_t i = 0; house && i < house->count; i++)
        if (strcasecmp(house->variants[i].name, name) == 0)
            return &house->variants[i];
    if (strncasecmp(name, "Speed ", 6) == 0) // pente.org's fast games have the same rules
        name += 6;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(names[i].site, name) == 0)
            return variant_find(names[i].variant);
    for (size_t i = 0; i < variant_table_count; i++)
        if (strcasecmp(variant_table[i].name, name) == 0 ||
            strcasecmp(variant_table[i].title, name) == 0)
            return &variant_table[i];
    return NULL;
}

bool record_rules_find(const char *name, const struct variant_list *house, struct variant *ret,
                       struct error *err)
{
    char base[RECORD_VALUE_MAX];
    size_t length = strcspn(name, ";");
    const struct variant *found = NULL;
    if (length < sizeof base) {
        memcpy(base, name, length);
        base[length] = '\0';
        found = find(base, house);
    }
    if (!found) {
        error_set(err, -ENOENT, "The record is of the game \"%.60s\", which is not known here.",
                  name);
        return false;
    }
    struct variant variant = *found;
    if (variant_set_fields(&variant, name + length, err) != 0)
        return false;
    *ret = variant;
    return true;
}

void record_write_fields(struct writer *w, const struct variant *variant, const char *skip)
{
    for (size_t i = 0; i < variant_field_count(); i++) {
        const char *name = variant_field_name(i);
        char value[VARIANT_VALUE_MAX];
        if (strcmp(name, "title") != 0 && strcmp(name, "source") != 0 &&
            (!skip || strcmp(name, skip) != 0) && variant_differs(variant, i, value, sizeof value))
            write_text(w, "; %s=%s", name, value);
    }
}
