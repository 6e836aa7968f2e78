// Records with the quirks and faults of real files: what was legal is kept, and the fault is told
// with its move and place.
#include "tests/unit/rules_data.h"

#include "rules/notation.h"
#include "rules/record.h"

static struct record record;
static struct error err;
static char out[RECORD_WRITE_MAX];
static size_t out_length;

static int read_as(enum record_format format, const char *text)
{
    return record_read(text, strlen(text), format, NULL, NULL, &record, &err);
}

static void expect_fault(enum record_format format, const char *text, enum reason reason,
                         unsigned move, unsigned kept, int line, int column)
{
    if (read_as(format, text) != 0)
        fail_msg("not read at all: %s", err.text);
    if (record.fault.reason != reason)
        fail_msg("fault \"%s\" (%s), expected \"%s\"", reason_name(record.fault.reason),
                 record.fault.text, reason_name(reason));
    assert_int_equal(record.fault.move, move);
    assert_int_equal(record.game.ply, kept);
    assert_int_equal(record.fault.line, line);
    assert_int_equal(record.fault.column, column);
    if (reason != REASON_NONE)
        assert_true(strlen(record.fault.text) > 20);
}

static void expect_clean(enum record_format format, const char *text, unsigned moves)
{
    if (read_as(format, text) != 0)
        fail_msg("not read at all: %s", err.text);
    if (record.fault.reason != REASON_NONE)
        fail_msg("%s", record.fault.text);
    assert_int_equal(record.game.ply, moves);
}

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
    expect_fault(RECORD_SGF, "(;SZ[19:13];W[jj])", REASON_UNKNOWN_GAME, 0, 0, 1, 1);
    assert_int_equal(read_as(RECORD_SGF, "(no tree) ("), -EINVAL);
    expect_fault(RECORD_SGF, "(;SZ[99];W[jj])", REASON_UNKNOWN_GAME, 0, 0, 1, 1);
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

static void given_and_house_rules(void **state)
{
    (void)state;
    const char *text = "[Game \"Our Game\"]\n\n1. K10 L11 2. M12 ?";
    struct variant house[2] = {*variant_find("keryo"), *variant_find("pente-free")};
    snprintf(house[1].name, sizeof house[1].name, "our game");
    struct variant_list list = {house, 2};
    expect_fault(RECORD_PENTEORG, text, REASON_UNKNOWN_GAME, 0, 0, 1, 1);
    assert_int_equal(record_read(text, strlen(text), RECORD_AUTO, NULL, &list, &record, &err), 0);
    assert_int_equal(record.fault.reason, REASON_NONE);
    assert_int_equal(record.game.rules.opening, OPENING_FREE);
    assert_int_equal(
        record_read(text, strlen(text), RECORD_AUTO, variant_find("gomoku"), NULL, &record, &err),
        0);
    assert_string_equal(record.game.rules.name, "gomoku");
    // Its own name is written and found again among the house variants.
    assert_int_equal(record_read(text, strlen(text), RECORD_AUTO, NULL, &list, &record, &err), 0);
    assert_int_equal(record_write(&record, RECORD_SGF, out, sizeof out, &out_length, &err), 0);
    assert_non_null(strstr(out, "RU[our game]"));
    assert_int_equal(record_read(out, out_length, RECORD_AUTO, NULL, &list, &record, &err), 0);
    assert_int_equal(record.game.ply, 3);
}

