// The shared reference positions: every field that a case expects is compared.
#include "tests/unit/rules_data.h"

#include <jansson.h>

#include "rules/game.h"
#include "rules/match.h"
#include "rules/notation.h"

static const char *current; // id of the case at hand, for messages

static struct variant case_rules(const json_t *test)
{
    struct variant rules;
    struct error err;
    const char *key;
    json_t *value;
    if (variant_init(&rules, json_string_value(json_object_get(test, "variant")), &err) != 0)
        fail_msg("%s: %s", current, err.text);
    json_object_foreach(json_object_get(test, "options"), key, value)
    {
        char number[24];
        const char *text = json_string_value(value);
        if (json_is_integer(value)) {
            snprintf(number, sizeof number, "%d", (int)json_integer_value(value));
            text = number;
        } else if (json_is_boolean(value)) {
            text = json_is_true(value) ? "true" : "false";
        }
        if (variant_set(&rules, key, text, &err) != 0)
            fail_msg("%s: %s", current, err.text);
    }
    if (variant_validate(&rules, &err) != 0)
        fail_msg("%s: %s", current, err.text);
    return rules;
}

static int item(const json_t *array, size_t i)
{
    return (int)json_integer_value(json_array_get(array, i));
}

static void counters(const json_t *object, uint16_t *out)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) out[atoi(key)] =
        (uint16_t)json_integer_value(value);
}

static struct move case_move(const json_t *json)
{
    if (json_is_string(json)) {
        const char *text = json_string_value(json);
        return move_choice(strcmp(text, "first") == 0    ? MOVE_FIRST
                           : strcmp(text, "second") == 0 ? MOVE_SECOND
                                                         : MOVE_PASS);
    }
    if (json_is_array(json))
        return move_place((unsigned)item(json, 0), item(json, 1), item(json, 2));
    const json_t *place = json_object_get(json, "place"), *twist = json_object_get(json, "twist");
    const char *turn = json_string_value(json_array_get(twist, 1));
    int quarter = !turn ? 0 : strcmp(turn, "cw") == 0 ? 1 : strcmp(turn, "ccw") == 0 ? -1 : 2;
    return move_twist((unsigned)json_integer_value(json_object_get(json, "colour")), item(place, 0),
                      item(place, 1), item(twist, 0), quarter);
}

static void case_setup(const json_t *test, const struct variant *rules, struct game *game)
{
    static struct setup setup;
    const json_t *json = json_object_get(test, "setup"), *stone;
    struct error err;
    size_t i;
    memset(&setup, 0, sizeof setup);
    json_array_foreach(json_object_get(json, "stones"), i, stone)
    {
        setup.stones[i].colour = (uint8_t)item(stone, 0);
        setup.stones[i].at = (struct point){(int8_t)item(stone, 1), (int8_t)item(stone, 2)};
        setup.stone_count++;
    }
    const json_t *ply = json_object_get(json, "ply");
    setup.ply = ply ? (uint16_t)json_integer_value(ply) : setup.stone_count;
    counters(json_object_get(json, "stones_taken"), setup.stones_taken);
    counters(json_object_get(json, "captures"), setup.captures);
    if (game_setup(game, rules, &setup, &err) != 0)
        fail_msg("%s: %s", current, err.text);
    json_array_foreach(json_object_get(test, "history"), i, stone)
    {
        enum reason reason = game_play(game, case_move(stone), NULL);
        if (reason != REASON_NONE)
            fail_msg("%s: history %zu refused: %s", current, i, reason_name(reason));
    }
}

static void expect_int(const char *what, int64_t expected, int64_t got)
{
    if (expected != got)
        fail_msg("%s: %s is %lld, expected %lld", current, what, (long long)got,
                 (long long)expected);
}

static void expect_points(const char *what, const json_t *list, const struct point *got,
                          size_t count)
{
    expect_int(what, (int64_t)json_array_size(list), (int64_t)count);
    for (size_t i = 0; i < count; i++) {
        const json_t *p = json_array_get(list, i);
        if (item(p, 0) != got[i].x || item(p, 1) != got[i].y)
            fail_msg("%s: %s[%zu] is (%d,%d)", current, what, i, got[i].x, got[i].y);
    }
}

static void expect_counters(const char *what, const json_t *object, const uint16_t *got)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
        expect_int(what, json_integer_value(value), got[atoi(key)]);
}

static void expect_names(const char *what, const json_t *list, unsigned got)
{
    unsigned expected = 0;
    size_t i;
    const json_t *name;
    json_array_foreach((json_t *)list, i, name)
    {
        const char *text = json_string_value(name);
        expected |= strcmp(text, "tria") == 0       ? CALL_TRIA
                    : strcmp(text, "tessera") == 0  ? CALL_TESSERA
                    : strcmp(text, "five") == 0     ? HOW_FIVE
                    : strcmp(text, "captures") == 0 ? HOW_CAPTURES
                                                    : 255;
    }
    expect_int(what, expected, got);
}

static void expect_board(const json_t *list, const struct game *game)
{
    const json_t *stone;
    size_t i;
    expect_int("stones on the board", (int64_t)json_array_size(list), game->stones);
    json_array_foreach((json_t *)list, i, stone)
        expect_int("board", item(stone, 0), game_at(game, item(stone, 1), item(stone, 2)));
}

