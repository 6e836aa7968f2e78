// Engines and the rules daemon as the controller talks to them: the real programs, and shell
// scripts that misbehave on purpose.
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
#include "controller/child.h"
#include "controller/gtp.h"
#include "controller/player_engine.h"
#include "controller/referee.h"
#include "controller/robot_log.h"
#include "rules/notation.h"
#include "tests/unit/mortal_rulesd.h"

static struct loop *loop;
static char folder[] = "/tmp/tessera-peers-XXXXXX";

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

// --- referee ---

struct judged {
    int count;
    bool failed;
    struct error error;
    struct rules_effect effect;
    bool has_effect;
};

static void on_judged(void *user, const struct rules_effect *effect, const struct error *err)
{
    struct judged *j = user;
    j->count++;
    j->failed = err != NULL;
    if (err)
        j->error = *err;
    j->has_effect = effect != NULL;
    if (effect)
        j->effect = *effect;
    loop_exit(loop, 0);
}

static struct referee *open_referee_by(const char *program)
{
    struct referee *referee;
    struct error err;
    const struct rules_client_settings settings = {
        .state = folder, .program = program, .name = "test", .only_spawn = true};
    if (referee_new(loop, &settings, &referee, &err) < 0)
        fail_msg("%s", err.text);
    return referee;
}

static struct referee *open_referee(void)
{
    struct error err;
    static char program[CHILD_PATH_MAX];
    assert_int_equal(child_find_program("tessera-rulesd", program, &err), 0);
    return open_referee_by(program);
}

static struct referee *open_mortal_referee(void)
{
    static char script[96];
    char program[CHILD_PATH_MAX];
    struct error err;
    assert_int_equal(child_find_program("tessera-rulesd", program, &err), 0);
    snprintf(script, sizeof script, "%s/mortal", folder);
    mortal_rulesd_write(folder, "mortal", program);
    return open_referee_by(script);
}

static void play_text(struct referee *referee, const char *text, struct judged *j)
{
    struct move move;
    assert_true(move_parse(&referee_game(referee)->rules, text, strlen(text), &move));
    assert_int_equal(referee_play(referee, move, on_judged, j), 0);
    assert_int_equal(referee_play(referee, move, on_judged, j), -EBUSY);
    loop_run(loop);
}

// House rules reach the daemon, and come back with the game.
static void test_house_rules(void **state)
{
    (void)state;
    struct judged j = {0};
    struct referee *referee = open_referee();
    assert_int_equal(referee_begin(referee, "pente; size", NULL, 0, on_judged, &j), 0);
    loop_run(loop);
    assert_true(j.failed);
    assert_int_equal(referee_begin(referee, "pente; title=One Pair; size=9; goal=2; capture=2,3",
                                   NULL, 0, on_judged, &j),
                     0);
    loop_run(loop);
    assert_false(j.failed);
    const struct variant *rules = &referee_game(referee)->rules;
    assert_string_equal(rules->name, "pente");
    assert_string_equal(rules->title, "One Pair");
    assert_int_equal(rules->size, 9);
    assert_int_equal(rules->goal, 2);
    assert_int_equal(rules->capture, 1 << 2 | 1 << 3);
    static const char *const moves[] = {"E5", "F5", "A1", "G5", "H5"};
    for (int i = 0; i < 5; i++)
        play_text(referee, moves[i], &j);
    assert_true(referee_game(referee)->result.over);
    assert_int_equal(referee_game(referee)->result.winner, 1);
    referee_free(referee);
}

