// The client library against a real daemon: private and shared, typed calls, losses.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/base/clock.h"
#include "rulesd_daemon.h"

enum { PATIENCE_MS = 10000 };

static struct daemon daemon_;

static int set_up(void **state)
{
    (void)state;
    daemon_new(&daemon_, true);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    daemon_free(&daemon_);
    return 0;
}

// What the callbacks have brought.
struct got {
    int calls;
    struct error err;
    struct rules_state state;
    struct rules_effect effect;
    struct move moves[LEGAL_MAX];
    size_t count;
    struct explanation explanation;
};

static struct got got;

static void keep_error(const struct error *err)
{
    got.calls++;
    if (err)
        got.err = *err;
    else
        memset(&got.err, 0, sizeof got.err);
}

static void got_state(void *user, const struct rules_state *state, const struct error *err)
{
    assert_ptr_equal(user, &got);
    assert_true((state == NULL) == (err != NULL));
    keep_error(err);
    if (state)
        got.state = *state;
}

static void got_effect(void *user, const struct rules_effect *effect, const struct error *err)
{
    (void)user;
    keep_error(err);
    if (effect)
        got.effect = *effect;
}

static void got_play(void *user, const struct rules_effect *effect, const struct rules_state *state,
                     const struct error *err)
{
    got_effect(user, effect, err);
    if (state)
        got.state = *state;
}

static void got_legal(void *user, const struct move *moves, size_t count, const struct error *err)
{
    (void)user;
    keep_error(err);
    if (moves)
        memcpy(got.moves, moves, count * sizeof *moves);
    got.count = count;
}

static void got_explain(void *user, const struct explanation *explanation, const struct error *err)
{
    (void)user;
    keep_error(err);
    if (explanation)
        got.explanation = *explanation;
}

static struct rules_client *open_private(bool stores)
{
    struct rules_client_settings settings = {.program = daemon_.program,
                                             .state = stores ? daemon_.state : NULL,
                                             .only_spawn = true,
                                             .name = "test"};
    struct rules_client *client;
    struct error err = {0};
    if (rules_client_open(&settings, &client, &err) < 0)
        print_error("%s: %s\n", err.file, err.text);
    assert_string_equal(err.text, "");
    assert_true(rules_client_is_up(client));
    return client;
}

static void settle(struct rules_client *client)
{
    assert_int_equal(rules_client_wait(client, PATIENCE_MS), 0);
    assert_string_equal(got.err.text, "");
}

static void new_game(struct rules_client *client, const char *variant)
{
    struct rules_player players[] = {{"Ann", 1}, {"Robot \"R2\"", 2}};
    memset(&got, 0, sizeof got);
    assert_int_equal(rules_client_new_game(client, variant, NULL, players, 2, got_state, &got), 0);
    settle(client);
}

static void play(struct rules_client *client, struct move move, int ply)
{
    assert_int_equal(
        rules_client_play(client, got.state.game, &got.state.rules, move, ply, got_play, &got), 0);
    settle(client);
}

