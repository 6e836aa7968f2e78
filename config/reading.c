#include "config/reading.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/agreement.h"
#include "config/base/io.h"
#include "config/nearest.h"
#include "config/paths.h"
#include "config/value.h"
#include "config/yaml_entries.h"

struct reading *reading_new(void)
{
    struct reading *reading = calloc(1, sizeof *reading);
    if (!reading)
        return NULL;
    reading->origin = calloc(schema_key_count, sizeof *reading->origin);
    reading->faults = faults_new();
    if (!reading->origin || !reading->faults)
        return reading_free(reading);
    settings_default(&reading->settings);
    return reading;
}

struct reading *reading_free(struct reading *reading)
{
    if (!reading)
        return NULL;
    free(reading->origin);
    faults_free(reading->faults);
    free(reading);
    return NULL;
}

static size_t index_of(const struct schema_key *key)
{
    return (size_t)(key - schema_keys);
}

const struct reading_origin *reading_origin(const struct reading *reading,
                                            const struct schema_key *key)
{
    return &reading->origin[index_of(key)];
}

// Stores one value, or adds the fault. `at` tells where it was written.
static void take(struct reading *reading, const struct schema_key *key, const char *text,
                 const struct reading_origin *at, const char *file)
{
    char why[ERROR_TEXT_MAX];
    if (value_store(key, text, &reading->settings, why, sizeof why) < 0) {
        (void)faults_add(reading->faults, file, at->line, at->column, "%s: %s", key->key, why);
        return;
    }
    reading->origin[index_of(key)] = *at;
}

static void unknown_key(struct reading *reading, const char *file, int line, int column,
                        const char *key)
{
    const char *meant = schema_nearest(key);
    if (meant)
        (void)faults_add(reading->faults, file, line, column,
                         "%s: there is no such setting (did you mean %s?)", key, meant);
    else
        (void)faults_add(reading->faults, file, line, column,
                         "%s: there is no such setting; `tessera-config keys` lists them all", key);
}

static bool is_inside(const char *key, const char *group)
{
    size_t length = strlen(group);
    return length > 0 && strncmp(key, group, length) == 0 && key[length] == '.';
}

// Says what is wrong with an entry that is no value of a known key; fills `refused` with the group
// whose members need no words of their own.
static void odd_entry(struct reading *reading, const struct yaml_entry *entry, const char *file,
                      char refused[YAML_KEY_MAX])
{
    const struct schema_key *key = schema_find(entry->key);
    bool group = schema_is_group(entry->key);
    if (group && entry->kind == YAML_GROUP)
        return;
    if (entry->kind == YAML_GROUP)
        (void)snprintf(refused, YAML_KEY_MAX, "%s", entry->key);
    if (key && entry->kind == YAML_GROUP)
        (void)faults_add(reading->faults, file, entry->line, entry->column,
                         "%s: is one value and has no keys of its own", entry->key);
    else if (group && entry->kind == YAML_SCALAR)
        (void)faults_add(reading->faults, file, entry->line, entry->column,
                         "%s: has keys of its own, written below it with more indentation",
                         entry->key);
    else if (group)
        (void)faults_add(reading->faults, file, entry->key_line, entry->key_column,
                         "%s: there is nothing in it; write its keys below it or take it out",
                         entry->key);
    else if (key)
        (void)faults_add(reading->faults, file, entry->key_line, entry->key_column,
                         "%s: has no value; write one (\"\" for an empty text) or take it out",
                         entry->key);
    else
        unknown_key(reading, file, entry->key_line, entry->key_column, entry->key);
}

int reading_text(struct reading *reading, const char *text, size_t size, const char *file,
                 enum reading_layer layer)
{
    size_t before = reading->faults->count;
    struct yaml_entries entries;
    int r = yaml_entries_read(text, size, file, &entries, reading->faults);
    char refused[YAML_KEY_MAX] = "";
    for (size_t i = 0; i < entries.count; i++) {
        const struct yaml_entry *entry = &entries.entry[i];
        if (entry->key[0] == '?' || strstr(entry->key, ".?") || is_inside(entry->key, refused))
            continue;
        const struct schema_key *key = schema_find(entry->key);
        if (key && entry->kind == YAML_SCALAR) {
            struct reading_origin at = {
                .layer = layer, .line = entry->line, .column = entry->column};
            (void)snprintf(at.file, sizeof at.file, "%s", file);
            take(reading, key, entry->value, &at, file);
        } else if (entry->kind != YAML_REFUSED || !(key || schema_is_group(entry->key))) {
            odd_entry(reading, entry, file, refused);
        }
    }
    yaml_entries_free(&entries);
    if (r == -ENOMEM)
        return r;
    return reading->faults->count > before ? -EINVAL : 0;
}

static void read_file(struct reading *reading, const char *path, enum reading_layer layer,
                      bool may_be_absent)
{
    char *text;
    size_t size;
    struct error err;
    int r = io_read_file(NULL, path, YAML_FILE_MAX, &text, &size, &err);
    if (r == -ENOENT && may_be_absent)
        return;
    if (r < 0) {
        (void)faults_add_error(reading->faults, &err);
        return;
    }
    if (reading_text(reading, text, size, path, layer) == -ENOMEM)
        (void)faults_add(reading->faults, path, 0, 0, "out of memory");
    free(text);
}

