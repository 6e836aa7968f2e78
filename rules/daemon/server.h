// server: the sockets. Several clients, none of which can hurt another.
//
// One thread, one poll(2). A client's requests are answered in order, in batches: all that have
// come together (up to BATCH_LINES_MAX) are worked on, then one commit brings their changes to the
// disk, and only then do the replies and notifications go out. When the commit fails, the changes
// have been taken back; the batch is then answered again with every change refused, so that the
// replies tell what is true.
//
// Bounds, per client: who does not read its replies is not read from (its requests wait in its own
// socket); who subscribes and does not read is dropped, with a last line that says so.
#pragma once

#include <stdbool.h>

#include "config/base/error.h"
#include "rules/daemon/store.h"

enum {
    SERVER_CLIENTS_MAX = 64,
    SERVER_LISTENERS_MAX = 8,
    BATCH_LINES_MAX = 256,
    CLIENT_PAUSE_BYTES = 256 * 1024, // unread replies beyond which no requests are taken
    CLIENT_OUTPUT_MAX = 1024 * 1024, // unread bytes beyond which a client is dropped
};

struct server;

// Something the operator may want to know; never called with a newline.
typedef void server_notice_fn(void *user, const char *text);

// The store is borrowed.
int server_new(struct store *store, server_notice_fn *notice, void *user, struct server **ret);
struct server *server_free(struct server *server); // closes everything; NULL allowed; returns NULL

// Listens on a new socket at `path` (its folder is made; mode 0660). A socket that nobody listens
// on any more is replaced; -EADDRINUSE when somebody does. The path is removed by server_free().
int server_listen(struct server *server, const char *path, struct error *err);

// Listens on a socket made by systemd. Takes over fd.
int server_add_listener(struct server *server, int fd, struct error *err);

// Serves one client on these descriptors, which stay open; the server ends when its input does.
int server_add_stdio(struct server *server, int in, int out, struct error *err);

// Serves until SIGTERM or SIGINT (which the caller has blocked) or the end of standard input.
// 0, or a negative errno.
int server_run(struct server *server);
