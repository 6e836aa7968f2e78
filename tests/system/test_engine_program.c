// The real program: GTP and Gomocup as their managers speak them, time kept, and no way to hang or
// kill it with what it reads.
#include "tests/unit/engine_helper.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rules/engine/gtp_player.h"

static struct gtp_player *player;

static void start(const char *options)
{
    char command[4096];
    struct error err;
    snprintf(command, sizeof command, "%s/tessera-engine %s", getenv("TESSERA_BIN"), options);
    if (gtp_player_new(NULL, command, &player, &err) < 0)
        fail_msg("%s", err.text);
}

static void finish(void)
{
    player = gtp_player_free(player);
}

static const char *ask(const char *command)
{
    static char answer[65536];
    struct error err;
    answer[0] = '\0';
    int r = gtp_player_ask(player, 20 * NS_PER_S, answer, sizeof answer, &err, "%s", command);
    if (r == -EPROTO)
        snprintf(answer, sizeof answer, "? %s", err.text);
    else if (r < 0)
        fail_msg("%s: %s", command, err.text);
    return answer;
}

static void test_gtp(void **state)
{
    (void)state;
    start("--nodes 2000 --seed 1 --hash 16");
    assert_string_equal(ask("protocol_version"), "2");
    assert_string_equal(ask("name"), "Tessera");
    assert_string_equal(ask("known_command genmove"), "true");
    assert_string_equal(ask("known_command dance"), "false");
    assert_string_equal(ask("boardsize 19"), "");
    assert_string_equal(ask("clear_board"), "");
    assert_string_equal(ask("gogui-rules_side_to_move"), "black");
    assert_string_equal(ask("genmove b"), "K10");
    assert_string_equal(ask("gogui-rules_side_to_move"), "white");
    assert_non_null(strstr(ask("play w K10"), "illegal move"));
    assert_non_null(strstr(ask("play b L11"), "illegal move"));
    assert_non_null(strstr(ask("play w Z99"), "syntax error"));
    assert_string_equal(ask("play w L11"), "");
    assert_string_equal(ask("undo"), "");
    assert_string_equal(ask("undo"), "");
    assert_non_null(strstr(ask("undo"), "cannot undo"));
    assert_non_null(strstr(ask("genmove w"), "turn"));
    assert_non_null(strstr(ask("dance"), "unknown command"));
    assert_non_null(strstr(ask("list_commands"), "tessera-analyze"));
    assert_string_equal(ask("tessera-set_game pentago"), "");
    assert_string_equal(ask("gogui-rules_board_size"), "6");
    assert_non_null(strchr(ask("genmove b"), '/'));
    assert_non_null(strstr(ask("tessera-set_game nonsense"), "?"));
    assert_string_equal(ask("tessera-set_game pente size=13"), "");
    assert_string_equal(ask("gogui-rules_board_size"), "13");
    finish();
}

static void test_teach_and_analyze(void **state)
{
    (void)state;
    start("--nodes 20000 --seed 1 --hash 16");
    ask("tessera-set_game pente-free");
    assert_string_equal(ask("gogui-play_sequence b K10 w A1 b L10 w A3 b M10"), "");
    const char *text = ask("tessera-teach");
    assert_non_null(strstr(text, "open three"));
    assert_non_null(strstr(text, "J10"));
    text = ask("tessera-analyze 200 3");
    assert_non_null(strstr(text, "info move"));
    assert_non_null(strstr(text, " pv "));
    finish();
}

