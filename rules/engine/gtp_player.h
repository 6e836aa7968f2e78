// gtp_player: a foreign player: any program that speaks GTP 2, as a child process.
//
// Every wait has a limit, so a program that hangs, dies or talks nonsense becomes an error with a
// sentence, never a hang.
#pragma once

#include <stdint.h>

#include "config/base/error.h"

struct gtp_player;

// Starts `command`; `launcher` as for guest_new: NULL = without a sandbox. Returns 0 or negative
// errno.
int gtp_player_new(const char *launcher, const char *command, struct gtp_player **ret,
                   struct error *err);

// Ends the program: asks it to quit, then kills it. Accepts NULL, returns NULL.
struct gtp_player *gtp_player_free(struct gtp_player *player);

// Sends a command (without newline) and waits for the whole answer; the answer's text without the
// "=" goes to `answer`. -EPROTO when the program refuses it (the text is in *err), -ETIMEDOUT,
// -EPIPE when the program is gone.
int gtp_player_ask(struct gtp_player *player, int64_t timeout_ns, char *answer, int size,
                   struct error *err, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
