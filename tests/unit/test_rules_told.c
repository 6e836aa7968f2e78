// What people are told: calls with the points that matter, and why a move is refused.
#include "tests/unit/game_fixture.h"

#include "rules/notation.h"
#include "rules/perft.h"

static void calls_and_their_points(void **state)
{
    (void)state;
    struct call calls[CALLS_MAX];
    start("pente");
    play_all("K10,A1,N10,C1,L10,E1");
    play_all("M10"); // K L M N: an unblocked four
    assert_int_equal(effect.calls, CALL_TESSERA);
    assert_int_equal(effect.call_count, 1);
    assert_int_equal(effect.call[0].stone_count, 4);
    assert_int_equal(effect.call[0].block_count, 2);
    char text[MOVE_TEXT_MAX];
    assert_string_equal(point_format(effect.call[0].blocks[0], text), "J10");
    assert_string_equal(point_format(effect.call[0].blocks[1], text), "O10");
    assert_int_equal(game_calls_at(&game, 9, 9, 1, calls), 1);
    assert_int_equal(game_calls_at(&game, 9, 9, 2, calls), 0);
    start("connect6"); // no calls there
    assert_int_equal(game_calls_at(&game, 9, 9, 1, calls), 0);
    start("pentago");
    assert_int_equal(game_calls_at(&game, 3, 3, 1, calls), 0);
    assert_int_equal(game_count_runs(&game, 1, 3, RUN_MIN), 0);
    uint16_t scores[COLOURS_MAX + 1] = {9, 9, 9, 9, 9};
    game_scores(&game, scores);
    assert_int_equal(scores[1], 0);
}

// XX.XX.XX… in three directions makes more fours at once than are listed; the list ends cleanly.
static void many_calls_at_once(void **state)
{
    (void)state;
    static struct setup setup;
    struct call calls[CALLS_MAX];
    uint64_t rng = playout_seed(1);
    size_t most = 0;
    for (unsigned board = 0; board < 200 && most < CALLS_MAX; board++) {
        memset(&setup, 0, sizeof setup);
        setup.ply = 24;
        for (int y = 0; y < 19; y++)
            for (int x = 0; x < 19; x++)
                if ((x + y) % 3 != 0 && playout_below(&rng, 20) != 0) {
                    setup.stones[setup.stone_count].colour = 1;
                    setup.stones[setup.stone_count++].at = (struct point){(int8_t)x, (int8_t)y};
                }
        assert_int_equal(game_setup(&game, variant_find("pente"), &setup, NULL), 0);
        for (int i = 0; i < 361; i++) {
            size_t count = game_calls_at(&game, i % 19, i / 19, 1, calls);
            most = count > most ? count : most;
            assert_true(count <= CALLS_MAX);
        }
    }
    assert_int_equal(most, CALLS_MAX);
}

