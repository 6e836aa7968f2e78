// Whole games by the command line: one that is the same every time, and one with a person typing.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "tests/system/program.h"

static char folder[] = "/tmp/tessera-play-XXXXXX";

static char *play_auto(const char *state)
{
    struct program p;
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, state);
    const char *const arguments[] = {"play", "--sim",   "--auto", "--seed", "25",      "--level",
                                     "1",    "--state", path,     "--json", "--quiet", NULL};
    int code = program_run(&p, "tessera", arguments, 300);
    if (code != 0)
        fail_msg("exit %d: %s", code, p.told);
    char *said = strdup(p.said);
    program_free(&p);
    return said;
}

static void test_same_seed_same_game(void **state)
{
    (void)state;
    char *first = play_auto("one"), *second = play_auto("two");
    assert_string_equal(first, second);
    json_t *result = json_loads(first, 0, NULL);
    assert_non_null(result);
    assert_true(json_array_size(json_object_get(result, "moves")) >= 9);
    assert_true(json_integer_value(json_object_get(result, "winner")) > 0);
    assert_int_equal(json_array_size(json_object_get(result, "board")), 19);
    json_decref(result);
    free(first);
    free(second);
}

// On the real clock: a stone, the robot's answer, a word it does not know, and giving up.
static void test_typed_game(void **state)
{
    (void)state;
    struct program p;
    char path[64];
    snprintf(path, sizeof path, "%s/typed", folder);
    const char *const arguments[] = {"play",   "--sim",   "--level", "1", "--seat",
                                     "second", "--state", path,      NULL};
    program_start(&p, "tessera", arguments);
    assert_true(program_expect(&p, "your move, blue", 90));
    program_type(&p, "help\nnonsense\nT20\nK10\n");
    assert_true(program_expect(&p, "retry          try again", 10));
    assert_true(program_expect(&p, "\"nonsense\" is neither a point", 10));
    assert_true(program_expect(&p, "  1. X blue K10", 60));
    assert_true(program_expect(&p, "placing a red stone on", 60));
    program_type(&p, "K10\n");
    assert_true(program_expect(&p, "K10 is occupied", 10));
    program_type(&p, "draw\n");
    assert_true(program_expect(&p, "a draw is offered, until the next move", 10));
    program_type(&p, "undo\n");
    assert_true(program_expect(&p, "the last 2 moves are taken back", 10));
    program_type(&p, "resign\n");
    int code = program_wait(&p, 120);
    if (code != 0)
        fail_msg("exit %d: %s", code, p.told);
    assert_non_null(strstr(p.said, "wins (resign)"));
    program_free(&p);
}

// Typed ahead, as from a file: each word waits for its turn, and the end of them stops the game.
static void test_typed_ahead(void **state)
{
    (void)state;
    struct program p;
    char path[64];
    snprintf(path, sizeof path, "%s/ahead", folder);
    const char *const arguments[] = {"play",   "--sim",   "--level", "1", "--seat",
                                     "second", "--state", path,      NULL};
    program_start(&p, "tessera", arguments);
    program_type(&p, "K10\nD4\n");
    close(p.in);
    p.in = -1;
    assert_int_equal(program_wait(&p, 200), 3);
    assert_non_null(strstr(p.told, "  3. X blue D4"));
    assert_non_null(strstr(p.told, "  4. O red"));
    assert_non_null(strstr(p.told, "--resume` goes on with this game"));
    assert_null(strstr(p.told, "not your turn"));
    // The stone that waits on the cup would fall when the program ends.
    const char *last = strstr(p.told, "  4. O red");
    if (strstr(last, "taking the next red stone"))
        assert_non_null(strstr(last, "puts the stone on its cup away first"));
    else
        assert_null(strstr(last, "puts the stone on its cup away first"));
    program_free(&p);
}

// Giving up waits as well: it does not overtake the moves that were typed before it.
static void test_resign_ahead(void **state)
{
    (void)state;
    struct program p;
    char path[64];
    snprintf(path, sizeof path, "%s/resign", folder);
    // Settings that mean the simulated table are as good as --sim.
    const char *const arguments[] = {"play",
                                     "--set",
                                     "camera.source=sim",
                                     "--set",
                                     "serial.port=sim",
                                     "--set",
                                     "gpio.backend=sim",
                                     "--level",
                                     "1",
                                     "--seat",
                                     "second",
                                     "--state",
                                     path,
                                     NULL};
    program_start(&p, "tessera", arguments);
    program_type(&p, "K10\nresign\n");
    close(p.in);
    p.in = -1;
    assert_int_equal(program_wait(&p, 200), 0);
    assert_non_null(strstr(p.told, "  1. X blue K10"));
    assert_non_null(strstr(p.said, "wins (resign)"));
    program_free(&p);
    // The next one is the robot's to begin, if it is to alternate.
    const char *const next[] = {"play",      "--sim",   "--level", "1", "--seat",
                                "alternate", "--state", path,      NULL};
    program_start(&p, "tessera", next);
    assert_true(program_expect(&p, "level 1 is thinking", 90));
    assert_null(strstr(p.told, "your move"));
    program_type(&p, "quit\n");
    assert_int_equal(program_wait(&p, 60), 3);
    program_free(&p);
}

