// The methods for games and positions, asked directly: shapes and errors.
#include "tests/unit/service_fixture.h"

static void test_hello(void **state)
{
    (void)state;
    json_t *result = ask("hello", "{'protocol':1,'client':'me'}");
    shows(result, "protocol", "1");
    assert_string_equal(session.client, "me");
    const json_t *variants = json_object_get(result, "variants");
    assert_int_equal(json_array_size(variants), variant_table_count);
    for (size_t i = 0; i < variant_table_count; i++) {
        const json_t *v = json_array_get(variants, i);
        assert_string_equal(json_string_value(json_object_get(v, "name")), variant_table[i].name);
        assert_true(json_string_length(json_object_get(v, "title")) > 0);
        assert_true(json_string_length(json_object_get(v, "source")) > 0);
        assert_int_equal(json_integer_value(json_object_get(v, "board")), variant_table[i].size);
    }
    json_decref(result);
    fails("hello", "{'protocol':2}", "BadProtocol", NULL);
    fails("hello", "{'protocol':'1'}", "BadParams", NULL);
}

static void test_new(void **state)
{
    (void)state;
    json_t *result =
        ask("game.new", "{'variant':'pente','players':[{'name':'Ann','colour':2},{'name':'Ü'}]}");
    shows(result, "game", "'g1'");
    shows(result, "variant", "'pente'");
    shows(result, "options", "{}");
    shows(result, "ply", "0");
    shows(result, "next_colour", "1");
    shows(result, "result", "null");
    shows(result, "moves", "[]");
    shows(result, "captures", "{'1':0,'2':0}");
    shows(result, "players", "[{'name':'Ann','colour':2},{'name':'Ü'}]");
    assert_int_equal(json_array_size(json_object_get(result, "board")), 19);
    json_decref(result);
    assert_int_equal(events, 1);
    result = ask("game.new", "{'variant':'pente','setup':{'stones':[[1,0,0],[2,18,18]],'ply':24,"
                             "'captures':{'1':1},'stones_taken':{'1':2}}}");
    shows(result, "game", "'g2'");
    shows(result, "captures", "{'1':1,'2':0}");
    shows(result, "ply", "24");
    shows(result, "setup",
          "{'stones':[[1,0,0],[2,18,18]],'ply':24,'captures':{'1':1,'2':0},"
          "'stones_taken':{'1':2,'2':0}}");
    const json_t *rows = json_object_get(result, "board");
    assert_string_equal(json_string_value(json_array_get(rows, 0)), "..................2");
    assert_string_equal(json_string_value(json_array_get(rows, 18)), "1..................");
    json_decref(result);
}

static void test_new_refuses(void **state)
{
    (void)state;
    fails("game.new", "{}", "BadParams", NULL);
    fails("game.new", "{'variant':7}", "BadParams", NULL);
    fails("game.new", "{'variant':'penta'}", "UnknownVariant", NULL);
    fails("game.new", "{'variant':'pente','options':7}", "BadParams", NULL);
    fails("game.new", "{'variant':'pente','options':{'size':4}}", "BadOption", NULL);
    fails("game.new", "{'variant':'pente','options':{'size':[[]]}}", "BadOption", NULL);
    fails("game.new", "{'variant':'pente','options':{'name':'mine'}}", "BadOption", NULL);
    fails("game.new", "{'variant':'pente','options':{'colour':'x'}}", "UnknownOption", NULL);
    fails("game.new", "{'variant':'pente','setup':[]}", "BadSetup", NULL);
    fails("game.new", "{'variant':'pente','setup':{'stones':[[1,2]]}}", "BadSetup", NULL);
    fails("game.new", "{'variant':'pente','setup':{'stones':[[1,0,0],[2,0,0]]}}", "BadSetup", NULL);
    fails("game.new", "{'variant':'pente','setup':{'stones':[[3,0,0]]}}", "BadSetup", NULL);
    fails("game.new", "{'variant':'pente','setup':{'stones':[[1,19,0]]}}", "BadSetup", NULL);
    fails("game.new", "{'variant':'pente','setup':{'stones':[],'ply':-1}}", "BadSetup", NULL);
    fails("game.new", "{'variant':'pente','setup':{'captures':{'9':1}}}", "BadParams", NULL);
    fails("game.new", "{'variant':'pente','players':7}", "BadPlayers", NULL);
    fails("game.new", "{'variant':'pente','players':[{'name':7}]}", "BadPlayers", NULL);
    fails("game.new", "{'variant':'pente','players':[{'name':'A','colour':5}]}", "BadPlayers",
          NULL);
    fails("game.new", "{'variant':'pente','players':[{'colour':1},{'colour':1}]}", "BadPlayers",
          NULL);
    fails("game.new", "{'variant':'pente','players':[{},{},{}]}", "BadPlayers", NULL);
    fails("game.new", "{'variant':'pente','players':[{'colour':3}]}", "BadPlayers", NULL);
    fails("game.new", "{'variant':'pente-team','players':[{'colour':2},{'colour':2}]}",
          "BadPlayers", NULL);
    json_t *result = ask("game.list", "{}");
    shows(result, "games", "[]");
    json_decref(result);
    assert_int_equal(events, 0);
}

