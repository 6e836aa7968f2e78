// How a game ends by a word, and what people say once it has: on the simulated table, with people
// whose every act the test decides.
#include "tests/sim/hands_rig.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controller/child.h"
#include "rules/daemon/client.h"

static bool is_asking(struct rig *g)
{
    return g->state == ROBOT_ASKING;
}

static bool is_over(struct rig *g)
{
    return g->state == ROBOT_OVER;
}

static bool draw_is_offered(struct rig *g)
{
    (void)g;
    return rig_said("a draw is offered");
}

static bool a_stone_is_lifted(struct rig *g)
{
    (void)g;
    return rig_counts()->lifted > 0;
}

static int moves_awaited;

static bool moves_are_made(struct rig *g)
{
    return g->state == ROBOT_WATCHING && rig_counts()->moves == moves_awaited;
}

static void play(const char *const *moves)
{
    for (; *moves; moves++) {
        moves_awaited = rig_counts()->moves + 1;
        rig_say(*moves);
        AWAIT(moves_are_made);
    }
}

static double pitch_x(int column)
{
    return column * rig.settings.board.pitch_x;
}

static double pitch_y(int row)
{
    return row * rig.settings.board.pitch_y;
}

// Who is asked to take captured stones off is still asked after a draw was offered: the arm does
// not reach for what he is about to take.
static void test_a_draw_offered_while_a_person_lifts(void **state)
{
    (void)state;
    rig.seats = PLAY_ROBOT_NONE;
    rig_sit_down((const char *const[]){"game.lifter=person", NULL});
    play((const char *const[]){"K10", "E5", "D5", "F5", NULL});
    struct table *table = play_table(rig.play);
    table_put_stone(table, 1, pitch_x(6), pitch_y(4)); // G5, and takes nothing off
    rig_say("done");
    AWAIT(is_asking);
    assert_true(rig_said("please take the captured stones off E5"));
    rig_say("draw");
    AWAIT(draw_is_offered);
    assert_false(rig_until(a_stone_is_lifted, 15));
    assert_int_equal(rig.state, ROBOT_ASKING);
    assert_int_equal(table_take_stone(table, pitch_x(4), pitch_y(4)), 0);
    assert_int_equal(table_take_stone(table, pitch_x(5), pitch_y(4)), 0);
    AWAIT(rig_is_watching);
    assert_int_equal(rig_counts()->lifted, 0);
}

// --- said once more ---

static bool two_are_lifted(struct rig *g)
{
    (void)g;
    return rig_counts()->lifted >= 2;
}

static void assert_refused(const char *words, const char *why)
{
    struct error err;
    assert_true(play_say(rig.play, words, &err) < 0);
    assert_string_equal(err.text, why);
}

static void assert_is_put_away(void)
{
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(play_table(rig.play), truth);
    for (int i = 0; i < 19 * 19; i++)
        assert_int_equal(truth[i], 0);
}

// While the stones are put away the finished game is not laid out anew for those who say once more
// how it has ended.
static void test_resigning_twice(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", "game.tidy=true", NULL});
    rig_say("E5");
    AWAIT(rig_two_more_are_laid);
    int placed = rig_counts()->placed;
    rig_say("resign");
    AWAIT(two_are_lifted);
    assert_refused("resign", "the game is over already.");
    assert_refused("draw", "the game is over already.");
    assert_refused("undo", "too late: the stones are being put away.");
    AWAIT(is_over);
    assert_refused("resign", "the game is over already.");
    assert_is_put_away();
    assert_int_equal(rig_counts()->placed, placed);
}

// Nor does who agrees to a draw twice.
static void test_agreeing_twice(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", "game.tidy=true", NULL});
    rig_say("E5");
    AWAIT(rig_two_more_are_laid);
    int placed = rig_counts()->placed;
    rig_say("draw");
    AWAIT(draw_is_offered);
    AWAIT(rig_is_watching);
    assert_int_equal(robot_offer_draw(play_robot(rig.play), ROBOT), 0);
    AWAIT(two_are_lifted);
    assert_refused("draw", "the game is over already.");
    AWAIT(is_over);
    assert_is_put_away();
    assert_int_equal(rig_counts()->placed, placed);
}

// --- at another table ---

static pid_t start_daemon(const char *socket)
{
    char program[CHILD_PATH_MAX], state[64];
    struct error err;
    assert_int_equal(child_find_program("tessera-rulesd", program, &err), 0);
    snprintf(state, sizeof state, "%s/games", rig.folder);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // also of a test that fails
        execl(program, program, "--socket", socket, "--state", state, (char *)NULL);
        _exit(127);
    }
    return pid;
}

