#include "config/edit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/reading.h"
#include "config/text.h"
#include "config/value.h"
#include "config/yaml_entries.h"

struct change {
    size_t start, end; // bytes of the old text that go
    char *insert;      // what comes in their place; malloc'd
};

// The value as YAML. A quantity keeps the unit it was given with.
static char *as_yaml(const struct schema_key *key, const char *value)
{
    char *out = NULL;
    size_t size;
    FILE *stream = open_memstream(&out, &size);
    if (!stream)
        return NULL;
    if (key->kind == SCHEMA_TEXT) {
        struct settings settings;
        char why[ERROR_TEXT_MAX];
        settings_default(&settings);
        (void)value_store(key, value, &settings, why, sizeof why);
        text_value(stream, &settings, (size_t)(key - schema_keys));
    } else {
        (void)fputs(value, stream);
    }
    if (fclose(stream) != 0) {
        free(out);
        return NULL;
    }
    return out;
}

// The column (from 0) in which the members of a block mapping begin.
static size_t indent_of_members(const struct yaml_entries *entries, const char *group,
                                size_t fallback)
{
    size_t length = strlen(group);
    for (size_t i = 0; i < entries->count; i++) {
        const char *key = entries->entry[i].key;
        if (length == 0 && !strchr(key, '.'))
            return (size_t)entries->entry[i].key_column - 1;
        if (length > 0 && strncmp(key, group, length) == 0 && key[length] == '.' &&
            !strchr(key + length + 1, '.'))
            return (size_t)entries->entry[i].key_column - 1;
    }
    return fallback;
}

// The start of the line after `at`.
static size_t next_line(const char *text, size_t size, size_t at)
{
    // A block scalar already ends where the next line begins.
    if (at > 0 && text[at - 1] == '\n')
        return at;
    const char *newline = memchr(text + at, '\n', size - at);
    return newline ? (size_t)(newline - text) + 1 : size;
}

// "section:\n  group:\n    key: value\n" for the parts of the key below `group`.
static char *write_parts(const char *parts, size_t indent, const char *yaml)
{
    char *out = NULL;
    size_t size;
    FILE *stream = open_memstream(&out, &size);
    if (!stream)
        return NULL;
    for (const char *part = parts; part;) {
        size_t length = strcspn(part, ".");
        bool last = part[length] == '\0';
        (void)fprintf(stream, "%*s%.*s:%s%s\n", (int)indent, "", (int)length, part, last ? " " : "",
                      last ? yaml : "");
        indent += 2;
        part = last ? NULL : part + length + 1;
    }
    if (fclose(stream) != 0) {
        free(out);
        return NULL;
    }
    return out;
}

// New lines need the line before them to be ended.
static int prepend_newline(const char *text, struct change *change)
{
    if (change->start == 0 || text[change->start - 1] == '\n')
        return 0;
    char *longer;
    if (asprintf(&longer, "\n%s", change->insert) < 0)
        return -ENOMEM;
    free(change->insert);
    change->insert = longer;
    return 0;
}

static int replace_value(const char *text, const struct yaml_entry *entry, const char *yaml,
                         struct change *ret)
{
    ret->start = entry->value_start;
    ret->end = entry->value_end;
    // The end of a block scalar is where the next thing begins; leave the empty lines before it.
    while (ret->end > ret->start && strchr("\n\r ", text[ret->end - 1]))
        ret->end--;
    bool empty = entry->kind == YAML_NOTHING;
    return asprintf(&ret->insert, "%s%s", empty ? " " : "", yaml) < 0 ? -ENOMEM : 0;
}

static int add_to_group(const char *text, size_t size, const struct yaml_entries *entries,
                        const struct yaml_entry *group, const char *parts, const char *yaml,
                        struct change *ret)
{
    if (text[group->value_start] == '{') {
        ret->start = ret->end = group->value_end - 1;
        bool empty = group->last_end == 0;
        // "a.b" inside braces is {a: {b: …}}; nobody nests them here, reading back would tell.
        return asprintf(&ret->insert, "%s%s: %s", empty ? "" : ", ", parts, yaml) < 0 ? -ENOMEM : 0;
    }
    size_t indent = indent_of_members(entries, group->key, (size_t)group->key_column - 1 + 2);
    ret->start = ret->end = next_line(text, size, group->last_end);
    ret->insert = write_parts(parts, indent, yaml);
    return ret->insert ? prepend_newline(text, ret) : -ENOMEM;
}

