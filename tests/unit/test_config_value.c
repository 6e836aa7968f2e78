// What a person may write for one value, and what is said about the rest.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/nearest.h"
#include "config/text.h"
#include "config/value.h"

static struct settings settings;
static char why[ERROR_TEXT_MAX];

static int store(const char *key, const char *text)
{
    why[0] = '\0';
    return value_store(schema_find(key), text, &settings, why, sizeof why);
}

static void test_numbers_carry_their_unit(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double expect;
    } PITCHES[] = {{"22", 22},         {"22 mm", 22},  {"22mm", 22}, {"2.2 cm", 22},
                   {"0.022 m", 22},    {"1 in", 25.4}, {"+22", 22},  {"2.2e1", 22},
                   {"2.2E+1  mm", 22}, {"8", 8},       {"100", 100}, {"22.0000", 22},
                   {"0.8e2", 80}};
    for (size_t i = 0; i < sizeof PITCHES / sizeof *PITCHES; i++) {
        assert_int_equal(store("board.pitch_x", PITCHES[i].text), 0);
        assert_true(settings.board.pitch_x > PITCHES[i].expect - 1e-9 &&
                    settings.board.pitch_x < PITCHES[i].expect + 1e-9);
    }
    assert_int_equal(store("machine.feed_xy", "12000 mm/min"), 0);
    assert_true(settings.machine.feed_xy > 199.999999 && settings.machine.feed_xy < 200.000001);
    assert_int_equal(store("gpio.debounce", "20 ms"), 0);
    assert_true(settings.gpio.debounce == 0.02);
    assert_int_equal(store("engine.hash", "1 GiB"), 0);
    assert_int_equal(settings.engine.hash, 1024);
    assert_int_equal(store("board.rotation", "0.15 °"), 0);
}

static void test_what_is_no_number(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expect;
    } BAD[] = {
        {"", "not a decimal number"},    {"mm", "not a decimal number"},
        {"010", "leading zeros"},        {"0x16", "not a number with a unit"},
        {"nan", "not a decimal number"}, {"inf", "not a decimal number"},
        {".5", "not a decimal number"},  {"22.", "not a decimal number"},
        {"1_000", "unit known here"},    {"22,5", "unit known here"},
        {"22 s", "wrong unit"},          {"22 mm/s", "wrong unit"},
        {"22 furlong", "unit known"},    {"22 mm mm", "unit known"},
        {"1e999", "out of range"},       {"-22", "out of range"},
        {"7.999", "out of range"},       {"100.001", "out of range"},
        {"22 mm\n", "unit known"},       {"- 22", "not a decimal number"},
    };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        settings.board.pitch_x = 22;
        assert_int_equal(store("board.pitch_x", BAD[i].text), -22);
        if (!strstr(why, BAD[i].expect) || !strstr(why, "8 to 100 mm"))
            fail_msg("\"%s\": %s", BAD[i].text, why);
        assert_true(settings.board.pitch_x == 22); // untouched
    }
    assert_int_equal(store("board.columns", "18.5"), -22);
    assert_non_null(strstr(why, "not a whole number"));
    assert_int_equal(store("board.columns", "19 mm"), -22);
    assert_non_null(strstr(why, "wrong unit"));
    assert_int_equal(store("sim.seed", "2147483648"), -22);
    assert_int_equal(store("sim.seed", "2147483647"), 0);
}

static void test_words(void **state)
{
    (void)state;
    static const char *const YES[] = {"true", "True", "TRUE", "yes", "Yes", "on", "ON"};
    static const char *const NO[] = {"false", "False", "no", "NO", "off", "Off"};
    for (size_t i = 0; i < sizeof YES / sizeof *YES; i++) {
        settings.board.tags = false;
        assert_int_equal(store("board.tags", YES[i]), 0);
        assert_true(settings.board.tags);
    }
    for (size_t i = 0; i < sizeof NO / sizeof *NO; i++) {
        settings.board.tags = true;
        assert_int_equal(store("board.tags", NO[i]), 0);
        assert_false(settings.board.tags);
    }
    static const char *const NOT_BOOLEAN[] = {"y", "1", "0", "maybe", "yes please", "tru", ""};
    for (size_t i = 0; i < sizeof NOT_BOOLEAN / sizeof *NOT_BOOLEAN; i++)
        assert_int_equal(store("board.tags", NOT_BOOLEAN[i]), -22);
    assert_non_null(strstr(why, "neither yes nor no; allowed: true or false, yes or no"));
    assert_int_equal(store("stones.colour1", "amber"), 0);
    assert_int_equal(settings.stones.colour[0], SETTINGS_STONE_AMBER);
    assert_int_equal(store("stones.colour1", "ambre"), -22);
    assert_non_null(strstr(why, "did you mean amber?"));
    assert_int_equal(store("stones.colour1", "octarine"), -22);
    assert_null(strstr(why, "did you mean"));
    assert_non_null(strstr(why, "clear, white, black"));
}

