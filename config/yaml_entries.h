// yaml_entries: a YAML document as a flat list of dotted keys, each with its place.
//
// Settings need the place of every value (for messages, `show --origin`, and for `set`, which
// replaces a value and leaves the rest of the file alone), and every fault of a file at once. So
// this stands on libyaml's events and their marks. libcyaml, which fills structs from a schema, was
// tried first; measured with 1.3.1: it stops at the first fault, has no call that tells where a
// value stood (only text in its log, with the place of the event before for unknown keys and
// syntax faults), takes 010 for 8, "maybe" for true and nan for a number, and gives absent members
// the value 0, so that layers cannot be told apart. The tests use it as a second opinion.
//
// What YAML has beyond mappings of scalars is refused with a fault: anchors, aliases, tags, several
// documents, sequences, keys that are no plain words, the same key twice.
#pragma once

#include <stddef.h>

#include "config/faults.h"

enum {
    YAML_FILE_MAX = 64 * 1024, // bytes of a settings file
    YAML_ENTRIES_MAX = 1000,
    YAML_KEY_MAX = 128, // bytes of a dotted key, with its NUL
    YAML_DEPTH_MAX = 6,
};

enum yaml_kind {
    YAML_REFUSED, // a fault tells why; there is no value
    YAML_SCALAR,
    YAML_NOTHING, // `key:` with no value after it
    YAML_GROUP,   // a mapping; its members follow
};

struct yaml_entry {
    char key[YAML_KEY_MAX]; // "board.pitch_x"
    enum yaml_kind kind;
    char *value;                   // SCALAR: text without quotes, NUL-terminated; else NULL
    int key_line, key_column;      // 1-based, columns in characters
    int line, column;              // of the value
    size_t value_start, value_end; // bytes of the value in the text, quotes included
    size_t key_start;              // byte of the key in the text
    size_t last_end;               // GROUP: byte after its last member's value
};

struct yaml_entries {
    struct yaml_entry *entry; // in the order of the document
    size_t count;
};

// Reads `size` bytes of YAML. `file` is named in faults. Always leaves *ret in a state for
// yaml_entries_free(); after a syntax fault it holds what stood before the fault. An empty document
// has no entries. 0, -EINVAL when faults were added, -ENOMEM.
int yaml_entries_read(const char *text, size_t size, const char *file, struct yaml_entries *ret,
                      struct faults *faults);
void yaml_entries_free(struct yaml_entries *entries); // leaves it empty

// The entry of a key, NULL when it is not there.
const struct yaml_entry *yaml_entries_find(const struct yaml_entries *entries, const char *key);
