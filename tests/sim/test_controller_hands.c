// The arm and the people around it, on the simulated table, with a person whose every act the test
// decides: what must not move while somebody's hand may be there, what "done" means when nobody
// asked for it, where a stone in hand goes, and what is left to do after an interruption.
#include "tests/sim/hands_rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_asking(struct rig *g)
{
    return g->state == ROBOT_ASKING;
}

static bool is_working(struct rig *g)
{
    return g->state == ROBOT_WORKING;
}

static bool is_retreating(struct rig *g)
{
    return g->state == ROBOT_RETREATING;
}

static bool pump_is_off(struct rig *g)
{
    (void)g;
    return !rig_world()->vacuum.pump;
}

static bool is_turning(struct rig *g)
{
    return g->state == ROBOT_TURNING;
}

static bool hand_is_there(struct rig *g)
{
    (void)g;
    return rig_world()->hand.present && rig_world()->hand.y > 0;
}

static bool hand_is_gone(struct rig *g)
{
    (void)g;
    return !rig_world()->hand.present;
}

static bool cup_is_free(struct rig *g)
{
    (void)g;
    return world_count(rig_world(), PLACE_CUP, 0) == 0;
}

static bool two_more_are_laid(struct rig *g)
{
    (void)g;
    return g->state == ROBOT_WATCHING && rig_counts()->moves >= 3;
}

static bool move_is_read(struct rig *g)
{
    (void)g;
    return rig_counts()->moves >= 2;
}

static bool one_is_lifted(struct rig *g)
{
    (void)g;
    return rig_counts()->lifted == 1;
}

static bool carries_to_a_tray(struct rig *g)
{
    (void)g;
    return rig_world()->tool.held && rig_world()->tool.machine[0] > -75;
}

static bool straightens(struct rig *g)
{
    return strstr(g->news, "straightening") && !rig_world()->tool.held;
}

static bool is_holding(struct rig *g)
{
    return g->state == ROBOT_HOLDING;
}

// --- what must not move ---

// People who were asked for help may have their hands anywhere: however long the stone has waited
// on the cup, nothing moves before they have answered.
static void test_asking_stands_still(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=4 s", NULL});
    const struct error trouble = {.text = "the test wants to be asked."};
    robot_on_player_failed(play_robot(rig.play), PERSON, &trouble);
    AWAIT(is_asking);
    assert_int_equal(world_count(rig_world(), PLACE_CUP, 0), 1);
    rig_stand();
    assert_false(rig_until(cup_is_free, 20));
    assert_int_equal(rig.state, ROBOT_ASKING);
    rig_assert_stands();
    rig_say("retry");
    AWAIT(cup_is_free);
    assert_true(rig_said("putting the waiting blue stone away"));
}

static void test_putting_back_waits_for_a_hand(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=6 s", NULL});
    assert_int_equal(0, person_reach(table_person(play_table(rig.play)), 9, 4, 15, NULL, NULL));
    AWAIT(hand_is_there);
    rig_stand();
    AWAIT(hand_is_gone);
    rig_assert_stands();
    assert_int_equal(world_count(rig_world(), PLACE_CUP, 0), 1);
    AWAIT(cup_is_free);
    assert_int_equal(rig_world()->incident_count, 0);
}

// Where it is the arm does not know any more, and would look for its home corner: not under a hand.
static void test_cable_pulled_under_a_hand(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("E5");
    AWAIT(rig_carries_over_the_board);
    struct table *table = play_table(rig.play);
    assert_int_equal(0, person_reach(table_person(table), 9, 2, 12, NULL, NULL));
    AWAIT(is_holding);
    rig_until(NULL, 1); // it brakes
    rig_stand();
    table_fault(table, FAULT_UNPLUG, 0);
    rig_until(NULL, 1);
    table_fault(table, FAULT_REPLUG, 0);
    rig_until(NULL, 6);
    assert_true(hand_is_there(&rig));
    rig_assert_stands();
    assert_int_equal(rig.state, ROBOT_HOLDING);
    AWAIT(two_more_are_laid);
    assert_int_equal(rig_world()->incident_kind[INCIDENT_HAND], 0);
}

// The other order: the hand comes while nobody knows where the arm is.
static void test_homing_waits_for_a_hand(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("E5");
    AWAIT(rig_carries_over_the_board);
    struct table *table = play_table(rig.play);
    table_fault(table, FAULT_UNPLUG, 0);
    assert_int_equal(0, person_reach(table_person(table), 9, 2, 15, NULL, NULL));
    AWAIT(hand_is_there);
    rig_until(NULL, 2);
    rig_stand();
    table_fault(table, FAULT_REPLUG, 0);
    rig_until(NULL, 8);
    assert_true(hand_is_there(&rig));
    assert_int_equal(rig.state, ROBOT_HOMING);
    assert_true(rig_said("finds its home corner when the board is clear"));
    rig_assert_stands();
    AWAIT(two_more_are_laid);
    assert_int_equal(rig_world()->incident_kind[INCIDENT_HAND], 0);
}

