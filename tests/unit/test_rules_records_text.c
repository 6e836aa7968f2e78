// Records as plain text with the quirks and faults of real files: what was legal is kept, and the
// fault is told with its move and place.
#include "tests/unit/record_fixture.h"

static void penteorg_quirks(void **state)
{
    (void)state;
    // Headers in any order, line ends of all kinds, comments, numbers joined to moves, lower case.
    expect_clean(RECORD_AUTO,
                 "\xEF\xBB\xBF[Result \"1-0\"]\r\n[Odd \"x\"]\n[White \"Ann\"]\r\n"
                 "  [Player 2 Name \"B \"quoted\" B\"]\n[GameType \"Keryo-Pente\"]\n\n"
                 "{ a comment\n over lines } 1.K10 l11 2. M12 ; to the end of the line K1\n"
                 "% also\n10a, 3.b1 1-0\n",
                 5);
    assert_string_equal(record.game.rules.name, "keryo");
    assert_string_equal(record_tag(&record, "Player 1 Name"), "Ann");
    assert_string_equal(record_tag(&record, "Player 2 Name"), "B \"quoted\" B");
    assert_string_equal(record_tag(&record, "Odd"), "x");
    assert_null(record_tag(&record, "Game"));
    assert_int_equal(record.stated, STATED_FIRST);
    // No headers at all is Pente; the result may be unknown.
    expect_clean(RECORD_AUTO, "1. K10 L11 2. M12 ?", 3);
    assert_string_equal(record.game.rules.name, "pente");
    assert_int_equal(record.stated, STATED_UNKNOWN);
    assert_false(record.game.result.over);
    expect_clean(RECORD_AUTO, "# note\n[Game \"Speed Gomoku\"]\n\n0-0\n", 0);
    assert_string_equal(record.game.rules.name, "gomoku");
    // Every name of the site, and titles of the table.
    static const char *const names[][2] = {{"Pente", "pente"},
                                           {"Speed D-Pente", "d-pente"},
                                           {"G-Pente", "g-pente"},
                                           {"poof-pente", "poof"},
                                           {"Connect6", "connect6"},
                                           {"Boat-Pente", "boat"},
                                           {"DK-Pente", "dk-pente"},
                                           {"O-Pente", "o-pente"},
                                           {"Swap2-Pente", "swap2-pente"},
                                           {"Swap2-Keryo", "swap2-keryo"},
                                           {"Team Pente", "pente-team"},
                                           {"pente-points3", "pente-points3"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "[Game \"%s\"]\n\n?\n", names[i][0]);
        expect_clean(RECORD_PENTEORG, text, 0);
        assert_string_equal(record.game.rules.name, names[i][1]);
    }
}

// What people add to the moves, and collections of several games.
static void penteorg_remarks(void **state)
{
    (void)state;
    expect_clean(RECORD_AUTO,
                 "[Game \"Keryo-Pente\"] [Player 1 Name \"A \"] B\"]\t[Result \"1/2-1/2\"]\n\n"
                 "1.K10!$1 L10?? (1... L11 (2. A1) {)} 2. B1) $14 2. M10{good}L9(x) 1/2-1/2",
                 4);
    assert_string_equal(record.game.rules.name, "keryo");
    assert_string_equal(record_tag(&record, "Player 1 Name"), "A \"] B");
    assert_int_equal(record.stated, STATED_DRAW);
    expect_clean(RECORD_AUTO, "1. K10 L10 ?", 2);
    assert_int_equal(record.stated, STATED_UNKNOWN);
    expect_fault(RECORD_AUTO, "1. K10 L10 (never closed 1-0", REASON_NO_RESULT, 0, 2, 1, 29);
    const char *two = "[Game \"Pente\"]\n\n1. K10 A1 1-0\n\n[Game \"Gomoku\"]\n\n1. K10 B1 0-1\n";
    expect_fault(RECORD_AUTO, two, REASON_BAD_TEXT, 0, 2, 5, 1);
    assert_int_equal(record.stated, STATED_FIRST);
    assert_int_equal(record.stated_moves, 2);
    assert_string_equal(record.game.rules.name, "pente");
    expect_fault(RECORD_AUTO, "1. K10 A1\n[Game \"Pente\"]\n1. K10 0-1", REASON_NO_RESULT, 0, 2, 2,
                 1);
}

