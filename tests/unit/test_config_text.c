// What is generated from the schema stays what it was generated from.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/base/io.h"
#include "config/reading.h"
#include "config/text.h"
#include "config/value.h"

static char *sample_of(const struct settings *settings, const char *head, size_t *ret_size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, ret_size);
    text_sample(out, settings, head);
    fclose(out);
    return text;
}

static void test_the_sample_in_the_tree_is_current(void **state)
{
    (void)state;
    struct settings settings;
    size_t size;
    size_t stored_size;
    char *stored;
    char path[512];
    struct error err;
    settings_default(&settings);
    char *sample =
        sample_of(&settings, "Settings of the Tessera robot: all of them, by default.", &size);
    (void)snprintf(path, sizeof path, "%s/config/samples/tessera.yaml", getenv("TESSERA_SOURCE"));
    if (io_read_file(NULL, path, 1 << 20, &stored, &stored_size, &err) < 0)
        fail_msg("%s", err.text);
    if (stored_size != size || memcmp(stored, sample, size) != 0)
        fail_msg("%s is old; write it anew: tessera-config keys --format sample > %s", path, path);
    free(stored);
    free(sample);
}

// Other values than the defaults come through the sample too.
static void test_a_sample_reads_back(void **state)
{
    (void)state;
    struct reading *reading = reading_new();
    struct settings odd;
    settings_default(&odd);
    for (size_t i = 0; i < schema_key_count; i++) {
        const struct schema_key *key = &schema_keys[i];
        char text[64];
        char why[ERROR_TEXT_MAX];
        switch (key->kind) {
        case SCHEMA_INTEGER:
            (void)snprintf(text, sizeof text, "%.0f", key->max);
            break;
        case SCHEMA_REAL:
            (void)snprintf(text, sizeof text, "%.17g", key->min + (key->max - key->min) / 3.0);
            break;
        case SCHEMA_BOOLEAN:
            (void)snprintf(text, sizeof text, "%s",
                           strcmp(key->initial, "true") ? "true" : "false");
            break;
        case SCHEMA_TEXT:
            (void)snprintf(text, sizeof text, "%s", " #: \"quoted\" \\ 'é' {[");
            break;
        case SCHEMA_CHOICE:
            (void)snprintf(text, sizeof text, "%s", key->choices[1]);
            break;
        }
        if (value_store(key, text, &odd, why, sizeof why) < 0)
            fail_msg("%s: %s", key->key, why);
    }
    size_t size;
    char *sample = sample_of(&odd, "Head\nof two lines", &size);
    if (reading_text(reading, sample, size, "t", READING_FILE) < 0)
        fail_msg("%s", reading->faults->fault[0].text);
    assert_memory_equal(&reading->settings, &odd, sizeof odd);
    free(sample);
    reading_free(reading);
}

static void test_every_key_is_in_manual_and_completion(void **state)
{
    (void)state;
    char *manual = NULL;
    char *completion = NULL;
    size_t size;
    FILE *out = open_memstream(&manual, &size);
    text_manual(out);
    fclose(out);
    out = open_memstream(&completion, &size);
    text_completion(out);
    fclose(out);
    for (size_t i = 0; i < schema_key_count; i++) {
        char escaped[2 * SCHEMA_KEY_MAX];
        size_t n = 0;
        for (const char *c = schema_keys[i].key; *c != '\0'; c++) {
            if (*c == '_')
                escaped[n++] = '\\';
            escaped[n++] = *c;
        }
        escaped[n] = '\0';
        assert_non_null(strstr(manual, escaped));
        assert_non_null(strstr(completion, schema_keys[i].key));
    }
    free(manual);
    free(completion);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_sample_in_the_tree_is_current),
        cmocka_unit_test(test_a_sample_reads_back),
        cmocka_unit_test(test_every_key_is_in_manual_and_completion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
