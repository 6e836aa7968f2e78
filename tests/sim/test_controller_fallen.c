// Stones that fall off the cup where they could be something else: on the simulated table, with a
// person whose every act the test decides.
#include "tests/sim/hands_rig.h"

static bool is_found(struct rig *g)
{
    (void)g;
    return rig_said("must be the one that hung on the cup");
}

static bool is_asked_whose(struct rig *g)
{
    return g->state == ROBOT_ASKING && rig_said("a stone fell off the cup, and the board shows: ");
}

static bool carries_the_last(struct rig *g)
{
    return rig_carries_over_the_board(g) && rig_counts()->lifted == 1;
}

static bool grips_the_last(struct rig *g)
{
    (void)g;
    return rig_world()->tool.held && rig_counts()->lifted == 1;
}

static bool five_are_played(struct rig *g)
{
    (void)g;
    return rig_counts()->moves == 5;
}

// Of two stones that are taken back the last one is the person's, and falls; it lies on D4, as his
// move would.
static const char *const at_once[] = {"gripper.wait_time=0 s", "game.done=still", NULL};

static void take_back(const char *const *settings)
{
    rig_sit_down(settings);
    rig_say("Q8"); // not in the rows where no hand is told from the arm
    AWAIT(rig_two_more_are_laid);
    rig_say("undo");
}

static void begin_to_take_back(const char *const *settings)
{
    take_back(settings);
    AWAIT(carries_the_last);
    const struct world *w = rig_world();
    for (int i = 0; i < w->stone_count; i++)
        assert_true(w->stone[i].place != PLACE_CUP || w->stone[i].colour == PERSON);
}

static void lose_the_persons(void)
{
    begin_to_take_back(at_once);
    rig_lose_stone(3, 3);
}

// Nobody has reached over the board since.
static void test_a_fallen_stone_is_no_move(void **state)
{
    (void)state;
    lose_the_persons();
    AWAIT(is_found);
    AWAIT(rig_is_watching);
    rig_assert_only_first_stone();
    assert_int_equal(rig_counts()->questions, 0);
    assert_false(rig_until(five_are_played, 10));
    assert_int_equal(rig_counts()->moves, 3);
}

// With one picture a second a hand may have come and gone unseen.
static void test_slow_pictures_tell_of_no_hand(void **state)
{
    (void)state;
    rig.unhurried = true;
    begin_to_take_back(
        (const char *const[]){"gripper.wait_time=0 s", "game.done=still", "camera.fps=1", NULL});
    rig_lose_stone(3, 3);
    AWAIT(is_asked_whose);
    assert_false(is_found(&rig));
}

// Somebody has: it is asked.
static void lose_it_and_reach(void)
{
    lose_the_persons();
    struct table *table = play_table(rig.play);
    assert_int_equal(0, person_reach(table_person(table), 9, 2, 2, NULL, NULL));
    AWAIT(rig_hand_is_there);
    AWAIT(is_asked_whose);
    assert_false(is_found(&rig));
    assert_int_equal(rig_counts()->moves, 3);
}

static void test_the_fallen_stone_is_taken_away(void **state)
{
    (void)state;
    lose_it_and_reach();
    const struct settings_board *board = &rig.settings.board;
    assert_int_equal(table_take_stone(play_table(rig.play), 3 * board->pitch_x, 3 * board->pitch_y),
                     0);
    AWAIT(rig_is_watching);
    rig_assert_only_first_stone();
    assert_int_equal(rig_counts()->moves, 3);
    assert_false(rig_said("is not on the board"));
}

// To look again is no answer.
static void test_whose_it_is_is_asked_again(void **state)
{
    (void)state;
    lose_it_and_reach();
    rig.news_size = 0;
    rig.news[0] = 0;
    rig_say("retry");
    rig_until(NULL, 1);
    AWAIT(is_asked_whose);
    assert_int_equal(rig_counts()->moves, 3);
}

static void test_it_is_a_move_after_all(void **state)
{
    (void)state;
    lose_it_and_reach();
    rig_say("done");
    AWAIT(five_are_played);
    AWAIT(rig_is_watching);
    assert_int_equal(rig_counts()->questions, 1);
}

static bool is_holding(struct rig *g)
{
    return g->state == ROBOT_HOLDING;
}

