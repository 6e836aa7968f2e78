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

void agreement_game(struct reading *reading)
{
    const struct settings *s = &reading->settings;
    struct variant variant;
    struct error err;
    if (variant_init(&variant, s->game.variant, &err) < 0) {
        agreement_fault(reading, "game.variant", NULL, "%.300s", err.text);
        return;
    }
    if (variant.colours > colours_named(s))
        agreement_fault(reading, "game.variant", "stones.colour3",
                        "%s needs %d colours of stones, but %d are named under `stones`",
                        variant.name, variant.colours, colours_named(s));
    // Pentago is played on its own board, which these settings do not describe.
    int lines = s->board.columns < s->board.rows ? s->board.columns : s->board.rows;
    bool across = s->board.columns <= s->board.rows;
    if (variant.family == FAMILY_PENTE && variant.size > lines)
        agreement_fault(reading, "game.variant", across ? "board.columns" : "board.rows",
                        "%s needs a board of %d x %d, but this one has %d x %d intersections",
                        variant.name, variant.size, variant.size, s->board.columns, s->board.rows);
}
