// Games that start from a free position.
#include "tests/unit/game_fixture.h"

static void free_positions(void **state)
{
    (void)state;
    static struct setup setup;
    struct error err;
    const struct variant *pente = variant_find("pente");
    game_init(&game, pente);
    uint64_t hash = game_hash(&game);
    setup.stone_count = 1;
    setup.stones[0].colour = 1;
    setup.stones[0].at = (struct point){19, 0};
    assert_int_equal(game_setup(&game, pente, &setup, &err), -EINVAL);
    assert_string_equal(err.code, "BadSetup");
    setup.stones[0].at = (struct point){0, 0};
    setup.stones[0].colour = 3;
    assert_int_equal(game_setup(&game, pente, &setup, &err), -EINVAL);
    setup.stones[0].colour = 0;
    assert_int_equal(game_setup(&game, pente, &setup, &err), -EINVAL);
    setup.stones[0].colour = 2;
    setup.stones[1] = setup.stones[0];
    setup.stone_count = 2;
    assert_int_equal(game_setup(&game, pente, &setup, &err), -EINVAL);
    setup.stone_count = POINTS_MAX + 1;
    assert_int_equal(game_setup(&game, pente, &setup, &err), -EINVAL);
    setup.stone_count = 1;
    setup.ply = SETUP_PLY_MAX + 1;
    assert_int_equal(game_setup(&game, pente, &setup, &err), -EINVAL);
    setup.ply = 7;
    setup.captures[2] = SETUP_COUNTER_MAX + 1;
    assert_int_equal(game_setup(&game, pente, &setup, &err), -EINVAL);
    setup.captures[2] = 0;
    setup.stones_taken[1] = SETUP_COUNTER_MAX + 1;
    assert_int_equal(game_setup(&game, pente, &setup, NULL), -EINVAL);
    setup.stones_taken[1] = 4;
    assert_true(game_hash(&game) == hash); // nothing of that changed the game
    assert_int_equal(game_setup(&game, pente, &setup, &err), 0);
    assert_int_equal(game_next_colour(&game), 2);
    assert_int_equal(game_next_seat(&game), 2);
    assert_false(game_undo(&game)); // there is no history to take back
    assert_int_equal(game_at(&game, 0, 0), 2);
    assert_int_equal(game_at(&game, -1, 0), 0);
    assert_int_equal(game_at(&game, 0, 19), 0);
}

static void full_setup_is_over(void **state)
{
    (void)state;
    static struct setup setup;
    struct move legal[LEGAL_MAX];
    struct variant rules = *variant_find("pente-free");
    rules.size = 5;
    memset(&setup, 0, sizeof setup);
    for (int i = 0; i < 25; i++) {
        setup.stones[i].colour = (uint8_t)(1 + (i / 2) % 2);
        setup.stones[i].at = (struct point){(int8_t)(i % 5), (int8_t)(i / 5)};
    }
    setup.stone_count = 25;
    setup.ply = 25;
    assert_int_equal(game_setup(&game, &rules, &setup, NULL), 0);
    assert_true(game.result.over);
    assert_int_equal(game.result.how, HOW_FULL);
    assert_int_equal(game_legal(&game, legal), 0);
}

static void setup_and_protocols(void **state)
{
    (void)state;
    static struct setup setup;
    memset(&setup, 0, sizeof setup);
    for (unsigned i = 0; i < 4; i++) {
        setup.stones[i].colour = (uint8_t)(1 + i % 2);
        setup.stones[i].at = (struct point){(int8_t)(3 * i), 2};
    }
    setup.stone_count = setup.ply = 4;
    assert_int_equal(game_setup(&game, variant_find("d-pente"), &setup, NULL), 0);
    assert_int_equal(game_choice_pending(&game), 2);
    assert_int_equal(game_setup(&game, variant_find("d-pente-pbm"), &setup, NULL), 0);
    assert_int_equal(game_choice_pending(&game), 1);
    assert_int_equal(game_setup(&game, variant_find("swap2-pente"), &setup, NULL), 0);
    assert_int_equal(game_choice_pending(&game), 0); // later than the choice: nobody swapped
    assert_false(game_choice_allowed(&game, MOVE_FIRST));
}

