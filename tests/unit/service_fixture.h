// service_fixture: the methods of the rules daemon, asked without a socket.
#pragma once

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/daemon/service.h"

extern struct store *store;
extern struct service *service;
extern struct session session; // whoever asks
extern struct writer out;      // the last answer as it stands on the line
extern int events;             // notifications so far

int set_up(void **state);
int tear_down(void **state);

// The answer to one request: "result" or "error" of it. The caller owns it; params are stolen.
json_t *call(const char *method, json_t *params, bool *ret_error);

// The result of a request that must work. In parameters given as text ' stands for ".
json_t *ask_json(const char *method, json_t *params);
json_t *ask(const char *method, const char *params);
json_t *params_of(const char *text);
void ok(const char *method, const char *params);

// A request that must fail with that code, and with that reason (NULL = none).
void fails_json(const char *method, json_t *params, const char *code, const char *reason);
void fails(const char *method, const char *params, const char *code, const char *reason);

// A part of the result as compact JSON, with ' for ".
void shows(json_t *result, const char *key, const char *wanted);