// A capture from nothing, checked, played, seen, explained and taken back.
static void whole_path(struct rules_client *client)
{
    new_game(client, "pente");
    assert_string_equal(got.state.game, "g1");
    assert_int_equal(got.state.size, 19);
    assert_int_equal(got.state.next_colour, 1);
    assert_int_equal(got.state.player_count, 2);
    assert_string_equal(got.state.players[1].name, "Robot \"R2\"");
    assert_int_equal(got.state.players[1].colour, 2);
    play(client, move_place(1, 9, 9), 0);
    play(client, move_place(2, 10, 9), 1);
    play(client, move_place(0, 3, 3), 2);
    play(client, move_place(0, 11, 9), 3);
    assert_int_equal(got.state.ply, 4);
    assert_int_equal(rules_client_legal(client, "g1", &got.state.rules, got_legal, &got), 0);
    settle(client);
    assert_int_equal(got.count, 361 - 4);
    struct move take = move_place(1, 12, 9);
    assert_int_equal(rules_client_check(client, "g1", &got.state.rules, take, got_effect, &got), 0);
    settle(client);
    assert_int_equal(got.effect.effect.reason, REASON_NONE);
    assert_int_equal(got.effect.effect.captured_count, 2);
    assert_int_equal(got.effect.effect.captured[0].x, 10);
    assert_int_equal(got.effect.effect.captured[1].x, 11);
    // What a camera would see afterwards is explained by exactly this move.
    seen_board seen;
    memcpy(seen, got.state.board, sizeof seen);
    seen[9 * 19 + 10] = seen[9 * 19 + 11] = 0;
    seen[9 * 19 + 12] = 1;
    seen[0] = SEEN_UNKNOWN;
    assert_int_equal(rules_client_explain(client, "g1", &got.state.rules, seen, got_explain, &got),
                     0);
    settle(client);
    assert_int_equal(got.explanation.move_count, 1);
    assert_int_equal(got.explanation.moves[0].x, 12);
    assert_int_equal(got.explanation.difference_count, 3);
    seen[9 * 19 + 10] = 2; // one stone forgotten
    assert_int_equal(rules_client_explain(client, "g1", &got.state.rules, seen, got_explain, &got),
                     0);
    settle(client);
    assert_int_equal(got.explanation.move_count, 0);
    assert_true(got.explanation.has_nearest);
    assert_int_equal(got.explanation.nearest.x, 12);
    assert_int_equal(got.explanation.nearest_count, 1);
    assert_int_equal(got.explanation.nearest_differences[0].at.x, 10);
    play(client, take, 4);
    assert_int_equal(got.state.captures[1], 1);
    assert_int_equal(got.state.board[9 * 19 + 10], 0);
    assert_int_equal(got.state.move_count, 5);
    assert_int_equal(got.state.moves[4].colour, 1);
    assert_int_equal(rules_client_undo(client, "g1", 2, got_state, &got), 0);
    settle(client);
    assert_int_equal(got.state.ply, 3);
    assert_int_equal(got.state.captures[1], 0);
}

static void test_private_daemon(void **state)
{
    (void)state;
    struct rules_client *client = open_private(false);
    assert_true(rules_client_is_private(client));
    pid_t child = rules_client_pid(client);
    whole_path(client);
    int64_t begin = clock_monotonic_ns();
    rules_client_free(client);
    assert_true(clock_monotonic_ns() - begin < NS_PER_S);
    assert_int_equal(kill(child, 0), -1); // it has ended, and been waited for
    assert_null(rules_client_free(NULL));
}

static void test_running_daemon(void **state)
{
    (void)state;
    assert_true(daemon_start(&daemon_));
    struct rules_client *client = daemon_client(&daemon_);
    assert_false(rules_client_is_private(client));
    whole_path(client);
    rules_client_free(client);
}

static void test_errors(void **state)
{
    (void)state;
    struct rules_client *client = open_private(false);
    memset(&got, 0, sizeof got);
    rules_client_state(client, "g1", got_state, &got);
    assert_int_equal(rules_client_wait(client, PATIENCE_MS), 0);
    assert_string_equal(got.err.code, "NoSuchGame");
    rules_client_new_game(client, "penta", NULL, NULL, 0, got_state, &got);
    assert_int_equal(rules_client_wait(client, PATIENCE_MS), 0);
    assert_string_equal(got.err.code, "UnknownVariant");
    new_game(client, "pente");
    struct variant rules = got.state.rules;
    rules_client_play(client, "g1", &rules, move_place(1, 3, 3), 0, got_play, &got);
    assert_int_equal(rules_client_wait(client, PATIENCE_MS), 0);
    assert_string_equal(got.err.code, "IllegalMove");
    rules_client_play(client, "g1", &rules, move_place(2, 9, 9), 0, got_play, &got);
    assert_int_equal(rules_client_wait(client, PATIENCE_MS), 0);
    assert_string_equal(got.err.code, "NotYourTurn");
    rules_client_play(client, "g1", &rules, move_place(1, 9, 9), 3, got_play, &got);
    assert_int_equal(rules_client_wait(client, PATIENCE_MS), 0);
    assert_string_equal(got.err.code, "WrongPly");
    // A check of an illegal move is an answer, not an error.
    rules_client_check(client, "g1", &rules, move_place(1, 3, 3), got_effect, &got);
    settle(client);
    assert_int_equal(got.effect.effect.reason, REASON_CENTRE_REQUIRED);
    assert_true(got.effect.sentence[0] != '\0');
    json_t *result;
    struct error err;
    assert_true(rules_client_call_wait(client, "no.such", NULL, PATIENCE_MS, &result, &err) < 0);
    assert_string_equal(err.code, "NoSuchMethod");
    char *large = calloc(1, 70000);
    memset(large, 'x', 69999);
    assert_int_equal(
        rules_client_call(client, "hello", json_pack("{s:s}", "client", large), NULL, NULL),
        -EMSGSIZE);
    free(large);
    assert_int_equal(rules_client_call_wait(client, "hello", NULL, PATIENCE_MS, &result, &err), 0);
    assert_int_equal(json_integer_value(json_object_get(result, "protocol")), 1);
    json_decref(result);
    rules_client_free(client);
}

