// Settings files: every kind of fault at its exact place, and which layer wins.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/reading.h"
#include "rules/variant.h"

struct expected {
    const char *yaml;
    struct {
        int line, column;
        const char *text; // part of the sentence
    } fault[4];           // text NULL at the end
};

static const struct expected FAULTS[] = {
    // unknown keys
    {"board:\n  pich_x: 22\n",
     {{2, 3, "board.pich_x: there is no such setting (did you mean board.pitch_x?)"}}},
    {"borad:\n  pitch_x: 22\n  pitch_y: 22\n",
     {{1, 1, "borad: there is no such setting (did you mean board?)"}}},
    {"lubrication:\n  oil: 3\n", {{1, 1, "`tessera-config keys` lists them all"}}},
    {"gpio:\n  estop:\n    lin: GPIO4\n", {{3, 5, "did you mean gpio.estop.line?"}}},
    {"machine:\n  pitch_x: 22\n", {{2, 3, "did you mean board.pitch_x?"}}},
    // several at once, in order
    {"board:\n  columns: 4\n  pitch_x: 22 s\n  rowz: 19\n",
     {{2, 12, "board.columns: 4 is out of range; allowed: whole numbers from 6 to 19"},
      {3, 12, "board.pitch_x: \"s\" is the wrong unit; allowed: 8 to 100 mm"},
      {4, 3, "did you mean board.rows?"}}},
    // values
    {"board: {columns: 19, rows: x}\n", {{1, 28, "board.rows: \"x\" is not a decimal number"}}},
    {"board:\n  tags: maybe\n", {{2, 9, "neither yes nor no; allowed: true or false"}}},
    {"board:\n  columns: 010\n", {{2, 12, "no leading zeros"}}},
    {"camera:\n  source: v4l3\n", {{2, 11, "did you mean v4l2?"}}},
    {"machine:\n  name: \"a\\nb\"\n", {{2, 9, "control character"}}},
    {"board:\n  pitch_x:\n", {{2, 3, "board.pitch_x: has no value"}}},
    {"board:\n  pitch_x: ~\n", {{2, 12, "\"~\" is not a decimal number"}}},
    {"board:\n  pitch_x: 22\n  pitch_x: 23\n",
     {{3, 3, "board.pitch_x is given twice, first in line 2"}}},
    {"board:\n  rows: 19\nboard:\n  columns: 19\n",
     {{3, 1, "board is given twice, first in line 1"}}},
    // shapes
    {"board: 7\n", {{1, 8, "board: has keys of its own"}}},
    {"board:\n", {{1, 1, "board: there is nothing in it"}}},
    {"board:\n  pitch_x:\n    value: 22\n", {{3, 5, "board.pitch_x: is one value"}}},
    {"board:\n  pitch_x: [22, 23]\n", {{2, 12, "a list is not used here"}}},
    {"- board\n", {{1, 1, "not with a list"}}},
    {"board\n", {{1, 1, "begins with a section"}}},
    {"board:\n  ? [a]\n  : 3\n", {{2, 5, "a list is not used here"}}},
    {"board:\n  \"pitch x\": 22\n", {{2, 3, "a key must be a word"}}},
    {"board:\n  \"pitch.x\":\n    a: 1\n  rows: 99\n",
     {{2, 3, "a key must be a word"}, {4, 9, "board.rows: 99 is out of range"}}},
    {"a:\n  b:\n    c:\n      d:\n        e:\n          f:\n            g: 1\n",
     {{7, 13, "nested too deeply"}, {1, 1, "a: there is no such setting"}}},
    // YAML that is not used
    {"board: &b\n  pitch_x: 22\n", {{1, 8, "anchors (&name) and tags"}}},
    {"board:\n  pitch_x: &p 22\n  pitch_y: *p\n",
     {{2, 12, "board.pitch_x: anchors"}, {3, 12, "aliases (*name)"}}},
    {"board:\n  pitch_x: !!float 22\n", {{2, 12, "tags"}}},
    {"board:\n  rows: 19\n---\nboard:\n  rows: 19\n", {{3, 1, "second document"}}},
    // no YAML at all
    {"board:\n  pitch_x: 22\n pitch_y: 22\n", {{3, 2, "this is no YAML"}}},
    {"board:\n\tpitch_x: 22\n", {{2, 1, "this is no YAML"}}},
    {"machine:\n  name: \"open\n", {{3, 1, "this is no YAML"}}},
    {"board: {columns: 19\n", {{2, 1, "this is no YAML"}}},
    {"machine:\n  name: \"caf\xc3\xa9\"\n  park_x: \xff\n", {{3, 11, "this is no YAML"}}},
    {"machine:\n  name: \"\xc3\xa9\"\n  park_x: 3\n", {{3, 11, "out of range"}}},
    {"machine: {name: \"\xc3\xa9\", park_x: 3}\n", {{1, 30, "out of range"}}},
};