static void test_keeps_time(void **state)
{
    (void)state;
    start("--seed 1 --hash 16");
    static const char *const games[] = {"pente", "pentago", "connect6", "pente-team", "boat"};
    for (size_t i = 0; i < sizeof games / sizeof *games; i++) {
        char command[64];
        snprintf(command, sizeof command, "tessera-set_game %s", games[i]);
        ask(command);
        ask("tessera-move_time 100");
        for (int ply = 0; ply < 8; ply++) {
            static const char *const turn[] = {"1", "2"};
            snprintf(command, sizeof command, "genmove %s",
                     i == 3 ? (const char *[]){"1", "2", "3", "4"}[ply % 4] : turn[ply % 2]);
            int64_t start_ns = clock_monotonic_ns();
            ask(command);
            // 20 ms is the promise; a loaded machine under a sanitizer gets more.
            assert_true(clock_monotonic_ns() - start_ns < 1500 * NS_PER_MS);
        }
    }
    ask("tessera-set_game pente");
    assert_non_null(strstr(ask("tessera-clock"), "syntax error"));
    assert_non_null(strstr(ask("tessera-clock_left z 5"), "syntax error"));
    assert_string_equal(ask("tessera-clock 1000 50"), "");
    // Nobody tells the clock: the engine counts for itself.
    int64_t spent_ns = 0;
    for (int ply = 0; ply < 24; ply++) {
        int64_t from_ns = clock_monotonic_ns();
        ask(ply % 2 ? "genmove w" : "genmove b");
        spent_ns += clock_monotonic_ns() - from_ns;
        if (!strstr(ask("gogui-rules_final_result"), "not over"))
            break;
    }
    assert_true(spent_ns < 2 * (1000 + 12 * 50) * NS_PER_MS + NS_PER_S);
    assert_string_equal(ask("clear_board"), "");
    assert_string_equal(ask("tessera-clock_left b 300"), "");
    int64_t hurry_ns = clock_monotonic_ns();
    ask("genmove b");
    assert_true(clock_monotonic_ns() - hurry_ns < 300 * NS_PER_MS + NS_PER_S);
    ask("tessera-set_game pente");
    assert_string_equal(ask("time_settings 2 0 0"), "");
    int64_t start_ns = clock_monotonic_ns();
    ask("genmove b");
    ask("genmove w");
    assert_true(clock_monotonic_ns() - start_ns < 4 * NS_PER_S);
    finish();
}

// Feeds text to the program and returns its exit status; its answers go to *ret (when not NULL).
static int feed(const char *options, const char *text, size_t size, char *ret, size_t ret_size)
{
    int in[2], out[2], status = 0;
    char program[4096];
    snprintf(program, sizeof program, "exec %s/tessera-engine %s", getenv("TESSERA_BIN"), options);
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        for (int fd = 3; fd < 20; fd++)
            close(fd);
        alarm(20);
        execl("/bin/sh", "sh", "-c", program, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    if (!ret)
        close(out[0]); // a reader that went away
    signal(SIGPIPE, SIG_IGN);
    while (size) {
        ssize_t n = write(in[1], text, size);
        if (n <= 0)
            break;
        text += n;
        size -= (size_t)n;
    }
    close(in[1]);
    size_t used = 0;
    for (ssize_t n;
         ret && used < ret_size - 1 && (n = read(out[0], ret + used, ret_size - 1 - used)) > 0;)
        used += (size_t)n;
    if (ret) {
        ret[used] = '\0';
        close(out[0]);
    }
    waitpid(pid, &status, 0);
    return status;
}

static void test_end_of_input(void **state)
{
    (void)state;
    static char answer[65536], text[200000];
    // A script through a pipe is answered whole although the input has ended already.
    const char *script = "1 genmove b\n2 genmove w\n";
    assert_int_equal(feed("--nodes 500", script, strlen(script), answer, sizeof answer), 0);
    assert_non_null(strstr(answer, "=1 K10\n\n"));
    assert_non_null(strstr(answer, "=2 "));
    assert_int_equal(feed("--nodes 500", "", 0, answer, sizeof answer), 0);
    // Nobody reads the answers: the program ends by itself.
    assert_true(WIFEXITED(feed("--nodes 500", script, strlen(script), NULL, 0)));
    // Garbage: bytes of all kinds, and a line that never ends.
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * 7 + i / 251);
    assert_int_equal(feed("--nodes 500", text, 20000, answer, sizeof answer), 0);
    memset(text, 'x', sizeof text);
    assert_int_equal(feed("--nodes 500", text, sizeof text, answer, sizeof answer), 0);
}

