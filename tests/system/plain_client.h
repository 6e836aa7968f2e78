// plain_client: blocking sockets to a daemon of the test's own, so that clients can misbehave.
#pragma once

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rulesd_daemon.h"

extern struct daemon daemon_;

int set_up(void **state); // a daemon that runs
int set_up_stopped(void **state);
int tear_down(void **state);

int connect_plain(void);  // a descriptor; the test closes it
void adopt_plain(int fd); // reads from one that the test has connected
void send_text(int fd, const char *text);

// The next line; NULL at the end or after five seconds. Good until the next one is read.
char *read_line(int fd);
json_t *read_json(int fd);

void request(int fd, int id, const char *method, const char *params);

// The next line must be the reply with that id: its member "result" or "error".
json_t *reply(int fd, int id, const char *member);
json_t *ask(int fd, const char *method, const char *params);
void ask_and_forget(int fd, const char *method, const char *params);
void expect_error(int fd, int id, int rpc, const char *code);

// A number in the result.
int64_t number_in(int fd, const char *method, const char *params, const char *key);

// The next line must be that notification.
void expect_event(int fd, const char *game, const char *kind, int ply);