static void test_referee(void **state)
{
    (void)state;
    struct judged j = {0};
    struct referee *referee = open_referee();
    assert_int_equal(referee_begin(referee, "no-such-game", NULL, 0, on_judged, &j), 0);
    loop_run(loop);
    assert_true(j.failed);
    assert_string_equal(j.error.code, "UnknownVariant");
    assert_int_equal(referee_begin(referee, "pente", NULL, 0, on_judged, &j), 0);
    loop_run(loop);
    assert_false(j.failed);
    static const char *const moves[] = {"K10", "L10", "A1", "M10", "N10"};
    for (int i = 0; i < 5; i++) {
        play_text(referee, moves[i], &j);
        if (j.failed)
            fail_msg("%s", j.error.text);
    }
    assert_true(j.has_effect);
    assert_int_equal(j.effect.effect.captured_count, 2);
    assert_int_equal(referee_game(referee)->ply, 5);
    play_text(referee, "N10", &j);
    assert_true(j.failed);
    assert_string_equal(j.error.code, "IllegalMove");
    assert_int_equal(referee_game(referee)->ply, 5);
    assert_int_equal(referee_undo(referee, 1, on_judged, &j), 0);
    loop_run(loop);
    assert_int_equal(referee_game(referee)->ply, 4);
    assert_int_equal(game_at(referee_game(referee), 10, 9), 2);
    char name[RULES_GAME_NAME_MAX];
    (void)snprintf(name, sizeof name, "%s", referee_state(referee)->game);
    referee_free(referee);

    // Another day, the same game.
    referee = open_referee();
    assert_int_equal(referee_continue(referee, name, on_judged, &j), 0);
    loop_run(loop);
    assert_false(j.failed);
    assert_int_equal(referee_game(referee)->ply, 4);
    referee_resign(referee, 1, on_judged, &j);
    loop_run(loop);
    assert_true(referee_game(referee)->result.over);
    assert_int_equal(referee_game(referee)->result.winner, 2);
    referee_free(referee);
}

static void assert_stale(struct referee *referee)
{
    struct move move = {.kind = MOVE_PLACE};
    assert_true(referee_stale(referee));
    assert_int_equal(referee_play(referee, move, NULL, NULL), -ESTALE);
    assert_int_equal(referee_undo(referee, 1, NULL, NULL), -ESTALE);
    assert_int_equal(referee_resign(referee, 1, NULL, NULL), -ESTALE);
    assert_int_equal(referee_draw(referee, 1, NULL, NULL), -ESTALE);
}

// Given up, it may have been done or not: nothing is built on that before the game has been read.
static void test_referee_reads_anew(void **state)
{
    (void)state;
    static const char *const deaths[] = {"deaf", "dumb"};
    for (int d = 0; d < 2; d++) {
        struct judged j = {0};
        struct referee *referee = open_mortal_referee();
        assert_int_equal(referee_begin(referee, "pente", NULL, 0, on_judged, &j), 0);
        loop_run(loop);
        play_text(referee, "K10", &j);
        assert_false(j.failed);
        mortal_rulesd_touch(folder, "for-good");
        mortal_rulesd_touch(folder, deaths[d]);
        assert_int_equal(referee_undo(referee, 1, on_judged, &j), 0);
        loop_run(loop);
        assert_true(j.failed);
        assert_stale(referee);
        const char *name = referee_state(referee)->game;
        assert_int_equal(referee_continue(referee, name, on_judged, &j), 0);
        loop_run(loop);
        assert_true(j.failed);
        assert_stale(referee);
        mortal_rulesd_remove(folder, deaths[d]);
        mortal_rulesd_remove(folder, "for-good");
        assert_int_equal(referee_continue(referee, name, on_judged, &j), 0);
        loop_run(loop);
        assert_false(j.failed);
        assert_false(referee_stale(referee));
        assert_int_equal(referee_game(referee)->entries, d == 0 ? 1 : 0);
        play_text(referee, "A1", &j);
        assert_int_equal(j.failed, d == 1); // the first stone belongs on the centre
        assert_false(referee_stale(referee));
        referee_free(referee);
    }
}