static void penteorg_faults(void **state)
{
    (void)state;
    expect_fault(RECORD_PENTEORG, "[Game \"Pente\"]\n\n1. K10 L11 2. K10 A1 0-1\n", REASON_OCCUPIED,
                 3, 2, 3, 15);
    assert_int_equal(record.stated_moves, 4);
    assert_int_equal(record.stated, STATED_SECOND);
    assert_non_null(strstr(record.fault.text, "Move 3, K10"));
    expect_fault(RECORD_PENTEORG, "1. K10 L11 2. I9 A1 0-1\n", REASON_BAD_POINT, 3, 2, 1, 15);
    expect_fault(RECORD_PENTEORG, "1. K10 L11 2. draw 0-1\n", REASON_BAD_POINT, 3, 2, 1, 15);
    expect_fault(RECORD_PENTEORG, "1. L10 K10 ?\n", REASON_CENTRE_REQUIRED, 1, 0, 1, 4);
    expect_fault(RECORD_PENTEORG, "[Result \"0-1\"]\n\n1. K10 L11 2. A", REASON_BAD_POINT, 3, 2, 3,
                 15);
    expect_fault(RECORD_PENTEORG, "[Result \"0-1\"]\n\n1. K10 L11 2.", REASON_NO_RESULT, 0, 2, 3,
                 14);
    assert_int_equal(record.stated, STATED_SECOND); // what the header says is kept
    expect_fault(RECORD_PENTEORG, "[Game \"Chess\"]\n\n1. K10 L11 ?", REASON_UNKNOWN_GAME, 0, 0, 1,
                 1);
    assert_int_equal(record.stated_moves, 2);
    expect_fault(RECORD_PENTEORG, "[Game \"Pente\"]\n[Rules \"gaol=6\"]\n\n1. K10 L11 ?",
                 REASON_UNKNOWN_GAME, 0, 0, 1, 1);
    assert_non_null(strstr(record.fault.text, "gaol"));
    static const char *const headers[] = {"[Game Pente]",
                                          "[Game \"Pente\"",
                                          "[Game \"Pente]",
                                          "[ \"x\"]",
                                          "[",
                                          "[KeyThatIsLongerThanAnyKeyHasAnyReasonToBe \"x\"]"};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "[Site \"a\"]\n%s\n\n1. K10 ?", headers[i]);
        expect_fault(RECORD_PENTEORG, text, REASON_BAD_HEADER, 0, 1, 2, 1);
    }
    char text[1024] = "";
    snprintf(text, sizeof text, "[Site \"%0200d\"]\n\n1. K10 ?", 7);
    expect_fault(RECORD_PENTEORG, text, REASON_BAD_HEADER, 0, 1, 1, 1);
    snprintf(text, sizeof text, "[Site \"%0130d\"]\n\n1. K10 ?", 7);
    expect_fault(RECORD_PENTEORG, text, REASON_BAD_HEADER, 0, 1, 1, 1);
    size_t used = 0;
    for (int i = 0; i <= RECORD_TAGS_MAX; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "[Key%d \"v\"]\n", i);
    snprintf(text + used, sizeof text - used, "\n1. K10 ?");
    expect_fault(RECORD_PENTEORG, text, REASON_TOO_LONG, 0, 1, RECORD_TAGS_MAX + 1, 1);
    assert_int_equal(read_as(RECORD_PENTEORG, " \n"), -EINVAL);
    assert_int_equal(read_as(RECORD_PENTEORG, ""), -EINVAL);
}

