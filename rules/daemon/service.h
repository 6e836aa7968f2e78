// service: answers requests, one line in, at most one line out (JSON-RPC 2.0, protocol.md §2).
//
// Knows nothing of sockets: the server feeds it, tests and the fuzzer do so directly. A reply must
// be held back until service_commit() has brought its changes to the disk.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base/error.h"
#include "rules/daemon/store.h"
#include "rules/daemon/writer.h"

enum {
    SERVICE_PROTOCOL = 1,
    SESSION_GAMES_MAX = 32,  // games one client may subscribe to one by one
    SESSION_CLIENT_MAX = 32, // bytes of a client's name with the NUL
    LIST_GAMES_MAX = 500,    // games in one reply of game.list
};

struct service;

// What the service knows of one client. A zeroed struct is a new client.
struct session {
    char client[SESSION_CLIENT_MAX]; // as it named itself in hello
    bool all_games;
    unsigned game_count;
    uint32_t games[SESSION_GAMES_MAX];
};

// Called for every change, after its reply has been written. `line` is the whole notification with
// its newline; it goes to every session that session_wants() the game.
typedef void service_event_fn(void *user, uint32_t game, const char *line, size_t size);

// The store is borrowed and must outlive the service.
int service_new(struct store *store, service_event_fn *event, void *user, struct service **ret);
struct service *service_free(struct service *service); // NULL allowed; returns NULL

// Answers one line (without newline). The reply, with its newline, is added to `out`; a
// notification (no id) gets none.
void service_handle(struct service *service, struct session *session, const char *line, size_t size,
                    struct writer *out);

// Adds the reply to a line that was too long.
void service_refuse_long_line(struct writer *out);

bool session_wants(const struct session *session, uint32_t game);
