// Matches between programs: foreign players sit in the sandbox, and whatever one of them does wrong
// is told in a sentence, costs what was chosen, and ends nothing else.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

// A GTP program that agrees to everything; what it does when asked for a move is the argument.
#define FOREIGN(ANSWER)                                                                            \
    "sh -c \"while read l; do case \\$l in genmove*) " ANSWER ";; *) printf \\\"= \\n\\n\\\";; "   \
    "esac; done\""

// The address sanitizer's shadow does not fit into the sandbox's memory: our own engine would not
// start there.
#if defined(__SANITIZE_ADDRESS__)
#define ROOM "--open"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ROOM "--open"
#endif
#endif
#ifndef ROOM
#define ROOM ""
#endif

// Runs a match of one pair against the foreign program. Returns the exit status; *ret is what was
// printed, complaints included.
static int run(const char *options, const char *foreign, char *ret, size_t size)
{
    const char *bin = getenv("TESSERA_BIN");
    static char command[16384];
    snprintf(command, sizeof command,
             "exec %s/tessera-arena --pairs 1 --time 10 " ROOM
             " %s '%s/tessera-engine --hash 4' '%s' 2>&1",
             bin, options, bin, foreign);
    FILE *pipe = popen(command, "r"); // NOLINT: the test's own words
    assert_non_null(pipe);
    size_t used = fread(ret, 1, size - 1, pipe);
    ret[used] = '\0';
    return WEXITSTATUS(pclose(pipe));
}

static int count(const char *text, const char *word)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        found++;
    return found;
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *options, *answer, *sentence;
    } faults[] = {
        {"", FOREIGN("kill -SEGV \\$\\$"), "crashed"},
        {"", FOREIGN("exit 3"), "exit status 3"},
        {"", FOREIGN("printf \\\"= Z99\\n\\n\\\""), "is no move"},
        {"", FOREIGN("printf \\\"= A1\\n\\n\\\""), "not allowed"}, // once it is taken
        {"--patience 300", FOREIGN("sleep 100"), "in time"},
        {"", "no-such-program-as-this", "ended unexpectedly"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        static char text[65536];
        int status = run(faults[i].options, faults[i].answer, text, sizeof text);
        if (status != 1 || !strstr(text, faults[i].sentence) || !strstr(text, "A: +2 -0 =0"))
            fail_msg("%s: status %d, %s", faults[i].answer, status, text);
    }
}

static void test_choices(void **state)
{
    (void)state;
    static char text[65536];
    assert_int_equal(run("--fault again", FOREIGN("exit 3"), text, sizeof text), 1);
    assert_int_equal(count(text, "exit status 3"), 6); // two games, three times each
    assert_int_equal(count(text, "once more"), 4);
    assert_int_equal(run("--fault stop", FOREIGN("exit 3"), text, sizeof text), 1);
    assert_int_equal(count(text, "exit status 3"), 1);
    assert_non_null(strstr(text, "The match ends here"));
    assert_non_null(strstr(text, "A: +1 -0 =0  faults A 0 B 1"));
    assert_int_equal(run("--fault maybe", "true", text, sizeof text), 2);
}

// What a player writes to a file stays unwritten, unless it was let out.
static void test_sandboxed(void **state)
{
    (void)state;
    static char text[65536];
    char folder[] = "/tmp/tessera-arena-XXXXXX", file[64], foreign[512];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/mark", folder);
    snprintf(foreign, sizeof foreign, FOREIGN("echo x 2>/dev/null > %s; exit 1"), file);
    if (ROOM[0]) {
        print_message("a sanitized program needs more memory than the sandbox gives\n");
        skip();
    }
    run("", foreign, text, sizeof text);
    if (access(file, F_OK) == 0)
        print_message("this kernel has no Landlock: files stay open\n");
    unlink(file);
    run("--open", foreign, text, sizeof text);
    assert_int_equal(access(file, F_OK), 0);
    unlink(file);
    assert_int_equal(rmdir(folder), 0);
}

static void test_a_real_match(void **state)
{
    (void)state;
    static char text[65536], engine[8192];
    snprintf(engine, sizeof engine, "%s/tessera-engine --hash 4 --level 1 --seed 1",
             getenv("TESSERA_BIN"));
    assert_int_equal(run("--games", engine, text, sizeof text), 0);
    assert_int_equal(count(text, "[A B \"") + count(text, "[B A \""), 2);
    assert_non_null(strstr(text, "score"));
}

int main(void)
{
    if (!getenv("TESSERA_BIN")) {
        print_message("skipped: TESSERA_BIN is not set\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_sandboxed),
        cmocka_unit_test(test_a_real_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