// A hand comes while the stone is carried, so it may have fallen before it came or after: what is
// new then may be a move.
static void test_a_move_beside_a_fallen_stone(void **state)
{
    (void)state;
    take_back(at_once);
    AWAIT(grips_the_last);
    struct table *table = play_table(rig.play);
    const struct settings_board *board = &rig.settings.board;
    assert_int_equal(0, person_reach(table_person(table), 9, 2, 4, NULL, NULL));
    AWAIT(is_holding);
    const struct world *w = rig_world();
    assert_int_equal(world_count(w, PLACE_CUP, PERSON), 1);
    table_fault(table, FAULT_LOSE_STONE, 0.01);
    rig_until(NULL, 1);
    for (int i = 0; i < w->stone_count; i++) {
        if (w->stone[i].place == PLACE_TABLE && w->stone[i].colour == PERSON)
            assert_int_equal(table_take_stone(table, w->stone[i].x, w->stone[i].y), 0);
    }
    table_put_stone(table, PERSON, 3 * board->pitch_x, 3 * board->pitch_y);
    AWAIT(is_asked_whose);
    assert_false(is_found(&rig));
}

// The program that goes on has not watched.
static void test_a_fallen_stone_after_an_interruption(void **state)
{
    (void)state;
    lose_the_persons();
    rig_end();
    rig_begin(true);
    AWAIT(is_asked_whose);
    assert_int_equal(rig_counts()->moves, 0);
}

// --- it did not fall, or not on the board ---

static bool is_stopped(struct rig *g)
{
    return g->state == ROBOT_STOPPED;
}

static bool is_homing(struct rig *g)
{
    return g->state == ROBOT_HOMING;
}

static bool is_asking(struct rig *g)
{
    return g->state == ROBOT_ASKING;
}

// Stopped with a stone on the cup, it is put away after homing: a stone of its colour that comes
// onto the board meanwhile is somebody's.
static void test_a_stone_that_was_put_away_is_none_that_fell(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_take_back_a_pair();
    AWAIT(rig_carries_over_the_board);
    rig_say("stop");
    AWAIT(is_stopped);
    rig_say("start");
    AWAIT(is_homing);
    const struct settings_board *board = &rig.settings.board;
    table_put_stone(play_table(rig.play), ROBOT, 3 * board->pitch_x, 3 * board->pitch_y);
    AWAIT(is_asking);
    assert_true(rig_said("a blue stone is new: D4"));
    assert_false(is_found(&rig));
    assert_false(rig_said("is not on the board"));
}

// It slipped off where it lay: nothing is missing, and nothing is told of it.
static void test_a_stone_that_slipped_is_lifted_again(void **state)
{
    (void)state;
    begin_to_take_back(at_once);
    rig_lose_stone(15, 7);
    AWAIT(rig_is_watching);
    rig_assert_only_first_stone();
    assert_false(rig_said("is not on the board"));
    assert_false(is_found(&rig));
    assert_int_equal(rig_counts()->questions, 0);
}

// It fell beside the board as it was to be laid, and another one lies there now.
static void test_another_stone_is_laid_instead(void **state)
{
    (void)state;
    rig_load((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_begin(false);
    AWAIT(rig_carries_over_the_board);
    rig_lose_stone(9, -3);
    AWAIT(rig_is_watching);
    rig_assert_only_first_stone();
    assert_true(rig_said("the blue stone that hung on the cup is not on the board"));
}

// The stone that waited on the cup is lost with the program; it is not there, and told of.
static void test_what_lies_beside_the_board_is_told_of(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){NULL});
    assert_int_equal(world_count(rig_world(), PLACE_CUP, 0), 1);
    rig_end();
    rig_begin(true);
    AWAIT(rig_is_watching);
    assert_true(rig_said("the blue stone that hung on the cup is not on the board"));
    assert_int_equal(rig_counts()->questions, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_fallen_stone_is_no_move, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_slow_pictures_tell_of_no_hand, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_the_fallen_stone_is_taken_away, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_whose_it_is_is_asked_again, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_move_beside_a_fallen_stone, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_stone_that_slipped_is_lifted_again, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_it_is_a_move_after_all, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_fallen_stone_after_an_interruption, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_stone_that_was_put_away_is_none_that_fell,
                                        rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_another_stone_is_laid_instead, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_what_lies_beside_the_board_is_told_of, rig_set_up,
                                        rig_tear_down),
    };
    rig_find_programs();
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("fallen", tests, NULL, NULL);
}