static void too_long(void **state)
{
    (void)state;
    static char text[RECORD_TEXT_MAX + 2];
    memset(text, ' ', sizeof text - 1);
    for (int i = 0; i < 8; i++)
        text[i] = "1. K10 ?"[i];
    assert_int_equal(record_read(text, RECORD_TEXT_MAX + 1, RECORD_AUTO, NULL, NULL, &record, &err),
                     -E2BIG);
    assert_int_equal(record_read(text, RECORD_TEXT_MAX, RECORD_AUTO, NULL, NULL, &record, &err), 0);
    assert_int_equal(record.game.ply, 1);
    assert_int_equal(record_read(text, 5, (enum record_format)99, NULL, NULL, &record, &err),
                     -EINVAL);
    // More moves than any game has: counted up to the limit, the legal part kept.
    size_t used = 0;
    for (int i = 0; i < GAME_ENTRIES_MAX + 10; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "K10 ");
    expect_fault(RECORD_PENTEORG, text, REASON_OCCUPIED, 2, 1, 1, 5);
    assert_int_equal(record.stated_moves, GAME_ENTRIES_MAX);
    used = (size_t)snprintf(text, sizeof text, "(;GM[4]RU[Pente]");
    for (int i = 0; i < GAME_ENTRIES_MAX + 10; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, ";W[jj]");
    snprintf(text + used, sizeof text - used, ")");
    expect_fault(RECORD_SGF, text, REASON_WRONG_TURN, 2, 1, 1, 24);
}

static void endings(void **state)
{
    (void)state;
    // Who resigned is whom the result calls the loser, whoever was to move.
    expect_clean(RECORD_PENTEORG, "1. K10 L11 2. K13 Resign 0-1\n", 3);
    assert_int_equal(record.game.result.winner, 2);
    assert_int_equal(record.game.result.how, HOW_RESIGN);
    expect_clean(RECORD_PENTEORG, "1. K10 L11 2. Forfeit 1-0\n", 2);
    assert_int_equal(record.game.result.winner, 1);
    expect_clean(RECORD_PENTEORG, "1. K10 L11 2. Resign ?\n", 2);
    assert_int_equal(record.game.result.winner, 2);
    // A draw that no rule made is one the players agreed on.
    expect_clean(RECORD_PENTEORG, "1. K10 L11 1/2-1/2\n", 2);
    assert_int_equal(record.game.result.how, HOW_AGREED);
    // A result alone does not say how: the game stays as it stands on the board.
    expect_clean(RECORD_PENTEORG, "1. K10 L11 1-0\n", 2);
    assert_false(record.game.result.over);
    assert_int_equal(record.stated, STATED_FIRST);
    assert_int_equal(record_write(&record, RECORD_PENTEORG, out, sizeof out, &out_length, &err), 0);
    assert_non_null(strstr(out, "1. K10 L11 1-0\r\n"));
    // All of it survives writing and reading, in both formats.
    static const char *const texts[] = {"1. K10 L11 2. K13 Resign 0-1\n", "1. K10 L11 1/2-1/2\n",
                                        "1. K10 L11 ?\n"};
    for (size_t i = 0; i < 3; i++)
        for (enum record_format f = RECORD_PENTEORG; f <= RECORD_SGF; f++) {
            expect_clean(RECORD_PENTEORG, texts[i], record.game.ply ? i == 0 ? 3 : 2 : 0);
            struct result before = record.game.result;
            assert_int_equal(record_write(&record, f, out, sizeof out, &out_length, &err), 0);
            expect_clean(f, out, record.game.ply);
            assert_memory_equal(&record.game.result, &before, sizeof before);
        }
}

