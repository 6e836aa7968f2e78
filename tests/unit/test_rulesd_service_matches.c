// The methods for matches, asked directly.
#include "tests/unit/service_fixture.h"

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

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_matches),
        T(test_match_games_by_player),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
