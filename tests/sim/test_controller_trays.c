// Trays of few slots for what the arm lifts, and people who empty them: on the simulated table.
#include "tests/sim/hands_rig.h"

static int lifted_before;

static bool is_asking(struct rig *g)
{
    return g->state == ROBOT_ASKING;
}

static bool is_stopped(struct rig *g)
{
    return g->state == ROBOT_STOPPED;
}

static bool has_homed(struct rig *g)
{
    return g->state == ROBOT_LOOKING;
}

static bool two_more_are_lifted(struct rig *g)
{
    return g->state == ROBOT_WATCHING && rig_counts()->lifted == lifted_before + 2;
}

static bool robot_has_replied(struct rig *g)
{
    return g->state == ROBOT_WATCHING && rig_counts()->placed > 1 + lifted_before / 2;
}

// A stone of the person and the robot's reply, both taken back.
static void take_back_a_pair(void)
{
    lifted_before = rig_counts()->lifted;
    rig_say("E5");
    AWAIT(robot_has_replied);
    rig_say("undo");
}

static void empty_trays(void)
{
    const struct world *w = rig_world();
    for (int i = 0; i < w->stone_count; i++) {
        const struct world_stone *s = &w->stone[i];
        if (s->place == PLACE_TABLE && world_tray_at(&w->setup, s->x, s->y) >= 0)
            assert_int_equal(table_take_stone(play_table(rig.play), s->x, s->y), 0);
    }
}

static const char *const two_slots[] = {"gripper.wait_time=0 s", "trays.colour1.columns=2",
                                        "trays.colour2.columns=2", NULL};

static void fill_both_trays(void)
{
    rig_sit_down(two_slots);
    for (int pair = 0; pair < 2; pair++) {
        take_back_a_pair();
        AWAIT(two_more_are_lifted);
    }
    assert_int_equal(rig_counts()->questions, 0);
}

// It is asked for by name and at once, and goes on when somebody says that he has.
static void test_a_full_tray_is_emptied(void **state)
{
    (void)state;
    fill_both_trays();
    take_back_a_pair();
    AWAIT(is_asking);
    assert_true(rig_said("\"tray 1\" and \"tray 2\" are full. Empty them, then press the reset "
                         "button or type \"start\": from then on they count as empty."));
    assert_int_equal(rig_counts()->lifted, 4);
    empty_trays();
    rig_say("retry");
    AWAIT(two_more_are_lifted);
    rig_assert_only_first_stone();
    assert_int_equal(rig_counts()->questions, 1);
    assert_int_equal(rig_world()->incident_count, 0);
}

// Over a full tray the arm lets go of nothing on its way home, and comes home.
static void test_homing_with_full_trays(void **state)
{
    (void)state;
    fill_both_trays();
    rig_say("stop");
    AWAIT(is_stopped);
    rig_say("start");
    AWAIT(has_homed);
    AWAIT(rig_is_watching);
    assert_int_equal(rig_counts()->homings, 2);
    assert_int_equal(rig_counts()->questions, 0);
}

// What waits on the cup and has to be put away first needs a slot as well.
static void test_the_last_slot_goes_to_the_waiting_stone(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=600 s", "trays.colour1.columns=3",
                                       "trays.colour2.columns=3", NULL});
    take_back_a_pair();
    AWAIT(two_more_are_lifted);
    take_back_a_pair();
    AWAIT(is_asking);
    assert_true(rig_said("\"tray 1\" is full. Empty it, then"));
    assert_false(rig_said("is full. Empty it.\n")); // found out by nothing that failed
    assert_int_equal(rig_counts()->lifted, 3);
    empty_trays();
    rig_say("retry");
    AWAIT(two_more_are_lifted);
    rig_assert_only_first_stone();
}

static bool checks_home(struct rig *g)
{
    (void)g;
    return rig_said("the arm checks its home corner");
}

// Work that was broken off before it began, for want of a stone, has not homed the arm.
static void test_an_empty_store_before_homing(void **state)
{
    (void)state;
    rig_lay_beside(1.2,
                   (const char *const[]){"gripper.wait_time=0 s", "safety.placing_error=0.5 mm",
                                         "stores.colour1.capacity=1", NULL});
    assert_true(rig_said("will check its home corner before it moves again"));
    rig_say("E5");
    AWAIT(is_asking);
    assert_true(rig_said("Store \"store 1\" is empty"));
    rig.news_size = 0;
    rig.news[0] = 0;
    rig_say("retry");
    AWAIT(checks_home);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_full_tray_is_emptied, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_homing_with_full_trays, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_the_last_slot_goes_to_the_waiting_stone, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_an_empty_store_before_homing, rig_set_up,
                                        rig_tear_down),
    };
    rig_find_programs();
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("trays", tests, NULL, NULL);
}