static void fields_that_differ(void **state)
{
    (void)state;
    // Fields that differ from the table are written and read.
    static struct game game;
    struct variant odd = *variant_find("keryo");
    variant_set(&odd, "size", "13", NULL);
    variant_set(&odd, "goal", "12", NULL);
    game_init(&game, &odd);
    game_play(&game, move_place(0, 6, 6), NULL);
    record_init(&record, &game);
    for (enum record_format f = RECORD_PENTEORG; f <= RECORD_SGF; f++) {
        assert_int_equal(record_write(&record, f, out, sizeof out, &out_length, &err), 0);
        expect_clean(f, out, 1);
        assert_true(variant_same_rules(&record.game.rules, &odd));
    }
    static const char *const bad[] = {
        "[Rules \"size=4\"]", "[Rules \"size\"]", "[Rules \"x=1\"]", "[Rules \"capture=none\"]",
        "[Rules \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=1\"]"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char with[256];
        snprintf(with, sizeof with, "[Game \"Pente\"]\n%s\n\n1. K10 ?", bad[i]);
        expect_fault(RECORD_PENTEORG, with, REASON_UNKNOWN_GAME, 0, 0, 1, 1);
    }
    // Rated games have the tournament opening, where the rules given do not say otherwise.
    expect_fault(RECORD_PENTEORG, "[Game \"Pente\"]\n[Rated \"Y\"]\n\n1. K10 A1 2. L10 ?",
                 REASON_TOO_CLOSE, 3, 2, 4, 14);
    expect_clean(RECORD_PENTEORG, "[Game \"Gomoku\"]\n[Rated \"Y\"]\n\n1. K10 A1 2. L10 ?", 3);
    expect_clean(RECORD_PENTEORG,
                 "[Game \"Pente\"]\n[Rules \"size=5\"]\n[Rated \"y\"]\n\n1. C3 A1 2. C4 ?", 3);
}

static void writing(void **state)
{
    (void)state;
    static struct game game;
    game_init(&game, variant_find("pente"));
    game_play(&game, move_place(0, 9, 9), NULL);
    record_init(&record, &game);
    assert_int_equal(record_write(&record, RECORD_AUTO, out, sizeof out, &out_length, &err),
                     -ENOTSUP);
    assert_int_equal(
        record_write(&record, (enum record_format)50, out, sizeof out, &out_length, &err),
        -ENOTSUP);
    assert_int_equal(record_write(&record, RECORD_SGF, out, 0, &out_length, &err), -ENOSPC);
    assert_int_equal(record_write(&record, RECORD_PENTEORG, out, sizeof out, &out_length, &err), 0);
    for (size_t size = 1, all = out_length; size <= all; size++)
        assert_int_equal(record_write(&record, RECORD_PENTEORG, out, size, &out_length, &err),
                         -ENOSPC);
    for (enum record_format f = RECORD_BOOKLET; f <= RECORD_NUMBER; f++)
        assert_int_equal(record_write(&record, f, out, sizeof out, &out_length, &err), -ENOTSUP);
    // A tag is cut without splitting a character.
    char longer[300];
    memset(longer, 'x', sizeof longer);
    memcpy(longer + RECORD_VALUE_MAX - 2, "\xC3\xA9\xC3\xA9", 4);
    longer[299] = '\0';
    assert_int_equal(record_set_tag(&record, "Event", longer), 0);
    assert_int_equal(strlen(record_tag(&record, "Event")), RECORD_VALUE_MAX - 2);
    assert_int_equal(record_set_tag(&record, "Event", "short"), 0);
    assert_string_equal(record_tag(&record, "Event"), "short");
    for (int i = 1; i < RECORD_TAGS_MAX; i++) {
        char key[16];
        snprintf(key, sizeof key, "K%d", i);
        assert_int_equal(record_set_tag(&record, key, "v"), 0);
    }
    assert_int_equal(record_set_tag(&record, "one more", "v"), -ENOSPC);
    // What a format cannot say is refused with a sentence.
    static const struct {
        const char *variant;
        enum record_format format;
    } cannot[] = {{"pentago", RECORD_PENTEORG},       {"pentago", RECORD_SGF},
                  {"pentago", RECORD_TRADITIONAL},    {"pente-team", RECORD_SGF},
                  {"pente-team", RECORD_TRADITIONAL}, {"swap2-pente", RECORD_TRADITIONAL}};
    for (size_t i = 0; i < sizeof cannot / sizeof cannot[0]; i++) {
        game_init(&game, variant_find(cannot[i].variant));
        record_init(&record, &game);
        assert_int_equal(
            record_write(&record, cannot[i].format, out, sizeof out, &out_length, &err), -ENOTSUP);
        assert_true(strlen(err.text) > 20);
    }
    struct setup setup = {.ply = 10};
    game_setup(&game, variant_find("pente"), &setup, NULL);
    record_init(&record, &game);
    assert_int_equal(record_write(&record, RECORD_PENTEORG, out, sizeof out, &out_length, &err),
                     -ENOTSUP);
    // An unfinished Pentago game ends with a star.
    game_init(&game, variant_find("pentago"));
    game_play(&game, move_place(0, 0, 0), NULL);
    record_init(&record, &game);
    assert_int_equal(record_write(&record, RECORD_BOOKLET, out, sizeof out, &out_length, &err), 0);
    assert_string_equal(out, "1. 3/7\n*\n");
    // A third player's win has no sign in these formats.
    game_init(&game, variant_find("pente-points3"));
    game.result = (struct result){true, 3, HOW_FIVE};
    record_init(&record, &game);
    assert_int_equal(record.stated, STATED_UNKNOWN);
    game.result = (struct result){true, 0, HOW_RESIGN};
    record_init(&record, &game);
    assert_int_equal(record.stated, STATED_UNKNOWN);
    game_init(&game, variant_find("gomoku"));
    game_play(&game, move_place(0, 9, 9), NULL);
    record_init(&record, &game);
    record_set_tag(&record, "Date", "12/31/2024");
    assert_int_equal(record_write(&record, RECORD_SGF, out, sizeof out, &out_length, &err), 0);
    assert_non_null(strstr(out, ";B[jj]")); // black begins in Gomoku
    assert_non_null(strstr(out, "DT[2024-12-31]"));
    assert_non_null(strstr(out, "RE[?]"));
}

