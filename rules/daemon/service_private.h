// service_private: what the methods share.
#pragma once

#include <jansson.h>

#include "rules/daemon/service.h"

struct service {
    struct store *store;
    service_event_fn *event;
    void *user;
    struct writer events; // the notification being written
    uint32_t event_game;  // 0 = this request made none
    struct game scratch;  // positions that are worked out for one request
    struct setup setup;
    struct variant house;
    struct effect effect;
};

struct request {
    struct service *service;
    struct store *store;
    struct session *session;
    const json_t *params; // an object
    struct writer *out;   // where the result goes
    struct error err;     // filled when the method returns < 0
    const char *reason;   // of an IllegalMove, for data.reason
};

// Writes the value of "result" into rq->out and returns 0, or fills rq->err and returns < 0.
typedef int method_fn(struct request *rq);

// Parameters that several methods take. 0, or < 0 with rq->err filled.
int request_game(struct request *rq, uint32_t *ret_number);
int request_side(struct request *rq, const struct game *game, unsigned *ret_colour);
int request_move(struct request *rq, const struct variant *rules, struct move *ret);

// Fails the request as the rules' refusal of a move.
int request_refused(struct request *rq, enum reason reason, const struct game *game,
                    const struct move *move);

// Begins the notification of a change; the caller adds members and ends with event_end().
struct writer *event_begin(struct request *rq, uint32_t number, unsigned ply, const char *kind);
void event_end(struct request *rq);

// The state of a game at `position` (its own, or an earlier one).
void put_state(struct request *rq, uint32_t number, const struct game *position);

// methods_game.c
method_fn method_game_new, method_game_list, method_game_state, method_game_check, method_game_play,
    method_game_undo, method_game_legal, method_game_resign, method_game_draw, method_game_explain;
// methods_position.c
method_fn method_hello, method_position_check, method_subscribe;
// methods_match.c
method_fn method_match_new, method_match_state, method_match_record;
int check_match_case(struct request *rq, bool points); // position.check of a whole match
// methods_record.c
method_fn method_record_export, method_record_import;
