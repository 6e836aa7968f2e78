// variant: the rules of one game as data.
//
// Every game of the project is one row of the table in variant_table.c: which board, whose turn,
// what wins, what is captured, what the opening allows, what is called out and scored. The code of
// the game reads these fields and never the name. Letters in `source` are those of rules/README.md.
//
// A house variant is a copy of a row with fields changed by name (the same names in settings, in
// the daemon's `options` and in the field table below), then validated as a whole:
//
//     struct variant house;
//     variant_init(&house, "pente", NULL);
//     variant_set(&house, "size", "13", &err);
//     variant_set(&house, "capture", "2,3", &err);
//     variant_validate(&house, &err);
//
// A struct variant holds no pointer: copy it freely.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base/error.h"

enum {
    BOARD_SIZE_MAX = 19, // lines of the largest board
    BOARD_SIZE_MIN = 5,
    POINTS_MAX = BOARD_SIZE_MAX * BOARD_SIZE_MAX,
    COLOURS_MAX = 4,
    SEATS_MAX = 6, // people at the table
    PENTAGO_SIZE = 6,
    VARIANT_NAME_MAX = 32, // bytes with the NUL
    VARIANT_TITLE_MAX = 64,
    VARIANT_SOURCE_MAX = 96,
    VARIANT_VALUE_MAX = 128, // a field's value as text
    VARIANT_TEXT_MAX = 512,  // what variant_format writes
    COLOUR_LABEL_MAX = 12,
};

enum family {
    FAMILY_PENTE,   // stones on intersections, rows and captures (also Gomoku and Connect6)
    FAMILY_PENTAGO, // marbles on four blocks that are turned
};

// What the capture goal counts.
enum goal_unit { GOAL_STONES, GOAL_CAPTURES };

// Where the first stones may go.
enum opening {
    OPENING_FREE,
    OPENING_CENTRE,     // the first stone on the centre
    OPENING_TOURNAMENT, // and ply 2 at Chebyshev distance >= 3 from it
    OPENING_GPENTE,     // and not on the centre's row or column at distance 3 or 4 either
};

// Who lays the first stones and who then chooses the colours.
enum protocol {
    PROTOCOL_NONE,
    PROTOCOL_DPENTE,     // seat 1 lays four stones, seat 2 chooses (pente.org)
    PROTOCOL_DPENTE_PBM, // seat 1 lays one, seat 2 three, seat 1 chooses (Don Banks)
    PROTOCOL_SWAP2,      // seat 1 lays three; seat 2 chooses or lays two more, then seat 1 chooses
};

enum scoring {
    SCORING_NONE,
    SCORING_POINTS2,  // 5 for the winning row, 1 per capture, 1 per four left on the board
    SCORING_POINTS34, // 10 for the winning row, 1 per capture, 1 per three left on the board
};

// Which rows score: a row is a maximal run of one colour.
enum run_rule {
    RUN_EXACT,   // runs of exactly that length
    RUN_MIN,     // runs of at least that length, each once
    RUN_WINDOWS, // every stretch of that length inside a run
};

enum tria {
    TRIA_OFF,
    TRIA_STRICT, // three stones that one more makes an unblocked four (definition A9)
    TRIA_SIMPLE, // .XXX. or .XX.X. with empty ends
    TRIA_ANY,    // exactly three in a row, blocked or not
};

enum tessera {
    TESSERA_OFF,
    TESSERA_THREAT, // one more stone wins
    TESSERA_SOLID,  // exactly four in a row, blocked or not
    TESSERA_OPEN,   // four in a row, both ends empty
};

// How strongly people are asked to call; forgetting has no effect on the game.
enum call_duty { CALLS_OFF, CALLS_COURTESY, CALLS_MANDATORY };

// Which blocks of Pentago let a player omit the twist.
enum neutral {
    NEUTRAL_RULEBOOK, // empty, or only its middle filled
    NEUTRAL_ROTSYM,   // looks the same after a quarter turn
};

enum twist_rule { TWIST_OPTIONAL, TWIST_ALWAYS };

