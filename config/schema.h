// schema: the one table of all settings.
//
// Everything that knows a key knows it from here: the reader, `tessera-config keys`, the commented
// sample, the man page, shell completion, the names of environment variables. Adding a setting is
// one member in config/settings.h and one row in schema.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum schema_kind {
    SCHEMA_INTEGER, // int
    SCHEMA_REAL,    // double
    SCHEMA_BOOLEAN, // bool: true, false (read also: yes, no, on, off)
    SCHEMA_TEXT,    // char[size]
    SCHEMA_CHOICE,  // an enum that counts from 0 in the order of `choices`
};

// The unit of a number in struct settings. People may write another unit of the same quantity
// ("2.2 cm", "12000 mm/min"); config/value.h converts.
enum schema_unit {
    SCHEMA_NO_UNIT,
    SCHEMA_MM,
    SCHEMA_MM_PER_S,
    SCHEMA_MM_PER_S2,
    SCHEMA_SECONDS,
    SCHEMA_DEGREES,
    SCHEMA_PIXELS,
    SCHEMA_FPS,
    SCHEMA_BAUD,
    SCHEMA_MIB,
};

struct schema_key {
    const char *key; // "board.pitch_x"
    enum schema_kind kind;
    enum schema_unit unit;
    double min, max;            // numbers: both allowed; text: max = bytes without the NUL
    const char *const *choices; // SCHEMA_CHOICE: NULL at the end
    const char *initial;        // the default, as a person would write it
    bool restart;               // takes effect when the program starts anew
    size_t offset;              // of the member in struct settings
    const char *meaning;        // a sentence without its full stop
};

struct schema_section {
    const char *name;    // first part of the keys
    const char *meaning; // a sentence without its full stop
};

extern const struct schema_key schema_keys[]; // grouped by section
extern const size_t schema_key_count;

extern const struct schema_section schema_sections[];
extern const size_t schema_section_count;

enum {
    SCHEMA_KEY_MAX = 64, // bytes of a key, with its NUL
    SCHEMA_DEPTH_MAX = 3 // parts of a key
};

// The row of a key, NULL when there is none.
const struct schema_key *schema_find(const char *key);

// Whether `path` names a mapping that has keys ("gpio", "stores.colour1").
bool schema_is_group(const char *path);

// The key or group most like `text` under the given group ("" = whole keys and sections), or NULL
// when nothing is near enough to be meant. For "did you mean".
const char *schema_nearest(const char *text);

// The name of the environment variable: TESSERA_BOARD_PITCH_X.
void schema_environment_name(const struct schema_key *key, char *ret, size_t size);

// "mm/s"; "" for none.
const char *schema_unit_name(enum schema_unit unit);
