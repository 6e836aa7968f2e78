// Reading moves and comparing boards, from drawn observations.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "controller/board_target.h"
#include "controller/hand_watch.h"
#include "controller/move_reader.h"
#include "rules/notation.h"
#include "tests/unit/observed.h"

static const struct colour_names NAMES = {.name = {NULL, "blue", "red"}};

static struct game game;
static struct evidence evidence;
static struct observation seen;
static struct reading reading;
static struct target_report report;

static void play(const char *moves)
{
    char text[512];
    (void)snprintf(text, sizeof text, "%s", moves);
    for (char *save = NULL, *m = strtok_r(text, " ", &save); m; m = strtok_r(NULL, " ", &save)) {
        struct move move;
        assert_true(move_parse(&game.rules, m, strlen(m), &move));
        assert_int_equal(game_play(&game, move, NULL), REASON_NONE);
    }
}

// A game after these moves, seen as it is.
static void begin(const char *moves)
{
    game_init(&game, variant_find("pente"));
    play(moves);
    memset(&evidence, 0, sizeof evidence);
    observed_game(&seen, &game);
}

static void see(const char *point, int class)
{
    struct point p;
    assert_true(point_parse(point, strlen(point), &p));
    observed_point(&seen, p.x, p.y, class, OBSERVED_SURE);
}

static void judge(void)
{
    struct sureness sure = sureness_default();
    observed_add(&evidence, &seen, 4);
    move_reader_judge(&game, &evidence, &sure, &reading);
}

static void assert_says(const char *expected)
{
    char text[DIFFERENCES_TEXT_MAX];
    assert_string_equal(move_reading_text(&reading, &game, &NAMES, text, sizeof text), expected);
}

static void test_nothing(void **state)
{
    (void)state;
    begin("K10 L10");
    judge();
    assert_int_equal(reading.kind, READING_NOTHING);
    assert_says("no new stone on the board");
}

static void test_too_early(void **state)
{
    (void)state;
    struct sureness sure = sureness_default();
    begin("K10");
    see("L10", 2);
    observed_add(&evidence, &seen, 2);
    move_reader_judge(&game, &evidence, &sure, &reading);
    assert_int_equal(reading.kind, READING_WAIT);
    // A frame that is not still takes everything back.
    observed_add(&evidence, &seen, 1);
    seen.scene.state = SCENE_HAND;
    observed_add(&evidence, &seen, 1);
    move_reader_judge(&game, &evidence, &sure, &reading);
    assert_int_equal(reading.kind, READING_WAIT);
}

static void test_plain_move(void **state)
{
    (void)state;
    begin("K10");
    see("L10", 2);
    judge();
    assert_int_equal(reading.kind, READING_MOVE);
    assert_true(reading.odds >= 12);
    assert_says("L10");
}

// L10 and M10 are bracketed by N10: the pair may still lie there, or be taken off, or half.
static void test_captures_in_every_state(void **state)
{
    (void)state;
    static const char *const taken[][2] = {{NULL, NULL}, {"L10", NULL}, {"L10", "M10"}};
    for (int i = 0; i < 3; i++) {
        begin("K10 L10 A1 M10");
        see("N10", 1);
        for (int k = 0; k < 2; k++) {
            if (taken[i][k])
                see(taken[i][k], 0);
        }
        judge();
        assert_int_equal(reading.kind, READING_MOVE);
        assert_int_equal(reading.left_count, 2 - i);
        assert_says("N10");
    }
}

static void test_wrong_boards_are_named(void **state)
{
    (void)state;
    begin("K10 K7 A1 C3");
    see("K7", 0);
    see("L7", 2);
    judge();
    assert_int_equal(reading.kind, READING_WRONG);
    assert_says("the red stone on K7 has moved to L7");

    begin("K10 K7");
    see("C3", 1);
    see("D3", 1);
    judge();
    assert_int_equal(reading.kind, READING_WRONG);
    assert_says("two blue stones are new: C3 and D3");

    begin("K10 K7");
    see("C3", 2);
    judge();
    assert_int_equal(reading.kind, READING_WRONG);
    assert_says("a red stone is new: C3, but it is blue's turn");

    begin("K10 K7");
    see("K7", 0);
    judge();
    assert_int_equal(reading.kind, READING_WRONG);
    assert_says("the red stone on K7 is gone");

    begin("K10 K7");
    see("K7", 1);
    judge();
    assert_int_equal(reading.kind, READING_WRONG);
    assert_says("on K7 lies a blue stone instead of a red one");
}

// A legal move, and on top of it a stone that has no business there.
static void test_move_with_a_nudge(void **state)
{
    (void)state;
    begin("K10 K7");
    see("C3", 1);
    see("K7", 0);
    see("K8", 2);
    judge();
    assert_int_equal(reading.kind, READING_WRONG);
    assert_says("a blue stone is new: C3; the red stone on K7 has moved to K8");
}

