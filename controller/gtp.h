// gtp: a conversation with a program that plays, over the Go Text Protocol (version 2) on pipes.
//
// Commands are answered in order; any number may be under way. A program that ends, keeps silent
// too long or speaks no GTP fails every command that waits, each exactly once. Timeouts are real
// time on either clock: on a virtual loop time stands still while an answer is due.
// Source: GTP 2 draft 2 (Farnebäck), sections 2.2 to 2.7.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"
#include "controller/loop.h"

enum {
    GTP_REPLY_MAX = 64 << 10, // bytes of one answer
    GTP_COMMAND_MAX = 512,
    GTP_QUEUE_MAX = 512, // commands under way
};

struct gtp;

// status: 0 = success, -EPROTO = the program said "?", -ETIMEDOUT, -EPIPE = it has ended,
// -EMSGSIZE = an endless answer. text: the answer without "=" and blank lines, or a sentence.
// The gtp object may not be freed in here.
typedef void gtp_reply_fn(void *user, int status, const char *text);

int gtp_start(struct loop *loop, const char *const *argv, struct gtp **ret, struct error *err);
struct gtp *gtp_free(struct gtp *gtp); // waiting commands are dropped without a word

// reply may be NULL. timeout_ns counts from when the answers before have come. -ENOTCONN: the
// program is gone; -ENOSPC: too many under way.
int gtp_send(struct gtp *gtp, int64_t timeout_ns, gtp_reply_fn *reply, void *user,
             const char *format, ...) __attribute__((format(printf, 5, 6)));

// What messages call the program, when its file is only what starts it.
void gtp_call(struct gtp *gtp, const char *name);

bool gtp_alive(const struct gtp *gtp);
const char *gtp_name(const struct gtp *gtp); // for messages; its file's name unless gtp_call said