static void format_names(void **state)
{
    (void)state;
    enum record_format format;
    for (enum record_format f = RECORD_PENTEORG; f <= RECORD_NUMBER; f++) {
        assert_int_equal(record_format_parse(record_format_name(f), &format), 0);
        assert_int_equal(format, f);
    }
    assert_int_equal(record_format_parse("auto", &format), -EINVAL);
    assert_int_equal(record_format_parse("pgn", &format), -EINVAL);
    assert_string_equal(record_format_name((enum record_format)77), "");
}

// Every beginning of a good text is read without harm, and keeps what was legal.
static void every_prefix(void **state)
{
    (void)state;
    static struct game game;
    static char copy[RECORD_WRITE_MAX];
    game_init(&game, variant_find("poof"));
    static const char *const moves[] = {"K10", "L11", "K7", "M12", "N13", "L12", "A1", "M11"};
    for (size_t i = 0; i < 8; i++) {
        struct move move;
        assert_true(move_parse(&game.rules, moves[i], strlen(moves[i]), &move));
        assert_int_equal(game_play(&game, move, NULL), REASON_NONE);
    }
    for (enum record_format f = RECORD_PENTEORG; f <= RECORD_TRADITIONAL; f++) {
        record_init(&record, &game);
        assert_int_equal(record_write(&record, f, copy, sizeof copy, &out_length, &err), 0);
        unsigned before = 0;
        for (size_t length = 0; length <= out_length; length++) {
            char *exact = malloc(length + 1);
            memcpy(exact, copy, length);
            int rc = record_read(exact, length, f, NULL, NULL, &record, &err);
            free(exact);
            if (rc != 0)
                continue;
            assert_true(record.game.ply <= 8);
            if (length == out_length)
                assert_int_equal(record.game.ply, 8);
            before = record.game.ply;
        }
        assert_int_equal(before, 8);
    }
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
    expect_fault(RECORD_SGF, text, REASON_UNKNOWN_GAME, 0, 0, 1, 1);
    assert_int_equal(strlen(record_tag(&record, "Player 1 Name")), RECORD_VALUE_MAX - 1);
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

static void odd_tags_and_dates(void **state)
{
    (void)state;
    expect_clean(RECORD_PENTEORG,
                 "[Our Tag \"x\"]\n[Date \"1/2/2024\"]\n[Event \"E\"]\n"
                 "[TimeControl \"7\"]\n\n1. K10 ?",
                 1);
    assert_int_equal(record_write(&record, RECORD_PENTEORG, out, sizeof out, &out_length, &err), 0);
    assert_non_null(strstr(out, "[Result \"?\"]\r\n[Our Tag \"x\"]\r\n\r\n"));
    expect_clean(RECORD_PENTEORG, out, 1);
    assert_string_equal(record_tag(&record, "Our Tag"), "x");
    static const char *const dates[] = {"1/2/2024", "01/02/2024 x", "01-02-2024"};
    for (size_t i = 0; i < 3; i++) {
        char expected[64];
        record_set_tag(&record, "Date", dates[i]);
        assert_int_equal(record_write(&record, RECORD_SGF, out, sizeof out, &out_length, &err), 0);
        snprintf(expected, sizeof expected, "DT[%s]", dates[i]);
        assert_non_null(strstr(out, expected));
    }
    // Continuation bytes alone are no character to keep whole.
    char bytes[RECORD_VALUE_MAX + 8];
    memset(bytes, 0x80, sizeof bytes);
    bytes[sizeof bytes - 1] = '\0';
    assert_int_equal(record_set_tag(&record, "Event", bytes), 0);
    assert_string_equal(record_tag(&record, "Event"), "");
    // Choices that are none, and both headers at once.
    expect_clean(
        RECORD_PENTEORG,
        "[Game \"D-Pente\"]\n[Player's Swapped? \"Yes\"]\n[Choices \"K10,resign,second\"]\n"
        "\n1. K10 L11 2. A1 T19 ?",
        4);
    assert_false(record.game.swapped);
    // Rated, but with an opening of its own.
    expect_clean(RECORD_PENTEORG,
                 "[Game \"Pente\"]\n[Rated \"Y\"]\n[Rules \"opening=free\"]\n\n1. A1 B1 2. A2 ?",
                 3);
    assert_int_equal(record_write(&record, RECORD_PENTEORG, out, sizeof out, &out_length, &err), 0);
    assert_non_null(strstr(out, "[Rules \"opening=free\"]"));
    // A house variant whose name nobody knows writes its name alone.
    snprintf(record.game.rules.name, sizeof record.game.rules.name, "nobody knows");
    assert_int_equal(record_write(&record, RECORD_PENTEORG, out, sizeof out, &out_length, &err), 0);
    assert_non_null(strstr(out, "[Game \"nobody knows\"]"));
    assert_null(strstr(out, "[Rules"));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(penteorg_quirks),
        cmocka_unit_test(penteorg_remarks),
        cmocka_unit_test(penteorg_faults),
        cmocka_unit_test(too_long),
        cmocka_unit_test(endings),
        cmocka_unit_test(choices),
        cmocka_unit_test(sgf_quirks),
        cmocka_unit_test(sgf_faults),
        cmocka_unit_test(sgf_setups),
        cmocka_unit_test(setups_that_cannot_be_written),
        cmocka_unit_test(traditional),
        cmocka_unit_test(pentago_texts),
        cmocka_unit_test(given_and_house_rules),
        cmocka_unit_test(fields_that_differ),
        cmocka_unit_test(writing),
        cmocka_unit_test(format_names),
        cmocka_unit_test(every_prefix),
        cmocka_unit_test(odd_bytes),
        cmocka_unit_test(sgf_corners),
        cmocka_unit_test(odd_tags_and_dates),
        cmocka_unit_test(other_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
