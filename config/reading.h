// reading: settings with the story of where each value came from, and every fault.
//
// For `check`, `show --origin`, `keys` and `doctor`; a program that only wants its settings calls
// settings_load().
#pragma once

#include "config/faults.h"
#include "config/schema.h"
#include "config/settings.h"

enum reading_layer { // from weak to strong
    READING_DEFAULT,
    READING_FILE,
    READING_DROP_IN,
    READING_ENVIRONMENT,
    READING_COMMAND_LINE,
};

enum {
    READING_DROP_INS_MAX = 64 // files in the drop-in folder
};

struct reading_origin {
    enum reading_layer layer;
    char file[ERROR_FILE_MAX]; // "" unless FILE or DROP_IN; ENVIRONMENT: the variable
    int line, column;
};

struct reading {
    struct settings settings;
    struct reading_origin *origin; // one a row of schema_keys
    struct faults *faults;
};

struct reading *reading_new(void); // the defaults; NULL when out of memory
struct reading *reading_free(struct reading *reading);

// Reads all layers, then (unless source->values_only) checks that the values agree. 0, or the
// number of the first fault. The settings are those that could be read, also after faults; -ENOMEM
// aside, nothing is skipped.
int reading_load(struct reading *reading, const struct settings_source *source);

// One layer from memory: tests, fuzzing, and `set`, which tries a file before it writes it. The
// agreement is not checked.
int reading_text(struct reading *reading, const char *text, size_t size, const char *file,
                 enum reading_layer layer);

// Checks that the values agree (config/agreement.h). 0 or -EINVAL.
int reading_agree(struct reading *reading);

const struct reading_origin *reading_origin(const struct reading *reading,
                                            const struct schema_key *key);

// "default", "tessera.yaml:12:10", "environment TESSERA_…", "command line". Returns ret.
char *reading_origin_text(const struct reading_origin *origin, char *ret, size_t size);
