// Points, moves and drawings as text; matches; explaining a board that was seen.
#include "tests/unit/rules_data.h"

#include "rules/explain.h"
#include "rules/match.h"
#include "rules/notation.h"
#include "rules/position.h"

static struct game game;

static bool parses(const char *text, int x, int y)
{
    struct point p;
    return point_parse(text, strlen(text), &p) && p.x == x && p.y == y;
}

static void all_points(void **state)
{
    (void)state;
    for (int y = 0; y < 19; y++)
        for (int x = 0; x < 19; x++) {
            char text[MOVE_TEXT_MAX], swapped[MOVE_TEXT_MAX + 2];
            point_format((struct point){(int8_t)x, (int8_t)y}, text);
            assert_true(parses(text, x, y));
            assert_null(strchr(text, 'I'));
            snprintf(swapped, sizeof swapped, "%s%c", text + 1, text[0] | 32); // "10k"
            assert_true(parses(swapped, x, y));
        }
    assert_true(parses("K10", 9, 9) && parses("a1", 0, 0) && parses("T19", 18, 18));
    static const char *const bad[] = {"",    "K",   "10",   "I9",  "U1",   "K0",   "K20", "K010",
                                      "K1x", "K-1", "K 10", "KK1", "10K1", "K10 ", "k1.", "é1"};
    struct point p;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (point_parse(bad[i], strlen(bad[i]), &p))
            fail_msg("\"%s\" was read as a point", bad[i]);
    assert_false(point_parse("K\0001", 3, &p));
    assert_false(point_parse("1\000", 2, &p));
    char text[MOVE_TEXT_MAX];
    assert_string_equal(point_format((struct point){-1, 5}, text), "(-1,5)");
    assert_string_equal(point_format((struct point){5, 19}, text), "(5,19)");
    assert_string_equal(point_format((struct point){19, 1}, text), "(19,1)");
    assert_string_equal(point_format((struct point){1, -1}, text), "(1,-1)");
}

