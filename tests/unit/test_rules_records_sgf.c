// SGF files with the quirks and faults of real ones, and positions that are set up.
#include "tests/unit/record_fixture.h"

static void sgf_quirks(void **state)
{
    (void)state;
    // Captures named by AE or not, variations skipped, properties of any kind, escapes.
    expect_clean(RECORD_AUTO,
                 " \n(;FF[4]GM[4]SZ[19]RU[Pente]PW[A\\]\\\\]PB[B\\\nb]DT[2024-05-31]EV[Cup]\n"
                 "AP[x:1]KM[0];W[jj]C[a ) b];B[kk]LB[aa:1][bb:2];W[jm](;B[ll];W[mm];AE[kk][ll]\n"
                 ";B[aa])(;B[ss];W[sr]))",
                 6);
    assert_int_equal(record.game.stones_taken[1], 2);
    assert_string_equal(record_tag(&record, "Player 1 Name"), "A]\\");
    assert_string_equal(record_tag(&record, "Player 2 Name"), "Bb");
    assert_string_equal(record_tag(&record, "Date"), "05/31/2024");
    assert_string_equal(record_tag(&record, "Event"), "Cup");
    assert_int_equal(record.stated, STATED_NONE);
    // A rectangle, and pente.org's own form: points like K10, player 1 as B.
    expect_clean(RECORD_SGF,
                 "(;GM[101]RU[Pente]PB[one]PW[two]RE[B+R];B[K10];W[L10];B[K7];W[M10]"
                 ";B[N10];AE[L10][M10])",
                 5);
    assert_string_equal(record_tag(&record, "Player 1 Name"), "one");
    assert_int_equal(record.stated, STATED_FIRST);
    assert_int_equal(record.game.result.winner, 1);
    expect_clean(RECORD_SGF, "(;GM[4];W[jj];B[kj];W[jm];B[lj];W[mj];AE[kj:lj];B[aa])", 6);
    expect_clean(RECORD_SGF, "(;GM[4]SZ[13]RE[0];W[gg])", 1);
    assert_int_equal(record.game.rules.size, 13);
    assert_int_equal(record.stated, STATED_DRAW);
    assert_int_equal(record.game.result.how, HOW_AGREED);
    expect_clean(RECORD_SGF, "(;GM[4]SZ[13:13];W[gg])", 1);
    assert_int_equal(record.game.rules.size, 13);
    expect_clean(RECORD_SGF, "From: Ann (see below)\n\n (\n;W[jj];B[kk])", 2);
    expect_clean(RECORD_SGF, "(;RE[?])", 0);
    assert_int_equal(record.stated, STATED_UNKNOWN);
    expect_clean(RECORD_SGF, "(;PL[B]PB[x]RE[W+])", 0);
    assert_string_equal(record_tag(&record, "Player 1 Name"), "x");
    assert_int_equal(record.stated, STATED_SECOND);
    expect_clean(RECORD_SGF, "(;PB[x]WR[9]RU[gomoku])", 0);
    assert_string_equal(record_tag(&record, "Player 1 Name"), "x");
    assert_string_equal(record_tag(&record, "Player 2 Rating"), "9");
    expect_clean(RECORD_SGF, "(;RU[Pente; tria=simple; opening=free];White[aa];Black[ab])", 2);
    assert_int_equal(record.game.rules.tria, TRIA_SIMPLE);
    expect_clean(RECORD_SGF, "(;DT[May 2024]TM[60]RE[Void])", 0);
    assert_string_equal(record_tag(&record, "Date"), "May 2024");
}