static void test_illegal_point(void **state)
{
    (void)state;
    game_init(&game, variant_find("pente-tournament"));
    memset(&evidence, 0, sizeof evidence);
    play("K10 A1");
    observed_game(&seen, &game);
    see("L10", 1);
    judge();
    assert_int_equal(reading.kind, READING_WRONG);
    char text[DIFFERENCES_TEXT_MAX];
    move_reading_text(&reading, &game, &NAMES, text, sizeof text);
    assert_non_null(strstr(text, "a blue stone is new: L10. "));
}

static void test_doubts(void **state)
{
    (void)state;
    // Something that looks a little like a stone in two places.
    begin("K10");
    struct point p = {4, 4};
    observed_point(&seen, p.x, p.y, 2, 2.0f);
    judge();
    assert_int_equal(reading.kind, READING_DOUBT);
    assert_says("there may be a stone on E5, or none");

    // A good stone and, elsewhere, half a one.
    begin("K10");
    see("L10", 2);
    observed_point(&seen, p.x, p.y, 2, 2.5f);
    judge();
    assert_int_equal(reading.kind, READING_DOUBT);
    assert_says("E5 can't be made out clearly");

    // A point that is covered by something foreign is never guessed.
    begin("K10");
    see("L10", 2);
    observed_point(&seen, p.x, p.y, OBSERVATION_UNKNOWN, OBSERVED_SURE);
    judge();
    assert_int_equal(reading.kind, READING_DOUBT);
}

// --- the board against the game ---

static struct board_target target;

static void compare(void)
{
    struct sureness sure = sureness_default();
    memset(&evidence, 0, sizeof evidence);
    observed_add(&evidence, &seen, 4);
    board_target_compare(&target, &evidence, &sure, &report);
}

static void test_target_steps(void **state)
{
    (void)state;
    begin("K10 L10 A1 M10");
    board_target_init(&target, 19);
    board_target_set(&target, &game);
    board_target_settle(&target);
    compare();
    assert_int_equal(report.verdict, TARGET_SAME);

    // N10 captures two; nothing has been done yet: two lifts, then a stone.
    play("N10");
    board_target_set(&target, &game);
    assert_true(board_target_pending(&target));
    seen.point[9 * 19 + 10].offset_x = 1.5f;
    compare();
    assert_int_equal(report.verdict, TARGET_WORK);
    assert_int_equal(report.step_count, 3);
    assert_true(report.step[0].lift && report.step[1].lift && !report.step[2].lift);
    assert_int_equal(report.step[0].at.x, 10);
    assert_int_equal(report.step[0].colour, 2);
    assert_true(report.step[0].offset[0] > 1.4 && report.step[0].offset[0] < 1.6);
    assert_int_equal(report.step[2].at.x, 12);
    assert_int_equal(report.step[2].colour, 1);

    // Half done: what is left is read off the board.
    see("N10", 1);
    see("L10", 0);
    compare();
    assert_int_equal(report.verdict, TARGET_WORK);
    assert_int_equal(report.step_count, 1);
    assert_int_equal(report.step[0].at.x, 11);

    see("M10", 0);
    compare();
    assert_int_equal(report.verdict, TARGET_SAME);
    board_target_settle(&target);
    assert_false(board_target_pending(&target));

    // From here on a stone on M10 is nobody's doing.
    see("M10", 2);
    compare();
    assert_int_equal(report.verdict, TARGET_WRONG);
    assert_int_equal(report.wrong.count, 1);
}

static void test_target_after_a_restart(void **state)
{
    (void)state;
    begin("K10 L10 A1 M10");
    play("N10");
    // Nothing of the last move has been done, and nobody remembers it.
    board_target_init(&target, 19);
    board_target_resume(&target, &game, NULL);
    compare();
    assert_int_equal(report.verdict, TARGET_WORK);
    assert_int_equal(report.step_count, 3);
}

// Where a turn is two stones, neither of them has been laid.
static void test_target_of_two_after_a_restart(void **state)
{
    (void)state;
    begin("");
    game_init(&game, variant_find("connect6"));
    play("K10");
    observed_game(&seen, &game);
    play("A1 C3");
    board_target_init(&target, 19);
    board_target_resume(&target, &game, NULL);
    compare();
    assert_int_equal(report.verdict, TARGET_WORK);
    assert_int_equal(report.step_count, 2);
    play("D4"); // the first of two
    board_target_init(&target, 19);
    board_target_resume(&target, &game, NULL);
    compare();
    assert_int_equal(report.verdict, TARGET_WRONG);
    assert_int_equal(report.wrong.count, 2);
}

