// What people say to the robot when nobody asked them, and what becomes of it when the rules do not
// answer: on the simulated table, with a person whose every act the test decides.
#include "tests/sim/hands_rig.h"

#include <errno.h>

#include "tests/unit/mortal_rulesd.h"

static bool is_stopped(struct rig *g)
{
    return g->state == ROBOT_STOPPED;
}

static bool is_holding(struct rig *g)
{
    return g->state == ROBOT_HOLDING;
}

static bool is_told_again(struct rig *g)
{
    (void)g;
    return rig_said("still waits for the board to be clear");
}

static bool is_asking(struct rig *g)
{
    return g->state == ROBOT_ASKING;
}

static bool is_turning(struct rig *g)
{
    return g->state == ROBOT_TURNING;
}

static bool move_is_read(struct rig *g)
{
    (void)g;
    return rig_counts()->moves >= 2;
}

static bool three_are_made(struct rig *g)
{
    (void)g;
    return rig_counts()->moves >= 3;
}

static bool four_are_made(struct rig *g)
{
    (void)g;
    return rig_counts()->moves >= 4;
}

static bool hint_is_given(struct rig *g)
{
    (void)g;
    return rig_counts()->hints > 0;
}

// --- what people say when nobody asked ---

static void put_persons_stone(void)
{
    const struct settings_board *board = &rig.settings.board;
    assert_int_equal(
        0, table_put_stone(play_table(rig.play), PERSON, 4 * board->pitch_x, 4 * board->pitch_y));
}

// The simulated person would press again some seconds later; the robot must not have needed it.
static void test_done_while_putting_back(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=1 s", NULL});
    AWAIT(rig_is_working);
    put_persons_stone();
    rig_say("done");
    AWAIT(move_is_read);
    assert_true(rig_said("that you are done is noted"));
    assert_int_equal(rig.entered[ROBOT_READING], rig.entered[ROBOT_WATCHING]);
}

static void test_done_without_a_move(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=1 s", NULL});
    AWAIT(rig_is_working);
    rig_say("done");
    AWAIT(rig_is_watching);
    assert_false(rig_until(move_is_read, 5));
    assert_int_equal(rig.entered[ROBOT_READING], 0);
    assert_int_equal(rig_counts()->hints, 0);
}

// He has gone on before he knew where the robot would play: that is said, and asked for anew.
static void test_done_while_the_robot_thinks(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig.presses[ROBOT_THINKING] = true;
    rig_say("K4");
    AWAIT(three_are_made);
    assert_true(rig_said("\"done\" does not count until your own move is due"));
    AWAIT(rig_is_working);
    put_persons_stone();
    AWAIT(rig_is_watching);
    int64_t asked = rig.entered[ROBOT_WATCHING];
    assert_false(rig_until(four_are_made, 1));
    assert_true(rig.entered[ROBOT_READING] < asked);
    rig_say("done");
    AWAIT(four_are_made);
}

static void done_on_the_way_up(enum robot_state when)
{
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("stop");
    AWAIT(is_stopped);
    put_persons_stone();
    rig_say("done");
    rig.presses[when] = true;
    rig_say("start");
    AWAIT(move_is_read);
    assert_true(rig_said("the robot is stopped and does nothing: press the reset button or "
                         "type \"start\" first"));
    assert_true(rig_said("that you are done is noted"));
    assert_int_equal(rig.entered[ROBOT_READING], rig.entered[ROBOT_WATCHING]);
}

static void test_done_while_starting(void **state)
{
    (void)state;
    done_on_the_way_up(ROBOT_STARTING);
}

static void test_done_while_homing(void **state)
{
    (void)state;
    done_on_the_way_up(ROBOT_HOMING);
}

