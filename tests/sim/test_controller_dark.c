// The light goes out, or is far too bright, while the arm has something to do: on the simulated
// table, with a person whose every act the test decides.
#include "tests/sim/hands_rig.h"

static bool is_stopped(struct rig *g)
{
    return g->state == ROBOT_STOPPED;
}

static bool is_holding(struct rig *g)
{
    return g->state == ROBOT_HOLDING;
}

static bool waits_to_home(struct rig *g)
{
    return g->state == ROBOT_HOMING && rig_said("finds its home corner when the board is clear");
}

static bool is_told_of_the_dark(struct rig *g)
{
    (void)g;
    return rig_said("it is too dark to see the board; the robot wants to put away");
}

static bool is_told_of_the_dark_again(struct rig *g)
{
    (void)g;
    return rig_said("the arm still waits: it is too dark to see the board");
}

static bool cup_is_free(struct rig *g)
{
    (void)g;
    return world_count(rig_world(), PLACE_CUP, 0) == 0;
}

// Somebody switches the lamp off and leaves, with a stone on the cup.
static void test_leaving_in_the_dark(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=600 s", NULL});
    struct table *table = play_table(rig.play);
    table_fault(table, FAULT_LIGHT_GAIN, 0);
    rig_until(NULL, 5);
    assert_true(robot_put_away(play_robot(rig.play)));
    assert_true(rig_until(is_told_of_the_dark, 2));
    rig_stand();
    AWAIT(is_told_of_the_dark_again);
    rig.news_size = 0;
    rig.news[0] = 0;
    rig_say("retry");
    assert_true(rig_until(is_told_of_the_dark_again, 1));
    rig_assert_stands();
    table_fault(table, FAULT_LIGHT_GAIN, 1);
    AWAIT(cup_is_free);
}

static bool is_over_the_near_rows(struct rig *g)
{
    const struct world_tool *t = &rig_world()->tool;
    return g->state == ROBOT_WORKING && t->held && t->y < 2 * g->settings.board.pitch_y;
}

// Also where the arm may cover every row, and so nothing that is covered counts as a hand.
static void test_the_arm_halts_in_the_dark(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("S2");
    AWAIT(rig_two_more_are_laid);
    rig_say("undo");
    AWAIT(is_over_the_near_rows);
    struct table *table = play_table(rig.play);
    table_fault(table, FAULT_LIGHT_GAIN, 0);
    assert_true(rig_until(is_holding, 2));
    rig_until(NULL, 1); // it brakes
    rig_stand();
    rig_until(NULL, 20);
    rig_assert_stands();
    table_fault(table, FAULT_LIGHT_GAIN, 1);
    AWAIT(rig_is_watching);
    rig_assert_only_first_stone();
    assert_int_equal(rig_counts()->questions, 0);
}

// --- the arm's place is lost as well ---

static bool is_told_the_way_out(struct rig *g)
{
    (void)g;
    return rig_said("too dark to see the board. If that can't be helped, keep all hands away") ||
           rig_said("too bright to see it. If that can't be helped, keep all hands away");
}

static void lose_the_arm(double light)
{
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("E5");
    AWAIT(rig_carries_over_the_board);
    struct table *table = play_table(rig.play);
    table_fault(table, FAULT_UNPLUG, 0);
    table_fault(table, FAULT_LIGHT_GAIN, light);
    rig_until(NULL, 5);
    rig_stand();
    table_fault(table, FAULT_REPLUG, 0);
    AWAIT(waits_to_home);
}

// In the dark nothing seems to move, however long one looks, so nobody may take what is there for
// the arm; and what is there when the light comes back is looked at anew.
static void wait_for_light(double light)
{
    lose_the_arm(light);
    AWAIT(is_told_the_way_out);
    rig_until(NULL, 5);
    struct table *table = play_table(rig.play);
    assert_int_equal(0, person_reach(table_person(table), 9, 2, 9, NULL, NULL));
    rig_until(NULL, 3);
    table_fault(table, FAULT_LIGHT_GAIN, 1);
    rig_until(NULL, 3);
    assert_true(rig_hand_is_there(&rig));
    rig_assert_stands();
    AWAIT(rig_two_more_are_laid);
    assert_int_equal(rig_world()->incident_kind[INCIDENT_HAND], 0);
}

static void test_homing_waits_for_light(void **state)
{
    (void)state;
    wait_for_light(0);
}

