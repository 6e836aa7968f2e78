// What must hold for games of every variant: boards are explained, records come back, states fit
// into a line.
#include "tests/unit/service_fixture.h"

#include "config/base/rng.h"
#include "rules/notation.h"
#include "rules/position.h"

static struct rng rng;

// A random game of the variant, through game.play; its number.
static uint32_t random_game(const char *variant, int moves)
{
    json_t *state = ask_json("game.new", json_pack("{s:s}", "variant", variant));
    char name[16];
    snprintf(name, sizeof name, "%s", json_string_value(json_object_get(state, "game")));
    json_decref(state);
    for (int i = 0; i < moves; i++) {
        json_t *legal = ask_json("game.legal", json_pack("{s:s}", "game", name));
        const json_t *list = json_object_get(legal, "moves");
        size_t count = json_array_size(list);
        if (count > 0) {
            const char *move =
                json_string_value(json_array_get(list, rng_below(&rng, (uint32_t)count)));
            json_decref(ask_json("game.play", json_pack("{s:s,s:s}", "game", name, "move", move)));
        }
        json_decref(legal);
        if (count == 0)
            break;
    }
    return store_find_game(store, name);
}

static json_t *state_without_name(uint32_t number)
{
    char name[16];
    snprintf(name, sizeof name, "g%u", number);
    json_t *state = ask_json("game.state", json_pack("{s:s}", "game", name));
    json_object_del(state, "game");
    return state;
}

// What a camera would see after a legal move is explained by that move, and what it would see now
// by nothing having happened.
static void test_explain_every_variant(void **state)
{
    (void)state;
    rng_seed(&rng, 21);
    for (size_t i = 0; i < variant_table_count; i++) {
        const char *variant = variant_table[i].name;
        uint32_t number = random_game(variant, 5 + (int)rng_below(&rng, 12));
        struct game before = *store_game(store, number);
        struct move moves[LEGAL_MAX];
        size_t count = game_legal(&before, moves);
        if (count == 0 || game_choice_pending(&before))
            continue;
        struct move move = moves[rng_below(&rng, (uint32_t)count)];
        struct game after = before;
        assert_int_equal(game_play(&after, move, NULL), REASON_NONE);
        for (int moved = 0; moved < 2; moved++) {
            json_t *rows = json_array();
            for (unsigned y = after.rules.size; y-- > 0;) {
                char row[BOARD_SIZE_MAX + 1];
                position_row(moved ? &after : &before, y, row);
                json_array_append_new(rows, json_string(row));
            }
            char name[16], text[16];
            snprintf(name, sizeof name, "g%u", number);
            json_t *result =
                ask_json("game.explain", json_pack("{s:s,s:o}", "game", name, "board", rows));
            assert_true(json_is_boolean(json_object_get(result, "unchanged")));
            size_t differences = json_array_size(json_object_get(result, "differences"));
            if (!moved) {
                assert_true(json_is_true(json_object_get(result, "unchanged")));
                assert_int_equal(differences, 0);
            } else {
                assert_true(differences > 0);
                move_format(&before.rules, move, text);
                bool found = false;
                const json_t *list = json_object_get(result, "moves");
                for (size_t k = 0; k < json_array_size(list); k++)
                    found |= strcmp(json_string_value(json_array_get(list, k)), text) == 0;
                if (!found)
                    print_error("%s: %s is not among the explanations\n", variant, text);
                assert_true(found);
            }
            json_decref(result);
        }
    }
}

static void test_explain_refuses(void **state)
{
    (void)state;
    ok("game.new", "{'variant':'pentago'}");
    fails("game.explain", "{'game':'g1'}", "BadBoard", NULL);
    fails("game.explain", "{'game':'g1','board':[1]}", "BadBoard", NULL);
    fails("game.explain", "{'game':'g1','board':['......']}", "BadBoard", NULL);
    fails("game.explain", "{'game':'g1','board':[1,2,3,4,5,6]}", "BadBoard", NULL);
    fails("game.explain",
          "{'game':'g1','board':['......','......','...x..','......','......',"
          "'......']}",
          "BadBoard", NULL);
    fails("game.explain",
          "{'game':'g1','board':['.......','.......','.......','.......',"
          "'.......','.......','.......']}",
          "BadBoard", NULL);
    json_t *result =
        ask("game.explain", "{'game':'g1','board':'......\\n......\\n.?....\\n......\\n"
                            "......\\n......'}");
    shows(result, "unchanged", "true");
    json_decref(result);
}