// What can't be said twice is done once, whether or not it was done when the daemon died.
static void test_referee_looks_before_it_repeats(void **state)
{
    (void)state;
    static const char *const deaths[] = {"deaf", "dumb"};
    static const char *const moves[] = {"K10", "L10", "A1"};
    for (int d = 0; d < 2; d++) {
        struct judged j = {0};
        struct referee *referee = open_mortal_referee();
        assert_int_equal(referee_begin(referee, "pente", NULL, 0, on_judged, &j), 0);
        loop_run(loop);
        for (int i = 0; i < 3; i++)
            play_text(referee, moves[i], &j);
        assert_int_equal(referee_game(referee)->ply, 3);
        mortal_rulesd_touch(folder, deaths[d]);
        assert_int_equal(referee_undo(referee, 1, on_judged, &j), 0);
        loop_run(loop);
        if (j.failed)
            fail_msg("%s: %s", deaths[d], j.error.text);
        assert_int_equal(referee_game(referee)->ply, 2);
        mortal_rulesd_touch(folder, deaths[d]);
        assert_int_equal(referee_draw(referee, 1, on_judged, &j), 0);
        loop_run(loop);
        assert_false(j.failed);
        assert_int_equal(referee_state(referee)->draw_offers, 1 << 1);
        mortal_rulesd_touch(folder, deaths[d]);
        assert_int_equal(referee_resign(referee, 1, on_judged, &j), 0);
        loop_run(loop);
        if (j.failed)
            fail_msg("%s: %s", deaths[d], j.error.text);
        assert_int_equal(referee_game(referee)->result.winner, 2);
        referee_free(referee);
    }
}

// --- robot's log ---

static struct robot_log_past past_of(const char *path)
{
    struct robot_log *log;
    struct robot_log_past past;
    struct error err;
    if (robot_log_open(path, &log, &past, &err) < 0)
        fail_msg("%s", err.text);
    robot_log_free(log);
    return past;
}

static void test_robot_log(void **state)
{
    (void)state;
    char path[64];
    struct error err;
    struct robot_log *log, *second;
    struct robot_log_past past;
    snprintf(path, sizeof path, "%s/robot", folder);
    assert_int_equal(robot_log_look(path, &past, &err), -ENOENT);
    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_false(past.open);
    assert_int_equal(robot_log_open(path, &second, &past, &err), -EBUSY);
    assert_int_equal(robot_log_look(path, &past, &err), -EBUSY);
    struct robot_log_game game = {
        .game = "g7", .variant = "pente", .robot_seats = 2, .level = 3, .seed = 99, .sim = true};
    assert_int_equal(robot_log_begin(log, &game, &err), 0);
    assert_int_equal(robot_log_intent(log, "placing a red stone on \"K10\"", 2, true, &err), 0);
    robot_log_free(log);

    // Looking leaves it to the next program to note that the stone has fallen.
    assert_int_equal(robot_log_look(path, &past, &err), 0);
    assert_true(past.open && past.step_open && past.held);
    past = past_of(path);
    assert_true(past.open && past.step_open && past.held);
    assert_int_equal(past.colour, 2);
    assert_string_equal(past.step, "placing a red stone on \"K10\"");
    assert_string_equal(past.game.game, "g7");
    assert_int_equal(past.game.robot_seats, 2);
    assert_int_equal(past.game.seed, 99);
    assert_true(past.game.sim);
    assert_false(past.game.automatic);

    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_done(log, false, &err), 0);
    robot_log_free(log);
    past = past_of(path);
    // The program after that lost nothing; but where the one before left its stone nobody has seen.
    assert_true(past.open && !past.step_open && !past.held);
    assert_int_equal(past.fallen, 1u << 2);
    assert_string_equal(past.pending, "");
    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_seen(log, &err), 0);
    robot_log_free(log);
    assert_int_equal(past_of(path).fallen, 0);

    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_intent(log, "lifting the blue stone off E5", 1, false, &err), 0);
    assert_int_equal(robot_log_done(log, true, &err), 0);
    assert_int_equal(robot_log_fell(log, 1, false, &err), 0);
    assert_int_equal(robot_log_change(log, "..1..", &err), 0);
    robot_log_free(log);
    past = past_of(path);
    // Nobody has seen where it lies since, nor what of the change has been done.
    assert_true(!past.step_open && !past.held && past.changed);
    assert_int_equal(past.fallen, 1u << 1);
    assert_string_equal(past.pending, "..1..");

    // Two of two colours fell, the last while nobody knew its own; one of them was found.
    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_seen(log, &err), 0);
    assert_int_equal(robot_log_fell(log, 1, false, &err), 0);
    assert_int_equal(robot_log_fell(log, 0, true, &err), 0);
    assert_int_equal(robot_log_fell(log, 2, false, &err), 0);
    assert_int_equal(robot_log_found(log, 2, "1.2..", &err), 0);
    robot_log_free(log);
    past = past_of(path);
    assert_int_equal(past.fallen, 1u << 1 | 1u << 0);
    assert_string_equal(past.pending, "1.2..");
    assert_false(past.changed); // the game was not

    // A line that the power cut short is put aside.
    char file[80];
    snprintf(file, sizeof file, "%s/journal.jsonl", path);
    FILE *f = fopen(file, "ae");
    fputs("{\"seq\":10,\"safe\":9,\"do\":\"end\"", f);
    fclose(f);
    past = past_of(path);
    assert_true(past.open && past.torn);
    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_seen(log, &err), 0);
    robot_log_free(log);
    past = past_of(path);
    assert_true(past.open && !past.fallen);
    assert_string_equal(past.pending, "");
    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_end(log, &err), 0);
    robot_log_free(log);
    assert_false(past_of(path).open);
}

