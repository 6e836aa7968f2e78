// Records written and read again: every format, every prefix, rules that have no name.
#include "tests/unit/record_fixture.h"

#include "rules/notation.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_and_house_rules),
        cmocka_unit_test(fields_that_differ),
        cmocka_unit_test(writing),
        cmocka_unit_test(format_names),
        cmocka_unit_test(every_prefix),
        cmocka_unit_test(odd_tags_and_dates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