static void choices(void **state)
{
    (void)state;
    const char *stones = "1. K10 L11 2. A1 T19 3. C3 ?\n";
    char text[256];
    expect_clean(RECORD_PENTEORG, "[Game \"D-Pente\"]\n\n1. K10 L11 2. A1 T19 3. C3 ?\n", 5);
    assert_false(record.game.swapped); // the record does not say: nobody swapped
    static const struct {
        const char *game, *header;
        bool swapped;
    } cases[] = {{"D-Pente", "[Player's Swapped? \"Yes\"]", true},
                 {"D-Pente", "[Player's Swapped? \"No\"]", false},
                 {"DK-Pente", "[Player's Swapped? \"Yes\"]", true},
                 {"d-pente-pbm", "[Player's Swapped? \"Yes\"]", true},
                 {"d-pente-pbm", "[Player's Swapped? \"No\"]", false},
                 {"d-pente-pbm", "[Choices \"second\"]", true},
                 {"Swap2-Pente", "[Choices \"first\"]", true},
                 {"Swap2-Pente", "[Choices \"second\"]", false},
                 {"Swap2-Pente", "[Choices \"pass, second\"]", true},
                 {"Swap2-Pente", "[Choices \"pass,first,first,first,first\"]", false},
                 {"Swap2-Pente", "[Choices \"pass,pass\"]", false},
                 {"Swap2-Pente", "[Choices \"nonsense\"]", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, "[Game \"%s\"]\n%s\n\n%s", cases[i].game, cases[i].header,
                 strstr(cases[i].header, "pass") ? "1. K10 L11 2. A1 T19 3. C3 D4 ?\n" : stones);
        expect_clean(RECORD_PENTEORG, text, record.game.ply == 0 ? 0 : strstr(text, "D4") ? 6 : 5);
        assert_int_equal(record.game.swapped, cases[i].swapped);
    }
    // A choice at the very end of the record is made as well.
    expect_clean(RECORD_PENTEORG,
                 "[Game \"D-Pente\"]\n[Player's Swapped? \"Yes\"]\n\n1. K10 L11 2. A1 T19 ?\n", 4);
    assert_true(record.game.swapped);
    assert_int_equal(game_next_seat(&record.game), 2);
    // Choices among the moves.
    expect_clean(RECORD_PENTEORG, "[Game \"D-Pente\"]\n\n1. K10 L11 2. A1 T19 first 3. C3 ?\n", 5);
    assert_true(record.game.swapped);
    expect_clean(RECORD_SGF, "(;RU[D-Pente];B[jj];W[aa];B[bb];W[cc];CHOICE[first];B[dd])", 5);
    assert_true(record.game.swapped);
    expect_fault(RECORD_SGF, "(;RU[D-Pente];B[jj];CHOICE[second])", REASON_NO_CHOICE_PENDING, 1, 1,
                 1, 21);
    expect_fault(RECORD_SGF, "(;RU[D-Pente];B[jj];CHOICE[jj])", REASON_BAD_CHOICE, 2, 1, 1, 21);
}

static void traditional(void **state)
{
    (void)state;
    expect_clean(RECORD_AUTO, "1.)0,R1U1 2.)D3,U2R2 3.)R3U3* 1/2-1/2", 5);
    assert_int_equal(record.game.stones_taken[1], 2);
    expect_clean(RECORD_TRADITIONAL, "1.)0, R1U1\n2.)D3,R2U2\n3.)R3U3 *", 5); // star forgotten
    expect_fault(RECORD_TRADITIONAL, "1.)0,R1U1 2.)D3*,R2 ?", REASON_BAD_CAPTURES, 3, 2, 1, 14);
    expect_fault(RECORD_TRADITIONAL, "1.)0,R1U1 2.)X3,R2 ?", REASON_BAD_POINT, 3, 2, 1, 14);
    expect_fault(RECORD_TRADITIONAL, "1.)0,0 2.)U1 ?", REASON_OCCUPIED, 2, 1, 1, 6);
    expect_fault(RECORD_TRADITIONAL, "1.)0,U1", REASON_NO_RESULT, 0, 2, 1, 8);
    assert_int_equal(read_as(RECORD_TRADITIONAL, "   "), -EINVAL);
}