// Stopped before it heard whether the rules took moves back: the length of the game tells.
static void test_robot_log_undo(void **state)
{
    (void)state;
    char path[64];
    struct error err;
    struct robot_log *log;
    struct robot_log_past past;
    const struct robot_log_game game = {.game = "g8", .variant = "pente", .robot_seats = 1};
    snprintf(path, sizeof path, "%s/robot", folder);
    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_begin(log, &game, &err), 0);
    assert_int_equal(robot_log_change(log, "1....", &err), 0);
    assert_int_equal(robot_log_undo(log, 4, "1.2..", &err), 0);
    robot_log_free(log);
    past = past_of(path);
    assert_true(past.undo_open);

    struct robot_log_past refused = past;
    assert_int_equal(robot_log_open(path, &log, &refused, &err), 0);
    assert_int_equal(robot_log_settle_undo(log, &refused, 6, &err), 0);
    assert_string_equal(refused.pending, "1....");
    robot_log_free(log);
    past = past_of(path); // and the program after that need not ask
    assert_false(past.undo_open);
    assert_string_equal(past.pending, "1....");

    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_undo(log, 4, "1.2..", &err), 0);
    robot_log_free(log);
    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_settle_undo(log, &past, 4, &err), 0);
    assert_string_equal(past.pending, "1.2..");
    assert_int_equal(robot_log_settle_undo(log, &past, 9, &err), 0); // settled is settled
    assert_string_equal(past.pending, "1.2..");
    robot_log_free(log);
    past = past_of(path);
    assert_false(past.undo_open);
    assert_string_equal(past.pending, "1.2..");

    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_undo(log, 2, "..2..", &err), 0);
    assert_int_equal(robot_log_seen(log, &err), 0);
    robot_log_free(log);
    past = past_of(path);
    assert_false(past.undo_open);
    assert_string_equal(past.pending, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_gtp_answers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gtp_failures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gtp_queue, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_engine_plays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_engine_fails, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_referee, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_referee_looks_before_it_repeats, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_referee_reads_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_house_rules, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_robot_log, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_robot_log_undo, set_up, tear_down),
    };
    signal(SIGPIPE, SIG_IGN);
    if (!mkdtemp(folder))
        return 1;
    int r = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) || r;
}