static void check_faults(const struct expected *expected)
{
    struct reading *reading = reading_new();
    assert_non_null(reading);
    int r = reading_text(reading, expected->yaml, strlen(expected->yaml), "t.yaml", READING_FILE);
    assert_int_equal(r, -22);
    size_t i = 0;
    for (; i < 4 && expected->fault[i].text; i++) {
        const struct error *fault = &reading->faults->fault[i];
        if (i >= reading->faults->count || fault->line != expected->fault[i].line ||
            fault->column != expected->fault[i].column ||
            !strstr(fault->text, expected->fault[i].text)) {
            char text[1024];
            fail_msg("in\n%s\nexpected %d:%d: …%s…, got %zu faults, this one %s", expected->yaml,
                     expected->fault[i].line, expected->fault[i].column, expected->fault[i].text,
                     reading->faults->count, error_format(fault, text, sizeof text));
        }
        assert_string_equal(fault->file, "t.yaml");
    }
    if (reading->faults->count != i) {
        char text[1024];
        fail_msg("in\n%s\none more: %s", expected->yaml,
                 error_format(&reading->faults->fault[i], text, sizeof text));
    }
    reading_free(reading);
}

static void test_every_fault_has_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++)
        check_faults(&FAULTS[i]);
}

static void test_what_is_fine(void **state)
{
    (void)state;
    static const char *const FINE[] = {
        "",
        "# nothing but a comment\n",
        "---\nboard:\n  rows: 19\n...\n",
        "board: {pitch_x: 22 mm, 'pitch_y': \"23.7\"}\n",
        "{board: {rows: 19}}",
        "machine:\n  name: >-\n    folded text\n",
        "engine:\n  command: ''\n",
        "\xef\xbb\xbf{board: {rows: 19}}\n", // a byte order mark
        "board:\r\n  rows: 19\r\n",
    };
    for (size_t i = 0; i < sizeof FINE / sizeof *FINE; i++) {
        struct reading *reading = reading_new();
        int r = reading_text(reading, FINE[i], strlen(FINE[i]), "t.yaml", READING_FILE);
        if (r != 0)
            fail_msg("%s: %s", FINE[i], reading->faults->fault[0].text);
        reading_free(reading);
    }
}

static void test_many_faults_are_counted(void **state)
{
    (void)state;
    char *yaml = NULL;
    size_t size;
    FILE *out = open_memstream(&yaml, &size);
    fprintf(out, "board:\n");
    for (int i = 0; i < 200; i++)
        fprintf(out, "  lubrication%d: 1\n", i);
    fclose(out);
    struct reading *reading = reading_new();
    assert_int_equal(reading_text(reading, yaml, size, "t.yaml", READING_FILE), -22);
    assert_int_equal(reading->faults->count, 200);
    assert_int_equal(faults_kept(reading->faults), FAULTS_MAX);
    struct error err;
    assert_int_equal(faults_first(reading->faults, &err), -22);
    assert_int_equal(err.line, 2);
    assert_non_null(strstr(err.text, "and 199 more"));
    reading_free(reading);
    free(yaml);
}

static void test_too_large_a_file(void **state)
{
    (void)state;
    char *yaml = malloc(65 * 1024);
    memset(yaml, '\n', 65 * 1024);
    struct reading *reading = reading_new();
    assert_int_equal(reading_text(reading, yaml, 65 * 1024, "t.yaml", READING_FILE), -22);
    assert_non_null(strstr(reading->faults->fault[0].text, "larger than"));
    reading_free(reading);
    free(yaml);
}

// --- layers ---

static char folder[256];

static void write_file(const char *name, const char *text)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_folder(void **state)
{
    (void)state;
    const char *temporary = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/settings.XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return -1;
    char drop_ins[512];
    (void)snprintf(drop_ins, sizeof drop_ins, "%s/t.yaml.d", folder);
    return mkdir(drop_ins, 0700);
}