static void pentago_texts(void **state)
{
    (void)state;
    expect_clean(RECORD_AUTO, "1. 2/5\n2. 1/1 1R\n3. 3/3\n*", 3);
    assert_string_equal(record.game.rules.name, "pentago");
    expect_clean(RECORD_AUTO, "2/5 1/1 1R 3/3 ?", 3);
    expect_fault(RECORD_BOOKLET, "1. 2/5\n2. 2/5 1R\n*", REASON_OCCUPIED, 2, 1, 2, 4);
    expect_fault(RECORD_BOOKLET, "1. 2/5\n2. 2/4 9R\n*", REASON_BAD_TWIST, 2, 1, 2, 4);
    expect_fault(RECORD_BOOKLET, "1. 2/5\n2. K10\n*", REASON_MALFORMED, 2, 1, 2, 4);
    expect_fault(RECORD_BOOKLET, "1. 2/5\n2. 1/1 1R", REASON_NO_RESULT, 0, 2, 2, 10);
    assert_int_equal(read_as(RECORD_BOOKLET, ""), -EINVAL);
    expect_clean(RECORD_AUTO, "a1s b2t", 2);
    assert_false(record.game.rules.place_wins);
    expect_fault(RECORD_OPENSPIEL, "a1s a1q", REASON_MALFORMED, 2, 1, 1, 5);
    expect_fault(RECORD_OPENSPIEL, "a1t c1u b1w", REASON_OCCUPIED, 2, 1, 1, 5);
    assert_int_equal(read_as(RECORD_OPENSPIEL, "\n"), -EINVAL);
    // 729: quadrant 0 (bottom left), 3^6 = its bottom right hole.
    expect_clean(RECORD_AUTO, "729", 1);
    assert_int_equal(game_at(&record.game, 2, 0), 1);
    // 'm' and then the position after the twist is one move.
    expect_clean(RECORD_NUMBER, "1m 9", 1);
    assert_int_equal(record.game.history[0].twist != 0, true);
    expect_fault(RECORD_NUMBER, "1m", REASON_BAD_TEXT, 1, 0, 1, 1);
    expect_fault(RECORD_NUMBER, "729 730", REASON_MALFORMED, 2, 1, 1, 5);
    expect_fault(RECORD_NUMBER, "729 x", REASON_MALFORMED, 2, 1, 1, 5);
    expect_fault(RECORD_NUMBER, "729 99999999999999999999999", REASON_MALFORMED, 2, 1, 1, 5);
    expect_fault(RECORD_NUMBER, "729 18446744073709551616", REASON_MALFORMED, 2, 1, 1, 5);
    expect_fault(RECORD_NUMBER, "729 18446744073709551615", REASON_MALFORMED, 2, 1, 1, 5);
    expect_fault(RECORD_NUMBER, "729 729q 731", REASON_MALFORMED, 2, 1, 1, 5);
    assert_int_equal(record.stated_moves, 3);
    assert_int_equal(read_as(RECORD_NUMBER, "  "), -EINVAL);
    // After the end nothing is legal.
    expect_clean(RECORD_BOOKLET, "1/1 3/7 1/2 3/8 1/3 3/1 2/1 3/6 2/2 1-0", 9);
    assert_int_equal(record_write(&record, RECORD_NUMBER, out, sizeof out, &out_length, &err), 0);
    memcpy(out + out_length, "7\n", 3);
    expect_fault(RECORD_NUMBER, out, REASON_GAME_OVER, 10, 9, 10, 1);
    assert_int_equal(record_write(&record, RECORD_OPENSPIEL, out, sizeof out, &out_length, &err),
                     -ENOTSUP);
    // The rules given must be Pentago's.
    for (enum record_format f = RECORD_BOOKLET; f <= RECORD_NUMBER; f++)
        assert_int_equal(record_read("1. 2/5", 6, f, variant_find("pente"), NULL, &record, &err),
                         -EINVAL);
}