static void traditional_points(void **state)
{
    (void)state;
    for (int y = 0; y < 19; y++)
        for (int x = 0; x < 19; x++) {
            struct point p = {(int8_t)x, (int8_t)y}, read;
            char text[MOVE_TEXT_MAX];
            point_format_traditional(p, 19, text);
            assert_true(point_parse_traditional(text, strlen(text), 19, &read));
            assert_true(point_equal(p, read));
        }
    struct point p;
    assert_true(point_parse_traditional("U3R2", 4, 19, &p) && p.x == 11 && p.y == 12);
    assert_true(point_parse_traditional("r2", 2, 19, &p) && p.x == 11 && p.y == 9);
    static const char *const bad[] = {"",     "R",  "R0", "R10", "R2R3",
                                      "U2D1", "X1", "00", "R2,", "2R"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(point_parse_traditional(bad[i], strlen(bad[i]), 19, &p));
}

static void pentago_moves(void **state)
{
    (void)state;
    const struct variant *v = variant_find("pentago");
    struct move move, other;
    char text[MOVE_TEXT_MAX];
    for (int hole = 0; hole < 36; hole++)
        for (int block = 0; block <= 4; block++)
            for (int turn = -1; turn <= 1; turn += 2) {
                move = move_twist(0, hole % 6, hole / 6, block, block ? turn : 0);
                move_format(v, move, text);
                assert_true(move_parse(v, text, strlen(text), &other));
                assert_true(move_equal(move, other));
                if (block == 0) {
                    assert_null(move_format_openspiel(move, text));
                    continue;
                }
                assert_non_null(move_format_openspiel(move, text));
                assert_true(move_parse(v, text, strlen(text), &other));
                assert_true(move_equal(move, other));
            }
    assert_true(move_parse(v, "2/4 1R", 6, &move));
    assert_true(move.x == 3 && move.y == 4 && move.block == 1 && move.turn == PENTAGO_CLOCKWISE);
    assert_true(move_parse(v, "2/4  1l", 7, &move));
    assert_true(move_parse(v, "A1S", 3, &move) && move.y == 5 &&
                move.turn == PENTAGO_ANTICLOCKWISE);
    // A block that does not exist is a move, for the rules to refuse.
    game_init(&game, v);
    assert_true(move_parse(v, "2/4 7R", 6, &move));
    assert_int_equal(game_play(&game, move, NULL), REASON_BAD_TWIST);
    assert_true(move_parse(v, "2/4 0R", 6, &move));
    assert_int_equal(game_play(&game, move, NULL), REASON_BAD_TWIST);
    static const char *const bad[] = {"",       "2",       "2/",    "5/1", "0/1",   "2/0",
                                      "2/4 ",   "2/4R",    "2/4 1", "K10", "2/4 R", "2/4 1X",
                                      "2-4 1R", "2/4 1RR", "g1s",   "a7s", "a1q",   "a0s",
                                      "a1",     "@1s",     "2/4 xR"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (move_parse(v, bad[i], strlen(bad[i]), &move))
            fail_msg("\"%s\" was read as a move", bad[i]);
    assert_null(move_format_openspiel(move_twist(0, 0, 0, 5, 1), text));
}

static void other_moves(void **state)
{
    (void)state;
    const struct variant *pente = variant_find("pente"), *six = variant_find("connect6");
    struct move move;
    char text[MOVE_TEXT_MAX];
    static const char *const words[] = {"first", "second", "pass", "resign", "draw"};
    for (size_t i = 0; i < 5; i++) {
        assert_true(move_parse(pente, words[i], strlen(words[i]), &move));
        assert_string_equal(move_format(pente, move, text), words[i]);
    }
    assert_true(move_parse(pente, "RESIGN", 6, &move) && move.kind == MOVE_RESIGN);
    assert_false(move_parse(pente, "J9+L11", 6, &move));
    assert_true(move_parse(six, "j9+L11", 6, &move));
    assert_int_equal(move.kind, MOVE_PAIR);
    assert_string_equal(move_format(six, move, text), "J9+L11");
    assert_true(move_parse(six, "J9", 2, &move));
    static const char *const bad[] = {"J9+", "+J9", "J9+I9", "J9-K9", "J9+K9+L9"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(move_parse(six, bad[i], strlen(bad[i]), &move));
    assert_string_equal(move_format(pente, move_choice((enum move_kind)12), text), "?");
}

static void drawings(void **state)
{
    (void)state;
    seen_board seen;
    unsigned size;
    struct error err;
    char text[4096], row[BOARD_SIZE_MAX + 1];
    const char *board = ". 1 2 .\t?\r\n\n.....\n3...4\n.....\n....1\n";
    assert_int_equal(position_parse(board, strlen(board), seen, &size, &err), 0);
    assert_int_equal(size, 5);
    assert_int_equal(seen[4 * 5 + 1], 1);
    assert_int_equal(seen[4 * 5 + 4], SEEN_UNKNOWN);
    assert_int_equal(seen[0 * 5 + 4], 1);
    assert_int_equal(seen[2 * 5 + 0], 3);
    static const struct {
        const char *text;
        int line, column;
    } bad[] = {{".....\n..x..\n", 2, 3},
               {".....\n....\n", 2, 1},
               {".....\n.....\n.....\n.....\n", 4, 1},
               {".....\n.....\n.....\n.....\n.....\n.....\n", 6, 1},
               {"....\n....\n....\n....\n", 4, 1},
               {"....................\n", 1, 20},
               {"", 0, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(position_parse(bad[i].text, strlen(bad[i].text), seen, &size, &err),
                         -EINVAL);
        assert_int_equal(err.line, bad[i].line);
        assert_int_equal(err.column, bad[i].column);
    }
    assert_int_equal(position_parse(".\0...", 5, seen, &size, NULL), -EINVAL);
    game_init(&game, variant_find("pente"));
    game_play(&game, move_place(0, 9, 9), NULL);
    position_row(&game, 9, row);
    assert_string_equal(row, ".........1.........");
    struct point last = {9, 9};
    size_t length = position_draw(&game, &last, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_non_null(strstr(text, "10  . . . . . . . . .(1). . . . . . . . . 10\n"));
    assert_non_null(strstr(text, "A B C D E F G H J K"));
    last = (struct point){18, 0};
    game_play(&game, move_place(0, 18, 0), NULL);
    position_draw(&game, &last, text, sizeof text);
    assert_non_null(strstr(text, ".(2)1\n"));
    assert_int_equal(position_draw(&game, NULL, text, 10), length);
    assert_int_equal(strlen(text), 9);
    assert_int_equal(position_draw(&game, NULL, NULL, 0), length);
    game_init(&game, variant_find("pentago"));
    game_play(&game, move_twist(0, 0, 5, 0, 0), NULL);
    position_draw(&game, NULL, text, sizeof text);
    assert_non_null(strstr(text, "    a b c d e f\n 1  1 . . . . . 1\n"));
}

static void match_settings(void **state)
{
    (void)state;
    struct match m;
    struct error err;
    uint16_t scores[COLOURS_MAX + 1] = {0, 3, 5, 9, 0};
    match_init(&m, MATCH_POINTS, 0);
    assert_int_equal(match_begin(&m, &err), -EINVAL);
    match_init(&m, MATCH_WINS, MATCH_WINS_MAX + 1);
    assert_int_equal(match_begin(&m, &err), -EINVAL);
    match_init(&m, MATCH_POINTS, 100000);
    assert_int_equal(match_begin(&m, &err), -EINVAL);
    match_init(&m, MATCH_POINTS, 21);
    m.players = 5;
    assert_int_equal(match_begin(&m, &err), -EINVAL);
    m.players = 1;
    assert_int_equal(match_begin(&m, &err), -EINVAL);
    m.players = 3;
    m.first = 4;
    assert_int_equal(match_begin(&m, &err), -EINVAL);
    m.first = 0;
    assert_int_equal(match_begin(&m, &err), -EINVAL);
    m.first = 3;
    m.max_games = MATCH_GAMES_MAX + 1;
    assert_int_equal(match_begin(&m, &err), -EINVAL);
    m.max_games = 0;
    m.handicap[2] = 21;
    assert_int_equal(match_begin(&m, &err), -EINVAL);
    assert_non_null(strstr(err.text, "handicap"));
    m.handicap[2] = 10;
    assert_int_equal(match_begin(&m, &err), 0);
    assert_int_equal(m.next_start, 3);
    assert_int_equal(match_record(&m, 4, scores), REASON_NO_SUCH_SIDE);
    assert_int_equal(match_record(&m, 0, scores), REASON_NONE);
    assert_int_equal(m.next_start, 1);
    assert_int_equal(match_record(&m, 0, scores), REASON_NONE);
    assert_false(m.over);
    assert_int_equal(m.totals[2], 20);
    assert_int_equal(match_record(&m, 0, scores), REASON_NONE);
    assert_true(m.over); // 9, 25, 27: the higher total wins
    assert_int_equal(m.winner, 3);
    assert_int_equal(match_record(&m, 1, scores), REASON_MATCH_OVER);
}

static void who_begins(void **state)
{
    (void)state;
    struct match m;
    match_init(&m, MATCH_WINS, 3);
    m.start = START_LOSER;
    assert_int_equal(match_begin(&m, NULL), 0);
    match_record(&m, 1, NULL);
    assert_int_equal(m.next_start, 2); // the loser of a game of two
    match_record(&m, 2, NULL);
    assert_int_equal(m.next_start, 1);
    match_record(&m, 0, NULL);
    assert_int_equal(m.next_start, 1); // a draw changes nothing
    match_init(&m, MATCH_WINS, 2);
    m.start = START_SAME;
    m.first = 2;
    m.max_games = 2;
    assert_int_equal(match_begin(&m, NULL), 0);
    match_record(&m, 1, NULL);
    assert_int_equal(m.next_start, 2);
    match_record(&m, 2, NULL);
    assert_true(m.over); // one each after the last game: a drawn match
    assert_int_equal(m.winner, 0);
}

static void longest_match(void **state)
{
    (void)state;
    struct match m;
    match_init(&m, MATCH_WINS, 1);
    assert_int_equal(match_begin(&m, NULL), 0);
    while (!m.over)
        assert_int_equal(match_record(&m, 0, NULL), REASON_NONE);
    assert_int_equal(m.games, MATCH_GAMES_MAX);
    assert_int_equal(m.winner, 0);
}

static void play(const char *text)
{
    struct move move;
    assert_true(move_parse(&game.rules, text, strlen(text), &move));
    assert_int_equal(game_play(&game, move, NULL), REASON_NONE);
}

static unsigned at(const char *point)
{
    struct point p;
    assert_true(point_parse(point, strlen(point), &p));
    return (unsigned)(p.y * game.rules.size + p.x);
}

static void explain_captures(void **state)
{
    (void)state;
    static struct explanation found;
    seen_board seen;
    char text[MOVE_TEXT_MAX];
    game_init(&game, variant_find("pente"));
    play("K10");
    play("L11");
    play("K7");
    play("M12");
    game_seen(&game, seen);
    game_explain(&game, seen, &found);
    assert_true(found.unchanged);
    assert_int_equal(found.move_count, 0);
    // N13 takes L11 and M12. Somebody laid the stone and forgot to take M12 off.
    seen[at("N13")] = 1;
    seen[at("L11")] = 0;
    game_explain(&game, seen, &found);
    assert_false(found.unchanged);
    assert_int_equal(found.move_count, 0);
    assert_int_equal(found.difference_count, 2);
    assert_true(found.has_nearest);
    assert_string_equal(move_format(&game.rules, found.nearest, text), "N13");
    assert_int_equal(found.nearest_count, 1);
    assert_string_equal(point_format(found.nearest_differences[0].at, text), "M12");
    assert_int_equal(found.nearest_differences[0].expected, 0);
    assert_int_equal(found.nearest_differences[0].seen, 2);
    // Nobody can see M12 under a hand: then it explains the board.
    seen[at("M12")] = SEEN_UNKNOWN;
    game_explain(&game, seen, &found);
    assert_int_equal(found.move_count, 1);
    assert_string_equal(move_format(&game.rules, found.moves[0], text), "N13");
    // A stone of the wrong colour explains nothing.
    game_seen(&game, seen);
    seen[at("A1")] = 2;
    game_explain(&game, seen, &found);
    assert_int_equal(found.move_count, 0);
    assert_int_equal(game_differences(&game, seen, NULL), 1);
    // Nothing can be made out: every legal move is possible.
    memset(seen, SEEN_UNKNOWN, sizeof seen);
    game_explain(&game, seen, &found);
    assert_true(found.unchanged);
    assert_int_equal(found.move_count, 361 - 4);
}

static void explain_nothing_possible(void **state)
{
    (void)state;
    static struct explanation found;
    seen_board seen;
    game_init(&game, variant_find("d-pente"));
    play("A1");
    play("B1");
    play("C3");
    play("D4");
    game_seen(&game, seen);
    game_explain(&game, seen, &found); // a choice is due: no stone can explain anything
    assert_true(found.unchanged);
    assert_false(found.has_nearest);
    seen[at("T19")] = 1;
    game_explain(&game, seen, &found);
    assert_int_equal(found.difference_count, 1);
    play("first");
    play("resign");
    game_explain(&game, seen, &found);
    assert_false(found.has_nearest);
    assert_int_equal(found.move_count, 0);
}

static void explain_pairs(void **state)
{
    (void)state;
    static struct explanation found;
    seen_board seen;
    char text[MOVE_TEXT_MAX];
    game_init(&game, variant_find("connect6"));
    play("K10");
    game_seen(&game, seen);
    seen[at("A1")] = seen[at("C1")] = 2;
    game_explain(&game, seen, &found);
    assert_int_equal(found.move_count, 1);
    assert_string_equal(move_format(&game.rules, found.moves[0], text), "A1+C1");
    // One stone seen: that stone alone, or with one that is hidden.
    seen[at("C1")] = SEEN_UNKNOWN;
    game_explain(&game, seen, &found);
    assert_int_equal(found.move_count, 2);
    seen[at("E1")] = SEEN_UNKNOWN; // the two hidden points alone leave A1 out
    game_explain(&game, seen, &found);
    assert_int_equal(found.move_count, 3);
    // A stone that is missing elsewhere is explained by no pair.
    seen[at("K10")] = 0;
    game_explain(&game, seen, &found);
    assert_int_equal(found.move_count, 0);
    assert_int_equal(found.difference_count, 2);
    seen[at("K10")] = 1;
    // Three are too many.
    seen[at("C1")] = seen[at("E1")] = 2;
    game_explain(&game, seen, &found);
    assert_int_equal(found.move_count, 0);
    // Hardly anything seen: the list is full and says so.
    memset(seen, SEEN_UNKNOWN, sizeof seen);
    game_explain(&game, seen, &found);
    assert_true(found.more);
    assert_int_equal(found.move_count, EXPLAIN_MOVES_MAX);
    // Six with the first stone of the pair ends the turn: only the order that lays both explains.
    game_init(&game, variant_find("connect6"));
    play("K10");
    play("A1+B1");
    play("K12+K13");
    play("C1+D1");
    play("K15+K16");
    play("E1+T19");
    play("K18+K19");
    game_seen(&game, seen);
    seen[at("F1")] = seen[at("G5")] = 2;
    game_explain(&game, seen, &found);
    assert_int_equal(found.move_count, 1);
    assert_string_equal(move_format(&game.rules, found.moves[0], text), "G5+F1");
}

static void explain_twists(void **state)
{
    (void)state;
    static struct explanation found;
    seen_board seen;
    game_init(&game, variant_find("pentago"));
    game_seen(&game, seen);
    seen[5 * 6 + 2] = 1; // 1/3: laid there, or at another corner of block 1 and turned
    game_explain(&game, seen, &found);
    bool laid = false, turned = false;
    for (size_t i = 0; i < found.move_count; i++) {
        struct move m = found.moves[i];
        laid |= m.x == 2 && m.y == 5 && m.block == 0;
        turned |= m.x == 0 && m.y == 5 && m.block == 1 && m.turn == PENTAGO_CLOCKWISE;
    }
    assert_true(laid && turned);
    // Itself with no twist or one of the six other twists, and two corners turned into place.
    assert_int_equal(found.move_count, 1 + 6 + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_points),       cmocka_unit_test(traditional_points),
        cmocka_unit_test(pentago_moves),    cmocka_unit_test(other_moves),
        cmocka_unit_test(drawings),         cmocka_unit_test(match_settings),
        cmocka_unit_test(who_begins),       cmocka_unit_test(longest_match),
        cmocka_unit_test(explain_captures), cmocka_unit_test(explain_nothing_possible),
        cmocka_unit_test(explain_pairs),    cmocka_unit_test(explain_twists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
