// What is left to do after an interruption: on the simulated table, by the program that goes on.
#include "tests/sim/hands_rig.h"

#include <math.h>

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

// One stone fell, so one stone is ours: what lies elsewhere later is for people to judge.
static void test_a_fallen_stone_is_found_once(void **state)
{
    (void)state;
    rig_load((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_begin(false);
    AWAIT(rig_carries_over_the_board);
    rig_lose_stone(3, 3);
    AWAIT(is_found);
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
    AWAIT(rig_carries_over_the_board);
    rig_lose_stone(5, 0);
    AWAIT(is_found);
    rig_end();
    rig_begin(true);
    AWAIT(is_turning);
    assert_int_equal(rig_counts()->questions, 0);
}

// A word of the players' that leaves the game as it is does not make the turn work for the arm.
static void test_a_draw_is_offered_before_the_turn(void **state)
{
    (void)state;
    rig_load((const char *const[]){"game.variant=pentago", "board.columns=6", "board.rows=6",
                                   "gripper.wait_time=0 s", NULL});
    rig_begin(false);
    AWAIT(is_turning);
    rig_say("draw");
    rig_until(NULL, 1);
    assert_int_equal(rig.state, ROBOT_TURNING);
    rig_end();
    rig_begin(true);
    AWAIT(is_turning);
    assert_int_equal(rig_counts()->questions + rig_counts()->lifted + rig_counts()->placed, 0);
}

static bool person_has_moved(struct rig *g)
{
    (void)g;
    return rig_counts()->moves > 0;
}

static void let_person_move(int column, int row)
{
    struct person_task move = {
        .colour = PERSON, .column = column, .row = row, .block = 2, .turn = 1, .press = true};
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(play_table(rig.play), truth);
    while (truth[move.row * 6 + move.column])
        move.column = (move.column + 1) % 6;
    assert_int_equal(0, person_do(table_person(play_table(rig.play)), &move, NULL, NULL));
}

static bool has_looked(struct rig *g)
{
    return g->state == ROBOT_TURNING || g->state == ROBOT_ASKING || g->state == ROBOT_WORKING ||
           g->state == ROBOT_WATCHING;
}

// Its marbles lie a little like before and a little like after the turn; the arm has none to lift.
static void test_a_block_stands_half_turned(void **state)
{
    (void)state;
    rig_load((const char *const[]){"game.variant=pentago", "board.columns=6", "board.rows=6",
                                   "gripper.wait_time=0 s", NULL});
    rig_begin(false);
    for (int round = 0; round < 3; round++) {
        AWAIT(rig_is_watching);
        let_person_move(round, 1);
        AWAIT(is_turning);
    }
    int block, direction;
    assert_true(robot_turn_asked(play_robot(rig.play), &block, &direction));
    for (int degrees = 20; degrees < 70; degrees += 23) {
        rig_end();
        rig_begin(true);
        struct table *table = play_table(rig.play);
        assert_int_equal(0, table_turn_block(table, block, direction * degrees));
        AWAIT(has_looked);
        assert_int_not_equal(rig.state, ROBOT_WORKING);
        assert_int_equal(rig_counts()->lifted + rig_counts()->placed, 0);
        table_turn_block(table, block, -direction * degrees);
    }
}

// A turned block brings marbles to empty points, also of the colour that fell off the cup as the
// program died: that is the person's move, and none of them fell there.
static void test_a_person_moved_and_a_marble_fell(void **state)
{
    (void)state;
    rig_load(
        (const char *const[]){"game.variant=pentago", "board.columns=6", "board.rows=6", NULL});
    rig_begin(false);
    AWAIT(rig_is_watching);
    assert_int_equal(world_count(rig_world(), PLACE_CUP, ROBOT), 1);
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(play_table(rig.play), truth);
    int at = 0;
    while (truth[at] != ROBOT)
        at++;
    const int column = at % 6, row = at / 6;
    assert_true(column % 3 != 1 || row % 3 != 1); // turning moves it
    const struct settings_board *board = &rig.settings.board;
    rig_end();
    rig_begin(true);
    struct table *table = play_table(rig.play);
    table_put_stone(table, PERSON, (5 - column) * board->pitch_x, (5 - row) * board->pitch_y);
    assert_int_equal(0, table_turn_block(table, 1 + (column > 2) + 2 * (row < 3), 90));
    AWAIT(rig_is_watching);
    rig_say("done");
    AWAIT(person_has_moved);
    assert_int_equal(rig_counts()->questions, 0);
}

static bool names_the_block(struct rig *g)
{
    (void)g;
    return rig_said("block 2 stands half turned");
}

static bool goes_on(struct rig *g)
{
    return g->state == ROBOT_THINKING || g->state == ROBOT_WORKING;
}

// Seen for the first time by the program that goes on: on blocks without lines nothing else tells
// how they lie. What is on the block's rim is unknown, so there is no work for the arm.
static void test_hollows_stand_half_turned(void **state)
{
    (void)state;
    rig_load((const char *const[]){"game.variant=pentago", "board.columns=6", "board.rows=6",
                                   "board.pitch_x=28", "board.pitch_y=28", "board.points=hollows",
                                   "board.seam=5", "stones.diameter=17", "stones.height=8.5",
                                   "stones.colour1=black", "stones.colour2=white",
                                   "heights.contact=-41.5", "camera.width=800", "camera.height=450",
                                   "gripper.wait_time=0 s", NULL});
    rig_begin(false);
    struct table *table = play_table(rig.play);
    assert_int_equal(0, table_turn_block(table, 2, 40));
    AWAIT(names_the_block);
    assert_int_equal(rig.state, ROBOT_ASKING);
    assert_int_equal(rig_counts()->lifted + rig_counts()->placed, 0);
    assert_int_equal(0, table_turn_block(table, 2, -40));
    AWAIT(goes_on);
}

// --- undone ---

static bool one_is_lifted(struct rig *g)
{
    (void)g;
    return rig_counts()->lifted == 1;
}

static void test_undo_is_finished_later(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_take_back_a_pair();
    AWAIT(one_is_lifted);
    rig_end();
    rig_begin(true);
    AWAIT(rig_is_watching);
    assert_int_equal(rig_counts()->questions, 0);
    assert_int_equal(rig_counts()->lifted, 1);
    rig_assert_only_first_stone();
}

static void die_when_taken_back(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("E5");
    AWAIT(rig_two_more_are_laid);
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
    rig_assert_only_first_stone();
}

static void die_while_straightening(void **state)
{
    (void)state;
    rig_lay_beside(1.2, (const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_say("E5");
    AWAIT(rig_straightens);
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

static bool lies_at(const struct world_stone *stone, int column, int row)
{
    const struct settings_board *board = &rig.settings.board;
    return hypot(stone->x - column * board->pitch_x, stone->y - row * board->pitch_y) < 4;
}

// What dropped off the cup rolled to this point; the others lie on K10 and on that one.
static void roll_to(int column, int row, int other_column, int other_row)
{
    const struct world *w = rig_world();
    const struct settings_board *board = &rig.settings.board;
    for (int i = 0; i < w->stone_count; i++) {
        const struct world_stone *stone = &w->stone[i];
        if (stone->place != PLACE_TABLE || stone->y < 0 || stone->x < 0 ||
            stone->x > 18.5 * board->pitch_x || lies_at(stone, 9, 9) ||
            lies_at(stone, other_column, other_row))
            continue;
        const unsigned colour = (unsigned)stone->colour;
        assert_int_equal(table_take_stone(play_table(rig.play), stone->x, stone->y), 0);
        table_put_stone(play_table(rig.play), (int)colour, column * board->pitch_x,
                        row * board->pitch_y);
        return;
    }
    fail_msg("no stone has dropped");
}

static void die_while_lifting(void **state)
{
    (void)state;
    rig_sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_take_back_a_pair();
    AWAIT(rig_carries_over_the_board);
    rig_die();
}

static bool claimed(struct rig *g)
{
    (void)g;
    return rig_said("must be the one that hung on the cup");
}

static void die_once_more(void **state)
{
    (void)state;
    rig_load((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_begin(true);
    roll_to(16, 2, 4, 4);
    AWAIT(claimed);
    AWAIT(rig_carries_over_the_board);
    rig_die();
}

static bool is_asked_whose(struct rig *g)
{
    (void)g;
    return rig_said("the board shows: a red stone is new: G12. If that is the one");
}

// Each time with a stone on the cup, which drops onto an empty point. The first is known to be
// ours, and not yet lifted, as the second drops; that one might be the person's move. He takes it
// off, and the other is lifted.
static void test_killed_twice_while_lifting(void **state)
{
    (void)state;
    rig_killed_in(die_while_lifting);
    rig_killed_in(die_once_more);
    rig_load((const char *const[]){"gripper.wait_time=0 s", NULL});
    rig_begin(true);
    roll_to(6, 11, 16, 2);
    AWAIT(is_asked_whose);
    const struct settings_board *board = &rig.settings.board;
    assert_int_equal(
        table_take_stone(play_table(rig.play), 6 * board->pitch_x, 11 * board->pitch_y), 0);
    AWAIT(rig_is_watching);
    assert_int_equal(rig_counts()->questions, 1);
    assert_int_equal(rig_counts()->lifted, 1);
    rig_assert_only_first_stone();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_fallen_stone_is_found_once, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_marble_was_found_before_the_turn, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_draw_is_offered_before_the_turn, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_block_stands_half_turned, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_a_person_moved_and_a_marble_fell, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_hollows_stand_half_turned, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_undo_is_finished_later, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_killed_in_an_undo, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_killed_while_straightening, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_killed_while_straightening_what_rolls, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(test_killed_twice_while_lifting, rig_set_up, rig_tear_down),
    };
    rig_find_programs();
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("interrupted", tests, NULL, NULL);
}