static void reasons(void **state)
{
    (void)state;
    char text[256];
    struct move far = move_place(0, 10, 10);
    for (enum reason r = REASON_MALFORMED; r < REASON_COUNT; r++) {
        start(r == REASON_TWIST_REQUIRED ? "pentago" : "pente");
        reason_explain(r, &game, &far, text, sizeof text);
        assert_true(strlen(reason_name(r)) > 2);
        assert_true(strlen(text) > 15 && text[strlen(text) - 1] == '.');
        for (enum reason other = REASON_MALFORMED; other < r; other++)
            assert_string_not_equal(reason_name(r), reason_name(other));
    }
    assert_string_equal(reason_name(REASON_NONE), "");
    assert_string_equal(reason_name(REASON_COUNT), "");
    assert_string_equal(reason_explain(REASON_NONE, &game, &far, text, sizeof text), "");
    start("pente-tournament");
    reason_explain(REASON_TOO_CLOSE, &game, &far, text, sizeof text);
    assert_non_null(strstr(text, "K10"));
    start("g-pente");
    reason_explain(REASON_TOO_CLOSE, &game, &far, text, sizeof text);
    assert_non_null(strstr(text, "K14"));
    start("pentago");
    game_play(&game, move_twist(0, 0, 5, 0, 0), NULL);
    struct move taken = move_twist(0, 0, 5, 1, 1);
    assert_int_equal(game_play(&game, taken, NULL), REASON_OCCUPIED);
    reason_explain(REASON_OCCUPIED, &game, &taken, text, sizeof text);
    assert_string_equal(text, "There is already a marble on 1/1. Choose an empty hole.");
    reason_explain(REASON_OFF_BOARD, &game, &taken, text, sizeof text);
    assert_non_null(strstr(text, "from 1/1 to 4/9"));
    start("connect6");
    play_all("K10");
    struct move pair = move_pair(0, (struct point){0, 0}, (struct point){9, 9});
    assert_int_equal(game_play(&game, pair, NULL), REASON_OCCUPIED);
    reason_explain(REASON_OCCUPIED, &game, &pair, text, sizeof text);
    assert_non_null(strstr(text, "K10"));
    start("swap2-pente");
    play_all("A1,B1,C1");
    reason_explain(REASON_BAD_CHOICE, &game, &pair, text, sizeof text);
    assert_non_null(strstr(text, "pass"));
    struct variant always = *variant_find("pentago");
    game_init(&game, &always);
    reason_explain(REASON_NO_CHOICE_PENDING, &game, &pair, text, sizeof text);
    assert_non_null(strstr(text, "marble"));
    always.twist = TWIST_ALWAYS;
    game_init(&game, &always);
    reason_explain(REASON_TWIST_REQUIRED, &game, &pair, text, sizeof text);
    assert_non_null(strstr(text, "After your marble"));
    always.twist = TWIST_OPTIONAL;
    always.neutral = NEUTRAL_ROTSYM;
    game_init(&game, &always);
    reason_explain(REASON_TWIST_REQUIRED, &game, &pair, text, sizeof text);
    assert_non_null(strstr(text, "look the same"));
    assert_string_equal(reason_explain(REASON_COUNT, &game, &pair, text, sizeof text), "");
}

// A move that could not be read is answered with how it is written in this very game.
static void how_to_write_a_move(void **state)
{
    (void)state;
    char text[256];
    struct move none = {.kind = UINT8_MAX};
    start("pente");
    assert_int_equal(game_play(&game, none, NULL), REASON_MALFORMED);
    reason_explain(REASON_MALFORMED, &game, &none, text, sizeof text);
    assert_string_equal(text,
                        "That is not a move in this game. Write a point such as K10: a letter "
                        "from A to T (there is no I), then a number from 1 to 19.");
    struct variant small = *variant_find("pente");
    small.size = 7;
    game_init(&game, &small);
    reason_explain(REASON_MALFORMED, &game, &none, text, sizeof text);
    assert_non_null(strstr(text, "such as D4: a letter from A to G, then a number from 1 to 7."));
    start("connect6");
    reason_explain(REASON_MALFORMED, &game, &none, text, sizeof text);
    assert_null(strstr(text, "+"));
    play_all("K10");
    reason_explain(REASON_MALFORMED, &game, &none, text, sizeof text);
    assert_non_null(strstr(text, "+"));
    start("pentago");
    reason_explain(REASON_MALFORMED, &game, &none, text, sizeof text);
    assert_non_null(strstr(text, "2/5 1R"));
    start("swap2-pente");
    play_all("A1,B1,C1");
    reason_explain(REASON_MALFORMED, &game, &none, text, sizeof text);
    assert_non_null(strstr(text, "Player 2 chooses"));
    // While a choice is due nobody has the turn, whatever colour the stone has.
    assert_int_equal(game_play(&game, move_place(1, 9, 9), NULL), REASON_CHOICE_PENDING);
    assert_int_equal(game_play(&game, move_place(2, 9, 9), NULL), REASON_CHOICE_PENDING);
    // In a game of four the third stone is not of whoever began.
    struct variant team = *variant_find("pente-team");
    team.opening = OPENING_TOURNAMENT;
    game_init(&game, &team);
    play_all("K10,A1");
    assert_int_equal(play("L10"), REASON_TOO_CLOSE);
    struct move close = move_place(0, 10, 9);
    reason_explain(REASON_TOO_CLOSE, &game, &close, text, sizeof text);
    assert_non_null(strstr(text, "The third stone"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_and_their_points),
        cmocka_unit_test(many_calls_at_once),
        cmocka_unit_test(reasons),
        cmocka_unit_test(how_to_write_a_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