// Options come back as they were given, and make the same rules again.
static void test_house_rules(void **state)
{
    (void)state;
    static const char *const options[] = {
        "{'size':13}",
        "{'capture':[2,3],'goal':15}",
        "{'capture':'none','goal':null}",
        "{'win_len':6,'exact':true,'title':'Six in a row'}",
        "{'seats':[1,2,3,4],'sides':{'1':1,'2':2,'3':1,'4':2}}",
        "{'opening':'free','poof':true}",
        "{'title':'13'}",
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char params[300];
        snprintf(params, sizeof params, "{'variant':'pente','options':%s}", options[i]);
        json_t *first = ask("game.new", params);
        assert_true(json_object_size(json_object_get(first, "options")) > 0);
        json_t *again = ask_json("game.new", json_pack("{s:s,s:O}", "variant", "pente", "options",
                                                       json_object_get(first, "options")));
        assert_true(
            json_equal(json_object_get(first, "options"), json_object_get(again, "options")));
        json_decref(first);
        json_decref(again);
        const struct game *a = store_game(store, (uint32_t)(2 * i + 1));
        struct variant kept = a->rules;
        const struct game *b = store_game(store, (uint32_t)(2 * i + 2));
        assert_true(variant_same_rules(&kept, &b->rules));
        assert_string_equal(kept.title, b->rules.title);
    }
}

static void test_play(void **state)
{
    (void)state;
    ok("game.new", "{'variant':'pente'}");
    fails("game.play", "{'game':'g1'}", "BadParams", NULL);
    fails("game.play", "{'game':'g1','move':'K10','ply':-1}", "BadParams", NULL);
    fails("game.play", "{'game':'g1','move':'A1'}", "IllegalMove", "centre_required");
    fails("game.play", "{'game':'g1','move':'nowhere'}", "IllegalMove", "malformed");
    fails("game.play", "{'game':'g1','move':{}}", "IllegalMove", "malformed");
    fails("game.play", "{'game':'g1','move':[1,'a',3]}", "IllegalMove", "malformed");
    fails("game.play", "{'game':'g1','move':[2,9,9]}", "NotYourTurn", "wrong_turn");
    fails("game.play", "{'game':'g1','move':[1,9,9],'ply':1}", "WrongPly", NULL);
    assert_int_equal(events, 1);
    json_t *first = ask("game.play", "{'game':'g1','move':[1,9,9],'ply':0}");
    shows(first, "legal", "true");
    shows(json_object_get(first, "state"), "moves", "['K10']");
    assert_int_equal(events, 2);
    // The same again is the same reply and no event; in any form of the move.
    json_t *again = ask("game.play", "{'game':'g1','move':'k10','ply':0}");
    assert_true(json_equal(first, again));
    json_decref(again);
    ok("game.play", "{'game':'g1','move':{'colour':2,'place':[0,0]},'ply':1}");
    again = ask("game.play", "{'game':'g1','move':[1,9,9],'ply':0}");
    assert_true(json_equal(first, again)); // even after others have moved on
    json_decref(again);
    json_decref(first);
    assert_int_equal(events, 3);
    fails("game.play", "{'game':'g1','move':'L11','ply':0}", "WrongPly", NULL);
    fails("game.play", "{'game':'g1','move':'A1','ply':1.5}", "BadParams", NULL);
    fails("game.play", "{'game':'g1','move':'A1'}", "IllegalMove", "occupied");
    fails("game.play", "{'game':'g1','move':'first'}", "IllegalMove", "no_choice_pending");
    fails("game.play", "{'game':'g1','move':[1,19,0]}", "IllegalMove", "off_board");
    fails("game.play", "{'game':'g1','move':[1,-70000,99999999999]}", "IllegalMove", "off_board");
}