static void odd_bytes(void **state)
{
    (void)state;
    static const char zero[] = "[Site \"a\0b\"]\n\n1. K10 \0 ?";
    assert_int_equal(record_read(zero, sizeof zero - 1, RECORD_PENTEORG, NULL, NULL, &record, &err),
                     0);
    assert_string_equal(record_tag(&record, "Site"), "a?b");
    assert_int_equal(record.fault.reason, REASON_BAD_POINT);
    assert_int_equal(record.fault.column, 8);
    char text[512];
    snprintf(text, sizeof text, "1. K10 %0100d? ?", 7);
    expect_fault(RECORD_PENTEORG, text, REASON_BAD_POINT, 2, 1, 1, 8);
    expect_fault(RECORD_PENTEORG, "1. K10 12345. L11 ?", REASON_BAD_POINT, 2, 1, 1, 8);
    assert_non_null(strstr(record.fault.text, "\"12345.\""));
    expect_fault(RECORD_PENTEORG, "1. K10 \x01\xFF ?", REASON_BAD_POINT, 2, 1, 1, 8);
    assert_non_null(strstr(record.fault.text, "\"##\""));
    expect_clean(RECORD_AUTO, "{ only a comment } 1. K10 ?", 1);
    expect_clean(RECORD_AUTO, "% only a comment\n1. K10 ?", 1);
    expect_fault(RECORD_PENTEORG, "1. K10 { never closed", REASON_NO_RESULT, 0, 1, 1, 22);
    expect_fault(RECORD_PENTEORG, "1. K10 a.L11 ?", REASON_BAD_POINT, 2, 1, 1, 8);
    expect_fault(RECORD_AUTO, "12abc", REASON_BAD_POINT, 1, 0, 1, 1);
    expect_clean(RECORD_AUTO, "1m 9", 1);
    static const char sgf[] = "(;PW[a\\\r\nb\\\rc\rd\te\0f\ng];W[jj])";
    assert_int_equal(record_read(sgf, sizeof sgf - 1, RECORD_SGF, NULL, NULL, &record, &err), 0);
    assert_string_equal(record_tag(&record, "Player 1 Name"), "ab c d e f g");
    snprintf(text, sizeof text, "(;PW[%0200d]SZ[%020d]ABCDEFGHIJKLMNOPQRSTUVW[x];W[jj])", 7, 19);
    expect_fault(RECORD_SGF, text, REASON_UNKNOWN_GAME, 0, 0, 1, 207);
    assert_int_equal(strlen(record_tag(&record, "Player 1 Name")), RECORD_VALUE_MAX - 1);
}

static void other_corners(void **state)
{
    (void)state;
    expect_clean(RECORD_TRADITIONAL, "?", 0);
    assert_int_equal(record_write(&record, RECORD_TRADITIONAL, out, sizeof out, &out_length, &err),
                     0);
    assert_string_equal(out, "?\n");
    expect_clean(RECORD_TRADITIONAL, "1.)0,,R1U1 ,2.) ?", 2);
    expect_fault(RECORD_TRADITIONAL, "1.)0,** ?", REASON_BAD_POINT, 2, 1, 1, 6);
    expect_fault(RECORD_TRADITIONAL, "1.)0,R1U1 )12 ?", REASON_BAD_POINT, 3, 2, 1, 12);
    static struct game game;
    struct variant even = *variant_find("pente-free");
    even.size = 12;
    game_init(&game, &even);
    record_init(&record, &game);
    assert_int_equal(record_write(&record, RECORD_TRADITIONAL, out, sizeof out, &out_length, &err),
                     -ENOTSUP);
    expect_fault(RECORD_BOOKLET, "1. resign *", REASON_MALFORMED, 1, 0, 1, 4);
    expect_fault(RECORD_BOOKLET, "1. 2/5 11R *", REASON_MALFORMED, 2, 1, 1, 8);
    expect_fault(RECORD_BOOKLET, "1. 2/5 1? *", REASON_MALFORMED, 2, 1, 1, 8);
    expect_clean(RECORD_BOOKLET, "*", 0);
    // Where only the twist decides, a row without a twist is a move like any other.
    struct variant late = *variant_find("pentago");
    late.place_wins = false;
    const char *row = "1/1 3/7 1/2 3/8 1/3 3/1 2/1 3/6 2/2 1-0";
    assert_int_equal(record_read(row, strlen(row), RECORD_BOOKLET, &late, NULL, &record, &err), 0);
    assert_int_equal(record.game.result.winner, 1);
    assert_int_equal(record_write(&record, RECORD_NUMBER, out, sizeof out, &out_length, &err), 0);
    assert_null(strchr(out, 'm'));
}