static int plan(const char *text, size_t size, const struct yaml_entries *entries,
                const struct schema_key *key, const char *yaml, struct change *ret)
{
    const struct yaml_entry *entry = yaml_entries_find(entries, key->key);
    if (entry)
        return replace_value(text, entry, yaml, ret);
    // The innermost group that is there.
    char group[SCHEMA_KEY_MAX];
    (void)snprintf(group, sizeof group, "%s", key->key);
    for (char *dot = strrchr(group, '.'); dot; dot = strrchr(group, '.')) {
        *dot = '\0';
        entry = yaml_entries_find(entries, group);
        if (entry && entry->kind == YAML_GROUP)
            return add_to_group(text, size, entries, entry, key->key + strlen(group) + 1, yaml,
                                ret);
    }
    size_t last = 0; // before a "..." that may end the document
    for (size_t i = 0; i < entries->count; i++)
        if (entries->entry[i].value_end > last)
            last = entries->entry[i].value_end;
    ret->start = ret->end = last > 0 ? next_line(text, size, last) : size;
    ret->insert = write_parts(key->key, indent_of_members(entries, "", 0), yaml);
    return ret->insert ? prepend_newline(text, ret) : -ENOMEM;
}

static int apply(const char *text, size_t size, const struct change *change, char **ret_text,
                 size_t *ret_size)
{
    size_t added = strlen(change->insert);
    size_t total = size - (change->end - change->start) + added;
    char *out = malloc(total + 1);
    if (!out)
        return -ENOMEM;
    memcpy(out, text, change->start);
    memcpy(out + change->start, change->insert, added);
    memcpy(out + change->start + added, text + change->end, size - change->end);
    out[total] = '\0';
    *ret_text = out;
    *ret_size = total;
    return 0;
}

// Whether the new text holds what the old one held, but for `key`.
static int confirm(const struct reading *before, const char *text, size_t size, const char *file,
                   const struct schema_key *key, const char *value, struct error *err)
{
    struct reading *after = reading_new();
    if (!after)
        return error_set(err, -ENOMEM, "out of memory");
    char why[ERROR_TEXT_MAX];
    struct settings wanted = before->settings;
    (void)value_store(key, value, &wanted, why, sizeof why);
    int r = reading_text(after, text, size, file, READING_FILE);
    for (size_t i = 0; i < schema_key_count && r == 0; i++)
        if (!value_equal(&schema_keys[i], &after->settings, &wanted))
            r = -EINVAL;
    reading_free(after);
    if (r < 0)
        return error_set_at(err, r, file, 0, 0,
                            "%s cannot be set here without changing something else: the file is "
                            "written in an unusual way. Change it with an editor",
                            key->key);
    return 0;
}

static int edit(const struct reading *before, const char *text, size_t size, const char *file,
                const struct schema_key *key, const char *value, char **ret_text, size_t *ret_size,
                struct error *err)
{
    struct yaml_entries entries;
    struct change change = {0};
    char *yaml = as_yaml(key, value);
    int r = yaml_entries_read(text, size, file, &entries, before->faults);
    if (r == 0 && yaml)
        r = plan(text, size, &entries, key, yaml, &change);
    char *changed = NULL;
    size_t changed_size = 0;
    if (r == 0 && change.insert)
        r = apply(text, size, &change, &changed, &changed_size);
    yaml_entries_free(&entries);
    free(yaml);
    free(change.insert);
    if (r < 0 || !changed)
        return error_set(err, -ENOMEM, "out of memory");
    r = confirm(before, changed, changed_size, file, key, value, err);
    if (r < 0) {
        free(changed);
        return r;
    }
    *ret_text = changed;
    *ret_size = changed_size;
    return 0;
}

int edit_set(const char *text, size_t size, const char *file, const struct schema_key *key,
             const char *value, char **ret_text, size_t *ret_size, struct error *err)
{
    char why[ERROR_TEXT_MAX];
    struct settings probe;
    settings_default(&probe);
    if (value_store(key, value, &probe, why, sizeof why) < 0)
        return error_set(err, -EINVAL, "%s: %.400s", key->key, why);
    struct reading *before = reading_new();
    if (!before)
        return error_set(err, -ENOMEM, "out of memory");
    int r = reading_text(before, text, size, file, READING_FILE);
    if (r < 0) {
        (void)faults_first(before->faults, err);
        if (r == -ENOMEM)
            r = error_set(err, r, "out of memory");
    } else {
        r = edit(before, text, size, file, key, value, ret_text, ret_size, err);
    }
    reading_free(before);
    return r;
}