static void sgf_faults(void **state)
{
    (void)state;
    assert_int_equal(read_as(RECORD_SGF, "1. K10"), -EINVAL);
    assert_int_equal(err.line, 1);
    assert_int_equal(read_as(RECORD_SGF, ""), -EINVAL);
    expect_fault(RECORD_SGF, "(;W[jj];B[kk];W[jj])", REASON_OCCUPIED, 3, 2, 1, 15);
    expect_fault(RECORD_SGF, "(;W[jj];B[zz])", REASON_OFF_BOARD, 2, 1, 1, 9);
    expect_fault(RECORD_SGF, "(;W[jj];B[x])", REASON_BAD_POINT, 2, 1, 1, 9);
    expect_fault(RECORD_SGF, "(;W[jj];B[])", REASON_MALFORMED, 2, 1, 1, 9);
    expect_fault(RECORD_SGF, "(;W[jj];B[kk", REASON_BAD_TEXT, 0, 1, 1, 13);
    expect_fault(RECORD_SGF, "(;W[jj];B[kk\\", REASON_BAD_TEXT, 0, 1, 1, 14);
    expect_fault(RECORD_SGF, "(;W[jj];B[kk];", REASON_BAD_TEXT, 0, 2, 1, 15);
    expect_fault(RECORD_SGF, "(;W[jj];Bx", REASON_BAD_TEXT, 0, 1, 1, 11);
    expect_fault(RECORD_SGF, "(;W[jj]?;B[kk])", REASON_BAD_TEXT, 0, 1, 1, 8);
    expect_fault(RECORD_SGF, "(;GM[1]W[jj])", REASON_UNKNOWN_GAME, 0, 0, 1, 3);
    expect_fault(RECORD_SGF, "(;RU[Go];W[jj])", REASON_UNKNOWN_GAME, 0, 0, 1, 3);
    expect_fault(RECORD_SGF, "(;SZ[19:13];W[jj])", REASON_UNKNOWN_GAME, 0, 0, 1, 3);
    assert_int_equal(read_as(RECORD_SGF, "(no tree) ("), -EINVAL);
    expect_fault(RECORD_SGF, "(;SZ[99];W[jj])", REASON_UNKNOWN_GAME, 0, 0, 1, 3);
    expect_fault(RECORD_SGF, "(;W[jj];B[kk];AB[ll];W[mm])", REASON_BAD_SETUP, 2, 2, 1, 15);
    expect_fault(RECORD_SGF, "(;AB[jj]AW[jj];B[ll])", REASON_BAD_SETUP, 0, 0, 1, 3);
    expect_fault(RECORD_SGF, "(;AB[jj]SZ[9];B[ll])", REASON_BAD_SETUP, 0, 0, 1, 3);
    expect_fault(RECORD_SGF, "(;AB[j])", REASON_BAD_SETUP, 0, 0, 1, 3);
    expect_fault(RECORD_SGF, "(;AB[aa:ss]AW[aa])", REASON_BAD_SETUP, 0, 0, 1, 3);
    expect_fault(RECORD_SGF, "(;AB[aa:bb-])", REASON_BAD_SETUP, 0, 0, 1, 3);
    expect_fault(RECORD_SGF, "(;RU[pente-team]AB[aa];B[bb])", REASON_BAD_SETUP, 0, 0, 1, 17);
    expect_fault(RECORD_SGF, "(;RU[Go]AB[aa];B[bb])", REASON_UNKNOWN_GAME, 0, 0, 1, 3);
    expect_fault(RECORD_SGF, "(;AB[jj]AW[kk];B[kk])", REASON_OCCUPIED, 1, 3, 1, 16);
    const char *start = "(;W[jj];B[kk];W[jm];B[ll];W[mm]";
    static const struct {
        const char *tail;
        enum reason reason;
        unsigned kept;
    } tails[] = {{";AE[kk];B[aa])", REASON_BAD_CAPTURES, 6},
                 {";AE[kk])", REASON_BAD_CAPTURES, 5},
                 {";AE[kk][ll][jj];B[aa])", REASON_BAD_CAPTURES, 5},
                 {";AE[kk][kk][ll];B[aa])", REASON_NONE, 6},
                 {";AE[a];B[aa])", REASON_BAD_POINT, 6},
                 {";AE[kk:zz])", REASON_BAD_CAPTURES, 5},
                 {";AE[ll:kk])", REASON_BAD_CAPTURES, 5},
                 {";AE[a!:kk])", REASON_BAD_POINT, 5},
                 {";B[mm];AE[aa])", REASON_OCCUPIED, 5}};
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s", start, tails[i].tail);
        assert_int_equal(read_as(RECORD_SGF, text), 0);
        if (record.fault.reason != tails[i].reason || record.game.ply != tails[i].kept)
            fail_msg("%s: %s, %u moves", text, reason_name(record.fault.reason), record.game.ply);
    }
    expect_fault(RECORD_SGF, "(;AE[jj];W[jj])", REASON_BAD_CAPTURES, 0, 0, 1, 3);
}