static void test_homing_waits_for_shade(void **state)
{
    (void)state;
    wait_for_light(30);
}

static bool is_told_it_goes_on(struct rig *g)
{
    (void)g;
    return rig_said("It goes on as soon as the board can be seen");
}

// Nor is a person's word, given where it is asked for, refused for want of light.
static void test_a_word_lets_home_in_the_dark(void **state)
{
    (void)state;
    lose_the_arm(0);
    rig_say("stop");
    AWAIT(is_stopped);
    rig_say("start");
    AWAIT(is_holding); // it has found it; to go on it has to see
    AWAIT(is_told_it_goes_on);
    table_fault(play_table(rig.play), FAULT_LIGHT_GAIN, 1);
    AWAIT(rig_two_more_are_laid);
}

// --- no whole picture comes ---

// Neither one that is cut off nor none at all tells where hands are: whatever is over the board
// meanwhile, the arm stands.
static void halt_without_pictures(enum table_fault fault, double on, double off)
{
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("S2");
    AWAIT(rig_carries_over_the_board);
    struct table *table = play_table(rig.play);
    table_fault(table, fault, on);
    assert_int_equal(0, person_reach(table_person(table), 9, 14, 14, NULL, NULL));
    rig_until(NULL, 4.5); // pictures come once a second here
    assert_int_equal(rig.state, ROBOT_HOLDING);
    rig_stand();
    rig_until(NULL, 6);
    assert_true(rig_hand_is_there(&rig));
    rig_assert_stands();
    table_fault(table, fault, off);
    AWAIT(rig_two_more_are_laid);
    assert_int_equal(rig_counts()->questions, 0);
}

static void test_broken_pictures(void **state)
{
    (void)state;
    halt_without_pictures(FAULT_CAMERA_TRUNCATE, 40, 0);
}

static void test_no_pictures(void **state)
{
    (void)state;
    halt_without_pictures(FAULT_CAMERA_STALL, 1, 0);
}

// Nor has there to be one before it is missed.
static void test_no_picture_ever(void **state)
{
    (void)state;
    rig_load((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_begin(false);
    table_fault(play_table(rig.play), FAULT_CAMERA_GONE, 1);
    AWAIT(is_holding);  // by somebody's word it has found its home corner
    rig_until(NULL, 1); // it brakes
    rig_stand();
    rig_until(NULL, 10);
    rig_assert_stands();
    table_fault(play_table(rig.play), FAULT_CAMERA_GONE, 0);
    AWAIT(rig_is_watching);
}

// One picture a second is few, and enough.
static void test_few_pictures(void **state)
{
    (void)state;
    rig.unhurried = true;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", "camera.fps=1", NULL});
    assert_int_equal(rig.entered[ROBOT_HOLDING], 0);
}

static bool is_starting(struct rig *g)
{
    return g->state == ROBOT_STARTING;
}

// What was said while nobody could see does not let the arm home under the hand that is seen then.
static void test_a_word_in_the_blind(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    struct table *table = play_table(rig.play);
    table_fault(table, FAULT_CAMERA_GONE, 1);
    rig_say("stop");
    AWAIT(is_stopped);
    table_fault(table, FAULT_UNPLUG, 0);
    rig_until(NULL, 4);
    rig_say("start");
    AWAIT(is_starting);
    assert_int_equal(0, person_reach(table_person(table), 9, 4, 14, NULL, NULL));
    rig_until(NULL, 1.5); // he is there by then
    rig_stand();
    table_fault(table, FAULT_CAMERA_GONE, 0);
    AWAIT(rig_hand_is_there); // in a picture
    rig_until(NULL, 1.5);
    table_fault(table, FAULT_REPLUG, 0);
    AWAIT(waits_to_home);
    rig_until(NULL, 2);
    assert_true(rig_hand_is_there(&rig));
    rig_assert_stands();
    AWAIT(rig_is_watching);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_leaving_in_the_dark, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_the_arm_halts_in_the_dark, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_homing_waits_for_light, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_homing_waits_for_shade, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_word_lets_home_in_the_dark, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_broken_pictures, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_no_pictures, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_no_picture_ever, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_few_pictures, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_word_in_the_blind, rig_set_up, rig_tear_down),
    };
    rig_find_programs();
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("dark", tests, NULL, NULL);
}
