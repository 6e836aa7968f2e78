// Engines as the controller talks to them: the real program, and shell scripts that misbehave on
// purpose.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/base/clock.h"
#include "controller/gtp.h"
#include "controller/player_engine.h"

static struct loop *loop;
static char folder[] = "/tmp/tessera-players-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return loop_new_virtual(0, &loop);
}

static int tear_down(void **state)
{
    (void)state;
    loop = loop_free(loop);
    return 0;
}

// --- gtp ---

struct answer {
    int status, count;
    char text[256];
};

static void on_answer(void *user, int status, const char *text)
{
    struct answer *a = user;
    a->status = status;
    a->count++;
    snprintf(a->text, sizeof a->text, "%s", text);
    loop_exit(loop, 0);
}

static struct gtp *start_script(const char *script)
{
    struct gtp *gtp;
    struct error err;
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    assert_int_equal(gtp_start(loop, argv, &gtp, &err), 0);
    return gtp;
}

static struct answer ask(const char *script, int64_t timeout)
{
    struct answer a = {0};
    struct gtp *gtp = start_script(script);
    assert_int_equal(gtp_send(gtp, timeout, on_answer, &a, "genmove b"), 0);
    loop_run(loop);
    gtp_free(gtp);
    assert_int_equal(a.count, 1);
    return a;
}

static void test_gtp_answers(void **state)
{
    (void)state;
    struct answer a = ask("read x; printf '= K10\\n\\n'; read x", NS_PER_S);
    assert_int_equal(a.status, 0);
    assert_string_equal(a.text, "K10");
    a = ask("read x; printf '=12 two\\r\\nlines\\n\\n'; read x", NS_PER_S);
    assert_string_equal(a.text, "two\nlines");
    a = ask("read x; printf '? what is that\\n\\n'; read x", NS_PER_S);
    assert_int_equal(a.status, -EPROTO);
    assert_string_equal(a.text, "what is that");
    // Chatter before the answer does not matter; an answer given at the last moment counts.
    a = ask("echo hello; echo; read x; printf '= K10\\n\\n'", NS_PER_S);
    assert_string_equal(a.text, "K10");
}

static void test_gtp_failures(void **state)
{
    (void)state;
    struct answer a = ask("read x; exit 3", 10 * NS_PER_S);
    assert_int_equal(a.status, -EPIPE);
    assert_string_equal(a.text, "the program sh ended by itself with status 3.");
    a = ask("read x; kill -9 $$", 10 * NS_PER_S);
    assert_non_null(strstr(a.text, "signal 9"));
    a = ask("read x; sleep 30", NS_PER_S / 5);
    assert_int_equal(a.status, -ETIMEDOUT);
    a = ask("yes | tr -d '\\n'", 10 * NS_PER_S);
    assert_int_equal(a.status, -EMSGSIZE);

    struct error err;
    struct gtp *gtp;
    const char *const missing[] = {"/no/such/program", NULL};
    assert_int_equal(gtp_start(loop, missing, &gtp, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/no/such/program"));
}

// Each command that waits is answered once, in order, when the program dies.
static void test_gtp_queue(void **state)
{
    (void)state;
    struct answer a[3] = {0};
    struct gtp *gtp = start_script("read x; read y; printf '= 1\\n\\n'; exit 0");
    for (int i = 0; i < 3; i++)
        assert_int_equal(gtp_send(gtp, 10 * NS_PER_S, on_answer, &a[i], "x%d", i), 0);
    while (!a[2].count)
        loop_run(loop);
    assert_int_equal(a[0].status, 0);
    assert_int_equal(a[1].status, -EPIPE);
    assert_int_equal(a[2].status, -EPIPE);
    assert_false(gtp_alive(gtp));
    assert_int_equal(gtp_send(gtp, NS_PER_S, on_answer, &a[0], "late"), -ENOTCONN);
    gtp_free(gtp);
}

// --- engine player ---

struct moves {
    int count, failures;
    struct move move;
    struct error error;
};

static void on_move(void *user, unsigned seat, struct move move)
{
    struct moves *m = user;
    assert_int_equal(seat, 2);
    m->count++;
    m->move = move;
    loop_exit(loop, 0);
}

static void on_failed(void *user, unsigned seat, const struct error *err)
{
    struct moves *m = user;
    assert_int_equal(seat, 2);
    m->failures++;
    m->error = *err;
    loop_exit(loop, 0);
}

static struct player engine(const char *command, struct moves *m)
{
    struct player player;
    struct error err;
    const struct player_events events = {.move = on_move, .failed = on_failed, .user = m};
    const struct engine_options options = {.command = command, .level = 2, .seed = 1, .threads = 1};
    if (player_engine_new(loop, &options, 2, &events, &player, &err) < 0)
        fail_msg("%s", err.text);
    return player;
}

static void test_engine_plays(void **state)
{
    (void)state;
    struct moves m = {0};
    struct player player = engine("", &m);
    struct game game;
    game_init(&game, variant_find("pente"));
    assert_int_equal(game_play(&game, move_place(0, 9, 9), NULL), REASON_NONE);
    for (int i = 1; i <= 6; i++) {
        player.ops->think(player.impl, &game);
        loop_run(loop);
        if (m.failures)
            fail_msg("%s", m.error.text);
        assert_int_equal(m.count, i);
        assert_int_equal(game_play(&game, m.move, NULL), REASON_NONE);
        player.ops->follow(player.impl, &game);
        if (game.result.over)
            break;
        if (i == 3) { // taken back: the engine has to follow
            assert_true(game_undo(&game));
            assert_true(game_undo(&game));
            player.ops->follow(player.impl, &game);
        }
    }
    player_free(&player);
}

static void test_engine_fails(void **state)
{
    (void)state;
    struct game game;
    game_init(&game, variant_find("pente"));
    assert_int_equal(game_play(&game, move_place(0, 9, 9), NULL), REASON_NONE);
    char script[64];
    snprintf(script, sizeof script, "%s/engine", folder);
    static const struct {
        const char *genmove, *says;
    } cases[] = {
        {"echo '= K10'", "which is not allowed"},
        {"echo '= hello'", "which is no move"},
        {"echo '? no'", "does not understand"},
        {"exit 1", "ended by itself"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FILE *f = fopen(script, "we");
        assert_non_null(f);
        fprintf(f,
                "#!/bin/sh\nwhile read c x; do case $c in genmove) %s; echo;; *) echo '='; echo;; "
                "esac; done\n",
                cases[i].genmove);
        fclose(f);
        char command[80];
        snprintf(command, sizeof command, "/bin/sh %s", script);
        struct moves m = {0};
        struct player player = engine(command, &m);
        for (int tries = 1; tries <= 2; tries++) { // and again: it is started anew
            player.ops->think(player.impl, &game);
            loop_run(loop);
            assert_int_equal(m.count, 0);
            assert_int_equal(m.failures, tries);
            if (!strstr(m.error.text, cases[i].says) && i != 2)
                fail_msg("%s", m.error.text);
        }
        player_free(&player);
    }
    unlink(script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_gtp_answers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gtp_failures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gtp_queue, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_engine_plays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_engine_fails, set_up, tear_down),
    };
    signal(SIGPIPE, SIG_IGN);
    if (!mkdtemp(folder))
        return 1;
    int r = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) || r;
}
