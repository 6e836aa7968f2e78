#include "rules/daemon/service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/json.h"
#include "rules/daemon/arena.h"
#include "rules/daemon/line.h"
#include "rules/daemon/service_private.h"

enum { // JSON-RPC 2.0, section 5.1
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_GAME_ERROR = 1,
};

static const struct {
    const char *name;
    method_fn *call;
} methods[] = {
    {"position.check", method_position_check}, // first: the one that is called most
    {"game.play", method_game_play},
    {"game.state", method_game_state},
    {"game.check", method_game_check},
    {"game.legal", method_game_legal},
    {"game.explain", method_game_explain},
    {"game.new", method_game_new},
    {"game.list", method_game_list},
    {"game.undo", method_game_undo},
    {"game.resign", method_game_resign},
    {"game.draw", method_game_draw},
    {"hello", method_hello},
    {"subscribe", method_subscribe},
    {"match.new", method_match_new},
    {"match.state", method_match_state},
    {"match.record", method_match_record},
    {"record.export", method_record_export},
    {"record.import", method_record_import},
};

int service_new(struct store *store, service_event_fn *event, void *user, struct service **ret)
{
    struct service *service = calloc(1, sizeof *service);
    if (!service)
        return -ENOMEM;
    service->store = store;
    service->event = event;
    service->user = user;
    *ret = service;
    return 0;
}

struct service *service_free(struct service *service)
{
    if (!service)
        return NULL;
    writer_clear(&service->events);
    free(service);
    return NULL;
}

bool session_wants(const struct session *session, uint32_t game)
{
    if (session->all_games)
        return true;
    for (unsigned i = 0; i < session->game_count; i++)
        if (session->games[i] == game)
            return true;
    return false;
}

// ---- replies