static void test_no_daemon(void **state)
{
    (void)state;
    struct rules_client *client;
    struct error err;
    struct rules_client_settings settings = {.socket = daemon_.socket, .only_connect = true};
    assert_int_equal(rules_client_open(&settings, &client, &err), -ENOENT);
    assert_non_null(strstr(err.text, "tessera-rulesd"));
    settings = (struct rules_client_settings){.program = "/nonexistent/tessera-rulesd",
                                              .only_spawn = true};
    assert_int_equal(rules_client_open(&settings, &client, &err), -ENOENT);
    assert_string_equal(err.file, "/nonexistent/tessera-rulesd");
    settings = (struct rules_client_settings){.only_connect = true};
    assert_int_equal(rules_client_open(&settings, &client, &err), -ENOENT);
    // Nobody listens: a private one is started instead.
    settings = (struct rules_client_settings){.socket = daemon_.socket, .program = daemon_.program};
    assert_int_equal(rules_client_open(&settings, &client, &err), 0);
    assert_true(rules_client_is_private(client));
    rules_client_free(client);
}

// The daemon is killed between a move's acceptance and its reply reaching us; the same move sent
// again gets the same reply and is not played twice.
static void test_loss_and_repeat(void **state)
{
    (void)state;
    assert_true(daemon_start(&daemon_));
    struct rules_client *client = daemon_client(&daemon_);
    new_game(client, "pente");
    play(client, move_place(1, 9, 9), 0);
    struct rules_state before = got.state;
    daemon_stop(&daemon_, SIGKILL);
    got.calls = 0;
    rules_client_state(client, "g1", got_state, &got);
    rules_client_state(client, "g1", got_state, &got);
    assert_int_equal(rules_client_wait(client, PATIENCE_MS), -ECONNRESET);
    assert_int_equal(got.calls, 2);
    assert_string_equal(got.err.code, "ConnectionLost");
    assert_false(rules_client_is_up(client));
    assert_int_equal(rules_client_fd(client), -1);
    assert_int_equal(rules_client_events(client), 0);
    assert_int_equal(rules_client_process(client, 0), -ENOTCONN);
    assert_int_equal(rules_client_state(client, "g1", got_state, &got), -ENOTCONN);
    struct error err;
    assert_true(rules_client_reconnect(client, &err) < 0);
    assert_true(daemon_start(&daemon_));
    assert_int_equal(rules_client_reconnect(client, &err), 0);
    play(client, move_place(1, 9, 9), 0);
    assert_memory_equal(&got.state.board, &before.board, sizeof before.board);
    assert_int_equal(got.state.ply, 1);
    rules_client_state(client, "g1", got_state, &got);
    settle(client);
    assert_int_equal(got.state.ply, 1);
    rules_client_free(client);
}

static void test_private_state_survives(void **state)
{
    (void)state;
    struct rules_client *client = open_private(true);
    new_game(client, "pentago");
    play(client, move_twist(1, 1, 1, 2, PENTAGO_CLOCKWISE), 0);
    assert_true(got.effect.has_board);
    assert_int_equal(got.effect.board[1 * 6 + 1], 1);
    kill(rules_client_pid(client), SIGKILL);
    rules_client_state(client, "g1", got_state, &got);
    assert_true(rules_client_wait(client, PATIENCE_MS) < 0);
    struct error err;
    assert_int_equal(rules_client_reconnect(client, &err), 0);
    rules_client_state(client, "g1", got_state, &got);
    settle(client);
    assert_int_equal(got.state.ply, 1);
    assert_int_equal(got.state.move_count, 1);
    rules_client_free(client);
}

