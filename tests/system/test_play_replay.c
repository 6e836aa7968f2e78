// Every recorded session in tests/sessions, through the same code again: the decisions must be
// those that were recorded. A session that was tampered with must be told from a good one.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/system/program.h"

static int replay(const char *folder, const char *option, char *told, size_t size)
{
    struct program p;
    const char *const arguments[] = {"replay", folder, option, NULL};
    int code = program_run(&p, "tessera", arguments, 120);
    snprintf(told, size, "%s", p.told);
    program_free(&p);
    return code;
}

static const char *sessions(void)
{
    static char path[4096];
    const char *tests = getenv("TESSERA_TESTS");
    snprintf(path, sizeof path, "%s/sessions", tests ? tests : "tests");
    return path;
}

static void test_all_sessions(void **state)
{
    (void)state;
    char folder[4608], told[4096];
    int count = 0;
    DIR *dir = opendir(sessions());
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        snprintf(folder, sizeof folder, "%s/%s/events.jsonl", sessions(), entry->d_name);
        if (access(folder, R_OK) < 0)
            continue;
        snprintf(folder, sizeof folder, "%s/%s", sessions(), entry->d_name);
        if (replay(folder, "--check", told, sizeof told) != 0)
            fail_msg("%s: %s", entry->d_name, told);
        count++;
    }
    closedir(dir);
    assert_true(count >= 13);
}

static void run(const char *format, const char *a, const char *b)
{
    char command[9000];
    snprintf(command, sizeof command, format, a, b);
    assert_int_equal(system(command), 0);
}

// One move of the engine changed in the recording: the robot must notice that all comes out
// otherwise, and --bless must make it the new truth.
static void test_changed_session(void **state)
{
    (void)state;
    char folder[] = "/tmp/tessera-replay-XXXXXX", copy[64], told[4096];
    assert_non_null(mkdtemp(folder));
    snprintf(copy, sizeof copy, "%s/game", folder);
    run("cp -r '%s/first-game' '%s'", sessions(), copy);
    run("sed -i '1,/\"ch\":\"player\"/s/\"move\":\"[A-T][0-9]*\"/\"move\":\"A1\"/' "
        "'%s/events.jsonl'%s",
        copy, "");
    assert_int_equal(replay(copy, "--check", told, sizeof told), 1);
    assert_non_null(strstr(told, "expected {\"move\":"));
    run("cp '%s/first-game/events.jsonl' '%s/events.jsonl'", sessions(), copy);
    run("head -n 20 '%s/expected.jsonl' > '%s.short'", copy, copy);
    run("mv '%s.short' '%s/expected.jsonl'", copy, copy);
    assert_int_equal(replay(copy, "--check", told, sizeof told), 1);
    assert_int_equal(replay(copy, "--bless", told, sizeof told), 0);
    assert_int_equal(replay(copy, "--check", told, sizeof told), 0);
    // A recording whose picture was damaged is refused with its line.
    run("printf 'XXXX' | dd of='%s/frames.mjpeg' bs=1 seek=5000 conv=notrunc status=none%s", copy,
        "");
    assert_int_equal(replay(copy, "--check", told, sizeof told), 1);
    assert_non_null(strstr(told, "events.jsonl:"));
    run("rm -rf '%s'%s", folder, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_sessions),
        cmocka_unit_test(test_changed_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
