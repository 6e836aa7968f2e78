// client: talks to tessera-rulesd. Everybody who wants to know what is legal comes through here.
//
// Sans-loop: the object has one descriptor, says which poll events it waits for and when it wants
// to be called, and does its work in rules_client_process(). Nothing blocks except connecting,
// spawning and rules_client_wait(). Single-threaded.
//
//     struct rules_client *client;
//     struct rules_client_settings settings = {.socket = "/run/tessera/rulesd.sock",
//                                              .state = "/var/lib/tessera/games",
//                                              .name = "tessera"};
//     rules_client_open(&settings, &client, &err);
//     rules_client_new_game(client, "pente", NULL, NULL, 0, got_state, me);
//     … in the loop: poll(rules_client_fd(), rules_client_events()), rules_client_process(now) …
//
// Every call takes a callback that is called exactly once: with a result, with the daemon's error
// (err->code is its stable code, err->text a sentence for people), or with a transport error: code
// "ConnectionLost" (number -ECONNRESET) or "NoAnswer" (-ETIMEDOUT). A callback may make new calls;
// it must neither free the client nor reconnect it.
//
// A lost connection fails every open call and leaves the client *down*. Nothing is repeated behind
// your back: call rules_client_reconnect() (again and again, with your own back-off), then repeat
// what you need. A play is safe to repeat with the same ply: one that had been accepted before the
// loss gets its reply again and is not played twice. Subscriptions are renewed by reconnecting. A
// private daemon without a state folder has forgotten its games then; one with a folder has not.
//
// The daemon lives on real time: on a virtual clock, hold the loop while calls are open.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base/error.h"
#include "rules/explain.h"
#include "rules/game.h"
#include "rules/notation.h"

enum {
    RULES_PROTOCOL = 1,
    RULES_GAME_NAME_MAX = 16,   // bytes of "g123" with its NUL
    RULES_PLAYER_NAME_MAX = 64, // bytes with the NUL
    RULES_CALLS_MAX = 4096,     // open calls of one client
};

struct rules_client;

struct rules_client_settings {
    const char *socket;  // of a running daemon; NULL = do not look for one
    const char *state;   // folder for a private daemon; NULL = it stores nothing
    const char *program; // of the private daemon; NULL = beside this program, then on the PATH
    const char *name;    // what we call ourselves in `hello`
    bool only_connect;   // never start a private daemon
    bool only_spawn;     // never look for a running one
    int64_t timeout_ns;  // for an answer; 0 = 10 s
};

// Connects to the daemon at `socket`; when none listens there, starts a private one (a child on a
// pair of sockets, which ends when we do). Strings are copied. `hello` is sent first of all; when
// the daemon speaks another protocol version, the client goes down with code "BadProtocol".
// -ENOENT / -ECONNREFUSED (only_connect), -ENOENT (no program), with a sentence.
int rules_client_open(const struct rules_client_settings *settings, struct rules_client **ret,
                      struct error *err);

// Closes the connection; a private daemon ends by itself when it sees that (its state is on disk
// already) and is waited for. Open calls get no callback. NULL allowed; returns NULL.
struct rules_client *rules_client_free(struct rules_client *client);

// Connects, or spawns, anew after a loss. Also ends a connection that still stands.
int rules_client_reconnect(struct rules_client *client, struct error *err);

bool rules_client_is_up(const struct rules_client *client);
bool rules_client_is_private(const struct rules_client *client);
pid_t rules_client_pid(const struct rules_client *client); // of the private daemon, 0 = none

// ---- for the loop

int rules_client_fd(const struct rules_client *client);          // -1 while down
uint32_t rules_client_events(const struct rules_client *client); // EPOLLIN, EPOLLOUT; 0 while down
// When to call process at the latest: INT64_MIN = at once, INT64_MAX = only when the fd is ready.
int64_t rules_client_deadline(const struct rules_client *client);

// Sends what waits, reads what came, calls the callbacks. 0, or the negative errno of the loss
// (the client is down then; while it is down: -ENOTCONN).
int rules_client_process(struct rules_client *client, int64_t now_ns);

size_t rules_client_open_calls(const struct rules_client *client);

// Runs the client on the real clock until no call is open. For tools and tests. -ETIMEDOUT, or the
// error of the loss; callbacks have then been called or, on a timeout, not yet.
int rules_client_wait(struct rules_client *client, int timeout_ms);

// ---- any method

// `result` is borrowed; NULL when err is set, and the other way round.
typedef void rules_result_fn(void *user, const json_t *result, const struct error *err);