// The stone that waits falls off: the pump has nothing to hold any more, and the arm stays where it
// is.
static void test_fallen_stone_stops_the_pump(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){NULL});
    assert_true(rig_world()->vacuum.pump);
    rig_stand();
    table_fault(play_table(rig.play), FAULT_LOSE_STONE, 0.01);
    AWAIT(pump_is_off);
    assert_true(rig_said("has fallen off"));
    assert_false(rig_until(is_working, 5));
    rig_assert_stands();
}

// --- what people say when nobody asked ---

// The simulated person would press again some seconds later; the robot must not have needed it.
static void test_done_while_putting_back(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=1 s", NULL});
    AWAIT(is_working);
    const struct settings_board *board = &rig.settings.board;
    assert_int_equal(
        0, table_put_stone(play_table(rig.play), PERSON, 4 * board->pitch_x, 4 * board->pitch_y));
    rig_say("done");
    AWAIT(move_is_read);
    assert_true(rig_said("that you are done is noted"));
    assert_int_equal(rig.entered[ROBOT_READING], rig.entered[ROBOT_WATCHING]);
}

static void test_done_without_a_move(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=1 s", NULL});
    AWAIT(is_working);
    rig_say("done");
    AWAIT(rig_is_watching);
    assert_false(rig_until(move_is_read, 5));
    assert_int_equal(rig.entered[ROBOT_READING], 0);
    assert_int_equal(rig_counts()->hints, 0);
}