static int remove_folder(void **state)
{
    (void)state;
    char command[600];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static char *origin(const struct reading *reading, const char *key)
{
    static char text[512];
    return reading_origin_text(reading_origin(reading, schema_find(key)), text, sizeof text);
}

static void test_the_stronger_layer_wins(void **state)
{
    (void)state;
    char file[512];
    char expect[600];
    (void)snprintf(file, sizeof file, "%s/t.yaml", folder);
    write_file("t.yaml",
               "board:\n  pitch_x: 20\n  pitch_y: 20\nstones:\n  diameter: 14\n  height: 7\n");
    write_file("t.yaml.d/10-a.yaml",
               "board:\n  pitch_y: 21\nstones: {diameter: 15, height: 7.5}\n");
    write_file("t.yaml.d/20-b.yaml", "stones:\n  height: 7.7\n");
    write_file("t.yaml.d/ignored.txt", "no settings at all: [");
    write_file("t.yaml.d/.hidden.yaml", "no settings at all: [");
    const char *const environment[] = {"HOME=/",
                                       "TESSERA_DATA=/x",
                                       "TESSERA_STONES_HEIGHT=7.8",
                                       "TESSERA_GPIO_BUTTON_DONE_LINE=GPIO4",
                                       "TESSERA_ENGINE_LEVEL=7",
                                       NULL};
    const char *const overrides[] = {"engine.level=9", "game.variant=keryo", NULL};
    struct settings_source source = {
        .file = file, .environment = environment, .overrides = overrides};
    struct reading *reading = reading_new();
    int r = reading_load(reading, &source);
    if (r < 0)
        fail_msg("%s", reading->faults->fault[0].text);
    const struct settings *s = &reading->settings;
    assert_true(s->board.pitch_x == 20 && s->board.pitch_y == 21);
    assert_true(s->stones.diameter == 15 && s->stones.height == 7.8);
    assert_string_equal(s->gpio.pin[SETTINGS_GPIO_BUTTON_DONE].line, "GPIO4");
    assert_int_equal(s->engine.level, 9);
    assert_string_equal(s->game.variant, "keryo");
    (void)snprintf(expect, sizeof expect, "%s:2:12", file);
    assert_string_equal(origin(reading, "board.pitch_x"), expect);
    (void)snprintf(expect, sizeof expect, "%s.d/10-a.yaml:3:20", file);
    assert_string_equal(origin(reading, "stones.diameter"), expect);
    assert_string_equal(origin(reading, "stones.height"), "environment TESSERA_STONES_HEIGHT");
    assert_string_equal(origin(reading, "engine.level"), "command line");
    assert_string_equal(origin(reading, "board.columns"), "default");
    reading_free(reading);

    struct settings settings;
    struct error err;
    assert_int_equal(settings_load(&source, &settings, &err), 0);
    assert_true(settings.stones.height == 7.8);
}

// $TESSERA_CONFIG stands for a --config nobody gave; a file that is named there must be there.
static void test_file_of_the_environment(void **state)
{
    (void)state;
    char file[512], other[512];
    (void)snprintf(file, sizeof file, "%s/mine.yaml", folder);
    (void)snprintf(other, sizeof other, "%s/other.yaml", folder);
    write_file("mine.yaml", "engine:\n  level: 3\n");
    write_file("other.yaml", "engine:\n  level: 4\n");
    const char *kept = getenv("TESSERA_CONFIG");
    struct settings settings;
    struct error err;
    assert_int_equal(setenv("TESSERA_CONFIG", file, 1), 0);
    assert_int_equal(settings_load(&(struct settings_source){0}, &settings, &err), 0);
    assert_int_equal(settings.engine.level, 3);
    assert_int_equal(settings_load(&(struct settings_source){.file = other}, &settings, &err), 0);
    assert_int_equal(settings.engine.level, 4);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(settings_load(&(struct settings_source){0}, &settings, &err), -ENOENT);
    assert_non_null(strstr(err.file, "mine.yaml"));
    assert_int_equal(setenv("TESSERA_CONFIG", kept ? kept : "/dev/null", 1), 0);
}

static void expect_fault(const struct settings_source *source, const char *where, const char *text)
{
    struct settings settings;
    struct settings before;
    memset(&settings, 0xA5, sizeof settings);
    before = settings;
    struct error err;
    assert_true(settings_load(source, &settings, &err) < 0);
    if (!strstr(err.file, where) || !strstr(err.text, text))
        fail_msg("expected %s: %s, got %s: %s", where, text, err.file, err.text);
    assert_memory_equal(&settings, &before, sizeof settings); // written only on success
}

static void test_faults_of_the_other_layers(void **state)
{
    (void)state;
    char file[512];
    (void)snprintf(file, sizeof file, "%s/t.yaml", folder);
    write_file("t.yaml", "");
    static const struct {
        const char *text, *expect;
    } OVERRIDES[] = {
        {"board.pich_x=22", "did you mean board.pitch_x?"},
        {"board=22", "is a group"},
        {"board.pitch_x", "write KEY=VALUE"},
        {"=3", "write KEY=VALUE"},
        {"board.pitch_x=22 s", "wrong unit"},
        {"board.pitch_x=", "not a decimal number"},
    };
    for (size_t i = 0; i < sizeof OVERRIDES / sizeof *OVERRIDES; i++) {
        const char *const overrides[] = {OVERRIDES[i].text, NULL};
        struct settings_source source = {.file = file, .overrides = overrides};
        expect_fault(&source, "command line", OVERRIDES[i].expect);
    }
    const char *const bad_name[] = {"TESSERA_BOARD_PICH_X=22", NULL};
    struct settings_source source = {.file = file, .environment = bad_name};
    expect_fault(&source, "environment", "did you mean TESSERA_BOARD_PITCH_X?");
    const char *const bad_value[] = {"TESSERA_BOARD_PITCH_X=wide", NULL};
    source.environment = bad_value;
    expect_fault(&source, "environment", "board.pitch_x: \"wide\"");
    source.environment = NULL;
    write_file("t.yaml.d/20-b.yaml", "board:\n  rowz: 19\n");
    expect_fault(&source, "t.yaml.d/20-b.yaml", "did you mean board.rows?");
    source.file = "/nonexistent/t.yaml";
    expect_fault(&source, "/nonexistent/t.yaml", "No such file");
    source.file = folder;
    expect_fault(&source, folder, "irectory");
}

// Games of one's own, by name; what is none of them is rules as text.
static void test_house_games(void **state)
{
    (void)state;
    static struct settings s;
    struct variant rules;
    struct error err;
    char name[SETTINGS_NAME_MAX];
    settings_default(&s);
    snprintf(s.house.game[0], sizeof s.house.game[0], " office =pente; size = 13 ;goal=12");
    snprintf(s.house.game[3], sizeof s.house.game[3], "tea break=keryo;title=Tea");
    assert_int_equal(settings_house_game(&s, 0, name, &rules, &err), 1);
    assert_string_equal(name, "office");
    assert_int_equal(settings_house_game(&s, 1, name, &rules, &err), 0);
    assert_int_equal(settings_variant(&s, "office", &rules, &err), 0);
    assert_string_equal(rules.name, "pente");
    assert_string_equal(rules.title, "office");
    assert_int_equal(rules.size, 13);
    assert_int_equal(rules.goal, 12);
    assert_int_equal(settings_variant(&s, "tea break", &rules, &err), 0);
    assert_string_equal(rules.name, "keryo");
    assert_string_equal(rules.title, "Tea");
    assert_int_equal(settings_variant(&s, "gomoku", &rules, &err), 0);
    assert_string_equal(rules.title, "Gomoku");
    assert_int_equal(settings_variant(&s, "pente; size=9", &rules, &err), 0);
    assert_int_equal(rules.size, 9);
    assert_int_equal(settings_variant(&s, "offices", &rules, &err), -ENOENT);
    static const char *const wrong[] = {
        "office", "= pente",       "a; b = pente", "pente = keryo", "desk = pente; size=4",
        "desk =", "office = keryo"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(s.house.game[1], sizeof s.house.game[1], "%s", wrong[i]);
        assert_true(settings_house_game(&s, 1, name, &rules, &err) < 0);
        assert_true(strlen(err.text) > 20);
    }
    assert_int_equal(settings_variant(&s, "office", &rules, &err), 0); // the others still stand
}

static void test_defaults_are_a_working_robot(void **state)
{
    (void)state;
    struct reading *reading = reading_new();
    int r = reading_agree(reading);
    if (r < 0)
        fail_msg("%s", reading->faults->fault[0].text);
    reading_free(reading);
    struct settings settings;
    struct error err;
    // An absent file is only an error when it was asked for; the overrides of --sim fit.
    char file[512];
    (void)snprintf(file, sizeof file, "%s/empty.yaml", folder);
    write_file("empty.yaml", "");
    struct settings_source source = {.file = file, .overrides = settings_sim_overrides};
    r = settings_load(&source, &settings, &err);
    if (r < 0)
        fail_msg("%s", err.text);
    assert_int_equal(settings.camera.source, SETTINGS_CAMERA_SIM);
    assert_string_equal(settings.serial.port, "sim");
    assert_int_equal(settings.gpio.backend, SETTINGS_GPIO_SIM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_fault_has_its_place),
        cmocka_unit_test(test_what_is_fine),
        cmocka_unit_test(test_many_faults_are_counted),
        cmocka_unit_test(test_too_large_a_file),
        cmocka_unit_test_setup_teardown(test_the_stronger_layer_wins, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_file_of_the_environment, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_faults_of_the_other_layers, make_folder,
                                        remove_folder),
        cmocka_unit_test(test_house_games),
        cmocka_unit_test_setup_teardown(test_defaults_are_a_working_robot, make_folder,
                                        remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
