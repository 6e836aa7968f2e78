// `set` changes one value and not a byte besides.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/edit.h"
#include "config/reading.h"
#include "config/text.h"

static void test_edits(void **state)
{
    (void)state;
    static const struct {
        const char *before, *key, *value, *after;
    } EDITS[] = {
        // replaced where it stands, whatever stands around it
        {"board:\n  pitch_x: 22   # measured\n  rows: 19\n", "board.pitch_x", "23.7",
         "board:\n  pitch_x: 23.7   # measured\n  rows: 19\n"},
        {"board: {pitch_x: 22, rows: 19} # flow\n", "board.pitch_x", "23.7 mm",
         "board: {pitch_x: 23.7 mm, rows: 19} # flow\n"},
        {"# \xc3\xa9\nmachine: {name: \"\xc3\xa9\", park_x: -590}\n", "machine.park_x", "-591",
         "# \xc3\xa9\nmachine: {name: \"\xc3\xa9\", park_x: -591}\n"},
        {"machine:\n  name: 'old'\n", "machine.name", "say \"hi\" \\ bye",
         "machine:\n  name: \"say \\\"hi\\\" \\\\ bye\"\n"},
        {"engine:\n  command: |-\n    gnugo --mode gtp\n\nboard:\n  rows: 19\n", "engine.command",
         "x", "engine:\n  command: \"x\"\n\nboard:\n  rows: 19\n"},
        {"\xef\xbb\xbf"
         "board:\n  rows: 18\n",
         "board.rows", "19",
         "\xef\xbb\xbf"
         "board:\n  rows: 19\n"},
        // added behind its neighbours, as deep as they are
        {"board:\n    rows: 19  # all\n\n# next\ncamera:\n    fps: 15\n", "board.pitch_x", "20",
         "board:\n    rows: 19  # all\n    pitch_x: 20\n\n# next\ncamera:\n    fps: 15\n"},
        {"board:\n  rows: 19", "board.columns", "19", "board:\n  rows: 19\n  columns: 19\n"},
        {"board: {rows: 19}\n", "board.columns", "19", "board: {rows: 19, columns: 19}\n"},
        {"gpio:\n  estop:\n    line: GPIO4\ngame:\n  still_time: 2\n", "gpio.estop.active_low",
         "true",
         "gpio:\n  estop:\n    line: GPIO4\n    active_low: true\ngame:\n  still_time: 2\n"},
        {"gpio:\n  estop:\n    line: GPIO4\n", "gpio.pump.line", "GPIO9",
         "gpio:\n  estop:\n    line: GPIO4\n  pump:\n    line: \"GPIO9\"\n"},
        {"gpio: {estop: {line: GPIO4}}\n", "gpio.estop.bias", "none",
         "gpio: {estop: {line: GPIO4, bias: none}}\n"},
        // a new section at the end
        {"board:\n  rows: 19\n", "gpio.pump.line", "GPIO9",
         "board:\n  rows: 19\ngpio:\n  pump:\n    line: \"GPIO9\"\n"},
        {"board:\n  rows: 19\n...\n", "sim.seed", "3",
         "board:\n  rows: 19\nsim:\n  seed: 3\n...\n"},
        {"", "sim.seed", "3", "sim:\n  seed: 3\n"},
        {"# only a comment", "sim.seed", "3", "# only a comment\nsim:\n  seed: 3\n"},
        {"board:\r\n  rows: 18\r\n", "board.rows", "19", "board:\r\n  rows: 19\r\n"},
    };
    for (size_t i = 0; i < sizeof EDITS / sizeof *EDITS; i++) {
        char *after = NULL;
        size_t size = 0;
        struct error err;
        int r = edit_set(EDITS[i].before, strlen(EDITS[i].before), "t.yaml",
                         schema_find(EDITS[i].key), EDITS[i].value, &after, &size, &err);
        if (r < 0)
            fail_msg("%s in\n%s: %s", EDITS[i].key, EDITS[i].before, err.text);
        assert_string_equal(after, EDITS[i].after);
        assert_int_equal(size, strlen(after));
        free(after);
    }
}

static void test_refused_edits(void **state)
{
    (void)state;
    static const struct {
        const char *before, *key, *value, *text;
    } REFUSED[] = {
        {"board:\n  rows: 19\n", "board.rows", "99", "board.rows: 99 is out of range"},
        {"board:\n  rows: 99\n", "board.columns", "19", "board.rows: 99 is out of range"},
        {"board: [\n", "board.columns", "19", "a list is not used here"},
        // braces inside braces would be needed; better not touched than guessed
        {"{board: {rows: 19}}\n", "sim.seed", "3", "with an editor"},
        {"gpio: {estop: {line: GPIO4}}\n", "gpio.pump.line", "GPIO9", "with an editor"},
    };
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        char *after = (char *)1;
        size_t size = 7;
        struct error err;
        assert_int_equal(edit_set(REFUSED[i].before, strlen(REFUSED[i].before), "t.yaml",
                                  schema_find(REFUSED[i].key), REFUSED[i].value, &after, &size,
                                  &err),
                         -22);
        if (!strstr(err.text, REFUSED[i].text))
            fail_msg("%s: %s", REFUSED[i].key, err.text);
        assert_ptr_equal(after, (char *)1);
    }
}

// Every key of the sample, one after the other: read, change, and change back gives the same bytes.
static void test_every_key_there_and_back(void **state)
{
    (void)state;
    struct settings settings;
    settings_default(&settings);
    char *sample = NULL;
    size_t size;
    FILE *out = open_memstream(&sample, &size);
    text_sample(out, &settings, NULL);
    fclose(out);
    for (size_t i = 0; i < schema_key_count; i++) {
        const struct schema_key *key = &schema_keys[i];
        if (key->kind == SCHEMA_CHOICE || key->kind == SCHEMA_BOOLEAN)
            continue;
        char *changed;
        char *back;
        size_t changed_size;
        size_t back_size;
        struct error err;
        const char *value = key->kind == SCHEMA_TEXT                          ? "é"
                            : key->max >= 0 && key->min <= 1 && key->max >= 1 ? "1"
                                                                              : "";
        char number[32];
        if (*value == '\0') {
            (void)snprintf(number, sizeof number, "%.15g", key->max);
            value = number;
        }
        assert_int_equal(edit_set(sample, size, "s", key, value, &changed, &changed_size, &err), 0);
        int r = edit_set(changed, changed_size, "s", key, key->initial, &back, &back_size, &err);
        assert_int_equal(r, 0);
        assert_int_equal(back_size, size);
        assert_memory_equal(back, sample, size);
        free(changed);
        free(back);
    }
    free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_refused_edits),
        cmocka_unit_test(test_every_key_there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