// The arm lays the marble, somebody else turns the block that it names. Where the settings name no
// board, the simulated table brings the one that is sold for this game.
static void test_pentago(void **state)
{
    (void)state;
    struct program p;
    char path[64];
    snprintf(path, sizeof path, "%s/pentago", folder);
    const char *const arguments[] = {"play", "--sim",  "--auto", "--variant", "pentago", "--level",
                                     "2",    "--seed", "3",      "--state",   path,      NULL};
    program_start(&p, "tessera", arguments);
    assert_int_equal(program_wait(&p, 200), 0);
    assert_non_null(strstr(p.told, "please turn block "));
    assert_non_null(strstr(p.told, "placing a white marble"));
    assert_non_null(strstr(p.said, "block 1  block 2"));
    assert_non_null(strstr(p.said, "0 questions"));
    assert_null(strstr(p.said, "captured"));
    program_free(&p);
}

static const char *last_of(const char *text, const char *what)
{
    const char *last = NULL;
    for (const char *at = text; (at = strstr(at, what)); at++)
        last = at;
    return last;
}

// Offering a draw or giving up while a block is to be turned is nothing the arm has to lay anew. On
// a sheet of lines.
static void test_pentago_draw_and_resign(void **state)
{
    (void)state;
    struct program p;
    char path[64];
    snprintf(path, sizeof path, "%s/turning", folder);
    const char *const arguments[] = {
        "play",  "--sim",           "--variant", "pentago",      "--level", "3",  "--seed", "8",
        "--set", "board.columns=6", "--set",     "board.rows=6", "--state", path, NULL};
    program_start(&p, "tessera", arguments);
    program_type(&p, "2/4\n");
    assert_true(program_expect(&p, "please turn block ", 120));
    program_type(&p, "draw\n");
    assert_true(program_expect(&p, "a draw is offered", 20));
    assert_true(program_expect(&p, "your move", 120));
    program_type(&p, "2/6\n");
    assert_true(program_expect(&p, "please turn block ", 120));
    program_type(&p, "resign\n");
    assert_int_equal(program_wait(&p, 120), 0);
    assert_null(strstr(p.told, "lifting"));
    // Nobody had to turn the block first.
    const char *asked = last_of(p.told, "please turn block ");
    assert_null(strstr(asked, "turns the block"));
    program_free(&p);
}

// The one who comes second is told who is there, and disturbs nobody.
static void test_second_start(void **state)
{
    (void)state;
    struct program first, second;
    char path[64];
    snprintf(path, sizeof path, "%s/twice", folder);
    const char *const arguments[] = {"play", "--sim", "--state", path, NULL};
    program_start(&first, "tessera", arguments);
    assert_true(program_expect(&first, "stopped:", 60));
    assert_int_equal(program_run(&second, "tessera", arguments, 30), 1);
    assert_non_null(strstr(second.told, "another tessera is playing"));
    program_free(&second);
    program_type(&first, "quit\n");
    assert_int_equal(program_wait(&first, 60), 3);
    program_free(&first);
}

static void assert_exit(int expected, const char *says, const char *const *arguments)
{
    struct program p;
    int code = program_run(&p, "tessera", arguments, 30);
    if (code != expected || (says && !strstr(p.told, says) && !strstr(p.said, says)))
        fail_msg("exit %d (expected %d): %s%s", code, expected, p.said, p.told);
    program_free(&p);
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_wrong_use(void **state)
{
    (void)state;
    char path[80];
    snprintf(path, sizeof path, "%s/none", folder);
    assert_exit(2, "there is no command \"dance\"", ARGS("dance"));
    assert_exit(2, "--auto needs the simulated table", ARGS("play", "--auto"));
    assert_exit(2, "--level takes a whole number from 1 to 10", ARGS("play", "--level", "99"));
    assert_exit(2, "there is no option --wheel", ARGS("play", "--wheel"));
    assert_exit(2, "--seat is the robot's",
                ARGS("play", "--sim", "--seat", "middle", "--state", path));
    assert_exit(2, "There is no game called \"chess\"", ARGS("play", "--variant", "chess"));
    assert_exit(2, "boards this robot plays on have 6 to 19 lines",
                ARGS("play", "--sim", "--variant", "pente; size=5"));
    assert_exit(2, "but this board has 19 x 19", ARGS("play", "--variant", "pente; size=13"));
    assert_exit(2, "the command comes first", ARGS("--sim", "play"));
    assert_exit(2, "status takes no argument such as \"now\"", ARGS("status", "now"));
    assert_exit(0, "Usage: tessera play", ARGS("--", "play", "-h"));
    assert_exit(2, "board.pitch_x", ARGS("play", "--set", "board.pitch_x=hello"));
    assert_exit(0, "Usage: tessera play", ARGS("play", "--help"));
    assert_exit(0, "tessera 0.", ARGS("--version"));
    assert_exit(0, "digraph tessera", ARGS("graph"));
    assert_exit(1, "ended by itself",
                ARGS("play", "--sim", "--auto", "--set", "engine.command=false", "--state", path));
    assert_exit(1, "ended unexpectedly",
                ARGS("play", "--sim", "--auto", "--set", "engine.protocol=gomocup", "--set",
                     "engine.command=false", "--state", path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_use),    cmocka_unit_test(test_same_seed_same_game),
        cmocka_unit_test(test_typed_game),   cmocka_unit_test(test_typed_ahead),
        cmocka_unit_test(test_resign_ahead), cmocka_unit_test(test_second_start),
        cmocka_unit_test(test_pentago),      cmocka_unit_test(test_pentago_draw_and_resign),
    };
    signal(SIGPIPE, SIG_IGN);
    if (!mkdtemp(folder))
        return 1;
    int r = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) || r;
}