// A game that starts from a position: who moves next is what PL or the first move says, and the
// record that is written starts from the same position.
static void sgf_setups(void **state)
{
    (void)state;
    expect_clean(RECORD_SGF, "(;GM[4]RU[Pente]AB[kj][lj]AW[jj]SZ[19]PL[W];W[mj];B[aa])", 6);
    assert_int_equal(record.game.stones_taken[1], 2);
    assert_int_equal(record.game.stones, 3);
    // A rectangle in a node of its own, points as pente.org writes them, nobody said to be next.
    expect_clean(RECORD_SGF, "(;SZ[9];AW[aa:bc]AB[ia][J8];B[ii])", 10);
    assert_int_equal(game_at(&record.game, 1, 6), 1);
    assert_int_equal(game_at(&record.game, 8, 7), 2);
    assert_int_equal(game_at(&record.game, 8, 0), 2);
    expect_clean(RECORD_SGF, "(;RU[gomoku]AB[jj])", 1);
    assert_int_equal(game_next_colour(&record.game), 2);
    expect_clean(RECORD_SGF, "(;RU[Connect6]AB[jj]AW[kk]PL[B];B[aa];B[bb];W[cc])", 6);
    assert_int_equal(game_at(&record.game, 0, 18), 1);
    static const char *const texts[] = {"(;AB[kj][lj]AW[jj]PL[W];W[mj];B[aa])",
                                        "(;SZ[9];AW[aa:bc]AB[ia][ib];B[ii])", "(;RU[gomoku]AB[jj])",
                                        "(;RU[Connect6]AB[jj]AW[kk]PL[B];B[aa];B[bb];W[cc])",
                                        "(;RU[Swap2-Pente]AB[jj];B[aa];W[bb])"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(read_as(RECORD_SGF, texts[i]), 0);
        uint64_t hash = game_hash(&record.game);
        if (record_write(&record, RECORD_SGF, out, sizeof out, &out_length, &err) != 0)
            fail_msg("%s", err.text);
        expect_clean(RECORD_SGF, out, record.game.ply);
        if (game_hash(&record.game) != hash)
            fail_msg("%s became %s", texts[i], out);
    }
}

// What a format cannot say of the start is not left out in silence.
static void setups_that_cannot_be_written(void **state)
{
    (void)state;
    static const struct setup setups[] = {
        {.stone_count = 1, .stones = {{1, {9, 9}}}}, // with ply 0 the counts of moves would agree
        {.captures = {[1] = 1}, .stones_taken = {[1] = 2}},
        {.ply = 2},
        {.stone_count = 1, .stones = {{1, {9, 9}}}, .ply = 7},
    };
    for (size_t i = 0; i < sizeof setups / sizeof setups[0]; i++) {
        struct game game;
        assert_int_equal(game_setup(&game, variant_find("pente-free"), &setups[i], &err), 0);
        assert_int_equal(game_play(&game, move_place(0, 0, 0), NULL), REASON_NONE);
        record_init(&record, &game);
        for (enum record_format f = RECORD_PENTEORG; f <= RECORD_TRADITIONAL; f++)
            assert_int_equal(record_write(&record, f, out, sizeof out, &out_length, &err),
                             -ENOTSUP);
    }
}

