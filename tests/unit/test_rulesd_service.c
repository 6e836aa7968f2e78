// Every method, asked directly: shapes, errors, and what must hold for every variant.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "config/base/rng.h"
#include "rules/daemon/service.h"
#include "rules/notation.h"
#include "rules/position.h"

static struct store *store;
static struct service *service;
static struct session session;
static struct writer out;
static int events;

static void count_event(void *user, uint32_t game, const char *line, size_t size)
{
    (void)user;
    json_t *json = json_loadb(line, size, 0, NULL);
    assert_non_null(json);
    char name[16];
    snprintf(name, sizeof name, "g%u", game);
    const json_t *params = json_object_get(json, "params");
    assert_string_equal(json_string_value(json_object_get(params, "game")), name);
    json_decref(json);
    events++;
}

static int set_up(void **state)
{
    (void)state;
    memset(&session, 0, sizeof session);
    events = 0;
    return store_new(&store) || service_new(store, count_event, NULL, &service);
}

static int tear_down(void **state)
{
    (void)state;
    writer_clear(&out);
    service = service_free(service);
    store = store_free(store);
    return 0;
}

// The answer to one request: "result" or "error" of it. The caller owns it.
static json_t *call(const char *method, json_t *params, bool *ret_error)
{
    json_t *request = json_pack("{s:s,s:i,s:s,s:o*}", "jsonrpc", "2.0", "id", 7, "method", method,
                                "params", params);
    char *line = json_dumps(request, JSON_COMPACT);
    writer_cut(&out, 0);
    service_handle(service, &session, line, strlen(line), &out);
    free(line);
    json_decref(request);
    json_t *reply = json_loadb(out.data, out.size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(reply);
    assert_int_equal(out.data[out.size - 1], '\n');
    assert_int_equal(json_integer_value(json_object_get(reply, "id")), 7);
    *ret_error = json_object_get(reply, "error") != NULL;
    json_t *part = json_incref(json_object_get(reply, *ret_error ? "error" : "result"));
    assert_non_null(part);
    json_decref(reply);
    return part;
}

static json_t *ask_json(const char *method, json_t *params)
{
    bool error;
    json_t *result = call(method, params, &error);
    if (error)
        print_error("%s: %s\n", method, json_dumps(result, 0));
    assert_false(error);
    return result;
}

// Parameters as text with ' for ".
static json_t *params_of(const char *text)
{
    char *copy = strdup(text);
    for (char *p = copy; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    json_t *params = json_loads(copy, 0, NULL);
    if (!params)
        print_error("not JSON: %s\n", copy);
    assert_non_null(params);
    free(copy);
    return params;
}

static json_t *ask(const char *method, const char *params)
{
    return ask_json(method, params_of(params));
}

static void ok(const char *method, const char *params)
{
    json_decref(ask(method, params));
}

static void fails_json(const char *method, json_t *params, const char *code, const char *reason)
{
    bool failed;
    json_t *error = call(method, params, &failed);
    if (!failed)
        print_error("%s worked: %s\n", method, json_dumps(error, 0));
    assert_true(failed);
    const json_t *data = json_object_get(error, "data");
    assert_string_equal(json_string_value(json_object_get(data, "code")), code);
    assert_true(json_string_length(json_object_get(data, "text")) > 10);
    if (reason)
        assert_string_equal(json_string_value(json_object_get(data, "reason")), reason);
    else
        assert_null(json_object_get(data, "reason"));
    bool params_wrong = strcmp(code, "BadParams") == 0;
    assert_int_equal(json_integer_value(json_object_get(error, "code")), params_wrong ? -32602 : 1);
    json_decref(error);
}

static void fails(const char *method, const char *params, const char *code, const char *reason)
{
    fails_json(method, params_of(params), code, reason);
}

// A part of the result as compact JSON, with ' for ".
static void shows(json_t *result, const char *key, const char *wanted)
{
    char *text = json_dumps(json_object_get(result, key), JSON_COMPACT | JSON_ENCODE_ANY);
    assert_non_null(text);
    for (char *p = text; *p; p++)
        *p = *p == '"' ? '\'' : *p;
    assert_string_equal(text, wanted);
    free(text);
}

// ---- method by method

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

static void test_matches(void **state)
{
    (void)state;
    fails("match.new", "{}", "BadParams", NULL);
    fails("match.new", "{'kind':'points','target':0}", "BadMatch", NULL);
    fails("match.new", "{'kind':'points','target':'21'}", "BadParams", NULL);
    fails("match.new", "{'kind':'wins','start':'first'}", "BadParams", NULL);
    fails("match.state", "{'match':'m1'}", "NoSuchMatch", NULL);
    fails("match.state", "{}", "BadParams", NULL);
    json_t *result = ask("match.new", "{'kind':'points','target':21,'handicap':{'1':0,'2':5}}");
    shows(result, "match", "'m1'");
    shows(result, "totals", "{'1':0,'2':5}");
    shows(result, "next_start", "1");
    shows(result, "winner", "null");
    json_decref(result);
    fails("match.record", "{'match':'m1'}", "BadParams", NULL);
    result = ask("match.record", "{'match':'m1','scores':{'1':8,'2':3},'winner':1,'number':1}");
    shows(result, "totals", "{'1':8,'2':8}");
    shows(result, "next_start", "2");
    json_decref(result);
    result = ask("match.record", "{'match':'m1','scores':{'1':8,'2':3},'winner':1,'number':1}");
    shows(result, "totals", "{'1':8,'2':8}"); // repeated, not counted twice
    json_decref(result);
    fails("match.record", "{'match':'m1','scores':{'1':9},'number':1}", "WrongGame", NULL);
    fails("match.record", "{'match':'m1','scores':{'1':9},'number':7}", "WrongGame", NULL);
    result = ask("match.record", "{'match':'m1','scores':{'1':15,'2':3}}");
    shows(result, "winner", "1");
    shows(result, "over", "true");
    shows(result, "starters", "[1,2]");
    json_decref(result);
    fails("match.record", "{'match':'m1','scores':{'1':1}}", "MatchOver", "match_over");
    // A game of the daemon's own counts with its own result.
    ok("match.new", "{'kind':'wins','wins':2}");
    ok("game.new", "{'variant':'pentago'}");
    fails("match.record", "{'match':'m2','game':'g1'}", "GameNotOver", NULL);
    fails("match.record", "{'match':'m2','game':'g2'}", "NoSuchGame", NULL);
    ok("game.resign", "{'game':'g1','side':2}");
    result = ask("match.record", "{'match':'m2','game':'g1'}");
    shows(result, "wins", "{'1':1,'2':0}");
    json_decref(result);
    fails("match.record", "{'match':'m2','winner':3}", "BadResult", "no_such_side");
}

// A finished game counts for the players: whoever began it sat on the first seat, whatever colour
// that is by now, and partners are one player.
static void test_match_games_by_player(void **state)
{
    (void)state;
    // Five in a row for colour 1: 5 points, and 1 for the four in it.
    static const char *const moves[] = {"K10", "A1", "K11", "A3", "K12", "A5", "K13", "A7", "K14"};
    char params[64];
    for (int g = 1; g <= 2; g++) {
        ok("game.new", "{'variant':'pente-points'}");
        for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
            snprintf(params, sizeof params, "{'game':'g%d','move':'%s'}", g, moves[i]);
            ok("game.play", params);
        }
    }
    json_t *result = ask("game.state", "{'game':'g1'}");
    shows(result, "scores", "{'1':5,'2':0}");
    json_decref(result);
    ok("match.new", "{'kind':'points','target':21}");
    ok("match.record", "{'match':'m1','game':'g1','number':1}");
    result = ask("match.record", "{'match':'m1','game':'g2','number':2}");
    shows(result, "totals", "{'1':5,'2':5}");
    shows(result, "starters", "[1,2]");
    json_decref(result);
    result = ask("match.record", "{'match':'m1','game':'g2','number':2}"); // as the starter then
    shows(result, "totals", "{'1':5,'2':5}");
    json_decref(result);
    // A stored game counts once, however often and in whatever way it is sent.
    result = ask("match.record", "{'match':'m1','game':'g1'}");
    shows(result, "totals", "{'1':5,'2':5}");
    shows(result, "games",
          "[{'winner':1,'game':'g1','scores':{'1':5,'2':0}},"
          "{'winner':2,'game':'g2','scores':{'1':0,'2':5}}]");
    json_decref(result);
    fails("match.record", "{'match':'m1','game':'g1','number':3}", "WrongGame", NULL);
    fails("match.record", "{'match':'m1','game':'g1','number':2}", "WrongGame", NULL);
    ok("match.new", "{'kind':'wins','wins':3,'first':2}");
    result = ask("match.record", "{'match':'m2','game':'g1'}");
    shows(result, "wins", "{'1':0,'2':1}");
    json_decref(result);
    // Seat 2 takes colour 1 after the opening; then colour 2, seat 1's, gives up.
    ok("game.new", "{'variant':'d-pente'}");
    static const char *const opening[] = {"K10", "K11", "N10", "N11", "first"};
    for (size_t i = 0; i < sizeof opening / sizeof *opening; i++) {
        snprintf(params, sizeof params, "{'game':'g3','move':'%s'}", opening[i]);
        ok("game.play", params);
    }
    ok("game.resign", "{'game':'g3','side':2}");
    ok("match.new", "{'kind':'wins','wins':3}");
    result = ask("match.record", "{'match':'m3','game':'g3'}");
    shows(result, "wins", "{'1':0,'2':1}");
    json_decref(result);
    ok("match.new", "{'kind':'wins','wins':3,'players':4}");
    fails("match.record", "{'match':'m4','game':'g3'}", "BadResult", NULL);
    ok("game.new", "{'variant':'pente-team'}");
    ok("game.resign", "{'game':'g4','side':1}");
    ok("match.new", "{'kind':'wins','wins':3,'first':2}");
    result = ask("match.record", "{'match':'m5','game':'g4'}");
    shows(result, "wins", "{'1':1,'2':0}");
    json_decref(result);
}

// ---- what must hold for every variant

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
        T(test_hello),
        T(test_new),
        T(test_new_refuses),
        T(test_house_rules),
        T(test_play),
        T(test_check_and_effect),
        T(test_position_check),
        T(test_undo),
        T(test_draws_and_resigning),
        T(test_list),
        T(test_subscribe),
        T(test_matches),
        T(test_match_games_by_player),
        T(test_explain_every_variant),
        T(test_explain_refuses),
        T(test_records_round),
        T(test_import_details),
        T(test_longest_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
