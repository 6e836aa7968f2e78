// The rules daemon as the controller talks to it: the real program, and one that dies when it is
// told to.
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

#include "controller/child.h"
#include "controller/referee.h"
#include "rules/notation.h"
#include "tests/unit/mortal_rulesd.h"

static struct loop *loop;
static char folder[] = "/tmp/tessera-referee-XXXXXX";

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_house_rules, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_referee, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_referee_reads_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_referee_looks_before_it_repeats, set_up, tear_down),
    };
    signal(SIGPIPE, SIG_IGN);
    if (!mkdtemp(folder))
        return 1;
    int r = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) || r;
}
