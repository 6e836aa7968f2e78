// check, show, keys, completion: the commands that only look.
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "config/cli/cli.h"
#include "config/nearest.h"
#include "config/paths.h"
#include "config/text.h"
#include "config/value.h"

static enum cli_exit report_check(const struct cli *cli, const struct reading *reading,
                                  const char *file)
{
    if (reading->faults->count > 0 || cli->json)
        cli_print_faults(cli, reading->faults);
    if (reading->faults->count > 0)
        return CLI_USAGE;
    size_t given = 0;
    for (size_t i = 0; i < schema_key_count; i++)
        given += reading->origin[i].layer != READING_DEFAULT;
    // No file is no fault, but nobody should believe that one was read.
    const char *note = access(file, F_OK) == 0 ? "" : "; there is no such file yet";
    if (!cli->json && !cli->quiet)
        (void)printf("%s: all settings are fine (%zu given, %zu by default%s)\n", file, given,
                     schema_key_count - given, note);
    return CLI_DONE;
}

enum cli_exit cli_check(struct cli *cli)
{
    struct reading *reading = reading_new();
    if (!reading) {
        (void)fprintf(stderr, "tessera-config: out of memory\n");
        return CLI_FAILED;
    }
    // A file that is named is judged by itself; otherwise by what a program would see.
    bool named = cli->argument_count == 1;
    struct settings_source source = {
        .file = named ? cli->arguments[0] : cli->file,
        .environment = named ? NULL : (const char *const *)environ,
        .overrides = cli->overrides,
    };
    (void)reading_load(reading, &source);
    enum cli_exit code = report_check(cli, reading, paths_settings(source.file));
    reading_free(reading);
    return code;
}

static bool is_wanted(const char *key, const char *wanted)
{
    size_t length = strlen(wanted);
    return length == 0 ||
           (strncmp(key, wanted, length) == 0 && (key[length] == '\0' || key[length] == '.'));
}

static json_t *value_json(const struct reading *reading, size_t i)
{
    const struct schema_key *key = &schema_keys[i];
    char text[VALUE_TEXT_MAX];
    (void)value_print(key, &reading->settings, text, sizeof text);
    switch (key->kind) {
    case SCHEMA_INTEGER:
    case SCHEMA_REAL:
        return json_loads(text, JSON_DECODE_ANY, NULL); // numbers here are JSON numbers
    case SCHEMA_BOOLEAN:
        return json_boolean(strcmp(text, "true") == 0);
    case SCHEMA_TEXT:
    case SCHEMA_CHOICE:
        break;
    }
    return json_string(text);
}

static void show_json(const struct cli *cli, const struct reading *reading, const char *wanted)
{
    json_t *all = json_object();
    for (size_t i = 0; i < schema_key_count; i++) {
        if (!is_wanted(schema_keys[i].key, wanted))
            continue;
        json_t *value = value_json(reading, i);
        char origin[ERROR_FILE_MAX + 64];
        if (cli->origin)
            value = json_pack("{s:o, s:s}", "value", value, "origin",
                              reading_origin_text(&reading->origin[i], origin, sizeof origin));
        json_object_set_new(all, schema_keys[i].key, value);
    }
    (void)json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    (void)putchar('\n');
    json_decref(all);
}

static void show_lines(const struct cli *cli, const struct reading *reading, const char *wanted)
{
    for (size_t i = 0; i < schema_key_count; i++) {
        const struct schema_key *key = &schema_keys[i];
        if (!is_wanted(key->key, wanted))
            continue;
        char value[VALUE_TEXT_MAX];
        char origin[ERROR_FILE_MAX + 64];
        (void)value_print(key, &reading->settings, value, sizeof value);
        bool alone = strcmp(key->key, wanted) == 0 && !cli->origin; // for scripts: the value only
        if (alone)
            (void)printf("%s\n", value);
        else if (cli->origin)
            (void)printf("%-32s %-20s # %s\n", key->key, *value ? value : "\"\"",
                         reading_origin_text(&reading->origin[i], origin, sizeof origin));
        else
            (void)printf("%-32s %s\n", key->key, *value ? value : "\"\"");
    }
}