struct events {
    int count;
    char kinds[200];
    unsigned last_ply;
};

static void got_event(void *user, const char *game, unsigned ply, const char *kind,
                      const json_t *params)
{
    struct events *events = user;
    assert_string_equal(game, "g1");
    assert_true(json_is_object(params));
    events->count++;
    events->last_ply = ply;
    size_t used = strlen(events->kinds);
    snprintf(events->kinds + used, sizeof events->kinds - used, "%s ", kind);
}

static void test_events(void **state)
{
    (void)state;
    assert_true(daemon_start(&daemon_));
    struct rules_client *client = daemon_client(&daemon_);
    struct rules_client *watcher = daemon_client(&daemon_);
    struct events events = {0};
    rules_client_set_event_fn(watcher, got_event, &events);
    assert_int_equal(rules_client_subscribe(watcher, NULL), 0);
    assert_int_equal(rules_client_wait(watcher, PATIENCE_MS), 0);
    new_game(client, "pente");
    play(client, move_place(1, 9, 9), 0);
    assert_int_equal(rules_client_undo(client, "g1", 1, got_state, &got), 0);
    assert_int_equal(rules_client_draw(client, "g1", 2, got_state, &got), 0);
    settle(client);
    assert_int_equal(got.state.draw_offers, 1 << 2);
    assert_int_equal(rules_client_resign(client, "g1", 1, got_state, &got), 0);
    settle(client);
    assert_true(got.state.result.over);
    assert_int_equal(got.state.result.winner, 2);
    assert_int_equal(got.state.result.how, HOW_RESIGN);
    json_t *result;
    assert_int_equal(rules_client_call_wait(watcher, "game.list", NULL, PATIENCE_MS, &result, NULL),
                     0);
    json_decref(result);
    assert_string_equal(events.kinds, "new play undo draw resign ");
    // Reconnecting keeps the subscription.
    assert_int_equal(rules_client_reconnect(watcher, NULL), 0);
    assert_int_equal(rules_client_wait(watcher, PATIENCE_MS), 0);
    assert_int_equal(rules_client_undo(client, "g1", 1, got_state, &got), 0);
    settle(client);
    assert_int_equal(rules_client_call_wait(watcher, "game.list", NULL, PATIENCE_MS, &result, NULL),
                     0);
    json_decref(result);
    assert_string_equal(events.kinds, "new play undo draw resign undo ");
    rules_client_free(watcher);
    rules_client_free(client);
}

// The loop's side of it: deadlines on a clock of the caller's, and a daemon that says nothing.
static void test_sans_loop(void **state)
{
    (void)state;
    assert_true(daemon_start(&daemon_));
    struct rules_client_settings settings = {
        .socket = daemon_.socket, .only_connect = true, .timeout_ns = 1000};
    struct rules_client *client;
    assert_int_equal(rules_client_open(&settings, &client, NULL), 0);
    assert_int_equal(rules_client_wait(client, PATIENCE_MS), 0); // hello
    assert_int_equal(rules_client_deadline(client), INT64_MAX);
    kill(daemon_.pid, SIGSTOP);
    memset(&got, 0, sizeof got);
    rules_client_state(client, "g1", got_state, &got);
    assert_int_equal(rules_client_events(client), EPOLLIN | EPOLLOUT);
    assert_int_equal(rules_client_deadline(client), INT64_MIN);
    assert_int_equal(rules_client_process(client, 500), 0);
    assert_int_equal(rules_client_events(client), EPOLLIN);
    assert_int_equal(rules_client_deadline(client), 1500);
    assert_int_equal(rules_client_process(client, 1499), 0);
    assert_int_equal(got.calls, 0);
    assert_int_equal(rules_client_process(client, 1500), 0);
    assert_int_equal(got.calls, 1);
    assert_string_equal(got.err.code, "NoAnswer");
    assert_int_equal(rules_client_open_calls(client), 0);
    // The late answer is not taken for that of the next call.
    json_t *result;
    kill(daemon_.pid, SIGCONT);
    rules_client_state(client, "g2", got_state, &got);
    while (rules_client_open_calls(client) > 0)
        assert_int_equal(rules_client_process(client, 0), 0);
    assert_non_null(strstr(got.err.text, "g2"));
    rules_client_free(client);
    client = daemon_client(&daemon_);
    kill(daemon_.pid, SIGSTOP);
    struct error err;
    assert_int_equal(rules_client_call_wait(client, "hello", NULL, 20, &result, &err), -ETIMEDOUT);
    kill(daemon_.pid, SIGCONT);
    assert_int_equal(rules_client_call_wait(client, "hello", NULL, PATIENCE_MS, &result, &err), 0);
    json_decref(result);
    rules_client_free(client);
}

