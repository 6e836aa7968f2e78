#include <stdio.h>
#include <string.h>

#include "config/agreement.h"
#include "rules/variant.h"

static int colours_named(const struct settings *s)
{
    int count = 0;
    while (count < SETTINGS_COLOURS && s->stones.colour[count] != SETTINGS_STONE_NONE)
        count++;
    return count;
}

// Each of the house games must be one that can be played, whether it is or not.
static void check_house(struct reading *reading)
{
    for (unsigned i = 0; i < SETTINGS_HOUSE_GAMES; i++) {
        char key[SCHEMA_KEY_MAX], name[SETTINGS_NAME_MAX];
        struct variant variant;
        struct error err;
        snprintf(key, sizeof key, "house.game%u", i + 1);
        if (settings_house_game(&reading->settings, i, name, &variant, &err) < 0)
            agreement_fault(reading, key, NULL, "%.300s", err.text);
    }
}

void agreement_game(struct reading *reading)
{
    const struct settings *s = &reading->settings;
    struct variant variant;
    struct error err;
    check_house(reading);
    if (settings_variant(s, s->game.variant, &variant, &err) < 0) {
        agreement_fault(reading, "game.variant", NULL, "%.300s", err.text);
        return;
    }
    if (variant.colours > colours_named(s))
        agreement_fault(reading, "game.variant", "stones.colour3",
                        "%s needs %d colours of stones, but %d are named under `stones`",
                        variant.name, variant.colours, colours_named(s));
    bool across = s->board.columns != variant.size;
    if (across || s->board.rows != variant.size)
        agreement_fault(reading, "game.variant", across ? "board.columns" : "board.rows",
                        "%s is played on %d x %d points, but this board has %d x %d", variant.name,
                        variant.size, variant.size, s->board.columns, s->board.rows);
}
