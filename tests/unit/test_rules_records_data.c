// The shared example records: read as expected.json says, written back byte for byte where the
// format has one form, and the same game in every other format.
#include "tests/unit/rules_data.h"

#include <jansson.h>

#include "rules/record.h"

static const char *current;

static enum record_format folder_format(const char *file)
{
    static const struct {
        const char *folder;
        enum record_format format;
    } folders[] = {{"penteorg/", RECORD_PENTEORG},
                   {"faulty/", RECORD_PENTEORG},
                   {"sgf/", RECORD_SGF},
                   {"traditional/", RECORD_TRADITIONAL},
                   {"pentago-booklet/", RECORD_BOOKLET},
                   {"pentago-openspiel/", RECORD_OPENSPIEL},
                   {"pentago-number/", RECORD_NUMBER}};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (strncmp(file, folders[i].folder, strlen(folders[i].folder)) == 0)
            return folders[i].format;
    fail_msg("%s is in no folder that this test knows", file);
    return RECORD_AUTO;
}

static const struct variant *expected_rules(const json_t *expected, struct variant *ret)
{
    const json_t *options = json_object_get(expected, "options");
    if (!options)
        return NULL; // what the text itself says
    *ret = *variant_find(json_string_value(json_object_get(expected, "variant")));
    if (json_is_false(json_object_get(options, "place_wins")))
        ret->place_wins = false;
    if (json_object_get(options, "twist"))
        ret->twist = TWIST_ALWAYS;
    return ret;
}

static void check_how(const json_t *list, unsigned how)
{
    size_t i;
    const json_t *name;
    unsigned expected = 0;
    json_array_foreach((json_t *)list, i, name)
    {
        unsigned bit = HOW_FIVE, one = bit;
        while (bit <= HOW_AGREED && strcmp(json_string_value(name), how_name(&one)) != 0)
            one = bit <<= 1;
        if (bit > HOW_AGREED)
            fail_msg("%s: no game ends by \"%s\"", current, json_string_value(name));
        expected |= bit;
    }
    assert_int_equal(expected, how);
}

static void check_board(const json_t *rows, const struct game *game)
{
    for (size_t row = 0; row < json_array_size(rows); row++)
        for (int x = 0; x < game->rules.size; x++)
            assert_int_equal(json_string_value(json_array_get(rows, row))[x] - '0',
                             game_at(game, x, (int)(json_array_size(rows) - 1 - row)));
}

static enum stated_result stated(const char *text)
{
    return strcmp(text, "1-0") == 0       ? STATED_FIRST
           : strcmp(text, "0-1") == 0     ? STATED_SECOND
           : strcmp(text, "1/2-1/2") == 0 ? STATED_DRAW
                                          : STATED_UNKNOWN;
}

// Every field is one of these: none may go by unread.
static bool known_field(const char *key)
{
    static const char *const known[] = {"error", "variant",       "options",     "moves",
                                        "plies", "winner",        "draw",        "how",
                                        "board", "stated_result", "stones_taken"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(key, known[i]) == 0)
            return true;
    return false;
}

static void check_record(const json_t *expected, const struct record *record)
{
    const struct game *game = &record->game;
    const json_t *value, *error = json_object_get(expected, "error");
    if (error) {
        assert_string_equal(reason_name(record->fault.reason),
                            json_string_value(json_object_get(error, "reason")));
        assert_true(record->fault.line > 1 && record->fault.column > 0);
        assert_true(strlen(record->fault.text) > 20);
        if (json_object_get(error, "move"))
            assert_int_equal(record->fault.move,
                             json_integer_value(json_object_get(error, "move")));
    } else {
        assert_int_equal(record->fault.reason, REASON_NONE);
    }
    if ((value = json_object_get(expected, "variant")))
        assert_string_equal(game->rules.name, json_string_value(value));
    if ((value = json_object_get(expected, "moves")))
        assert_int_equal(record->stated_moves, json_integer_value(value));
    if ((value = json_object_get(expected, "plies")))
        assert_int_equal(game->ply, json_integer_value(value));
    if ((value = json_object_get(expected, "winner")))
        assert_int_equal(game->result.winner, json_integer_value(value));
    if ((value = json_object_get(expected, "draw")))
        assert_int_equal(game->result.over && game->result.winner == 0, json_is_true(value));
    if ((value = json_object_get(expected, "how")))
        check_how(value, game->result.how);
    if ((value = json_object_get(expected, "board")))
        check_board(value, game);
    if ((value = json_object_get(expected, "stated_result")))
        assert_int_equal(record->stated, stated(json_string_value(value)));
    const char *key;
    json_t *taken, *any;
    json_object_foreach((json_t *)expected, key, any) if (!known_field(key))
        fail_msg("%s: this test does not know the field %s", current, key);
    json_object_foreach(json_object_get(expected, "stones_taken"), key, taken)
        assert_int_equal(game->stones_taken[atoi(key)], json_integer_value(taken));
}