// Sends a request; `params` (NULL = {}) is stolen, also on failure. -ENOTCONN while down,
// -ENOBUFS with RULES_CALLS_MAX open calls, -EMSGSIZE for more than 64 KiB, -ENOMEM; the callback
// is then not called.
int rules_client_call(struct rules_client *client, const char *method, json_t *params,
                      rules_result_fn *fn, void *user);

// The same and waits for the answer. *ret_result is owned by the caller; may be NULL.
int rules_client_call_wait(struct rules_client *client, const char *method, json_t *params,
                           int timeout_ms, json_t **ret_result, struct error *err);

// ---- what the table needs, as plain structs

struct rules_player {
    char name[RULES_PLAYER_NAME_MAX];
    uint8_t colour; // 1.., or 0 = not given
};

// A move as the daemon writes it (rules/notation.h), with the struct read from it.
struct rules_state {
    char game[RULES_GAME_NAME_MAX];
    struct variant rules; // with the options of this game
    unsigned size;
    uint16_t ply;
    seen_board board; // colours, index y * size + x
    uint8_t next_colour, next_seat, choice_pending, stones_due;
    uint8_t draw_offers; // bit s = side s offers
    uint16_t captures[COLOURS_MAX + 1], stones_taken[COLOURS_MAX + 1], friendly[COLOURS_MAX + 1];
    bool scored; // the game is over and has points
    uint16_t scores[COLOURS_MAX + 1];
    struct result result;
    unsigned player_count;
    struct rules_player players[SEATS_MAX];
    unsigned move_count; // moves[i].colour is filled
    struct move moves[GAME_ENTRIES_MAX];
};

// struct effect of rules/game.h, with the sentence that explains a refusal ("" when legal). For
// Pentago `board` is filled (index y * 6 + x): where the marbles lie after the twist.
struct rules_effect {
    struct effect effect;
    char sentence[ERROR_TEXT_MAX];
    bool has_board;
    uint8_t board[PENTAGO_HOLES];
};

typedef void rules_state_fn(void *user, const struct rules_state *state, const struct error *err);
typedef void rules_effect_fn(void *user, const struct rules_effect *effect,
                             const struct error *err);
typedef void rules_play_fn(void *user, const struct rules_effect *effect,
                           const struct rules_state *state, const struct error *err);
typedef void rules_legal_fn(void *user, const struct move *moves, size_t count,
                            const struct error *err);
// Of struct explanation all but `more` and the nearest move's differences beyond its list is
// filled.
typedef void rules_explain_fn(void *user, const struct explanation *explanation,
                              const struct error *err);

// What makes these rules of the game in the table that they are named after, for
// rules_client_new_game. NULL when that is nothing.
json_t *rules_client_options(const struct variant *rules);

// `options` (a JSON object, stolen) may be NULL; `players` may be NULL with count 0. Returns as
// rules_client_call().
int rules_client_new_game(struct rules_client *client, const char *variant, json_t *options,
                          const struct rules_player *players, unsigned player_count,
                          rules_state_fn *fn, void *user);
int rules_client_state(struct rules_client *client, const char *game, rules_state_fn *fn,
                       void *user);
int rules_client_check(struct rules_client *client, const char *game, const struct variant *rules,
                       struct move move, rules_effect_fn *fn, void *user);
// `ply`: the ply this move is meant for (rules_state.ply before it); -1 = whatever it is now, which
// is not safe to repeat. `rules` is that of the game's state: it decides how the move is written.
int rules_client_play(struct rules_client *client, const char *game, const struct variant *rules,
                      struct move move, int ply, rules_play_fn *fn, void *user);
int rules_client_undo(struct rules_client *client, const char *game, unsigned plies,
                      rules_state_fn *fn, void *user);
int rules_client_legal(struct rules_client *client, const char *game, const struct variant *rules,
                       rules_legal_fn *fn, void *user);
int rules_client_resign(struct rules_client *client, const char *game, unsigned side,
                        rules_state_fn *fn, void *user);
int rules_client_draw(struct rules_client *client, const char *game, unsigned side,
                      rules_state_fn *fn, void *user);
int rules_client_explain(struct rules_client *client, const char *game, const struct variant *rules,
                         const seen_board seen, rules_explain_fn *fn, void *user);

// Notifications `game.event`: of one game, or of all with game NULL. `params` is borrowed.
typedef void rules_event_fn(void *user, const char *game, unsigned ply, const char *kind,
                            const json_t *params);
void rules_client_set_event_fn(struct rules_client *client, rules_event_fn *fn, void *user);
int rules_client_subscribe(struct rules_client *client, const char *game);