// A capture is taken back and all is interrupted: only what was noted tells what is left to do.
static void test_target_noted(void **state)
{
    (void)state;
    char pending[POINTS_MAX + 1];
    begin("K10 L10 A1 M10 N10");
    board_target_init(&target, 19);
    board_target_set(&target, &game);
    board_target_settle(&target);
    board_target_format(&target, pending);
    assert_null(strpbrk(pending, "01234"));
    game_undo(&game);
    board_target_set(&target, &game);
    board_target_format(&target, pending);
    assert_int_equal(strlen(pending), 19 * 19);
    assert_int_equal(pending[9 * 19 + 12], '1'); // N10 may lie there still
    assert_int_equal(pending[9 * 19 + 10], '0'); // L10 may not lie there yet

    board_target_init(&target, 19);
    board_target_resume(&target, &game, "");
    compare();
    assert_int_equal(report.verdict, TARGET_WRONG);
    board_target_init(&target, 19);
    board_target_resume(&target, &game, pending);
    compare();
    assert_int_equal(report.verdict, TARGET_WORK);
    assert_int_equal(report.step_count, 3);
    // Another board's, or one that was damaged, says nothing.
    board_target_init(&target, 19);
    board_target_resume(&target, &game, pending + 1);
    compare();
    assert_int_equal(report.verdict, TARGET_WRONG);
}

// Taken back while the arm is under way with the stone: it may come to lie there all the same.
static void test_target_taken_back_under_way(void **state)
{
    (void)state;
    begin("K10 L10");
    board_target_init(&target, 19);
    board_target_set(&target, &game);
    board_target_settle(&target);
    play("A1");
    board_target_set(&target, &game);
    game_undo(&game);
    board_target_set(&target, &game);
    compare();
    assert_int_equal(report.verdict, TARGET_SAME);
    see("A1", 1);
    compare();
    assert_int_equal(report.verdict, TARGET_WORK);
    assert_int_equal(report.step_count, 1);
    assert_true(report.step[0].lift);
}

static void test_target_take_back(void **state)
{
    (void)state;
    begin("K10 L10 A1 M10 N10");
    board_target_init(&target, 19);
    board_target_set(&target, &game);
    board_target_settle(&target);
    game_undo(&game);
    board_target_set(&target, &game);
    compare();
    assert_int_equal(report.verdict, TARGET_WORK);
    assert_int_equal(report.step_count, 3); // N10 off, the pair back
    assert_true(report.step[0].lift);
    // Taken back and played again before anybody moved: nothing to do.
    play("N10");
    board_target_set(&target, &game);
    compare();
    assert_int_equal(report.verdict, TARGET_SAME);
}

static void test_target_unsure(void **state)
{
    (void)state;
    begin("K10");
    board_target_init(&target, 19);
    board_target_set(&target, &game);
    board_target_settle(&target);
    observed_point(&seen, 4, 4, 2, 2.5f);
    compare();
    assert_int_equal(report.verdict, TARGET_UNSURE);
    assert_int_equal(report.unsure_count, 1);
    assert_int_equal(report.unsure[0].x, 4);
}

static void test_many_points_are_counted(void **state)
{
    (void)state;
    struct differences d = {0};
    char text[DIFFERENCES_TEXT_MAX];
    for (int i = 0; i < 9; i++)
        differences_add(&d, i, 0, 0, 1);
    assert_string_equal(differences_text(&d, NULL, &NAMES, text, sizeof text),
                        "nine blue stones are new: A1, B1, C1, D1, E1 and 4 more");
    // Cut, never overrun.
    char tiny[12];
    differences_text(&d, NULL, &NAMES, tiny, sizeof tiny);
    assert_int_equal(strlen(tiny), sizeof tiny - 1);
}

static void test_hand_watch(void **state)
{
    (void)state;
    begin("K10");
    assert_false(hand_watch(&seen, 9, false));
    // The arm over row 10 covers points around and beyond it.
    for (int x = 0; x < 19; x++) {
        for (int y = 8; y < 13; y++)
            observed_point(&seen, x, y, OBSERVATION_UNKNOWN, OBSERVED_SURE);
    }
    assert_false(hand_watch(&seen, 9, false));
    // A hand from the people's side.
    for (int x = 8; x < 11; x++) {
        for (int y = 0; y < 3; y++)
            observed_point(&seen, x, y, OBSERVATION_UNKNOWN, OBSERVED_SURE);
    }
    assert_true(hand_watch(&seen, 9, false));
    // With the arm nearer to it less of it shows: enough for one that was seen to be there still.
    assert_false(hand_watch(&seen, 5, false));
    assert_true(hand_watch(&seen, 5, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_too_early),
        cmocka_unit_test(test_plain_move),
        cmocka_unit_test(test_captures_in_every_state),
        cmocka_unit_test(test_wrong_boards_are_named),
        cmocka_unit_test(test_move_with_a_nudge),
        cmocka_unit_test(test_illegal_point),
        cmocka_unit_test(test_doubts),
        cmocka_unit_test(test_target_steps),
        cmocka_unit_test(test_target_after_a_restart),
        cmocka_unit_test(test_target_of_two_after_a_restart),
        cmocka_unit_test(test_target_noted),
        cmocka_unit_test(test_target_taken_back_under_way),
        cmocka_unit_test(test_target_take_back),
        cmocka_unit_test(test_target_unsure),
        cmocka_unit_test(test_many_points_are_counted),
        cmocka_unit_test(test_hand_watch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