// Written in `format` and read again the record holds the same game.
static void check_round_trip(const struct record *record, enum record_format format)
{
    static char text[RECORD_WRITE_MAX], again[RECORD_WRITE_MAX];
    static struct record copy;
    struct error err;
    size_t length, second;
    int rc = record_write(record, format, text, sizeof text, &length, &err);
    if (rc == -ENOTSUP)
        return;
    assert_int_equal(rc, 0);
    rc = record_read(text, length, format, &record->game.rules, NULL, &copy, &err);
    if (rc != 0 || copy.fault.reason != REASON_NONE)
        fail_msg("%s as %s: %s", current, record_format_name(format),
                 rc ? err.text : copy.fault.text);
    assert_true(game_hash(&copy.game) == game_hash(&record->game));
    assert_int_equal(copy.game.ply, record->game.ply);
    assert_memory_equal(&copy.game.result, &record->game.result, sizeof copy.game.result);
    assert_int_equal(record_write(&copy, format, again, sizeof again, &second, &err), 0);
    assert_string_equal(text, again);
}

static void files(void **state)
{
    (void)state;
    static struct record record;
    static char path[256], written[RECORD_WRITE_MAX];
    json_t *root = json_load_file(data_path("records/expected.json"), 0, NULL), *expected;
    assert_non_null(root);
    unsigned count = 0;
    json_object_foreach(json_object_get(root, "files"), current, expected)
    {
        snprintf(path, sizeof path, "records/%s", current);
        size_t length, written_length;
        char *text = read_file(data_path(path), &length);
        struct variant rules;
        struct error err;
        enum record_format format = folder_format(current);
        const struct variant *given = expected_rules(expected, &rules);
        if (record_read(text, length, format, given, NULL, &record, &err) != 0)
            fail_msg("%s: %s", current, err.text);
        check_record(expected, &record);
        // The format is recognised without being told.
        static struct record guessed;
        assert_int_equal(record_read(text, length, RECORD_AUTO, given, NULL, &guessed, &err), 0);
        assert_true(game_hash(&guessed.game) == game_hash(&record.game));
        if (record.fault.reason == REASON_NONE) {
            for (unsigned f = RECORD_PENTEORG; f <= RECORD_NUMBER; f++)
                check_round_trip(&record, (enum record_format)f);
            assert_int_equal(
                record_write(&record, format, written, sizeof written, &written_length, &err), 0);
            if (format != RECORD_SGF && strcmp(written, text) != 0)
                fail_msg("%s is not written back byte for byte:\n%s", current, written);
        }
        free(text);
        count++;
    }
    print_message("%u example records\n", count);
    assert_true(count > 0);
    json_decref(root);
}

// One line of games.tsv: id, rated, result, plies, end, taken1, taken2, moves.
static void check_game(char *line)
{
    char *save, *field[8];
    for (int i = 0; i < 8; i++)
        field[i] = strtok_r(i ? NULL : line, "\t", &save);
    assert_non_null(field[7]);
    static char text[8192];
    snprintf(text, sizeof text, "[Game \"Pente\"]\n[Rated \"%s\"]\n\n%s %s\n", field[1], field[7],
             field[2]);
    static struct record record;
    struct error err;
    current = field[0];
    assert_int_equal(record_read(text, strlen(text), RECORD_PENTEORG, NULL, NULL, &record, &err),
                     0);
    if (record.fault.reason != REASON_NONE)
        fail_msg("game %s: %s", field[0], record.fault.text);
    const struct game *game = &record.game;
    assert_int_equal(game->ply, atoi(field[3]));
    assert_int_equal(game->stones_taken[1], atoi(field[5]));
    assert_int_equal(game->stones_taken[2], atoi(field[6]));
    bool unfinished = strcmp(field[4], "-") == 0;
    assert_int_equal(game->result.over, !unfinished);
    if (!unfinished)
        assert_int_equal(game->result.winner, strcmp(field[2], "1-0") == 0 ? 1 : 2);
    check_round_trip(&record, RECORD_PENTEORG);
}

static void real_games(void **state)
{
    (void)state;
    char *text = read_file(data_path("records/games.tsv"), NULL), *save;
    unsigned count = 0;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (line[0] != '#') {
            check_game(line);
            count++;
        }
    print_message("%u real games\n", count);
    assert_true(count > 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files), cmocka_unit_test(real_games)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