static int is_drop_in(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 5 &&
           strcmp(entry->d_name + length - 5, ".yaml") == 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_drop_ins(struct reading *reading, const char *file)
{
    char folder[SETTINGS_PATH_MAX + 8];
    (void)snprintf(folder, sizeof folder, "%.*s.d", SETTINGS_PATH_MAX, file);
    struct dirent **found = NULL;
    int n = scandir(folder, &found, is_drop_in, by_bytes);
    if (n < 0 && errno != ENOENT && errno != ENOTDIR)
        (void)faults_add(reading->faults, folder, 0, 0, "cannot read the folder of drop-ins: %s",
                         strerror(errno));
    for (int i = 0; i < n; i++) {
        char path[sizeof folder + 256];
        (void)snprintf(path, sizeof path, "%s/%s", folder, found[i]->d_name);
        if (i < READING_DROP_INS_MAX)
            read_file(reading, path, READING_DROP_IN, false);
        else if (i == READING_DROP_INS_MAX)
            (void)faults_add(reading->faults, folder, 0, 0, "holds more than %d drop-ins",
                             READING_DROP_INS_MAX);
        free(found[i]);
    }
    free((void *)found);
}

static const struct schema_key *find_variable(const char *name, size_t length)
{
    for (size_t i = 0; i < schema_key_count; i++) {
        char known[SCHEMA_KEY_MAX + 8];
        schema_environment_name(&schema_keys[i], known, sizeof known);
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return &schema_keys[i];
    }
    return NULL;
}

// Other variables may begin with TESSERA_ too; one that begins with a section's name is meant to be
// a setting.
static bool names_section(const char *name, size_t length)
{
    for (size_t i = 0; i < schema_section_count; i++) {
        char start[SCHEMA_KEY_MAX + 16];
        struct schema_key section = {.key = schema_sections[i].name};
        schema_environment_name(&section, start, sizeof start);
        size_t n = strlen(start);
        if (length > n && strncmp(name, start, n) == 0 && name[n] == '_')
            return true;
    }
    return false;
}

static void unknown_variable(struct reading *reading, const char *name, size_t length)
{
    char known[SCHEMA_KEY_MAX + 8];
    char given[SCHEMA_KEY_MAX + 8];
    const struct schema_key *meant = NULL;
    int least = 4; // more mistakes than that are another word
    (void)snprintf(given, sizeof given, "%.*s", (int)length, name);
    for (size_t i = 0; i < schema_key_count; i++) {
        schema_environment_name(&schema_keys[i], known, sizeof known);
        int distance = nearest_distance(given, known);
        if (distance < least) {
            least = distance;
            meant = &schema_keys[i];
        }
    }
    if (meant)
        schema_environment_name(meant, known, sizeof known);
    (void)faults_add(reading->faults, "environment", 0, 0, "%s: there is no such setting (%s%s%s",
                     given, meant ? "did you mean " : "`tessera-config keys` lists them all)",
                     meant ? known : "", meant ? "?)" : "");
}

static void read_environment(struct reading *reading, const char *const *environment)
{
    for (; *environment; environment++) {
        const char *equals = strchr(*environment, '=');
        if (!equals || strncmp(*environment, "TESSERA_", 8) != 0)
            continue;
        size_t length = (size_t)(equals - *environment);
        const struct schema_key *key = find_variable(*environment, length);
        if (key) {
            struct reading_origin at = {.layer = READING_ENVIRONMENT};
            (void)snprintf(at.file, sizeof at.file, "%.*s", (int)length, *environment);
            take(reading, key, equals + 1, &at, "environment");
        } else if (names_section(*environment, length)) {
            unknown_variable(reading, *environment, length);
        }
    }
}

static void read_overrides(struct reading *reading, const char *const *overrides)
{
    static const char WHERE[] = "command line";
    for (; *overrides; overrides++) {
        char name[SCHEMA_KEY_MAX];
        const char *equals = strchr(*overrides, '=');
        size_t length = equals ? (size_t)(equals - *overrides) : 0;
        if (length == 0 || length >= sizeof name) {
            (void)faults_add(reading->faults, WHERE, 0, 0,
                             "\"%.80s\" is no setting: write KEY=VALUE, such as board.pitch_x=23.7",
                             *overrides);
            continue;
        }
        memcpy(name, *overrides, length);
        name[length] = '\0';
        const struct schema_key *key = schema_find(name);
        struct reading_origin at = {.layer = READING_COMMAND_LINE};
        if (key)
            take(reading, key, equals + 1, &at, WHERE);
        else if (schema_is_group(name))
            (void)faults_add(reading->faults, WHERE, 0, 0, "%s: is a group, not a setting", name);
        else
            unknown_key(reading, WHERE, 0, 0, name);
    }
}

int reading_agree(struct reading *reading)
{
    size_t before = reading->faults->count;
    agreement_check(reading);
    return reading->faults->count > before ? -EINVAL : 0;
}

int reading_load(struct reading *reading, const struct settings_source *source)
{
    const char *file = paths_settings(source->file);
    read_file(reading, file, READING_FILE, strcmp(file, SETTINGS_FILE) == 0 && !source->file);
    read_drop_ins(reading, file);
    if (source->environment)
        read_environment(reading, source->environment);
    if (source->overrides)
        read_overrides(reading, source->overrides);
    // A value that was refused left an older one in its place: agreement would be about the wrong
    // robot.
    if (reading->faults->count == 0 && !source->values_only)
        (void)reading_agree(reading);
    return faults_first(reading->faults, NULL);
}

char *reading_origin_text(const struct reading_origin *origin, char *ret, size_t size)
{
    switch (origin->layer) {
    case READING_DEFAULT:
        (void)snprintf(ret, size, "default");
        break;
    case READING_FILE:
    case READING_DROP_IN:
        (void)snprintf(ret, size, "%s:%d:%d", origin->file, origin->line, origin->column);
        break;
    case READING_ENVIRONMENT:
        (void)snprintf(ret, size, "environment %s", origin->file);
        break;
    case READING_COMMAND_LINE:
        (void)snprintf(ret, size, "command line");
        break;
    }
    return ret;
}