// A block is turned for the robot, and the own move made at once: nobody presses twice for that.
static void test_done_for_a_block_and_a_move(void **state)
{
    (void)state;
    rig_load((const char *const[]){"game.variant=pentago", "board.columns=6", "board.rows=6",
                                   "gripper.wait_time=0 s", "game.still_time=8 s", NULL});
    rig_begin(false);
    AWAIT(is_turning);
    AWAIT(hand_is_there); // the helper's
    AWAIT(hand_is_gone);
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

// --- where a stone in hand goes ---

// A position in doubt is found anew first; what waited on the cup is let go over its tray then.
static void test_doubt_homes_before_putting_back(void **state)
{
    (void)state;
    rig_lay_beside(
        0.7, (const char *const[]){"gripper.wait_time=6 s", "safety.placing_error=0.5 mm", NULL});
    assert_true(rig_said("will check its home corner before it moves again"));
    int homings = rig_counts()->homings;
    AWAIT(cup_is_free);
    assert_int_equal(rig_counts()->homings, homings + 1);
    AWAIT(rig_is_watching);
    struct table_ledger ledger;
    table_ledger(play_table(rig.play), &ledger);
    assert_int_equal(ledger.tray[ROBOT], 1);
}

// The move of the person and the robot's answer are taken back: a stone of each colour is lifted.
static void take_back_a_pair(void)
{
    rig_say("E5");
    AWAIT(two_more_are_laid);
    rig_say("undo");
}

// A stone that will not come off goes on into the tray of its own colour, whatever came next.
static void test_stuck_stone_keeps_its_tray(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    take_back_a_pair();
    AWAIT(carries_to_a_tray);
    int colour = (uint8_t)rig_world()->stone[rig_world()->tool.sealed].colour;
    table_fault(play_table(rig.play), FAULT_SENSOR_STUCK, 1);
    AWAIT(is_retreating);
    table_fault(play_table(rig.play), FAULT_SENSOR_STUCK, -1);
    rig_stand();
    AWAIT(is_working);
    assert_true(rig.visited[colour]);
    assert_false(rig.visited[ROBOT + PERSON - colour]);
    AWAIT(rig_is_watching);
    assert_int_equal(world_count(rig_world(), PLACE_TABLE, 0),
                     3); // the first one, and two in trays
}

// Also on its way out of the picture after something failed.
static void test_a_retreat_halts_for_a_hand(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    take_back_a_pair();
    AWAIT(carries_to_a_tray);
    table_fault(play_table(rig.play), FAULT_SENSOR_STUCK, 1);
    AWAIT(is_retreating);
    table_fault(play_table(rig.play), FAULT_SENSOR_STUCK, -1);
    assert_int_equal(0, person_reach(table_person(play_table(rig.play)), 9, 2, 8, NULL, NULL));
    AWAIT(is_holding);
    rig_until(NULL, 1); // it brakes
    rig_stand();
    rig_until(NULL, 4);
    assert_true(hand_is_there(&rig));
    rig_assert_stands();
    AWAIT(rig_is_watching);
    assert_int_equal(rig_world()->incident_kind[INCIDENT_HAND], 0);
}

// --- stones that lie beside their points ---

static double off_centre(void)
{
    const struct settings_board *board = &rig.settings.board;
    double x = 9 * board->pitch_x, y = 9 * board->pitch_y;
    int stone = world_find(rig_world(), x, y, 5);
    assert_true(stone >= 0);
    return hypot(rig_world()->stone[stone].x - x, rig_world()->stone[stone].y - y);
}

static void test_crooked_stone_is_straightened(void **state)
{
    (void)state;
    rig_lay_beside(1.2, (const char *const[]){NULL});
    double before = off_centre();
    assert_true(before > 1);
    assert_int_equal(rig_counts()->straightened, 0); // while the person plays it stands still
    rig_say("E5");
    AWAIT(two_more_are_laid);
    assert_int_equal(rig_counts()->straightened, 1);
    assert_true(rig_said("straightening the blue stone on K10"));
    assert_true(off_centre() < before / 2); // this eye is not calibrated
    assert_int_equal(rig_counts()->placed, 2);
    assert_int_equal(rig_counts()->lifted, 0);
    assert_int_equal(rig_world()->incident_count, 0);
}

// It is lost on the way: another one is laid, and the lost one put into the tray.
static void test_straightened_stone_falls(void **state)
{
    (void)state;
    rig_lay_beside(1.2, (const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("E5");
    AWAIT(straightens);
    AWAIT(rig_carries_over_the_board);
    table_fault(play_table(rig.play), FAULT_LOSE_STONE, 0.01);
    AWAIT(two_more_are_laid);
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(play_table(rig.play), truth);
    assert_int_equal(truth[9 * 19 + 9], ROBOT);
    assert_int_equal(rig_counts()->questions, 0);
}

// --- after an interruption ---

static void assert_only_the_first_stone(void)
{
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(play_table(rig.play), truth);
    for (int i = 0; i < 19 * 19; i++)
        assert_int_equal(truth[i], i == 9 * 19 + 9 ? ROBOT : 0);
}

static void test_undo_is_finished_later(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    take_back_a_pair();
    AWAIT(one_is_lifted);
    rig_end();
    rig_begin(true);
    AWAIT(rig_is_watching);
    assert_int_equal(rig_counts()->questions, 0);
    assert_int_equal(rig_counts()->lifted, 1);
    assert_only_the_first_stone();
}

static void die_when_taken_back(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("E5");
    AWAIT(two_more_are_laid);
    rig.dies = true;
    rig_say("undo");
    rig_until(NULL, 60);
}

// The rules have taken the moves back, and the program dies before it can say so.
static void test_killed_in_an_undo(void **state)
{
    (void)state;
    rig_killed_in(die_when_taken_back);
    rig_load((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_begin(true);
    AWAIT(rig_is_watching);
    assert_int_equal(rig_counts()->questions, 0);
    assert_int_equal(rig_counts()->lifted, 2);
    assert_only_the_first_stone();
}

static void die_while_straightening(void **state)
{
    (void)state;
    rig_lay_beside(1.2, (const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("E5");
    AWAIT(straightens);
    AWAIT(rig_carries_over_the_board);
    rig_die();
}

static void assert_straight_again(void)
{
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    struct table_ledger ledger;
    AWAIT(rig_is_watching);
    table_truth(play_table(rig.play), truth);
    table_ledger(play_table(rig.play), &ledger);
    assert_int_equal(truth[9 * 19 + 9], ROBOT);
    assert_int_equal(ledger.board[ROBOT], 2);
    assert_int_equal(ledger.board[PERSON], 1);
    assert_int_equal(ledger.cup + ledger.hand + ledger.beside + ledger.floor, 0);
    assert_int_equal(rig_counts()->questions, 0);
}

// Lifted and not yet laid again, it drops onto the board; or, the second time, rolls off it.
static void test_killed_while_straightening(void **state)
{
    (void)state;
    rig_killed_in(die_while_straightening);
    rig_load((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_begin(true);
    assert_straight_again();
    assert_int_equal(rig_counts()->placed, 0);
}

static void test_killed_while_straightening_what_rolls(void **state)
{
    (void)state;
    rig_killed_in(die_while_straightening);
    rig_load((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_begin(true);
    const struct settings_board *board = &rig.settings.board;
    assert_int_equal(
        0, table_take_stone(play_table(rig.play), 9 * board->pitch_x, 9 * board->pitch_y));
    assert_straight_again();
    assert_int_equal(rig_counts()->placed, 1);
}

int main(int argc, char **argv)
{
    char path[8192];
    const char *bin = getenv("TESSERA_BIN"), *old = getenv("PATH");
    snprintf(path, sizeof path, "%s:%s", bin ? bin : ".", old ? old : "/usr/bin:/bin");
    setenv("PATH", path, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_asking_stands_still, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_putting_back_waits_for_a_hand, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_cable_pulled_under_a_hand, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_fallen_stone_stops_the_pump, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_done_while_putting_back, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_done_without_a_move, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_done_for_a_block_and_a_move, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_doubt_homes_before_putting_back, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_homing_waits_for_a_hand, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_retreat_halts_for_a_hand, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_stuck_stone_keeps_its_tray, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_crooked_stone_is_straightened, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_straightened_stone_falls, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_undo_is_finished_later, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_killed_in_an_undo, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_killed_while_straightening, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_killed_while_straightening_what_rolls, rig_set_up,
                                        rig_tear_down),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("hands", tests, NULL, NULL);
}