// Old systems end lines with CR alone, some with CR LF: places are told alike, and a comment ends
// with its line.
static void line_ends(void **state)
{
    (void)state;
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    for (size_t i = 0; i < 3; i++) {
        char text[256];
        const char *e = ends[i];
        snprintf(
            text, sizeof text,
            "[Game \"Pente\"]%s[Player 1 Name \"Ann\"]%s%s1. K10 L11 ; why%s2. M12 N13%sK10 ?%s", e,
            e, e, e, e, e);
        expect_fault(RECORD_PENTEORG, text, REASON_OCCUPIED, 5, 4, 6, 1);
        assert_string_equal(record_tag(&record, "Player 1 Name"), "Ann");
        snprintf(text, sizeof text, "(;GM[4]%s;B[jj]%s;W[kk]%s;B[jj]%s)", e, e, e, e);
        expect_fault(RECORD_SGF, text, REASON_OCCUPIED, 3, 2, 4, 2);
        snprintf(text, sizeof text, "1. 2/5%s2. 1/1 1R%s3. 2/5%s*%s", e, e, e, e);
        expect_fault(RECORD_BOOKLET, text, REASON_OCCUPIED, 3, 2, 3, 4);
        snprintf(text, sizeof text, "1.)0,U1%s2.)R3,L2%s3.)0 ?%s", e, e, e);
        expect_fault(RECORD_TRADITIONAL, text, REASON_OCCUPIED, 5, 4, 3, 4);
    }
}

// Headers in capitals or small letters, and moves on the line of the last header.
static void spelling(void **state)
{
    (void)state;
    expect_clean(RECORD_PENTEORG,
                 "[GAME \"keryo-pente\"]\n[player 1 name \"Ann\"]\n[rated \"y\"]\n"
                 "[BLACK \"Bob\"]\n[result \"1-0\"]\n\n1. k10 L11 2. n13 1-0\n",
                 3);
    assert_string_equal(record.game.rules.name, "keryo");
    assert_int_equal(record.game.rules.opening, OPENING_TOURNAMENT);
    assert_string_equal(record_tag(&record, "Player 1 Name"), "Ann");
    assert_string_equal(record_tag(&record, "Player 2 Name"), "Bob");
    expect_clean(RECORD_AUTO, "[Game \"Gomoku\"] 1. K10 L11 2. M12 ?", 3);
    assert_string_equal(record.game.rules.name, "gomoku");
    expect_fault(RECORD_AUTO, "[Game \"Gomoku\"] 1. K10 \"]", REASON_UNKNOWN_GAME, 0, 0, 1, 1);
    expect_clean(RECORD_AUTO, "[Game \"Pente\"]\n\n1. K10 1... L11 2.M12 2...A1 ?", 4);
    expect_clean(RECORD_BOOKLET, "1.2/5 2.1/1 1R 3.3/3 *", 3);
}

