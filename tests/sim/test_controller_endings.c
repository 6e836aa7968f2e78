// How a game ends by a word, and what people say once it has: on the simulated table, with people
// whose every act the test decides.
#include "tests/sim/hands_rig.h"

static bool is_asking(struct rig *g)
{
    return g->state == ROBOT_ASKING;
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_draw_offered_while_a_person_lifts, rig_set_up,
                                        rig_tear_down),
    };
    rig_find_programs();
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("endings", tests, NULL, NULL);
}
