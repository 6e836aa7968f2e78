#include "config/settings.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/reading.h"
#include "config/value.h"
#include "rules/variant.h"

const char *const settings_sim_overrides[] = {
    "camera.source=sim",
    "serial.port=sim",
    "gpio.backend=sim",
    NULL,
};

void settings_default(struct settings *ret)
{
    memset(ret, 0, sizeof *ret);
    for (size_t i = 0; i < schema_key_count; i++) {
        char why[ERROR_TEXT_MAX];
        int r = value_store(&schema_keys[i], schema_keys[i].initial, ret, why, sizeof why);
        assert(r == 0); // the schema's own defaults fit the schema
        (void)r;
    }
}

struct spacing settings_columns(const struct settings_board *board)
{
    return (struct spacing){board->columns, board->pitch_x, board->seam};
}

struct spacing settings_rows(const struct settings_board *board)
{
    return (struct spacing){board->rows, board->pitch_y, board->seam};
}

void settings_board_at(const struct settings_board *board, double column, double row, double ret[2])
{
    const struct spacing columns = settings_columns(board), rows = settings_rows(board);
    ret[0] = spacing_at(&columns, column);
    ret[1] = spacing_at(&rows, row);
}

void settings_board_place(const struct settings_board *board, const double at[2],
                          double *ret_column, double *ret_row)
{
    const struct spacing columns = settings_columns(board), rows = settings_rows(board);
    *ret_column = spacing_place(&columns, at[0]);
    *ret_row = spacing_place(&rows, at[1]);
}

int settings_load(const struct settings_source *source, struct settings *ret, struct error *err)
{
    struct reading *reading = reading_new();
    if (!reading)
        return error_set(err, -ENOMEM, "out of memory");
    int r = reading_load(reading, source);
    if (r < 0)
        (void)faults_first(reading->faults, err);
    else
        *ret = reading->settings;
    reading_free(reading);
    return r;
}

// "office = pente; size=13": the name, and where the rules begin. NULL when it does not read so.
static const char *house_name(const char *text, char *ret_name)
{
    const char *equals = strchr(text, '=');
    size_t blank = strspn(text, " \t");
    size_t length = equals ? (size_t)(equals - text) : 0;
    while (length > blank && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    if (length <= blank || length - blank >= SETTINGS_NAME_MAX || memchr(text, ';', length))
        return NULL;
    memcpy(ret_name, text + blank, length - blank);
    ret_name[length - blank] = '\0';
    return equals + 1;
}

int settings_house_game(const struct settings *settings, unsigned index, char *ret_name,
                        struct variant *ret, struct error *err)
{
    const char *text = settings->house.game[index];
    char name[SETTINGS_NAME_MAX];
    struct variant rules;
    if (text[0] == '\0')
        return 0;
    const char *fields = house_name(text, name);
    if (!fields)
        return error_set(err, -EINVAL,
                         "a game of your own is written NAME = GAME; FIELD=VALUE; ..., such as "
                         "office = pente; size=13; goal=12");
    bool taken = variant_find(name);
    for (unsigned i = 0; i < index && !taken; i++) {
        char other[SETTINGS_NAME_MAX];
        taken = house_name(settings->house.game[i], other) && strcmp(name, other) == 0;
    }
    if (taken)
        return error_set(err, -EINVAL, "there is a game called %s already; choose another name",
                         name);
    int r = variant_parse(&rules, fields, err);
    if (r < 0)
        return r;
    if (strcmp(rules.title, variant_find(rules.name)->title) == 0)
        snprintf(rules.title, sizeof rules.title, "%.*s", VARIANT_TITLE_MAX - 1, name);
    *ret = rules;
    memcpy(ret_name, name, strlen(name) + 1);
    return 1;
}

int settings_variant(const struct settings *settings, const char *name, struct variant *ret,
                     struct error *err)
{
    for (unsigned i = 0; i < SETTINGS_HOUSE_GAMES; i++) {
        char house[SETTINGS_NAME_MAX];
        struct variant rules;
        if (settings_house_game(settings, i, house, &rules, NULL) == 1 &&
            strcmp(house, name) == 0) {
            *ret = rules;
            return 0;
        }
    }
    return variant_parse(ret, name, err);
}