static void test_check_and_effect(void **state)
{
    (void)state;
    ok("game.new", "{'variant':'pente','setup':{'stones':[[2,10,9],[2,11,9],[1,12,9]],'ply':24}}");
    json_t *result = ask("game.check", "{'game':'g1','move':'K10'}");
    shows(result, "captured", "[[10,9],[11,9]]");
    shows(result, "poofed", "[]");
    shows(result, "captures", "{'1':1,'2':0}");
    shows(result, "stones_taken", "{'1':2,'2':0}");
    shows(result, "winner", "null");
    shows(result, "draw", "false");
    shows(result, "how", "[]");
    shows(result, "scores", "null");
    shows(result, "next_colour", "2");
    shows(result, "choice_pending", "null");
    shows(result, "board_count", "2");
    json_decref(result);
    result = ask("game.check", "{'game':'g1','move':'L10'}");
    shows(result, "legal", "false");
    shows(result, "reason", "'occupied'");
    assert_true(json_string_length(json_object_get(result, "text")) > 10);
    json_decref(result);
    result = ask("game.state", "{'game':'g1'}");
    shows(result, "ply", "24"); // nothing has changed
    json_decref(result);
    assert_int_equal(events, 1);
    // A split three is called, with the points that stop it.
    result = ask("position.check", "{'variant':'pente','setup':{'stones':[[1,5,5],[1,6,5]],"
                                   "'ply':24},'move':[1,8,5]}");
    shows(result, "calls", "['tria']");
    const json_t *formation = json_array_get(json_object_get(result, "formations"), 0);
    assert_string_equal(json_string_value(json_object_get(formation, "kind")), "tria");
    assert_int_equal(json_array_size(json_object_get(formation, "stones")), 3);
    assert_true(json_array_size(json_object_get(formation, "blocks")) >= 1);
    json_decref(result);
}

static void test_position_check(void **state)
{
    (void)state;
    fails("position.check", "{'variant':'pente'}", "BadParams", NULL);
    fails("position.check", "{'variant':'pente','history':7,'move':'A1'}", "BadParams", NULL);
    fails("position.check", "{'variant':'pente','history':['A1'],'move':'A1'}", "IllegalMove",
          "centre_required");
    json_t *result =
        ask("position.check", "{'variant':'pente','history':['K10','resign'],'move':'A1'}");
    shows(result, "reason", "'game_over'");
    json_decref(result);
    result = ask("position.check", "{'variant':'pentago','move':{'place':[1,1],'twist':[4,'cw']}}");
    shows(result, "board", "[[1,1,1]]");
    shows(result, "twisted", "true");
    json_decref(result);
    result = ask("position.check", "{'variant':'pentago','move':{'place':[1,1],'twist':[9,'cw']}}");
    shows(result, "reason", "'bad_twist'");
    json_decref(result);
    result =
        ask("position.check", "{'variant':'pentago','move':{'place':[1,1],'twist':[1,'180']}}");
    shows(result, "reason", "'bad_twist'");
    json_decref(result);
    result = ask("game.list", "{}");
    shows(result, "total", "0");
    json_decref(result);
}

static void test_undo(void **state)
{
    (void)state;
    ok("game.new", "{'variant':'pente-free'}");
    fails("game.undo", "{'game':'g1'}", "NothingToUndo", NULL);
    for (int i = 0; i < 6; i++) {
        static const char *const moves[] = {"A1", "B1", "A3", "C1", "D1", "A5"};
        char params[80];
        snprintf(params, sizeof params, "{'game':'g1','move':'%s'}", moves[i]);
        ok("game.play", params);
    }
    json_t *result = ask("game.state", "{'game':'g1'}");
    shows(result, "captures", "{'1':1,'2':0}"); // D1 took B1 and C1
    json_decref(result);
    result = ask("game.undo", "{'game':'g1','plies':2}");
    shows(result, "moves", "['A1','B1','A3','C1']");
    shows(result, "captures", "{'1':0,'2':0}");
    assert_string_equal(json_string_value(json_array_get(json_object_get(result, "board"), 18)),
                        "122................");
    json_decref(result);
    fails("game.undo", "{'game':'g1','plies':0}", "BadParams", NULL);
    fails("game.undo", "{'game':'g1','plies':5}", "NothingToUndo", NULL);
    ok("game.undo", "{'game':'g1','plies':4}");
    // Pentago: a twist is taken back too.
    ok("game.new", "{'variant':'pentago'}");
    ok("game.play", "{'game':'g2','move':'1/1 1R'}");
    ok("game.play", "{'game':'g2','move':'4/2 4L'}");
    result = ask("game.undo", "{'game':'g2'}");
    shows(result, "board", "['..1...','......','......','......','......','......']");
    json_decref(result);
}