// Just when it becomes his turn: pressed before he is told, read after it.
static void test_done_at_the_turn(void **state)
{
    (void)state;
    rig_load((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_begin(false);
    AWAIT(rig_is_working);
    rig.presses[ROBOT_DECIDING] = true;
    AWAIT(rig_is_watching);
    assert_true(rig_until(hint_is_given, 10));
    assert_true(rig.entered[ROBOT_READING] > 0);
}

// Twice for one move: it is read once.
static void test_done_twice(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    put_persons_stone();
    rig.presses[ROBOT_READING] = rig.presses[ROBOT_JUDGING] = true;
    rig_say("done");
    AWAIT(rig_two_more_are_laid);
    assert_true(rig_said("your move is being read already"));
    assert_true(rig_said("does not count while a move is being judged"));
    assert_int_equal(rig_counts()->hints, 0);
    assert_int_equal(rig_counts()->moves, 3);
}

// What looks like a hand stays for ever: nobody has to guess what the arm waits for.
static void test_a_long_wait_is_told_again(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("E5");
    AWAIT(rig_carries_over_the_board);
    assert_int_equal(0, person_reach(table_person(play_table(rig.play)), 9, 2, 50, NULL, NULL));
    AWAIT(is_holding);
    assert_false(rig_until(is_told_again, 25));
    AWAIT(is_told_again);
    assert_true(rig_hand_is_there(&rig));
    AWAIT(rig_two_more_are_laid);
}

static void test_retry_under_a_hand(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("E5");
    AWAIT(rig_carries_over_the_board);
    assert_int_equal(0, person_reach(table_person(play_table(rig.play)), 9, 2, 10, NULL, NULL));
    AWAIT(is_holding);
    rig_until(NULL, 1); // it brakes
    rig_stand();
    rig_say("retry");
    assert_true(rig_until(is_told_again, 1));
    rig_until(NULL, 4);
    rig_assert_stands();
    AWAIT(rig_two_more_are_laid);
}

static bool is_starting(struct rig *g)
{
    return g->state == ROBOT_STARTING;
}

static bool waits_to_home(struct rig *g)
{
    return g->state == ROBOT_HOMING && rig_said("finds its home corner when the board is clear");
}

// What did not count then does not count later, when there is a hand again and the arm is to find
// its home corner.
static void test_a_declined_word_is_no_leave(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("E5");
    AWAIT(rig_carries_over_the_board);
    struct table *table = play_table(rig.play);
    assert_int_equal(0, person_reach(table_person(table), 9, 2, 4, NULL, NULL));
    AWAIT(is_holding);
    table_fault(table, FAULT_UNPLUG, 0);
    AWAIT(rig_hand_is_gone);
    rig_say("retry");
    AWAIT(is_starting);
    assert_int_equal(0, person_reach(table_person(table), 9, 2, 12, NULL, NULL));
    AWAIT(rig_hand_is_there);
    rig_stand();
    table_fault(table, FAULT_REPLUG, 0);
    AWAIT(waits_to_home);
    rig_until(NULL, 2);
    assert_true(rig_hand_is_there(&rig));
    rig_assert_stands();
    AWAIT(rig_two_more_are_laid);
    assert_int_equal(rig_world()->incident_kind[INCIDENT_HAND], 0);
}

// The button that people press first, while the arm is to find its home corner and does not: it is
// no leave either, but tells what is.
static void test_retry_before_homing(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("E5");
    AWAIT(rig_carries_over_the_board);
    struct table *table = play_table(rig.play);
    table_fault(table, FAULT_UNPLUG, 0);
    assert_int_equal(0, person_reach(table_person(table), 9, 2, 12, NULL, NULL));
    AWAIT(rig_hand_is_there);
    rig_until(NULL, 1); // it brakes
    rig_stand();
    table_fault(table, FAULT_REPLUG, 0);
    AWAIT(waits_to_home);
    rig_say("start");
    assert_true(rig_until(is_told_again, 1));
    assert_true(rig_said("stop the robot, and only then press the reset button"));
    rig_until(NULL, 2);
    assert_true(rig_hand_is_there(&rig));
    rig_assert_stands();
    AWAIT(rig_two_more_are_laid);
}

// Nor does a word stand for longer than for what it was given.
static void test_a_word_is_spent_by_what_it_began(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    const struct error trouble = {.text = "the test wants to be asked."};
    robot_on_player_failed(play_robot(rig.play), PERSON, &trouble);
    AWAIT(is_asking);
    rig_say("retry");
    AWAIT(rig_is_watching);
    rig_say("E5");
    AWAIT(rig_carries_over_the_board);
    struct table *table = play_table(rig.play);
    table_fault(table, FAULT_UNPLUG, 0);
    assert_int_equal(0, person_reach(table_person(table), 9, 2, 10, NULL, NULL));
    AWAIT(rig_hand_is_there);
    rig_until(NULL, 1); // it brakes
    rig_stand();
    table_fault(table, FAULT_REPLUG, 0);
    AWAIT(waits_to_home);
    rig_until(NULL, 2);
    assert_true(rig_hand_is_there(&rig));
    rig_assert_stands();
}

static bool hand_sets_out(struct rig *g)
{
    (void)g;
    return rig_world()->hand.present;
}

// What was said for the board to be looked at again is no leave for an arm that has nothing to do
// yet, and whose place is lost a second later.
static void test_retry_about_the_board_is_no_leave(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    const struct error trouble = {.text = "the test wants to be asked."};
    robot_on_player_failed(play_robot(rig.play), PERSON, &trouble);
    AWAIT(is_asking);
    struct table *table = play_table(rig.play);
    assert_int_equal(0, person_reach(table_person(table), 9, 4, 12, NULL, NULL));
    AWAIT(hand_sets_out);
    rig_say("retry");
    rig_stand();
    AWAIT(rig_hand_is_there);
    table_fault(table, FAULT_UNPLUG, 0);
    rig_until(NULL, 1);
    table_fault(table, FAULT_REPLUG, 0);
    AWAIT(waits_to_home);
    rig_until(NULL, 2);
    assert_true(rig_hand_is_there(&rig));
    rig_assert_stands();
    AWAIT(rig_is_watching);
}

// Nor is what was said before a hand came.
static void test_a_hand_ends_a_leave(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    struct table *table = play_table(rig.play);
    rig_say("stop");
    AWAIT(is_stopped);
    table_fault(table, FAULT_UNPLUG, 0);
    rig_until(NULL, 2);
    rig_say("start");
    AWAIT(is_starting);
    assert_int_equal(0, person_reach(table_person(table), 9, 4, 12, NULL, NULL));
    AWAIT(rig_hand_is_there);
    rig_stand();
    rig_until(NULL, 2);
    table_fault(table, FAULT_REPLUG, 0);
    AWAIT(waits_to_home);
    rig_until(NULL, 2);
    assert_true(rig_hand_is_there(&rig));
    rig_assert_stands();
    AWAIT(rig_is_watching);
}

// Whichever button or word people reach for, a question is answered by it.
static void test_start_answers_a_question(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    const struct error trouble = {.text = "the test wants to be asked."};
    robot_on_player_failed(play_robot(rig.play), PERSON, &trouble);
    AWAIT(is_asking);
    rig_say("start");
    AWAIT(rig_is_watching);
}

// Whoever wants it tried again, where there is nothing to try, is told so.
static void test_retry_unasked(void **state)
{
    (void)state;
    rig_load((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig.says[ROBOT_HOMING] = rig.says[ROBOT_THINKING] = "retry";
    rig_begin(false);
    AWAIT(rig_is_watching);
    assert_true(rig_said("there is nothing to try again: the arm finds its home corner"));
    assert_true(rig_said("there is nothing to try again: thinking"));
}

// A block is turned for the robot, and the own move made at once: nobody presses twice for that.
static void test_done_for_a_block_and_a_move(void **state)
{
    (void)state;
    rig_load((const char *const[]){"game.variant=pentago", "board.columns=6", "board.rows=6",
                                   "gripper.wait_time=0 s", "game.still_time=8 s", NULL});
    rig_begin(false);
    AWAIT(is_turning);
    AWAIT(rig_hand_is_there); // the helper's
    AWAIT(rig_hand_is_gone);
    assert_int_equal(rig.state, ROBOT_TURNING);
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(play_table(rig.play), truth);
    struct person_task move = {.colour = PERSON, .block = 2, .turn = 1, .press = true};
    move.column = truth[0] ? 1 : 0;
    assert_int_equal(0, person_do(table_person(play_table(rig.play)), &move, NULL, NULL));
    AWAIT(move_is_read);
    assert_int_equal(rig.entered[ROBOT_READING], rig.entered[ROBOT_WATCHING]);
    assert_int_equal(rig_counts()->hints, 0);
}

// --- the rules daemon does not answer ---

static void sit_down_with_mortal_rules(void)
{
    rig_make_rules_mortal();
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
}

// From now on it dies each time it is asked.
static void rules_die(const char *how)
{
    mortal_rulesd_touch(rig.folder, "for-good");
    mortal_rulesd_touch(rig.folder, how);
}

static void rules_live(const char *how)
{
    mortal_rulesd_remove(rig.folder, how);
}

static bool rules_are_read_anew(struct rig *g)
{
    return g->state == ROBOT_WATCHING && g->entered[ROBOT_JUDGING] > g->entered[ROBOT_ASKING];
}

// It is never heard: the robot asks, and whose turn it was is asked anew.
static void failed_while_thinking(const char *words)
{
    sit_down_with_mortal_rules();
    rig.says[ROBOT_THINKING] = words;
    rig_say("E5");
    AWAIT(move_is_read);
    rules_die("deaf");
    AWAIT(is_asking);
    assert_true(rig_said("Before the next move the game is read anew"));
    rules_live("deaf");
    rig_say("retry");
    AWAIT(rig_two_more_are_laid);
    assert_true(rig_said("the game stands as it did"));
    assert_int_equal(rig_counts()->moves, 3);
    assert_int_equal(rig_counts()->questions, 1);
}

static void test_undo_fails_while_thinking(void **state)
{
    (void)state;
    failed_while_thinking("undo");
}

static void test_resigning_fails_while_thinking(void **state)
{
    (void)state;
    failed_while_thinking("resign");
}

static void undo_is_not_answered(void)
{
    sit_down_with_mortal_rules();
    rig_say("E5");
    AWAIT(rig_two_more_are_laid);
    rules_die("dumb");
    rig_say("undo");
    AWAIT(is_asking);
    struct error err;
    // Or twice as much would be taken back.
    assert_int_equal(play_say(rig.play, "undo", &err), -ESTALE);
    rules_live("dumb");
}

// It was done, and nobody heard of it.
static void test_undo_is_not_answered(void **state)
{
    (void)state;
    undo_is_not_answered();
    rig_say("retry");
    AWAIT(rules_are_read_anew);
    assert_true(rig_said("the game has changed"));
    rig_assert_only_first_stone();
    assert_int_equal(rig_counts()->lifted, 2);
    assert_int_equal(rig_counts()->questions, 1);
}

// The board was seen as before the undo; what the log says of it still holds.
static void test_undo_is_not_answered_until_the_next_start(void **state)
{
    (void)state;
    undo_is_not_answered();
    rig_end();
    rig_begin(true);
    AWAIT(rig_is_watching);
    rig_assert_only_first_stone();
    assert_int_equal(rig_counts()->lifted, 2);
    assert_int_equal(rig_counts()->questions, 0);
}

// The person's move is accepted, and nobody hears of it.
static void test_a_move_is_not_answered(void **state)
{
    (void)state;
    sit_down_with_mortal_rules();
    rules_die("dumb");
    rig_say("E5");
    AWAIT(is_asking);
    rules_live("dumb");
    rig_say("retry");
    AWAIT(rig_two_more_are_laid);
    assert_int_equal(rig_counts()->moves, 3);
    assert_int_equal(rig_counts()->questions, 1);
    assert_int_equal(rig_counts()->hints, 0);
}

static bool a_pair_is_laid(struct rig *g)
{
    return g->state == ROBOT_WATCHING && rig_counts()->placed >= 5;
}

// A move of two stones is two entries of the game.
static void test_a_pair_is_not_answered(void **state)
{
    (void)state;
    rig_make_rules_mortal();
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", "game.variant=connect6", NULL});
    rules_die("dumb");
    rig_say("E5+C3");
    AWAIT(is_asking);
    rules_live("dumb");
    rig_say("retry");
    AWAIT(a_pair_is_laid);
    assert_int_equal(rig_counts()->moves, 3);
    assert_int_equal(rig_counts()->questions, 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_done_while_putting_back, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_done_without_a_move, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_done_while_the_robot_thinks, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_done_while_starting, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_done_while_homing, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_done_at_the_turn, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_done_twice, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_long_wait_is_told_again, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_retry_under_a_hand, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_declined_word_is_no_leave, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_retry_before_homing, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_word_is_spent_by_what_it_began, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_retry_about_the_board_is_no_leave, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_hand_ends_a_leave, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_start_answers_a_question, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_retry_unasked, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_done_for_a_block_and_a_move, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_undo_fails_while_thinking, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_resigning_fails_while_thinking, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_undo_is_not_answered, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_undo_is_not_answered_until_the_next_start, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_move_is_not_answered, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_pair_is_not_answered, rig_set_up, rig_tear_down),
    };
    rig_find_programs();
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