static void put_head(struct writer *out, const json_t *id)
{
    writer_literal(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    if (json_is_integer(id))
        writer_int(out, json_integer_value(id));
    else if (id)
        writer_json(out, id);
    else
        writer_literal(out, "null");
}

static void put_error(struct writer *out, const json_t *id, int rpc, const struct error *err,
                      const char *reason)
{
    put_head(out, id);
    writer_literal(out, ",\"error\":{\"code\":");
    writer_int(out, rpc);
    writer_literal(out, ",\"message\":");
    writer_string(out, err->text);
    writer_literal(out, ",\"data\":{\"code\":");
    writer_string(out, err->code);
    if (reason) {
        writer_literal(out, ",\"reason\":");
        writer_string(out, reason);
    }
    if (err->line > 0) {
        writer_literal(out, ",\"line\":");
        writer_int(out, err->line);
        writer_literal(out, ",\"column\":");
        writer_int(out, err->column);
    }
    writer_literal(out, ",\"text\":");
    writer_string(out, err->text);
    writer_literal(out, "}}}\n");
}

static void refuse(struct writer *out, const json_t *id, int rpc, const char *code,
                   const char *text)
{
    struct error err;
    error_set_code(&err, -EINVAL, code, "%s", text);
    put_error(out, id, rpc, &err, NULL);
}

void service_refuse_long_line(struct writer *out)
{
    refuse(out, NULL, RPC_INVALID_REQUEST, "LineTooLong",
           "A request may have at most 64 KiB; this one was longer and was skipped.");
}

static void put_method_error(struct request *rq, const json_t *id)
{
    struct error *err = &rq->err;
    if (!err->code[0])
        memcpy(err->code, "Failed", sizeof "Failed");
    bool params = strcmp(err->code, "BadParams") == 0;
    put_error(rq->out, id, params ? RPC_INVALID_PARAMS : RPC_GAME_ERROR, err, rq->reason);
}

static method_fn *find_method(const char *name)
{
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (strcmp(methods[i].name, name) == 0)
            return methods[i].call;
    return NULL;
}

static void run(struct request *rq, method_fn *call, const json_t *id)
{
    size_t before = rq->out->size;
    put_head(rq->out, id);
    writer_literal(rq->out, ",\"result\":");
    int r = call(rq);
    writer_literal(rq->out, "}\n");
    if (r == 0 && rq->out->size - before > LINE_MAX_BYTES)
        r = error_set_code(&rq->err, -EMSGSIZE, "TooLong",
                           "The answer would be longer than a line may be (64 KiB).");
    if (r == 0)
        return;
    writer_cut(rq->out, before);
    put_method_error(rq, id);
}

static bool id_is_valid(const json_t *id)
{
    return !id || json_is_string(id) || json_is_number(id) || json_is_null(id);
}

static void answer(struct service *service, struct session *session, const json_t *request,
                   struct writer *out)
{
    const json_t *id = json_object_get(request, "id");
    const char *method = json_string_value(json_object_get(request, "method"));
    const char *version = json_string_value(json_object_get(request, "jsonrpc"));
    json_t *params = json_object_get(request, "params");
    if (!json_is_object(request) || !method || !version || strcmp(version, "2.0") != 0 ||
        !id_is_valid(id)) {
        refuse(out, id_is_valid(id) ? id : NULL, RPC_INVALID_REQUEST, "InvalidRequest",
               "A request is an object like {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":…,"
               "\"params\":{…}}.");
        return;
    }
    size_t before = out->size;
    method_fn *call = find_method(method);
    json_t *none = NULL;
    if (!params || json_is_null(params))
        params = none = json_object();
    if (!call) {
        struct error err;
        error_set_code(&err, -ENOSYS, "NoSuchMethod", "There is no method \"%.40s\".", method);
        put_error(out, id, RPC_METHOD_NOT_FOUND, &err, NULL);
    } else if (!json_is_object(params)) {
        refuse(out, id, RPC_INVALID_PARAMS, "BadParams", "\"params\" must be an object.");
    } else {
        struct request rq = {.service = service,
                             .store = service->store,
                             .session = session,
                             .params = params,
                             .out = out};
        run(&rq, call, id);
    }
    json_decref(none);
    if (!id) // a notification gets no reply, whatever came of it
        writer_cut(out, before);
}

void service_handle(struct service *service, struct session *session, const char *line, size_t size,
                    struct writer *out)
{
    struct error err;
    json_t *request;
    service->event_game = 0;
    int r = json_read_text(line, size, NULL, &request, &err);
    if (r < 0) {
        memcpy(err.code, "ParseError", sizeof "ParseError");
        put_error(out, NULL, RPC_PARSE_ERROR, &err, NULL);
        arena_drop(NULL);
        return;
    }
    answer(service, session, request, out);
    arena_drop(request);
    if (service->event_game && service->event)
        service->event(service->user, service->event_game, service->events.data,
                       service->events.size);
}

// ---- what the methods share

int request_game(struct request *rq, uint32_t *ret_number)
{
    const char *name = json_string_value(json_object_get(rq->params, "game"));
    if (!name)
        return error_set_code(&rq->err, -EINVAL, "BadParams",
                              "\"game\" must be the name of a game, such as \"g1\".");
    uint32_t number = store_find_game(rq->store, name);
    if (!number)
        return error_set_code(&rq->err, -ENOENT, "NoSuchGame", "There is no game \"%.20s\".", name);
    *ret_number = number;
    return 0;
}

int request_side(struct request *rq, const struct game *game, unsigned *ret_colour)
{
    int64_t side;
    int r = json_member_int(rq->params, "side", 1, COLOURS_MAX, &side, &rq->err);
    if (r == 0)
        error_set(&rq->err, -EINVAL, "\"side\" is missing: who resigns or offers a draw?");
    if (r <= 0) {
        memcpy(rq->err.code, "BadParams", sizeof "BadParams");
        return -EINVAL;
    }
    for (unsigned colour = 1; colour <= game->rules.colours; colour++)
        if (game->rules.sides[colour] == side) {
            *ret_colour = colour;
            return 0;
        }
    rq->reason = reason_name(REASON_NO_SUCH_SIDE);
    return error_set_code(&rq->err, -EINVAL, "NoSuchSide",
                          "There is no side %d in this game, only the sides 1 to %u.", (int)side,
                          variant_side_count(&game->rules));
}

int request_move(struct request *rq, const struct variant *rules, struct move *ret)
{
    const json_t *json = json_object_get(rq->params, "move");
    if (!json)
        return error_set_code(&rq->err, -EINVAL, "BadParams", "\"move\" is missing.");
    // A move that cannot be read is a move the rules refuse, with a reason, not a broken request.
    if (!wire_read_move(json, rules, ret))
        *ret = (struct move){.kind = UINT8_MAX};
    return 0;
}

int request_refused(struct request *rq, enum reason reason, const struct game *game,
                    const struct move *move)
{
    char sentence[ERROR_TEXT_MAX];
    reason_explain(reason, game, move, sentence, sizeof sentence);
    rq->reason = reason_name(reason);
    return error_set_code(&rq->err, -EPERM,
                          reason == REASON_WRONG_TURN ? "NotYourTurn" : "IllegalMove", "%s",
                          sentence);
}

struct writer *event_begin(struct request *rq, uint32_t number, unsigned ply, const char *kind)
{
    struct writer *w = &rq->service->events;
    w->error = 0;
    writer_cut(w, 0);
    writer_format(w,
                  "{\"jsonrpc\":\"2.0\",\"method\":\"game.event\",\"params\":{\"game\":\"g%u\","
                  "\"ply\":%u,\"kind\":\"%s\"",
                  number, ply, kind);
    rq->service->event_game = number;
    return w;
}

void event_end(struct request *rq)
{
    writer_literal(&rq->service->events, "}}\n");
    if (rq->service->events.error)
        rq->service->event_game = 0;
}