static void test_draws_and_resigning(void **state)
{
    (void)state;
    ok("game.new", "{'variant':'pente'}");
    fails("game.draw", "{'game':'g1'}", "BadParams", NULL);
    fails("game.draw", "{'game':'g1','side':3}", "NoSuchSide", "no_such_side");
    json_t *result = ask("game.draw", "{'game':'g1','side':2}");
    shows(result, "draw_offers", "[2]");
    json_decref(result);
    result = ask("game.draw", "{'game':'g1','side':2}"); // asked twice is asked once
    shows(result, "draw_offers", "[2]");
    json_decref(result);
    ok("game.play", "{'game':'g1','move':'K10'}"); // an answer of another kind
    result = ask("game.draw", "{'game':'g1','side':1}");
    shows(result, "draw_offers", "[1]");
    shows(result, "result", "null");
    json_decref(result);
    result = ask("game.draw", "{'game':'g1','side':2}");
    shows(result, "result", "{'winner':null,'draw':true,'how':['agreed']}");
    json_decref(result);
    ok("game.draw", "{'game':'g1','side':2}"); // safe to repeat
    fails("game.play", "{'game':'g1','move':'A1'}", "IllegalMove", "game_over");
    fails("game.resign", "{'game':'g1','side':1}", "IllegalMove", "game_over");
    result = ask("game.undo", "{'game':'g1'}");
    shows(result, "result", "null");
    json_decref(result);
    result = ask("game.resign", "{'game':'g1','side':1}");
    shows(result, "result", "{'winner':2,'draw':false,'how':['resign']}");
    shows(result, "next_colour", "null");
    json_decref(result);
    ok("game.resign", "{'game':'g1','side':1}");
    fails("game.resign", "{'game':'g1','side':2}", "IllegalMove", "game_over");
    ok("game.new", "{'variant':'pente-team'}");
    result = ask("game.resign", "{'game':'g2','side':2}");
    shows(result, "result", "{'winner':1,'draw':false,'how':['resign']}");
    json_decref(result);
    ok("game.new", "{'variant':'pente-points3'}");
    result = ask("game.resign", "{'game':'g3','side':2}");
    shows(result, "result", "{'winner':null,'draw':false,'how':['resign']}");
    json_decref(result);
}

static void test_list(void **state)
{
    (void)state;
    for (int i = 0; i < 600; i++)
        ok("game.new", i % 2 ? "{'variant':'pentago'}" : "{'variant':'pente'}");
    ok("game.resign", "{'game':'g599','side':1}");
    json_t *result = ask("game.list", "{}");
    shows(result, "total", "600");
    shows(result, "more", "true");
    const json_t *games = json_object_get(result, "games");
    assert_int_equal(json_array_size(games), LIST_GAMES_MAX);
    char *text = json_dumps(json_array_get(games, LIST_GAMES_MAX - 2), JSON_COMPACT);
    assert_string_equal(text, "{\"game\":\"g599\",\"variant\":\"pente\",\"ply\":0,\"result\":{"
                              "\"winner\":2,\"draw\":false,\"how\":[\"resign\"]}}");
    free(text);
    json_decref(result);
    result = ask("game.list", "{'before':101,'limit':500}");
    assert_int_equal(json_array_size(json_object_get(result, "games")), 100);
    shows(result, "more", "false");
    json_decref(result);
    result = ask("game.list", "{'limit':2,'open':true}");
    games = json_object_get(result, "games");
    assert_int_equal(json_array_size(games), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(games, 0), "game")),
                        "g598");
    json_decref(result);
    fails("game.list", "{'limit':0}", "BadParams", NULL);
    fails("game.list", "{'open':7}", "BadParams", NULL);
}

static void test_subscribe(void **state)
{
    (void)state;
    for (int i = 0; i <= SESSION_GAMES_MAX; i++)
        ok("game.new", "{'variant':'pente'}");
    fails("subscribe", "{'game':'g99'}", "NoSuchGame", NULL);
    fails("subscribe", "{'game':7}", "BadParams", NULL);
    for (int i = 1; i <= SESSION_GAMES_MAX; i++) {
        char params[40];
        snprintf(params, sizeof params, "{'game':'g%d'}", i);
        ok("subscribe", params);
        ok("subscribe", params);
        assert_true(session_wants(&session, (uint32_t)i));
    }
    assert_false(session_wants(&session, SESSION_GAMES_MAX + 1));
    char params[40];
    snprintf(params, sizeof params, "{'game':'g%d'}", SESSION_GAMES_MAX + 1);
    fails("subscribe", params, "TooManySubscriptions", NULL);
    ok("subscribe", "{}");
    assert_true(session_wants(&session, SESSION_GAMES_MAX + 1));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_hello),          T(test_new),       T(test_new_refuses),
        T(test_house_rules),    T(test_play),      T(test_check_and_effect),
        T(test_position_check), T(test_undo),      T(test_draws_and_resigning),
        T(test_list),           T(test_subscribe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