struct variant {
    char name[VARIANT_NAME_MAX];     // stable, for programs: "pente-tournament"
    char title[VARIANT_TITLE_MAX];   // for people
    char source[VARIANT_SOURCE_MAX]; // where the rules stand
    enum family family;

    uint8_t size;                   // lines of the square board
    uint8_t colours;                // follows from seats: the largest colour in it
    uint8_t seat_count;             // people in turn order
    uint8_t seats[SEATS_MAX];       // colour of each seat
    uint8_t sides[COLOURS_MAX + 1]; // side of each colour, [0] unused; partners share one
    char labels[COLOURS_MAX + 1][COLOUR_LABEL_MAX]; // what colour 1, 2… is called in records

    uint8_t win_len; // stones in a row that win
    bool exact;      // a longer row does not win
    uint8_t capture; // bit k set: rows of exactly k enemy stones are captured (k = 1, 2, 3)
    bool poof;       // own rows of a capturable length laid into a bracket are lost
    bool boat;       // a row that can be broken by a capture must stand one more move
    bool connect6;   // one stone first, then two a turn
    bool place_wins; // Pentago: five by the marble alone ends the game before the twist
    uint16_t goal;   // captures that win; 0 = captures never win
    enum goal_unit goal_unit;
    enum opening opening;
    enum protocol protocol;
    enum scoring scoring;
    enum run_rule run_rule;
    enum tria tria;
    enum tessera tessera;
    enum call_duty calls;
    enum neutral neutral; // Pentago only, as the next one
    enum twist_rule twist;
};

// The table, in the order in which games are offered.
extern const struct variant variant_table[];
extern const size_t variant_table_count;

// The row called `name`, or NULL.
const struct variant *variant_find(const char *name);

// Copies the row called `name` into *ret. -ENOENT with a list of near names otherwise.
int variant_init(struct variant *ret, const char *name, struct error *err);

// Fields by name. Values are written as in settings: numbers ("13"), booleans ("true"), names
// ("tournament"), lists ("2,3"; "none" or "null" for an empty one, also for no goal).
// variant_set changes *variant only when it returns 0; -ENOENT: no such field, -EINVAL: not a value
// of it (the text says which are). Single fields are checked here, their fit by variant_validate.
size_t variant_field_count(void);
const char *variant_field_name(size_t index);
int variant_set(struct variant *variant, const char *field, const char *value, struct error *err);

// Writes the value of a field as variant_set reads it. -ENOENT, or -ENOSPC when buf is too small.
int variant_get(const struct variant *variant, const char *field, char *buf, size_t size);

// The value of field `index` when it is another than that of the row of the table with the
// variant's name (which itself never differs). False when it is the same, or there is no such row.
bool variant_differs(const struct variant *variant, size_t index, char *value, size_t size);

// Rules as one line of text, in settings, records and recordings: "pente" or "pente; size=13;
// capture=2,3". Reading leaves *ret and *variant unchanged unless it returns 0: -ENOENT for an
// unknown game or field, -EINVAL for a value that does not fit. variant_set_fields reads the fields
// alone. Writing: -ENOSPC; VARIANT_TEXT_MAX always suffices; a title with ';' in it is left out.
int variant_parse(struct variant *ret, const char *text, struct error *err);
int variant_set_fields(struct variant *variant, const char *fields, struct error *err);
int variant_format(const struct variant *variant, char *buf, size_t size);

// One line for people: which values the field takes and what it means. NULL: no such field.
const char *variant_field_help(const char *field);

// 0 when the fields make a game that can be played; otherwise -EINVAL and why.
int variant_validate(const struct variant *variant, struct error *err);

// Number of sides (teams, or single players) in the variant.
unsigned variant_side_count(const struct variant *variant);

// True when both play by the same rules (name, title and source aside).
bool variant_same_rules(const struct variant *a, const struct variant *b);

// The colour that lays the stone after `ply` stones.
static inline unsigned variant_turn_colour(const struct variant *variant, unsigned ply)
{
    if (variant->connect6) // 1, then 2 2, 1 1, …
        return (ply + 1) / 2 % 2 + 1;
    if (variant->seat_count == 2)
        return (ply & 1) + 1;
    return variant->seats[ply % variant->seat_count];
}