static struct rules_client *connect_to(const char *socket)
{
    const struct rules_client_settings settings = {
        .socket = socket, .name = "another", .only_connect = true};
    struct rules_client *client = NULL;
    struct error err;
    for (int i = 0; i < 200 && rules_client_open(&settings, &client, &err) < 0; i++)
        usleep(20000); // it is about to listen
    assert_non_null(client);
    return client;
}

static struct rules_client *other;
static pid_t rules;

static void on_changed(void *user, const struct rules_state *state, const struct error *err)
{
    *(bool *)user = state && !err;
}

static void on_played(void *user, const struct rules_effect *effect,
                      const struct rules_state *state, const struct error *err)
{
    (void)state;
    *(bool *)user = !err && effect->effect.reason == REASON_NONE;
}

// At a table whose rules daemon serves another one as well.
static void sit_down_with_others(void)
{
    static char socket[64];
    char setting[96];
    snprintf(socket, sizeof socket, "%s/rules.sock", rig.folder);
    snprintf(setting, sizeof setting, "rules.socket=%s", socket);
    rules = start_daemon(socket);
    other = connect_to(socket);
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", setting, NULL});
}

static void resign_elsewhere(unsigned side)
{
    bool done = false;
    assert_int_equal(rules_client_resign(other, play_game_name(rig.play), side, on_changed, &done),
                     0);
    assert_int_equal(rules_client_wait(other, 5000), 0);
    assert_true(done);
}

// The last move is another one now.
static void replace_elsewhere(int x, int y)
{
    bool undone = false, played = false;
    const char *game = play_game_name(rig.play);
    assert_int_equal(rules_client_undo(other, game, 1, on_changed, &undone), 0);
    assert_int_equal(rules_client_play(other, game, &play_game(rig.play)->rules,
                                       move_place(ROBOT, x, y), -1, on_played, &played),
                     0);
    assert_int_equal(rules_client_wait(other, 5000), 0);
    assert_true(undone && played);
}

static int leave_others(void **state)
{
    other = rules_client_free(other);
    if (rules > 0) {
        kill(rules, SIGTERM);
        waitpid(rules, NULL, 0);
    }
    rules = 0;
    return rig_tear_down(state);
}

// Somebody has given up for the robot elsewhere: what is refused for that reason here says that our
// game is out of date.
static void test_resigning_in_a_game_that_is_over(void **state)
{
    (void)state;
    sit_down_with_others();
    resign_elsewhere(ROBOT);
    rig_say("resign");
    AWAIT(is_over);
    assert_true(rig_said("the game is read anew"));
    assert_true(play_game(rig.play)->result.winner == PERSON);
}

// So does a move that is legal by our copy, and nobody is asked what to do about it.
static void test_moving_in_a_game_that_is_over(void **state)
{
    (void)state;
    sit_down_with_others();
    resign_elsewhere(PERSON);
    rig_say("E5");
    AWAIT(is_over);
    assert_true(play_game(rig.play)->result.winner == ROBOT);
    assert_int_equal(rig_counts()->questions, 0);
}

static bool lies_on_c3(struct rig *g)
{
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(play_table(rig.play), truth);
    return g->state == ROBOT_WATCHING && truth[2 * 19 + 2] == ROBOT;
}

// As long as before, and not the same.
static void test_a_move_replaced_elsewhere(void **state)
{
    (void)state;
    sit_down_with_others();
    rig_say("E5");
    AWAIT(rig_two_more_are_laid);
    int lifted = rig_counts()->lifted;
    replace_elsewhere(2, 2);
    rig_say("draw");
    AWAIT(lies_on_c3);
    assert_int_equal(rig_counts()->lifted, lifted + 1);
    assert_int_equal(rig_counts()->questions, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_draw_offered_while_a_person_lifts, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_resigning_twice, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_agreeing_twice, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_resigning_in_a_game_that_is_over, rig_set_up,
                                        leave_others),
        cmocka_unit_test_setup_teardown(test_moving_in_a_game_that_is_over, rig_set_up,
                                        leave_others),
        cmocka_unit_test_setup_teardown(test_a_move_replaced_elsewhere, rig_set_up, leave_others),
    };
    rig_find_programs();
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("endings", tests, NULL, NULL);
}
