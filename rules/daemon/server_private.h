// server_private: what server.c (listening, waiting) and server_client.c (one client) share.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "rules/daemon/line.h"
#include "rules/daemon/server.h"
#include "rules/daemon/service.h"

struct client {
    int in, out;   // the same for a socket
    bool stdio;    // descriptors are not ours
    int out_flags; // of standard output before we changed them; -1 = unchanged
    pid_t pid;     // from SO_PEERCRED; 0 = not known
    uid_t uid;
    struct session session;
    struct line_reader *lines;
    bool has_lines;   // whole lines may be left in `lines`
    bool at_end;      // its input has ended
    bool closing;     // nothing more is read or added; closed when `output` is sent …
    int64_t close_ns; // … or at this time
    bool dead;        // to be swept
    struct writer output;
    size_t sent; // bytes of output that are gone
    size_t mark; // output.size at the begin of the batch
};

struct server {
    struct store *store;
    struct service *service;
    server_notice_fn *notice;
    void *user;
    int listeners[SERVER_LISTENERS_MAX];
    unsigned listener_count;
    char *socket_path; // ours, to be removed
    int signal_fd;
    struct client *clients[SERVER_CLIENTS_MAX];
    unsigned client_count;
    bool said_full; // the notice about clients turned away has been given
    bool stop;
};

void server_notice(const struct server *server, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

int client_new(struct server *server, int in, int out, struct client **ret);
struct client *client_free(struct client *client);

// "client 4711 (tessera)", for notices.
const char *client_name(const struct client *client, char *buf, size_t size);

bool client_wants_input(const struct client *client);
bool client_wants_output(const struct client *client);

// Reads once, or goes on with lines that are left: one batch.
void client_serve(struct server *server, struct client *client);

// Sends what is there, as much as goes without waiting.
void client_flush(struct server *server, struct client *client);

// Ends the client with a last line that says why; what it has not read is given up.
void client_drop(struct server *server, struct client *client, const char *reason, const char *text,
                 int64_t grace_ns);

// Drops it when it has too much to read.
void client_check_output(struct server *server, struct client *client);

service_event_fn server_distribute;
