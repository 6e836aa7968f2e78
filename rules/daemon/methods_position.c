// hello, subscribe, and judging positions that no game is kept of.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/base/json.h"
#include "rules/daemon/service_private.h"

int method_hello(struct request *rq)
{
    const char *client = "";
    int64_t protocol = SERVICE_PROTOCOL;
    int r = json_member_int(rq->params, "protocol", 0, INT32_MAX, &protocol, &rq->err);
    if (r >= 0)
        r = json_member_string(rq->params, "client", &client, &rq->err);
    if (r < 0) {
        memcpy(rq->err.code, "BadParams", sizeof "BadParams");
        return r;
    }
    if (protocol != SERVICE_PROTOCOL)
        return error_set_code(&rq->err, -EPROTO, "BadProtocol",
                              "This rules daemon speaks protocol %d, not %d. Install the same "
                              "version of all Tessera programs.",
                              SERVICE_PROTOCOL, (int)protocol);
    snprintf(rq->session->client, sizeof rq->session->client, "%s", client);
    struct writer *w = rq->out;
    writer_format(w,
                  "{\"protocol\":%d,\"server\":\"tessera-rulesd\",\"version\":\"%s\","
                  "\"variants\":[",
                  SERVICE_PROTOCOL, TESSERA_VERSION);
    for (size_t i = 0; i < variant_table_count; i++) {
        const struct variant *v = &variant_table[i];
        writer_text(w, i ? ",{\"name\":" : "{\"name\":");
        writer_string(w, v->name);
        writer_literal(w, ",\"title\":");
        writer_string(w, v->title);
        writer_format(
            w, ",\"board\":%u,\"colours\":%u,\"seats\":%u,\"family\":\"%s\",\"source\":", v->size,
            v->colours, v->seat_count, v->family == FAMILY_PENTAGO ? "pentago" : "pente");
        writer_string(w, v->source);
        writer_literal(w, "}");
    }
    writer_literal(w, "]}");
    return 0;
}

int method_subscribe(struct request *rq)
{
    struct session *session = rq->session;
    const json_t *game = json_object_get(rq->params, "game");
    if (!game || json_is_null(game)) {
        session->all_games = true;
        writer_literal(rq->out, "{}");
        return 0;
    }
    uint32_t number;
    int r = request_game(rq, &number);
    if (r < 0)
        return r;
    if (!session_wants(session, number)) {
        if (session->game_count == SESSION_GAMES_MAX)
            return error_set_code(&rq->err, -ENOSPC, "TooManySubscriptions",
                                  "One client can follow %d games; follow all of them by leaving "
                                  "out \"game\".",
                                  SESSION_GAMES_MAX);
        session->games[session->game_count++] = number;
    }
    writer_literal(rq->out, "{}");
    return 0;
}

static int begin_position(struct request *rq, const struct variant *rules, struct game *game)
{
    const json_t *setup = json_object_get(rq->params, "setup");
    if (!setup || json_is_null(setup)) {
        game_init(game, rules);
        return 0;
    }
    int r = wire_read_setup(setup, &rq->service->setup, &rq->err);
    return r < 0 ? r : game_setup(game, rules, &rq->service->setup, &rq->err);
}

static int play_history(struct request *rq, struct game *game)
{
    const json_t *history = json_object_get(rq->params, "history");
    if (!history || json_is_null(history))
        return 0;
    size_t count = json_array_size(history);
    if (!json_is_array(history) || count > GAME_ENTRIES_MAX)
        return error_set_code(&rq->err, -EINVAL, "BadParams",
                              "\"history\" must be a list of at most %d moves.", GAME_ENTRIES_MAX);
    for (size_t i = 0; i < count; i++) {
        struct move move = {.kind = UINT8_MAX};
        wire_read_move(json_array_get(history, i), &game->rules, &move);
        enum reason reason = game_play(game, move, NULL);
        if (reason == REASON_NONE)
            continue;
        char sentence[ERROR_TEXT_MAX - 40];
        reason_explain(reason, game, &move, sentence, sizeof sentence);
        rq->reason = reason_name(reason);
        return error_set_code(&rq->err, -EPERM, "IllegalMove", "Move %zu of the history: %s", i + 1,
                              sentence);
    }
    return 0;
}

int method_position_check(struct request *rq)
{
    const struct variant *rules;
    struct game *game = &rq->service->scratch;
    const char *name = json_string_value(json_object_get(rq->params, "variant"));
    if (name && (strcmp(name, "match-points") == 0 || strcmp(name, "match-pentago") == 0))
        return check_match_case(rq, strcmp(name, "match-points") == 0);
    int r = wire_read_rules(rq->params, &rq->service->house, &rules, &rq->err);
    if (r == 0)
        r = begin_position(rq, rules, game);
    if (r == 0)
        r = play_history(rq, game);
    struct move move = {.kind = UINT8_MAX};
    if (r == 0)
        r = request_move(rq, rules, &move);
    if (r < 0)
        return r;
    struct effect *effect = &rq->service->effect;
    game_play(game, move, effect);
    writer_literal(rq->out, "{");
    wire_put_effect(rq->out, effect, game, &move, game);
    writer_literal(rq->out, "}");
    return 0;
}