// Calls come with the points that matter about them; one game can be followed alone.
static void test_calls_and_one_game(void **state)
{
    (void)state;
    struct rules_client *client = open_private(false);
    struct events events = {0};
    rules_client_set_event_fn(client, got_event, &events);
    new_game(client, "pente-free");
    assert_int_equal(rules_client_subscribe(client, "g1"), 0);
    assert_int_equal(rules_client_subscribe(client, "g1"), 0);
    assert_int_equal(rules_client_subscribe(client, "a name that no game has"), -EINVAL);
    for (int ply = 0; ply < 4; ply++)
        play(client, move_place(0, ply / 2 + 8, ply % 2 ? 0 : 9), ply);
    play(client, move_place(1, 10, 9), 4);
    assert_int_equal(got.effect.effect.calls, CALL_TRIA);
    assert_int_equal(got.effect.effect.call_count, 1);
    assert_int_equal(got.effect.effect.call[0].kind, CALL_TRIA);
    assert_int_equal(got.effect.effect.call[0].stone_count, 3);
    assert_int_equal(got.effect.effect.call[0].stones[0].x, 8);
    assert_true(got.effect.effect.call[0].block_count >= 2);
    assert_int_equal(events.last_ply, 5);
    new_game(client, "pente"); // another one: no event
    assert_int_equal(events.count, 5);
    rules_client_free(client);
}

static void test_other_games(void **state)
{
    (void)state;
    struct rules_client *client = open_private(false);
    memset(&got, 0, sizeof got);
    json_t *options = json_pack("{s:i,s:[i,i]}", "size", 13, "capture", 2, 3);
    assert_int_equal(rules_client_new_game(client, "pente", options, NULL, 0, got_state, &got), 0);
    settle(client);
    assert_int_equal(got.state.size, 13);
    assert_int_equal(got.state.rules.capture, 1 << 2 | 1 << 3);
    new_game(client, "swap2-pente");
    play(client, move_place(1, 1, 1), 0);
    play(client, move_place(2, 2, 1), 1);
    play(client, move_place(1, 3, 3), 2);
    assert_int_equal(got.state.choice_pending, 2);
    play(client, move_choice(MOVE_FIRST), 3);
    play(client, move_choice(MOVE_FIRST), 3); // said again
    assert_int_equal(got.state.next_seat, 1);
    assert_int_equal(got.state.move_count, 4);
    assert_int_equal(got.state.moves[3].kind, MOVE_FIRST);
    new_game(client, "connect6");
    play(client, move_place(1, 9, 9), 0);
    assert_int_equal(got.state.stones_due, 2);
    struct move pair = move_pair(0, (struct point){8, 8}, (struct point){10, 10});
    play(client, pair, 1);
    play(client, pair, 1);
    assert_int_equal(got.state.ply, 3);
    assert_int_equal(got.state.moves[2].colour, 2);
    rules_client_free(client);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_private_daemon), T(test_running_daemon),  T(test_errors),
        T(test_no_daemon),      T(test_loss_and_repeat), T(test_private_state_survives),
        T(test_events),         T(test_sans_loop),       T(test_calls_and_one_game),
        T(test_other_games),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
