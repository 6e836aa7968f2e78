// The arm and the people around it, on the simulated table, with a person whose every act the test
// decides: what must not move while somebody's hand may be there, where a stone in hand goes, and
// what is done about stones that lie beside their points.
#include "tests/sim/hands_rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "controller/robot_private.h"

static bool is_asking(struct rig *g)
{
    return g->state == ROBOT_ASKING;
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

static bool cup_is_free(struct rig *g)
{
    (void)g;
    return world_count(rig_world(), PLACE_CUP, 0) == 0;
}

static bool carries_to_a_tray(struct rig *g)
{
    (void)g;
    return rig_world()->tool.held && rig_world()->tool.machine[0] > -75;
}

static bool is_holding(struct rig *g)
{
    return g->state == ROBOT_HOLDING;
}

static bool waits_to_home(struct rig *g)
{
    return g->state == ROBOT_HOMING && rig_said("finds its home corner when the board is clear");
}

static bool position_is_lost(struct rig *g)
{
    (void)g;
    return rig_said("answers nothing any more");
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
    AWAIT(rig_hand_is_there);
    rig_stand();
    AWAIT(rig_hand_is_gone);
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
    assert_true(rig_hand_is_there(&rig));
    rig_assert_stands();
    assert_int_equal(rig.state, ROBOT_HOLDING);
    AWAIT(rig_two_more_are_laid);
    assert_int_equal(rig_world()->incident_kind[INCIDENT_HAND], 0);
}

// Each time it is, and however much ends by it.
static void test_a_lost_cable_is_told_once(void **state)
{
    (void)state;
    static const char told[] = "The plotter on the simulated table is gone";
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("E5");
    AWAIT(rig_carries_over_the_board);
    for (int times = 1; times <= 2; times++) {
        table_fault(play_table(rig.play), FAULT_UNPLUG, 0);
        rig_until(NULL, 2);
        table_fault(play_table(rig.play), FAULT_REPLUG, 0);
        rig_until(NULL, 8);
        int count = 0;
        for (const char *at = rig.news; (at = strstr(at, told)); at += sizeof told)
            count++;
        assert_int_equal(count, times);
    }
    AWAIT(rig_two_more_are_laid);
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
    AWAIT(rig_hand_is_there);
    rig_until(NULL, 2);
    rig_stand();
    table_fault(table, FAULT_REPLUG, 0);
    rig_until(NULL, 8);
    assert_true(rig_hand_is_there(&rig));
    assert_int_equal(rig.state, ROBOT_HOMING);
    assert_true(rig_said("finds its home corner when the board is clear"));
    rig_assert_stands();
    AWAIT(rig_two_more_are_laid);
    assert_int_equal(rig_world()->incident_kind[INCIDENT_HAND], 0);
}

static bool is_starting(struct rig *g)
{
    return g->state == ROBOT_STARTING;
}

// A hand that covers little while it rests is one, whether or not it was seen on its way.
static void test_homing_waits_for_a_resting_hand(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("E5");
    AWAIT(rig_carries_over_the_board);
    struct table *table = play_table(rig.play);
    table_fault(table, FAULT_UNPLUG, 0);
    assert_int_equal(0, person_reach(table_person(table), 9, 1, 14, NULL, NULL));
    AWAIT(rig_hand_is_there);
    rig_until(NULL, 2);
    rig_stand();
    table_fault(table, FAULT_REPLUG, 0);
    AWAIT(waits_to_home);
    table_fault(table, FAULT_UNPLUG, 0); // and once more, while it waits
    AWAIT(is_starting);
    table_fault(table, FAULT_REPLUG, 0);
    AWAIT(waits_to_home);
    rig_until(NULL, 3);
    assert_true(rig_hand_is_there(&rig));
    rig_assert_stands();
    AWAIT(rig_two_more_are_laid);
    assert_int_equal(rig_world()->incident_kind[INCIDENT_HAND], 0);
}

// The plotter is switched on long after somebody has confirmed. Where the arm stands has never been
// known; that there is a hand over the board is seen all the same.
static void test_the_first_homing_waits_for_a_hand(void **state)
{
    (void)state;
    rig_load((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_begin(false);
    struct table *table = play_table(rig.play);
    table_fault(table, FAULT_UNPLUG, 0);
    AWAIT(is_starting);
    rig_until(NULL, 20);
    assert_int_equal(0, person_reach(table_person(table), 9, 9, 12, NULL, NULL));
    AWAIT(rig_hand_is_there);
    rig_until(NULL, 2);
    rig_stand();
    table_fault(table, FAULT_REPLUG, 0);
    rig_until(NULL, 5);
    assert_true(rig_hand_is_there(&rig));
    assert_true(waits_to_home(&rig));
    rig_assert_stands();
    AWAIT(rig_is_watching);
    assert_int_equal(rig_world()->incident_kind[INCIDENT_HAND], 0);
}

// The same where the arm was lost over the rows next to the people, in which no hand is told from
// it.
static bool is_over_the_near_rows(struct rig *g)
{
    const struct world_tool *t = &rig_world()->tool;
    return g->state == ROBOT_WORKING && t->held && t->y < 2 * g->settings.board.pitch_y;
}

static void test_homing_from_the_near_rows_waits_for_a_hand(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("S2");
    AWAIT(rig_two_more_are_laid);
    rig_say("undo");
    AWAIT(is_over_the_near_rows);
    struct table *table = play_table(rig.play);
    table_fault(table, FAULT_UNPLUG, 0);
    assert_int_equal(0, person_reach(table_person(table), 14, 8, 12, NULL, NULL));
    AWAIT(rig_hand_is_there);
    rig_until(NULL, 1); // it brakes
    rig_stand();
    table_fault(table, FAULT_REPLUG, 0);
    AWAIT(waits_to_home);
    rig_until(NULL, 3);
    assert_true(rig_hand_is_there(&rig));
    rig_assert_stands();
    AWAIT(rig_is_watching);
    assert_int_equal(rig_world()->incident_kind[INCIDENT_HAND], 0);
}

static bool is_under_way(struct rig *g)
{
    const double park = g->settings.machine.park_y;
    return g->state == ROBOT_WORKING && rig_world()->tool.machine[1] < park - 40;
}

// Nothing the plotter says arrives any more while its arm crosses the board: it is taken for a hand
// where nobody knows of it, held, and then lost. It must not wait for itself to go.
static void test_the_arm_is_no_hand(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    struct table *table = play_table(rig.play);
    rig_say("E5");
    AWAIT(is_under_way);
    table_fault(table, FAULT_LOSE_BYTES_OUT, 1e6);
    AWAIT(is_holding);
    AWAIT(position_is_lost);
    table_fault(table, FAULT_LOSE_BYTES_OUT, 0);
    AWAIT(rig_two_more_are_laid);
    assert_int_equal(rig_counts()->questions, 0);
}

static bool checks_home(struct rig *g)
{
    return g->state == ROBOT_WORKING && rig_said("the arm checks its home corner") &&
           rig_world()->tool.moving;
}

static bool is_stopped(struct rig *g)
{
    return g->state == ROBOT_STOPPED;
}

// Seen in the moment in which the arm begins to look for its home corner, where no feed hold stops
// it. A picture can't be had so near to it: what it raises can.
static void test_a_hand_as_homing_begins(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", "machine.home_every=1", NULL});
    rig_say("E5");
    AWAIT(checks_home);
    robot_raise(play_robot(rig.play), ROBOT_EV_HAND);
    assert_true(rig_until(is_stopped, 1));
    rig_until(NULL, 0.2); // it brakes
    rig_stand();
    rig_until(NULL, 3);
    rig_assert_stands();
    rig_say("start");
    AWAIT(rig_two_more_are_laid);
}

// Somebody opens the machine's door and shuts it while the arm waits for a hand: both want it to
// stand, and the hand's going speaks for one of them only.
static void test_door_under_a_hand(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("E5");
    AWAIT(rig_carries_over_the_board);
    struct table *table = play_table(rig.play);
    assert_int_equal(0, person_reach(table_person(table), 9, 2, 8, NULL, NULL));
    AWAIT(is_holding);
    rig_until(NULL, 1); // it brakes
    rig_stand();
    table_fault(table, FAULT_DOOR, 1);
    rig_until(NULL, 1);
    table_fault(table, FAULT_DOOR, 0);
    AWAIT(rig_hand_is_gone);
    rig_until(NULL, 5);
    rig_assert_stands();
    assert_int_equal(rig.state, ROBOT_STOPPED);
    assert_true(rig_said("the plotter's own door or hold button has halted it"));
    rig_say("start");
    AWAIT(rig_two_more_are_laid);
}

// A hand that rests, moves and rests again is one, however long that goes on.
static void test_a_restless_hand_is_no_arm(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("E5");
    AWAIT(rig_carries_over_the_board);
    struct table *table = play_table(rig.play);
    table_fault(table, FAULT_UNPLUG, 0);
    assert_int_equal(0, person_reach(table_person(table), 9, 2, 7, NULL, NULL));
    AWAIT(rig_hand_is_there);
    table_fault(table, FAULT_REPLUG, 0);
    AWAIT(waits_to_home);
    int64_t since = rig.entered[ROBOT_HOMING];
    AWAIT(rig_hand_is_gone);
    assert_int_equal(0, person_reach(table_person(table), 9, 2, 9, NULL, NULL));
    AWAIT(rig_hand_is_there);
    rig_stand();
    rig_until(NULL, 7);
    assert_true(loop_now(rig.loop) - since > 12 * NS_PER_S);
    assert_true(rig_hand_is_there(&rig));
    rig_assert_stands();
    AWAIT(rig_two_more_are_laid);
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
    assert_false(rig_until(rig_is_working, 5));
    rig_assert_stands();
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

// The arm is off by more than its cup forgives: the next tries are made elsewhere, not where the
// first ones failed.
static void test_the_search_for_a_stone_goes_on(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("E5");
    AWAIT(rig_two_more_are_laid);
    table_fault(play_table(rig.play), FAULT_LOSE_STEPS, 1.5);
    rig_say("undo");
    AWAIT(rig_is_working);
    AWAIT(rig_is_watching);
    assert_int_equal(rig_counts()->questions, 0);
    assert_int_equal(rig_counts()->lifted, 2);
    assert_int_equal(rig_counts()->picks_failed, 2); // once for each of them
}

// A stone that will not come off goes on into the tray of its own colour, whatever came next.
static void test_stuck_stone_keeps_its_tray(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_take_back_a_pair();
    AWAIT(carries_to_a_tray);
    int colour = (uint8_t)rig_world()->stone[rig_world()->tool.sealed].colour;
    table_fault(play_table(rig.play), FAULT_SENSOR_STUCK, 1);
    AWAIT(is_retreating);
    table_fault(play_table(rig.play), FAULT_SENSOR_STUCK, -1);
    rig_stand();
    AWAIT(rig_is_working);
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
    rig_take_back_a_pair();
    AWAIT(carries_to_a_tray);
    table_fault(play_table(rig.play), FAULT_SENSOR_STUCK, 1);
    AWAIT(is_retreating);
    table_fault(play_table(rig.play), FAULT_SENSOR_STUCK, -1);
    assert_int_equal(0, person_reach(table_person(play_table(rig.play)), 9, 2, 8, NULL, NULL));
    AWAIT(is_holding);
    rig_until(NULL, 1); // it brakes
    rig_stand();
    rig_until(NULL, 4);
    assert_true(rig_hand_is_there(&rig));
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
    AWAIT(rig_two_more_are_laid);
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
    AWAIT(rig_straightens);
    AWAIT(rig_carries_over_the_board);
    table_fault(play_table(rig.play), FAULT_LOSE_STONE, 0.01);
    AWAIT(rig_two_more_are_laid);
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(play_table(rig.play), truth);
    assert_int_equal(truth[9 * 19 + 9], ROBOT);
    assert_int_equal(rig_counts()->questions, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_asking_stands_still, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_putting_back_waits_for_a_hand, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_cable_pulled_under_a_hand, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_the_arm_is_no_hand, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_hand_as_homing_begins, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_door_under_a_hand, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_fallen_stone_stops_the_pump, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_doubt_homes_before_putting_back, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_lost_cable_is_told_once, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_homing_waits_for_a_hand, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_homing_waits_for_a_resting_hand, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_the_first_homing_waits_for_a_hand, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_homing_from_the_near_rows_waits_for_a_hand, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_restless_hand_is_no_arm, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_retreat_halts_for_a_hand, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_the_search_for_a_stone_goes_on, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_stuck_stone_keeps_its_tray, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_crooked_stone_is_straightened, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_straightened_stone_falls, rig_set_up, rig_tear_down),
    };
    rig_find_programs();
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("hands", tests, NULL, NULL);
}