enum cli_exit cli_show(struct cli *cli)
{
    const char *wanted = cli->argument_count == 1 ? cli->arguments[0] : "";
    if (*wanted && !schema_find(wanted) && !schema_is_group(wanted)) {
        const char *meant = schema_nearest(wanted);
        return cli_usage("there is no setting \"%.60s\"%s%s%s", wanted,
                         meant ? " (did you mean " : "", meant ? meant : "", meant ? "?)" : "");
    }
    struct reading *reading = cli_read_settings(cli);
    if (!reading)
        return CLI_USAGE;
    if (cli->json)
        show_json(cli, reading, wanted);
    else
        show_lines(cli, reading, wanted);
    reading_free(reading);
    return CLI_DONE;
}

static const char *kind_name(enum schema_kind kind)
{
    static const char *const NAMES[] = {
        [SCHEMA_INTEGER] = "whole number", [SCHEMA_REAL] = "number",
        [SCHEMA_BOOLEAN] = "yes or no",    [SCHEMA_TEXT] = "text",
        [SCHEMA_CHOICE] = "choice",
    };
    return NAMES[kind];
}

static void key_json(json_t *list, const struct schema_key *key)
{
    char allowed[VALUE_TEXT_MAX];
    char variable[SCHEMA_KEY_MAX + 8];
    schema_environment_name(key, variable, sizeof variable);
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:s, s:s}", "key",
                                          key->key, "type", kind_name(key->kind), "unit",
                                          schema_unit_name(key->unit), "allowed",
                                          value_allowed(key, allowed, sizeof allowed), "default",
                                          key->initial, "restart", (int)key->restart, "environment",
                                          variable, "meaning", key->meaning));
}

static void key_lines(const struct schema_key *key)
{
    char allowed[VALUE_TEXT_MAX];
    (void)printf("%s\n    %s.\n    %s: %s. Default: %s%s%s.%s\n", key->key, key->meaning,
                 kind_name(key->kind), value_allowed(key, allowed, sizeof allowed),
                 *key->initial ? key->initial : "empty", key->unit ? " " : "",
                 *key->initial ? schema_unit_name(key->unit) : "",
                 key->restart ? " Takes effect at the next start." : "");
}

static bool matches(const struct schema_key *key, const char *word)
{
    return strcasestr(key->key, word) || strcasestr(key->meaning, word);
}

static int list_keys(const struct cli *cli, const char *word)
{
    json_t *list = cli->json ? json_array() : NULL;
    bool names = cli->format && strcmp(cli->format, "names") == 0;
    int count = 0;
    for (size_t i = 0; i < schema_key_count; i++) {
        if (!matches(&schema_keys[i], word))
            continue;
        count++;
        if (list)
            key_json(list, &schema_keys[i]);
        else if (names)
            (void)printf("%s\n", schema_keys[i].key);
        else
            key_lines(&schema_keys[i]);
    }
    if (list) {
        (void)json_dumpf(list, stdout, JSON_INDENT(2));
        (void)putchar('\n');
        json_decref(list);
    }
    return count;
}

enum cli_exit cli_keys(struct cli *cli)
{
    const char *word = cli->argument_count == 1 ? cli->arguments[0] : "";
    const char *format = cli->format ? cli->format : "table";
    if (strcmp(format, "sample") == 0) {
        struct settings settings;
        settings_default(&settings);
        text_sample(stdout, &settings, "Settings of the Tessera robot: all of them, by default.");
        return CLI_DONE;
    }
    if (strcmp(format, "scdoc") == 0) {
        text_manual(stdout);
        return CLI_DONE;
    }
    if (strcmp(format, "table") != 0 && strcmp(format, "names") != 0)
        return cli_usage("--format is table, sample, scdoc or names, not \"%.40s\"", format);
    if (list_keys(cli, word) > 0)
        return CLI_DONE;
    const char *meant = schema_nearest(word);
    (void)fprintf(stderr, "No setting has \"%s\" in its name or meaning%s%s%s.\n", word,
                  meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
    return CLI_FAILED;
}

enum cli_exit cli_completion(struct cli *cli)
{
    (void)cli;
    text_completion(stdout);
    return CLI_DONE;
}