static void test_stop(void **state)
{
    (void)state;
    static char answer[65536];
    const char *script = "tessera-move_time 60000\n1 genmove b\nplay w L11\n2 genmove b\n3 stop\n";
    int64_t start_ns = clock_monotonic_ns();
    assert_int_equal(feed("", script, strlen(script), answer, sizeof answer), 0);
    assert_true(clock_monotonic_ns() - start_ns < 30 * NS_PER_S);
    assert_non_null(strstr(answer, "=2 "));
    assert_non_null(strstr(answer, "=3 "));
}

// While it ponders, a command is answered at once, and the end of the input ends it.
static void test_ponder(void **state)
{
    (void)state;
    start("--ponder --time 50 --seed 1 --hash 16");
    assert_string_equal(ask("genmove b"), "K10");
    poll(NULL, 0, 100);
    int64_t start_ns = clock_monotonic_ns();
    assert_string_equal(ask("play w L11"), "");
    assert_true(clock_monotonic_ns() - start_ns < NS_PER_S);
    ask("genmove b");
    finish();
    static char answer[4096];
    assert_int_equal(feed("--ponder --time 20", "genmove b\n", 10, answer, sizeof answer), 0);
}

static void test_gomocup(void **state)
{
    (void)state;
    static char answer[65536];
    const char *script = "ABOUT\nSTART 15\nINFO timeout_turn 50\nBEGIN\nTURN 3,3\nTURN 3,3\n"
                         "BOARD\n7,7,1\n7,8,2\n8,8,1\n8,7,2\nDONE\nTAKEBACK 0,0\nDANCE\n"
                         "RESTART\nEND\n";
    assert_int_equal(feed("--gomocup --hash 16", script, strlen(script), answer, sizeof answer), 0);
    assert_non_null(strstr(answer, "name=\"Tessera\""));
    assert_non_null(strstr(answer, "OK\n"));
    assert_non_null(strstr(answer, "ERROR not a legal move"));
    assert_non_null(strstr(answer, "UNKNOWN DANCE"));
    int moves = 0, x, y;
    for (char *line = strtok(answer, "\n"); line; line = strtok(NULL, "\n"))
        moves += sscanf(line, "%d,%d", &x, &y) == 2 && x >= 0 && x < 15 && y >= 0 && y < 15;
    assert_int_equal(moves, 3);
    script = "INFO game pente\nSTART 19\nINFO timeout_turn 50\nBEGIN\nTURN 10,10\nEND\n";
    assert_int_equal(feed("--gomocup --hash 16", script, strlen(script), answer, sizeof answer), 0);
    assert_non_null(strstr(answer, "9,9\n"));
}

static void test_usage(void **state)
{
    (void)state;
    static char answer[65536];
    assert_int_equal(WEXITSTATUS(feed("--level 11", "", 0, answer, sizeof answer)), 2);
    assert_int_equal(WEXITSTATUS(feed("--variant chess", "", 0, answer, sizeof answer)), 2);
    assert_int_equal(WEXITSTATUS(feed("dance", "", 0, answer, sizeof answer)), 2);
    assert_int_equal(feed("--help", "", 0, answer, sizeof answer), 0);
    assert_non_null(strstr(answer, "Usage"));
    assert_int_equal(feed("perft pente-free 5 3", "", 0, answer, sizeof answer), 0);
    assert_non_null(strstr(answer, "depth 3: leaves 13800 capturing 0 stones 0 wins 0 draws 0"));
    assert_int_equal(feed("playouts pente 20", "", 0, answer, sizeof answer), 0);
    assert_non_null(strstr(answer, "hash="));
    const char *position = "K10 A1 L10 A3 M10 A5\n# comment\nK10 K10\n";
    assert_int_equal(WEXITSTATUS(feed("--nodes 5000 solve pente -", position, strlen(position),
                                      answer, sizeof answer)),
                     1);
    assert_non_null(strstr(answer, "1\twin\t2\t"));
}

// Starts the engine in front of a brain: `script` is a shell script that speaks Gomocup.
static void start_brain(const char *script)
{
    char options[2048];
    snprintf(options, sizeof options, "--time 50 --hash 1 --brain '%s'", script);
    start(options);
}