static void test_text(void **state)
{
    (void)state;
    char longest[SETTINGS_NAME_MAX + 1];
    memset(longest, 'x', sizeof longest);
    longest[SETTINGS_NAME_MAX] = '\0';
    assert_int_equal(store("machine.name", longest), -22);
    assert_non_null(strstr(why, "up to 63 bytes"));
    longest[SETTINGS_NAME_MAX - 1] = '\0';
    assert_int_equal(store("machine.name", longest), 0);
    assert_string_equal(settings.machine.name, longest);
    // Nothing of the longer one stays behind the shorter one: settings are compared byte by byte.
    assert_int_equal(store("machine.name", "é"), 0);
    for (size_t i = strlen("é"); i < SETTINGS_NAME_MAX; i++)
        assert_int_equal(settings.machine.name[i], 0);
    assert_int_equal(store("machine.name", "a\nb"), -22);
    assert_int_equal(store("machine.name", "a\033b"), -22);
}

static void test_every_value_prints_as_it_reads(void **state)
{
    (void)state;
    struct settings again;
    settings_default(&settings);
    memset(&again, 0, sizeof again);
    for (size_t i = 0; i < schema_key_count; i++) {
        char text[VALUE_TEXT_MAX];
        (void)value_print(&schema_keys[i], &settings, text, sizeof text);
        assert_int_equal(value_store(&schema_keys[i], text, &again, why, sizeof why), 0);
    }
    assert_memory_equal(&settings, &again, sizeof again);
    settings.sim.scale = 1.0 / 3.0 + 0.7;
    char text[VALUE_TEXT_MAX];
    (void)value_print(schema_find("sim.scale"), &settings, text, sizeof text);
    assert_true(strtod(text, NULL) == settings.sim.scale);
}

static void test_the_table_is_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < schema_key_count; i++) {
        const struct schema_key *key = &schema_keys[i];
        char variable[SCHEMA_KEY_MAX + 8];
        char other[SCHEMA_KEY_MAX + 8];
        assert_true(strlen(key->key) < SCHEMA_KEY_MAX);
        assert_ptr_equal(schema_find(key->key), key); // no key twice
        schema_environment_name(key, variable, sizeof variable);
        for (size_t j = 0; j < i; j++) {
            schema_environment_name(&schema_keys[j], other, sizeof other);
            assert_string_not_equal(variable, other);
            assert_true(schema_keys[j].offset != key->offset); // no member twice
        }
        size_t length = strlen(key->meaning);
        assert_true(length > 5 && key->meaning[length - 1] != '.');
        char section[SCHEMA_KEY_MAX];
        (void)snprintf(section, sizeof section, "%.*s", (int)strcspn(key->key, "."), key->key);
        size_t s = 0;
        while (s < schema_section_count && strcmp(schema_sections[s].name, section) != 0)
            s++;
        assert_true(s < schema_section_count);
    }
}

static void test_nearest(void **state)
{
    (void)state;
    assert_int_equal(nearest_distance("pitch", "pitch"), 0);
    assert_int_equal(nearest_distance("ptich", "pitch"), 1); // neighbours swapped
    assert_int_equal(nearest_distance("pich", "pitch"), 1);
    assert_int_equal(nearest_distance("pitchh", "pitch"), 1);
    assert_int_equal(nearest_distance("Button_Done", "button-done"), 0);
    assert_int_equal(nearest_distance("", "abc"), 3);
    assert_string_equal(schema_nearest("board.pich_x"), "board.pitch_x");
    assert_string_equal(schema_nearest("pitch_x"), "board.pitch_x");
    assert_string_equal(schema_nearest("machine.pitch_x"), "board.pitch_x"); // in the wrong section
    assert_string_equal(schema_nearest("bord"), "board");
    assert_string_equal(schema_nearest("gpio.e-stop.line"), "gpio.estop.line");
    assert_null(schema_nearest("lubrication"));
    char longer[200];
    memset(longer, 'x', sizeof longer - 1);
    longer[199] = '\0';
    assert_null(schema_nearest(longer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_carry_their_unit),
        cmocka_unit_test(test_what_is_no_number),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_every_value_prints_as_it_reads),
        cmocka_unit_test(test_the_table_is_in_order),
        cmocka_unit_test(test_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
