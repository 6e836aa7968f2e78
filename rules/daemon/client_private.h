// client_private: what the client's files share.
#pragma once

#include "rules/daemon/client.h"
#include "rules/daemon/line.h"
#include "rules/daemon/writer.h"

enum { SUBSCRIPTIONS_MAX = 32 };

struct open_call {
    int64_t id;
    int64_t due_ns; // INT64_MIN = not stamped yet: process() has not been called since
    rules_result_fn *fn;
    void *user;
    void *owned; // freed with the call
};

struct rules_client {
    char *socket, *state, *program, *name;
    bool only_connect, only_spawn;
    int64_t timeout_ns;

    int fd; // -1 while down
    pid_t child;
    struct line_reader *lines;
    struct writer output;
    int64_t next_id;
    struct error closing; // the daemon's own words before it hung up; number 0 = none

    struct open_call *calls; // a ring; replies come in order
    size_t call_first, call_count, call_capacity;

    rules_event_fn *event;
    void *event_user;
    bool all_games;
    unsigned subscription_count;
    char subscriptions[SUBSCRIPTIONS_MAX][RULES_GAME_NAME_MAX];

    // Room for what is decoded, lent to callbacks.
    struct rules_state decoded_state;
    struct rules_effect decoded_effect;
    struct explanation decoded_explanation;
    struct move decoded_moves[LEGAL_MAX];
    struct game replayed;
    struct setup setup;
};

// connect.c: a connected, non-blocking descriptor, and the child behind it (0 = none).
int client_connect(const char *path, int *ret_fd, struct error *err);
int client_spawn(const char *program, const char *state, int *ret_fd, pid_t *ret_child,
                 struct error *err);
void client_reap(pid_t child); // waits for a private daemon that has lost its input

// client.c: as rules_client_call(); `owned` (may be NULL) is freed after the callback, also when
// there is none because the client is freed, and on failure.
int client_call(struct rules_client *client, const char *method, json_t *params,
                rules_result_fn *fn, void *user, void *owned);

// client_decode.c: 0, or -EBADMSG with a sentence when the answer is not of the shape agreed.
int decode_state(struct rules_client *client, const json_t *json, struct rules_state *ret,
                 struct error *err);
int decode_effect(const json_t *json, struct rules_effect *ret, struct error *err);
int decode_moves(const json_t *json, const struct variant *rules, struct move *ret, size_t max,
                 size_t *ret_count, struct error *err);
int decode_explanation(const json_t *json, const struct variant *rules, struct explanation *ret,
                       struct error *err);