// A brain that walks down the diagonal from the top left, whatever it is asked.
static void test_brain(void **state)
{
    (void)state;
    start_brain("sh -c \"n=0; while read l; do case \\$l in START*) echo OK;; "
                "BEGIN|TURN*|DONE) n=\\$((n+1)); echo MESSAGE hm; echo \\$n,\\$n;; esac; done\"");
    assert_string_equal(ask("play b K10"), "");
    assert_string_equal(ask("genmove w"), "B18"); // asked with BOARD
    assert_string_equal(ask("play b L11"), "");
    assert_string_equal(ask("genmove w"), "C17"); // with TURN
    assert_string_equal(ask("undo"), "");
    assert_string_equal(ask("genmove w"), "D16");
    assert_string_equal(ask("tessera-set_game gomoku-free"), "");
    assert_string_equal(ask("genmove b"), "E11"); // 15 rows, with BEGIN
    assert_string_equal(ask("tessera-set_game pentago"), "");
    assert_non_null(strstr(ask("genmove b"), "no words for this game"));
    finish();
}

// What a brain does wrong is told, and the game can go on.
static void test_brain_faults(void **state)
{
    (void)state;
    static const struct {
        const char *script, *sentence;
    } faults[] = {
        {"true", "ended unexpectedly"},
        {"no-such-program-as-this", "ended unexpectedly"},
        {"while read l; do case \\$l in START*) echo OK;; TURN*|DONE) echo 9,9;; esac; done",
         "not allowed"},
        {"while read l; do case \\$l in START*) echo OK;; DONE) echo 99,2;; esac; done",
         "off the board"},
        {"while read l; do case \\$l in START*) echo OK;; DONE) echo well;; esac; done",
         "is no move"},
        {"while read l; do case \\$l in START*) echo ERROR none;; esac; done",
         "refuses \"START 19\""},
        {"while read l; do case \\$l in START*) echo OK;; DONE) exit 3;; esac; done",
         "ended unexpectedly"},
        {"while read l; do case \\$l in START*) echo OK;; esac; done", "in time"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char script[512];
        snprintf(script, sizeof script, "sh -c \"%s\"", faults[i].script);
        start_brain(script);
        assert_string_equal(ask("play b K10"), "");
        const char *answer = ask("genmove w");
        if (answer[0] != '?' || !strstr(answer, faults[i].sentence))
            fail_msg("%s: %s", faults[i].script, answer);
        assert_string_equal(ask("play w L11"), "");
        finish();
    }
}

static int run_locked_in(const char *script)
{
    char command[4096];
    snprintf(command, sizeof command, "%s/tessera-engine sandbox sh -c '%s' 2>/dev/null",
             getenv("TESSERA_BIN"), script);
    return system(command); // NOLINT: the test's own words
}

static void test_sandbox(void **state)
{
    (void)state;
    char script[512], folder[] = "/tmp/tessera-sandbox-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(run_locked_in("exit 0"), 0);
    assert_int_equal(run_locked_in("cat /proc/self/stat > /dev/null"), 0);
    assert_int_not_equal(run_locked_in("ulimit -v unlimited"), 0);
    snprintf(script, sizeof script, "echo x > %s/file", folder);
    if (run_locked_in(script) == 0)
        print_message("this kernel has no Landlock: files stay open\n");
    snprintf(script, sizeof script, "%s/file", folder);
    unlink(script);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    if (!getenv("TESSERA_BIN")) {
        print_message("skipped: TESSERA_BIN is not set\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gtp),        cmocka_unit_test(test_teach_and_analyze),
        cmocka_unit_test(test_keeps_time), cmocka_unit_test(test_end_of_input),
        cmocka_unit_test(test_stop),       cmocka_unit_test(test_ponder),
        cmocka_unit_test(test_gomocup),    cmocka_unit_test(test_usage),
        cmocka_unit_test(test_brain),      cmocka_unit_test(test_brain_faults),
        cmocka_unit_test(test_sandbox),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