static void sgf_corners(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum stated_result stated;
    } results[] = {{"(;RE[Draw])", STATED_DRAW},
                   {"(;RE[D])", STATED_DRAW},
                   {"(;RE[Bx])", STATED_UNKNOWN},
                   {"(;RE[X+])", STATED_UNKNOWN},
                   {"(;PL[x]RE[B+Resign])", STATED_SECOND},
                   {"(;PL[W]RE[W+T])", STATED_FIRST}};
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        expect_clean(RECORD_SGF, results[i].text, 0);
        assert_int_equal(record.stated, results[i].stated);
    }
    static const char *const dates[] = {"2024-05-31x", "2024-5-31", "2024-05", "31.5.2024"};
    for (size_t i = 0; i < 4; i++) {
        char text[64];
        snprintf(text, sizeof text, "(;DT[%s])", dates[i]);
        expect_clean(RECORD_SGF, text, 0);
        assert_string_equal(record_tag(&record, "Date"), dates[i]);
    }
    static const char *const games[] = {"12", "1x34", "203", ""};
    for (size_t i = 0; i < 4; i++) {
        char text[64];
        snprintf(text, sizeof text, "(;GM[%s]W[jj])", games[i]);
        expect_fault(RECORD_SGF, text, REASON_UNKNOWN_GAME, 0, 0, 1, 3);
    }
    expect_fault(RECORD_SGF, "(;W[jj];CHOICE[resign])", REASON_BAD_CHOICE, 2, 1, 1, 9);
    expect_fault(RECORD_SGF, "(;W[jj];CHOICE[K10])", REASON_BAD_CHOICE, 2, 1, 1, 9);
    expect_fault(RECORD_SGF, "(;W[jJ])", REASON_BAD_POINT, 1, 0, 1, 3);
    expect_fault(RECORD_SGF, "(;W[jjj])", REASON_BAD_POINT, 1, 0, 1, 3);
    expect_fault(RECORD_SGF, "(;W[jj];AE[aa-bb])", REASON_BAD_POINT, 1, 1, 1, 9);
    expect_fault(RECORD_SGF, "(;W[jj];AE[aa:B!])", REASON_BAD_POINT, 1, 1, 1, 9);
    expect_fault(RECORD_SGF, "(;W[jj];W[jj];AE[aa];B[bb])", REASON_WRONG_TURN, 2, 1, 1, 9);
}

// Rows are counted from the top, so a size that does not fit would move every stone.
static void sgf_sizes(void **state)
{
    (void)state;
    expect_clean(RECORD_SGF, "(;GM[4];W[jj])", 1); // no SZ: the size of the rules
    assert_int_equal(game_at(&record.game, 9, 9), 1);
    expect_clean(RECORD_SGF, "(;GM[4]RU[gomoku-free];B[ao])", 1);
    assert_int_equal(game_at(&record.game, 0, 0), 1);
    expect_fault(RECORD_SGF, "(;GM[4]SZ[50];W[jj])", REASON_UNKNOWN_GAME, 0, 0, 1, 8);
    assert_string_equal(record.fault.text,
                        "SZ[50] is not the size of a board on which Pente is played.");
    expect_fault(RECORD_SGF, "(;GM[4]RU[pente-tournament]SZ[5];W[cc])", REASON_UNKNOWN_GAME, 0, 0,
                 1, 28);
    const char *small = "(;GM[4]SZ[13];W[gg])";
    struct variant rules = *variant_find("pente");
    assert_int_equal(record_read(small, strlen(small), RECORD_SGF, &rules, NULL, &record, &err), 0);
    assert_int_equal(record.fault.reason, REASON_UNKNOWN_GAME);
    assert_int_equal(record.fault.column, 8);
    rules.size = 13;
    assert_int_equal(record_read(small, strlen(small), RECORD_SGF, &rules, NULL, &record, &err), 0);
    assert_int_equal(record.fault.reason, REASON_NONE);
    assert_int_equal(game_at(&record.game, 6, 6), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sgf_quirks),
        cmocka_unit_test(sgf_faults),
        cmocka_unit_test(sgf_setups),
        cmocka_unit_test(sgf_sizes),
        cmocka_unit_test(setups_that_cannot_be_written),
        cmocka_unit_test(sgf_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