// A result ends the game: what follows is not played, whatever it is.
static void after_the_result(void **state)
{
    (void)state;
    expect_fault(RECORD_PENTEORG, "1. K10 L11 1-0 2. M12 A1\n", REASON_GAME_OVER, 3, 2, 1, 19);
    assert_int_equal(record.stated, STATED_FIRST);
    assert_int_equal(record.stated_moves, 4);
    expect_fault(RECORD_PENTEORG, "1. K10 L11 0-1 thanks\n", REASON_BAD_TEXT, 0, 2, 1, 16);
    assert_int_equal(record.stated_moves, 2);
    expect_clean(RECORD_PENTEORG, "1. K10 L11 0-1 0-1\n", 2);
    expect_fault(RECORD_PENTEORG, "1. K10 L11 0-1 1-0\n", REASON_WRONG_RESULT, 0, 2, 1, 19);
    assert_int_equal(record.stated, STATED_SECOND);
    assert_string_equal(record.fault.text,
                        "The text gives two results, 0-1 and then 1-0. The first was kept.");
    expect_clean(RECORD_PENTEORG, "1. K10 ? L11 ? 1-0 ?\n", 2); // doubts about moves
    assert_int_equal(record.stated, STATED_FIRST);
    expect_fault(RECORD_TRADITIONAL, "1.)0,U1 1/2-1/2 2.)R3", REASON_GAME_OVER, 3, 2, 1, 20);
    assert_int_equal(record.game.result.how, 0); // a faulty record is not ended by agreement
    expect_fault(RECORD_BOOKLET, "1. 2/5\n1-0\n2. 1/1", REASON_GAME_OVER, 2, 1, 3, 4);
}

// Where the game ended on the board, the text must agree on who won.
static void wrong_results(void **state)
{
    (void)state;
    const char *five = "1. K10 A1 2. K13 A3 3. K12 A5 4. K11 A7 5. K14";
    static const struct {
        const char *result;
        enum reason reason;
    } cases[] = {{"1-0", REASON_NONE},
                 {"?", REASON_NONE},
                 {"0-1", REASON_WRONG_RESULT},
                 {"1/2-1/2", REASON_WRONG_RESULT}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s %s", five, cases[i].result);
        assert_int_equal(read_as(RECORD_PENTEORG, text), 0);
        assert_int_equal(record.fault.reason, cases[i].reason);
        assert_int_equal(record.game.result.winner, 1);
        assert_int_equal(record.game.ply, 9);
    }
    expect_fault(RECORD_PENTEORG, "[Result \"0-1\"]\n\n1. K10 L11 1-0\n", REASON_WRONG_RESULT, 0, 2,
                 4, 1);
    assert_int_equal(record.stated, STATED_FIRST);
    expect_clean(RECORD_PENTEORG, "[Result \"?\"]\n\n1. K10 L11 1-0\n", 2);
    expect_clean(RECORD_PENTEORG, "[Result \"0-1\"]\n\n1. K10 L11 ?\n", 2);
    expect_clean(RECORD_PENTEORG, "[Result \"won\"]\n\n1. K10 L11 0-1\n", 2);
    expect_fault(RECORD_PENTEORG, "1. K10 A1 2. K13 A3 3. K12 A5 4. K11 A7 5. K14 0-1",
                 REASON_WRONG_RESULT, 0, 9, 1, 51);
    assert_string_equal(record.fault.text, "The text gives the result 0-1, but on the board the "
                                           "game ended 1-0 with move 9.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_ends),        cmocka_unit_test(spelling),
        cmocka_unit_test(after_the_result), cmocka_unit_test(wrong_results),
        cmocka_unit_test(penteorg_quirks),  cmocka_unit_test(penteorg_remarks),
        cmocka_unit_test(penteorg_faults),  cmocka_unit_test(too_long),
        cmocka_unit_test(endings),          cmocka_unit_test(choices),
        cmocka_unit_test(traditional),      cmocka_unit_test(pentago_texts),
        cmocka_unit_test(odd_bytes),        cmocka_unit_test(other_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