// Export, import: the same game, in every format that can express it.
static void test_records_round(void **state)
{
    (void)state;
    static const char *const formats[] = {"pente.org", "sgf",    "traditional", "booklet",
                                          "openspiel", "number", "journal"};
    int rounds[sizeof formats / sizeof *formats] = {0};
    rng_seed(&rng, 22);
    for (size_t v = 0; v < variant_table_count; v++) {
        uint32_t number = random_game(variant_table[v].name, 8 + (int)rng_below(&rng, 30));
        json_t *before = state_without_name(number);
        char name[16];
        snprintf(name, sizeof name, "g%u", number);
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            bool error;
            json_t *text = call("record.export",
                                json_pack("{s:s,s:s}", "game", name, "format", formats[f]), &error);
            if (error) { // it cannot express this game, and says so
                assert_string_not_equal(formats[f], "journal");
                json_decref(text);
                continue;
            }
            json_t *params =
                json_pack("{s:s,s:O}", "format", formats[f], "text", json_object_get(text, "text"));
            if (strcmp(formats[f], "journal") != 0)
                json_object_set_new(params, "variant", json_string(variant_table[v].name));
            json_t *after = ask_json("record.import", params);
            assert_null(json_object_get(after, "fault"));
            const char *keys[] = {"variant", "board", "ply", "captures", "moves", "next_colour"};
            for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
                bool same =
                    json_equal(json_object_get(before, keys[k]), json_object_get(after, keys[k]));
                // Position numbers do not tell which of two twists led to the same board.
                bool moves_hidden = strcmp(formats[f], "number") == 0 && k == 4;
                if (!same && !moves_hidden)
                    print_error("%s as %s: %s\n%s\n", variant_table[v].name, formats[f], keys[k],
                                json_string_value(json_object_get(text, "text")));
                assert_true(same || moves_hidden);
            }
            rounds[f]++;
            json_decref(after);
            json_decref(text);
        }
        json_decref(before);
    }
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        assert_true(rounds[f] > 0);
    assert_int_equal(rounds[6], variant_table_count);
}

static void test_import_details(void **state)
{
    (void)state;
    json_t *result =
        ask("record.import", "{'text':'[Game \\\"Pente\\\"]\\r\\n[Player 1 Name \\\"Ann\\\"]\\r\\n"
                             "[Result \\\"1-0\\\"]\\r\\n\\r\\n1. K10 L11 2. K10 1-0\\r\\n'}");
    shows(result, "moves", "['K10','L11']"); // what was legal is kept …
    const json_t *fault = json_object_get(result, "fault");
    assert_int_equal(json_integer_value(json_object_get(fault, "move")), 3); // … and which is not
    assert_string_equal(json_string_value(json_object_get(fault, "reason")), "occupied");
    shows(result, "players", "[{'name':'Ann','colour':1}]");
    json_decref(result);
    // Nothing legal in it, or a game nobody here knows: no game is made of it.
    fails("record.import", "{'text':''}", "BadRecord", NULL);
    fails("record.import", "{'text':'hello world'}", "BadRecord", "bad_point");
    fails("record.import", "{'text':'[Game \\\"Pente\\\"]\\n\\n*'}", "BadRecord", NULL);
    fails("record.import", "{'text':'[Game \\\"Chess\\\"]\\n\\n1. e4 e5 2. f4'}", "BadRecord",
          "unknown_game");
    fails("record.import", "{'text':'(;GM[1]SZ[19];B[dd];W[pp])'}", "BadRecord", "unknown_game");
    fails("record.import", "{'text':'[Game \\\"Pente\\\"]\\n\\n1. Z99 K10'}", "BadRecord",
          "bad_point");
    fails("record.import", "{'text':'hello world','format':'booklet'}", "BadRecord", "malformed");
    result = ask("game.list", "{}");
    shows(result, "total", "1");
    json_decref(result);
    fails("record.import", "{}", "BadParams", NULL);
    fails("record.import", "{'text':'','format':'pgn'}", "UnknownFormat", NULL);
    fails("record.import", "{'text':'hello world','format':'sgf'}", "BadRecord", NULL);
    fails("record.import", "{'text':'','format':'journal'}", "BadRecord", NULL);
    fails("record.import", "{'text':'x','format':'journal'}", "BadRecord", NULL);
    fails("record.import", "{'text':'{\\\"do\\\":\\\"play\\\"}','format':'journal'}", "BadRecord",
          NULL);
    fails("record.export", "{'game':'g1','format':'pgn'}", "UnknownFormat", NULL);
    fails("record.export", "{'game':'g1','format':'booklet'}", "BadRecord", NULL);
    // A setup, resignations and draws survive the journal form.
    ok("game.new", "{'variant':'pente','setup':{'stones':[[1,0,0]],'ply':25}}");
    ok("game.draw", "{'game':'g2','side':1}");
    ok("game.draw", "{'game':'g2','side':2}");
    result = ask("record.export", "{'game':'g2','format':'journal'}");
    json_t *again = ask_json("record.import", json_pack("{s:s,s:O}", "format", "journal", "text",
                                                        json_object_get(result, "text")));
    shows(again, "result", "{'winner':null,'draw':true,'how':['agreed']}");
    json_decref(again);
    json_decref(result);
}

// The longest game's state still fits into a line.
static void test_longest_state(void **state)
{
    (void)state;
    json_t *game = ask("game.new", "{'variant':'pente-free','options':{'capture':'none',"
                                   "'goal':'none','win_len':19,'exact':true}}");
    json_decref(game);
    for (int i = 0; i < 361; i++) {
        char params[80];
        int at = i * 7 % 361;
        snprintf(params, sizeof params, "{'game':'g1','move':[%d,%d,%d]}", i % 2 + 1, at % 19,
                 at / 19);
        ok("game.play", params);
    }
    json_t *result = ask("game.state", "{'game':'g1'}");
    shows(result, "result", "{'winner':null,'draw':true,'how':['full']}");
    json_decref(result);
    assert_true(out.size < 32 * 1024);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_explain_every_variant), T(test_explain_refuses), T(test_records_round),
        T(test_import_details),        T(test_longest_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
