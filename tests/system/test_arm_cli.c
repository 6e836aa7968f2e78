// `tessera arm`: what it does on the simulated table, what it prints, and what it refuses.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

enum { ARGUMENTS_MAX = 12 };

static struct program ran;

// Runs `tessera arm` on the simulated table with these words; the answer stays in `ran`.
static int arm(const char *words)
{
    static char copy[256];
    const char *arguments[ARGUMENTS_MAX] = {"arm", "--sim", "--config", "/dev/null"};
    int n = 4;
    program_free(&ran);
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok(copy, " "); word && n < ARGUMENTS_MAX - 1; word = strtok(NULL, " "))
        arguments[n++] = word;
    return program_run(&ran, "tessera", arguments, 60);
}

static void assert_refused(const char *words, const char *because)
{
    assert_int_equal(arm(words), 2);
    assert_non_null(strstr(ran.told, because));
    assert_string_equal(ran.said, "");
}

static void test_moves(void **state)
{
    (void)state;
    assert_int_equal(arm("status"), 0);
    assert_non_null(strstr(ran.said, "travel 600 x 540 x 60 mm"));
    assert_int_equal(arm("goto -100,-100,-30 --json"), 0);
    assert_non_null(strstr(ran.said, "\"position\":[-100.0,-100.0,-30.0]"));
    assert_int_equal(arm("place Q4 --json"), 0);
    assert_non_null(strstr(ran.said, "\"state\":\"homed\""));
    assert_non_null(strstr(ran.said, "\"held\":\"no\""));
    assert_int_equal(arm("pick 2 --json"), 0);
    assert_non_null(strstr(ran.said, "\"held\":\"yes\""));
    assert_int_equal(arm("cycle 3 --json"), 0);
    assert_non_null(strstr(ran.said, "\"rounds\":3"));
}

static void test_refuses(void **state)
{
    (void)state;
    assert_refused("dance", "knows no \"dance\"");
    assert_refused("goto", "goto takes a point");
    assert_refused("goto Z99", "no point of this board");
    assert_refused("place -100,-100", "no point of this board");
    assert_refused("jog 1,2", "jog takes millimetres");
    assert_refused("pick 9", "there are \"store 1\"");
    assert_refused("home now", "home takes no argument");
    assert_refused("cycle none", "cycle takes how many");
    assert_refused("park --plot -", "--plot writes a file");
    assert_int_equal(arm("pick tray-1"), 2);
    assert_int_equal(arm("goto -100,-700"), 1); // known only when the plotter has told its travel
    assert_non_null(strstr(ran.told, "outside the arm's travel"));
}

static void test_on_paper(void **state)
{
    (void)state;
    char folder[] = "/tmp/tessera-arm-XXXXXX", words[128], path[64], svg[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/path.svg", folder);
    snprintf(words, sizeof words, "place K10 --dry-run --plot %s", path);
    assert_int_equal(arm(words), 0);
    assert_non_null(strstr(ran.said, "$H\n"));
    assert_non_null(strstr(ran.said, "; place\n"));
    assert_non_null(strstr(ran.said, "G4P0\n"));
    assert_non_null(strstr(ran.said, " s at least\n"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(svg, sizeof svg, file));
    assert_memory_equal(svg, "<svg ", 5);
    fclose(file);
    remove(path);
    rmdir(folder);
    assert_int_equal(arm("place K10 --dry-run --plot /nowhere/at/all.svg"), 1);
    assert_non_null(strstr(ran.told, "/nowhere/at/all.svg can't be written"));
}

// What comes without a plotter, for programs; and that a mere question moves nothing.
static void test_on_paper_for_programs(void **state)
{
    (void)state;
    assert_int_equal(arm("pick 2 --dry-run --json"), 0);
    json_t *all = json_loads(ran.said, 0, NULL);
    assert_non_null(all);
    json_t *jobs = json_object_get(all, "jobs");
    assert_int_equal(json_array_size(jobs), 2);
    const char *name;
    double seconds, sum = 0;
    json_t *code, *job;
    size_t i, k;
    json_array_foreach(jobs, i, job)
    {
        assert_int_equal(
            json_unpack(job, "{s:s, s:F, s:o}", "job", &name, "seconds", &seconds, "gcode", &code),
            0);
        assert_string_equal(name, i == 0 ? "home" : "pick");
        assert_true(json_array_size(code) > 0);
        for (k = 0; k < json_array_size(code); k++)
            assert_true(strchr("G$", json_string_value(json_array_get(code, k))[0]) != NULL);
        sum += seconds;
    }
    double told = json_real_value(json_object_get(all, "seconds"));
    assert_true(told > 1 && fabs(told - sum) < 1e-9);
    json_decref(all);
    assert_int_equal(arm("status --dry-run --json"), 0);
    assert_string_equal(ran.said, "{\"jobs\":[],\"seconds\":0.0}\n");
    assert_int_equal(arm("status --dry-run"), 0);
    assert_non_null(strstr(ran.said, "nothing moves"));
    assert_null(strstr(ran.said, "G53"));
    // The second job of two is impossible: nothing of the first is printed either.
    assert_int_equal(arm("goto -100,-100,-900 --dry-run"), 1);
    assert_string_equal(ran.said, "");
}

static int teardown(void **state)
{
    (void)state;
    program_free(&ran);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_on_paper),
        cmocka_unit_test(test_on_paper_for_programs),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