// A row that stood before a free position was set up is judged like any other.
static void boat_with_a_standing_row(void **state)
{
    (void)state;
    static struct setup setup;
    static const int stones[][3] = {{1, 4, 4}, {1, 5, 4}, {1, 6, 4}, {1, 7, 4}, {1, 8, 4},
                                    {1, 6, 5}, {2, 6, 3}, {2, 3, 5}, {2, 6, 7}};
    memset(&setup, 0, sizeof setup);
    for (unsigned i = 0; i < 9; i++) {
        setup.stones[i].colour = (uint8_t)stones[i][0];
        setup.stones[i].at = (struct point){(int8_t)stones[i][1], (int8_t)stones[i][2]};
    }
    setup.stone_count = 9;
    setup.ply = 24; // its owner is to move: the row is still breakable, the game goes on
    assert_int_equal(game_setup(&game, variant_find("boat"), &setup, NULL), 0);
    assert_int_equal(game_play(&game, move_place(1, 15, 15), &effect), REASON_NONE);
    assert_false(effect.result.over);
    assert_int_equal(game_play(&game, move_place(2, 15, 14), &effect), REASON_NONE);
    assert_int_equal(effect.result.winner, 1);
    // In O-Pente its owner can lose it by a poof: E5 and the new F6 stand between D4 and G7.
    static const int poof[][3] = {{1, 4, 4}, {1, 5, 4}, {1, 6, 4}, {1, 7, 4},
                                  {1, 8, 4}, {2, 3, 3}, {2, 6, 6}};
    for (unsigned i = 0; i < 7; i++) {
        setup.stones[i].colour = (uint8_t)poof[i][0];
        setup.stones[i].at = (struct point){(int8_t)poof[i][1], (int8_t)poof[i][2]};
    }
    setup.stone_count = 7;
    assert_int_equal(game_setup(&game, variant_find("o-pente"), &setup, NULL), 0);
    assert_int_equal(game_play(&game, move_place(1, 5, 5), &effect), REASON_NONE);
    assert_int_equal(effect.poofed_count, 2);
    assert_false(effect.result.over);
    assert_int_equal(game_play(&game, move_place(2, 15, 15), &effect), REASON_NONE);
    assert_false(effect.result.over);
}

// Boat hands the five to whoever made it, also in a points game.
static void boat_with_points(void **state)
{
    (void)state;
    struct variant rules = *variant_find("boat");
    static struct setup setup;
    rules.scoring = SCORING_POINTS2;
    memset(&setup, 0, sizeof setup);
    static const int stones[][3] = {{1, 4, 4}, {1, 5, 4}, {1, 6, 4}, {1, 7, 4},
                                    {1, 8, 4}, {1, 6, 5}, {2, 6, 3}};
    for (unsigned i = 0; i < 7; i++) {
        setup.stones[i].colour = (uint8_t)stones[i][0];
        setup.stones[i].at = (struct point){(int8_t)stones[i][1], (int8_t)stones[i][2]};
    }
    setup.stone_count = 7;
    setup.ply = 25;
    assert_int_equal(game_setup(&game, &rules, &setup, NULL), 0);
    assert_int_equal(game_play(&game, move_place(2, 15, 15), &effect), REASON_NONE);
    assert_int_equal(effect.result.winner, 1);
    assert_true(effect.scored);
    assert_int_equal(effect.scores[1], 5);
    assert_int_equal(effect.scores[2], 0);
    // A five that nobody can break scores for the one who lays it.
    setup.stone_count = 4;
    setup.ply = 24;
    assert_int_equal(game_setup(&game, &rules, &setup, NULL), 0);
    assert_int_equal(game_play(&game, move_place(1, 8, 4), &effect), REASON_NONE);
    assert_int_equal(effect.scores[1], 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_positions),      cmocka_unit_test(full_setup_is_over),
        cmocka_unit_test(setup_and_protocols), cmocka_unit_test(boat_with_a_standing_row),
        cmocka_unit_test(boat_with_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