static void check_field(const char *key, const json_t *value, const struct effect *e,
                        const struct game *after)
{
    int64_t number = json_is_null(value) ? 0 : json_integer_value(value);
    if (strcmp(key, "legal") == 0)
        expect_int(key, json_is_true(value), e->reason == REASON_NONE);
    else if (strcmp(key, "reason") == 0)
        expect_int(json_string_value(value), 0,
                   strcmp(reason_name(e->reason), json_string_value(value)));
    else if (strcmp(key, "captured") == 0)
        expect_points(key, value, e->captured, e->captured_count);
    else if (strcmp(key, "poofed") == 0)
        expect_points(key, value, e->poofed, e->poofed_count);
    else if (strcmp(key, "winner") == 0)
        expect_int(key, number, e->result.winner);
    else if (strcmp(key, "draw") == 0)
        expect_int(key, json_is_true(value), e->result.over && e->result.winner == 0);
    else if (strcmp(key, "how") == 0)
        expect_names(key, value, e->result.how);
    else if (strcmp(key, "calls") == 0)
        expect_names(key, value, e->calls);
    else if (strcmp(key, "stones_taken") == 0)
        expect_counters(key, value, e->stones_taken);
    else if (strcmp(key, "captures") == 0)
        expect_counters(key, value, e->captures);
    else if (strcmp(key, "friendly") == 0)
        expect_counters(key, value, e->friendly);
    else if (strcmp(key, "scores") == 0)
        expect_counters(key, value, e->scores);
    else if (strcmp(key, "board_count") == 0)
        expect_int(key, number, e->board_count);
    else if (strcmp(key, "next_colour") == 0)
        expect_int(key, number, e->next_colour);
    else if (strcmp(key, "next_seat") == 0)
        expect_int(key, number, e->next_seat);
    else if (strcmp(key, "choice_pending") == 0)
        expect_int(key, number, e->choice_pending);
    else if (strcmp(key, "twisted") == 0)
        expect_int(key, json_is_true(value), e->twisted);
    else if (strcmp(key, "board") == 0)
        expect_board(value, after);
    else
        fail_msg("%s: this test does not know the field %s", current, key);
}

static void check_position(const json_t *test)
{
    struct variant rules = case_rules(test);
    static struct game game;
    case_setup(test, &rules, &game);
    struct move move = case_move(json_object_get(test, "move"));
    struct effect checked, played;
    uint64_t before = game_hash(&game);
    enum reason reason = game_check(&game, move, &checked);
    assert_true(game_hash(&game) == before);
    game_play(&game, move, &played);
    assert_int_equal(played.reason, reason);
    assert_memory_equal(&checked, &played, sizeof played);
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(test, "expect"), key, value)
        check_field(key, value, &played, &game);
    if (reason == REASON_NONE)
        assert_true(game_undo(&game));
    assert_true(game_hash(&game) == before);
}

// Plays the games. True when one was refused, as the case must expect.
static bool record_games(const json_t *test, struct match *match)
{
    const json_t *expect = json_object_get(test, "expect"), *played;
    const json_t *starters = json_object_get(expect, "starters");
    size_t i;
    json_array_foreach(json_object_get(test, "games"), i, played)
    {
        uint16_t scores[COLOURS_MAX + 1] = {0};
        if (starters)
            expect_int("starter", item(starters, i), match->next_start);
        counters(json_is_object(played) ? played : NULL, scores);
        unsigned winner = json_is_integer(played) ? (unsigned)json_integer_value(played) : 0;
        enum reason reason = match_record(match, winner, scores);
        if (reason == REASON_NONE)
            continue;
        const char *wanted = json_string_value(json_object_get(expect, "reason"));
        if (!wanted || strcmp(wanted, reason_name(reason)) != 0)
            fail_msg("%s: game %zu refused: %s", current, i + 1, reason_name(reason));
        return true;
    }
    return false;
}

static void check_totals(const json_t *totals, const struct match *match)
{
    const char *key;
    json_t *total;
    json_object_foreach((json_t *)totals, key, total)
        expect_int("totals", json_integer_value(total), match->totals[atoi(key)]);
}

static void check_match(const json_t *test)
{
    const json_t *expect = json_object_get(test, "expect");
    bool points = json_object_get(test, "target") != NULL;
    struct match match;
    struct error err;
    match_init(&match, points ? MATCH_POINTS : MATCH_WINS,
               (unsigned)json_integer_value(json_object_get(test, points ? "target" : "wins")));
    counters(json_object_get(test, "handicap"), match.handicap);
    if (json_object_get(test, "first"))
        match.first = (uint8_t)json_integer_value(json_object_get(test, "first"));
    match.max_games = (uint16_t)json_integer_value(json_object_get(test, "max_games"));
    if (match_begin(&match, &err) != 0)
        fail_msg("%s: %s", current, err.text);
    bool refused = record_games(test, &match);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)expect, key, value)
    {
        if (strcmp(key, "winner") == 0)
            expect_int(key, json_integer_value(value), match.winner);
        else if (strcmp(key, "draw") == 0)
            expect_int(key, json_is_true(value), match.over && match.winner == 0);
        else if (strcmp(key, "totals") == 0 || strcmp(key, "wins") == 0)
            check_totals(value, &match);
        else if (strcmp(key, "legal") == 0)
            expect_int(key, json_is_true(value), !refused);
        else if (strcmp(key, "reason") == 0)
            expect_int(key, true, refused); // which one was compared above
        else if (strcmp(key, "starters") != 0)
            fail_msg("%s: this test does not know the field %s", current, key);
    }
}

static void all_cases(void **state)
{
    (void)state;
    char *text = read_file(data_path("rules/cases.jsonl"), NULL);
    unsigned count = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        json_t *test = json_loads(line, 0, NULL);
        assert_non_null(test);
        current = json_string_value(json_object_get(test, "id"));
        assert_true(json_object_size(json_object_get(test, "expect")) > 0);
        if (json_object_get(test, "games"))
            check_match(test);
        else
            check_position(test);
        json_decref(test);
        count++;
    }
    print_message("%u reference cases\n", count);
    assert_true(count > 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
