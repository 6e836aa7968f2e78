// A stone that fell off the cup, was found on the board, and is still there when the program ends:
// what the next one makes of it.
#include "tests/sim/hands_rig.h"

static bool is_retreating(struct rig *g)
{
    return g->state == ROBOT_RETREATING;
}

static bool is_asking(struct rig *g)
{
    return g->state == ROBOT_ASKING;
}

static bool is_turning(struct rig *g)
{
    return g->state == ROBOT_TURNING;
}

static bool is_found(struct rig *g)
{
    (void)g;
    return rig_said("must be the one that hung on the cup");
}

// The robot's first stone is lost on its way, and lies on that point when the robot looks.
static void lose_first_stone(int column, int row)
{
    const struct settings_board *board = &rig.settings.board;
    struct table *table = play_table(rig.play);
    AWAIT(rig_carries_over_the_board);
    table_fault(table, FAULT_LOSE_STONE, 0.01);
    AWAIT(is_retreating);
    const struct world *w = rig_world();
    int lost = 0;
    while (lost < w->stone_count && w->stone[lost].place != PLACE_TABLE)
        lost++;
    assert_true(lost < w->stone_count);
    assert_int_equal(table_take_stone(table, w->stone[lost].x, w->stone[lost].y), 0);
    table_put_stone(table, ROBOT, column * board->pitch_x, row * board->pitch_y);
    AWAIT(is_found);
}

// One stone fell, so one stone is ours: what lies elsewhere later is for people to judge.
static void test_a_fallen_stone_is_found_once(void **state)
{
    (void)state;
    rig_load((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_begin(false);
    lose_first_stone(3, 3);
    rig_end();
    rig_begin(true);
    const struct settings_board *board = &rig.settings.board;
    table_put_stone(play_table(rig.play), ROBOT, 15 * board->pitch_x, 3 * board->pitch_y);
    AWAIT(is_asking);
    assert_true(rig_said("new: Q4"));
    assert_false(is_found(&rig));
}

// In Pentago a block is still to be turned.
static void test_a_marble_was_found_before_the_turn(void **state)
{
    (void)state;
    rig_load((const char *const[]){"game.variant=pentago", "board.columns=6", "board.rows=6",
                                   "gripper.wait_time=0 s", NULL});
    rig_begin(false);
    lose_first_stone(5, 0);
    rig_end();
    rig_begin(true);
    AWAIT(is_turning);
    assert_int_equal(rig_counts()->questions, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_fallen_stone_is_found_once, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_marble_was_found_before_the_turn, rig_set_up,
                                        rig_tear_down),
    };
    rig_find_programs();
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("fallen", tests, NULL, NULL);
}
