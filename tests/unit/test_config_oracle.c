// A second opinion on reading YAML: libcyaml, driven by a schema made from our table, must read
// every document we accept to the same texts. (It reads all values as strings here: what it takes
// for numbers and booleans is laxer than what settings allow.)
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <cyaml/cyaml.h>

#include "config/base/rng.h"
#include "config/reading.h"
#include "config/text.h"
#include "config/value.h"
#include "config/yaml_entries.h"

enum {
    KEYS_MAX = 300,
    GROUPS_MAX = 64,
    FIELDS_MAX = 40,
};

// A mapping of the schema; all of them write into one flat array of strings.
struct group {
    char path[SCHEMA_KEY_MAX];
    cyaml_schema_field_t field[FIELDS_MAX];
    int fields;
};

static struct group groups[GROUPS_MAX];
static int group_count;
static char words[KEYS_MAX * 3][SCHEMA_KEY_MAX];
static int word_count;

static const char *word(const char *text, size_t length)
{
    char *out = words[word_count++];
    (void)snprintf(out, SCHEMA_KEY_MAX, "%.*s", (int)length, text);
    return out;
}

static struct group *group_of(const char *path, size_t length)
{
    for (int i = 0; i < group_count; i++)
        if (strlen(groups[i].path) == length && strncmp(groups[i].path, path, length) == 0)
            return &groups[i];
    struct group *group = &groups[group_count++];
    (void)snprintf(group->path, sizeof group->path, "%.*s", (int)length, path);
    if (length == 0)
        return group;
    // Enter it into its parent.
    const char *dot = NULL;
    for (size_t i = 0; i < length; i++)
        if (path[i] == '.')
            dot = path + i;
    struct group *parent = group_of(path, dot ? (size_t)(dot - path) : 0);
    const char *name = dot ? dot + 1 : path;
    parent->field[parent->fields++] = (cyaml_schema_field_t){
        .key = word(name, (size_t)(path + length - name)),
        .value = {.type = CYAML_MAPPING,
                  .flags = CYAML_FLAG_OPTIONAL,
                  .data_size = KEYS_MAX * sizeof(char *),
                  .mapping = {.fields = group->field}},
    };
    return group;
}

static void build_schema(void)
{
    (void)group_of("", 0);
    for (size_t i = 0; i < schema_key_count; i++) {
        const char *key = schema_keys[i].key;
        const char *last = strrchr(key, '.') + 1;
        struct group *group = group_of(key, (size_t)(last - 1 - key));
        group->field[group->fields++] = (cyaml_schema_field_t){
            .key = word(last, strlen(last)),
            .data_offset = (uint32_t)(i * sizeof(char *)),
            .value = {.type = CYAML_STRING,
                      .flags = CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER,
                      .data_size = 1,
                      .string = {.min = 0, .max = YAML_FILE_MAX}},
        };
    }
}

static void compare(const char *text, size_t size)
{
    static struct faults faults;
    faults.count = 0;
    struct yaml_entries entries;
    int ours = yaml_entries_read(text, size, "t", &entries, &faults);
    const cyaml_config_t config = {.mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR};
    const cyaml_schema_value_t top = {.type = CYAML_MAPPING,
                                      .flags = CYAML_FLAG_POINTER,
                                      .data_size = KEYS_MAX * sizeof(char *),
                                      .mapping = {.fields = groups[0].field}};
    char **theirs = NULL;
    cyaml_err_t result =
        cyaml_load_data((const uint8_t *)text, size, &config, &top, (cyaml_data_t **)&theirs, NULL);
    bool known = true;
    for (size_t i = 0; i < entries.count; i++)
        known = known &&
                (entries.entry[i].kind == YAML_GROUP ? schema_is_group(entries.entry[i].key)
                                                     : schema_find(entries.entry[i].key) != NULL);
    if (ours == 0 && known) {
        if (result != CYAML_OK)
            fail_msg("we read this, libcyaml says %s:\n%s", cyaml_strerror(result), text);
        for (size_t i = 0; i < schema_key_count; i++) {
            const struct yaml_entry *entry = yaml_entries_find(&entries, schema_keys[i].key);
            const char *other = theirs ? theirs[i] : NULL;
            if (!entry)
                assert_null(other);
            else
                assert_string_equal(entry->value ? entry->value : "", other);
        }
    }
    if (theirs)
        assert_int_equal(cyaml_free(&config, &top, theirs, 0), CYAML_OK);
    yaml_entries_free(&entries);
}

static char *sample(size_t *ret_size)
{
    struct settings settings;
    settings_default(&settings);
    char *text = NULL;
    FILE *out = open_memstream(&text, ret_size);
    text_sample(out, &settings, "Sample.");
    fclose(out);
    return text;
}

static void test_sample(void **state)
{
    (void)state;
    size_t size;
    char *text = sample(&size);
    compare(text, size);
    free(text);
}

static void test_odd_documents(void **state)
{
    (void)state;
    static const char *const DOCUMENTS[] = {
        "board: {pitch_x: 22 mm, 'pitch_y': \"23.7\"}\n",
        "machine:\n  name: \"caf\\u00e9 \\x41\\n\"\n  park_x:   -3\n",
        "machine:\n  name: |\n    two\n    lines\n",
        "machine:\n  name: 'it''s'\n",
        "machine:\n  name: plain text over\n    two lines # comment\n",
        "? board\n: {rows: 19}\n",
        "%YAML 1.1\n---\nboard:\n  rows: 19\n...\n",
        "{machine: {name: ~}, board: {rows: null}}\n",
    };
    for (size_t i = 0; i < sizeof DOCUMENTS / sizeof *DOCUMENTS; i++)
        compare(DOCUMENTS[i], strlen(DOCUMENTS[i]));
}

// The sample with bytes changed at random: most are still YAML, and both read the same from it.
static void test_changed_samples(void **state)
{
    (void)state;
    size_t size;
    char *text = sample(&size);
    char *changed = malloc(size + 1);
    struct rng rng;
    rng_seed(&rng, 7);
    static const char BYTES[] = " \n:#'\"{}[],-?&*!|>%@`~x0";
    for (int round = 0; round < 400; round++) {
        memcpy(changed, text, size + 1);
        for (uint32_t n = 1 + rng_below(&rng, 3); n > 0; n--)
            changed[rng_below(&rng, (uint32_t)size)] =
                BYTES[rng_below(&rng, (uint32_t)sizeof BYTES - 1)];
        compare(changed, size);
    }
    free(changed);
    free(text);
}

int main(void)
{
    build_schema();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_odd_documents),
        cmocka_unit_test(test_changed_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
