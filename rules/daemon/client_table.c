// The calls that the table needs, with plain structs on both sides.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/daemon/client_private.h"

// What an open call remembers until its answer comes.
struct typed_call {
    struct rules_client *client;
    struct variant rules; // for reading moves
    union {
        rules_state_fn *state;
        rules_effect_fn *effect;
        rules_play_fn *play;
        rules_legal_fn *legal;
        rules_explain_fn *explain;
    } fn;
    void *user;
};

json_t *rules_client_options(const struct variant *rules)
{
    json_t *options = NULL;
    for (size_t i = 0; i < variant_field_count(); i++) {
        char value[VARIANT_VALUE_MAX];
        if (!variant_differs(rules, i, value, sizeof value))
            continue;
        if (!options)
            options = json_object();
        json_object_set_new(options, variant_field_name(i), json_string(value));
    }
    return options;
}

static struct typed_call *typed_new(struct rules_client *client, const struct variant *rules,
                                    void *user)
{
    struct typed_call *typed = calloc(1, sizeof *typed);
    if (!typed)
        return NULL;
    typed->client = client;
    typed->user = user;
    if (rules)
        typed->rules = *rules;
    return typed;
}

static int typed_send(struct typed_call *typed, const char *method, json_t *params,
                      rules_result_fn *fn)
{
    if (!params) {
        free(typed);
        return -ENOMEM;
    }
    return client_call(typed->client, method, params, fn, typed, typed);
}

// Resignations and draw offers have a side of their own; as moves they are text.
static json_t *move_json(const struct variant *rules, struct move move)
{
    char text[MOVE_TEXT_MAX];
    if (move.colour && move.kind == MOVE_PLACE && rules->family == FAMILY_PENTE)
        return json_pack("[i,i,i]", move.colour, move.x, move.y);
    return json_string(move_format(rules, move, text));
}

// ---- answers

static void answer_state(void *user, const json_t *result, const struct error *err)
{
    struct typed_call *typed = user;
    struct rules_state *state = &typed->client->decoded_state;
    struct error inner;
    if (!err && decode_state(typed->client, result, state, &inner) < 0)
        err = &inner;
    if (typed->fn.state)
        typed->fn.state(typed->user, err ? NULL : state, err);
}

static void answer_effect(void *user, const json_t *result, const struct error *err)
{
    struct typed_call *typed = user;
    struct rules_effect *effect = &typed->client->decoded_effect;
    struct error inner;
    if (!err && decode_effect(result, effect, &inner) < 0)
        err = &inner;
    if (typed->fn.effect)
        typed->fn.effect(typed->user, err ? NULL : effect, err);
}

static void answer_play(void *user, const json_t *result, const struct error *err)
{
    struct typed_call *typed = user;
    struct rules_state *state = &typed->client->decoded_state;
    struct rules_effect *effect = &typed->client->decoded_effect;
    struct error inner;
    if (!err && (decode_effect(result, effect, &inner) < 0 ||
                 decode_state(typed->client, json_object_get(result, "state"), state, &inner) < 0))
        err = &inner;
    if (typed->fn.play)
        typed->fn.play(typed->user, err ? NULL : effect, err ? NULL : state, err);
}

static void answer_legal(void *user, const json_t *result, const struct error *err)
{
    struct typed_call *typed = user;
    struct move *moves = typed->client->decoded_moves;
    struct error inner;
    size_t count = 0;
    if (!err && decode_moves(json_object_get(result, "moves"), &typed->rules, moves, LEGAL_MAX,
                             &count, &inner) < 0)
        err = &inner;
    if (typed->fn.legal)
        typed->fn.legal(typed->user, err ? NULL : moves, err ? 0 : count, err);
}

static void answer_explain(void *user, const json_t *result, const struct error *err)
{
    struct typed_call *typed = user;
    struct explanation *explanation = &typed->client->decoded_explanation;
    struct error inner;
    if (!err && decode_explanation(result, &typed->rules, explanation, &inner) < 0)
        err = &inner;
    if (typed->fn.explain)
        typed->fn.explain(typed->user, err ? NULL : explanation, err);
}

// ---- requests

static int state_call(struct rules_client *client, const char *method, json_t *params,
                      rules_state_fn *fn, void *user)
{
    struct typed_call *typed = typed_new(client, NULL, user);
    if (!typed) {
        json_decref(params);
        return -ENOMEM;
    }
    typed->fn.state = fn;
    return typed_send(typed, method, params, answer_state);
}

int rules_client_new_game(struct rules_client *client, const char *variant, json_t *options,
                          const struct rules_player *players, unsigned player_count,
                          rules_state_fn *fn, void *user)
{
    json_t *list = json_array();
    for (unsigned i = 0; list && i < player_count; i++) {
        json_t *player = json_pack("{s:s}", "name", players[i].name);
        if (players[i].colour)
            json_object_set_new(player, "colour", json_integer(players[i].colour));
        json_array_append_new(list, player);
    }
    json_t *params =
        json_pack("{s:s,s:o*,s:o*}", "variant", variant, "options", options, "players", list);
    return state_call(client, "game.new", params, fn, user);
}

int rules_client_state(struct rules_client *client, const char *game, rules_state_fn *fn,
                       void *user)
{
    return state_call(client, "game.state", json_pack("{s:s}", "game", game), fn, user);
}

int rules_client_undo(struct rules_client *client, const char *game, unsigned plies,
                      rules_state_fn *fn, void *user)
{
    return state_call(client, "game.undo",
                      json_pack("{s:s,s:i}", "game", game, "plies", (int)plies), fn, user);
}

int rules_client_resign(struct rules_client *client, const char *game, unsigned side,
                        rules_state_fn *fn, void *user)
{
    return state_call(client, "game.resign",
                      json_pack("{s:s,s:i}", "game", game, "side", (int)side), fn, user);
}

int rules_client_draw(struct rules_client *client, const char *game, unsigned side,
                      rules_state_fn *fn, void *user)
{
    return state_call(client, "game.draw", json_pack("{s:s,s:i}", "game", game, "side", (int)side),
                      fn, user);
}

int rules_client_check(struct rules_client *client, const char *game, const struct variant *rules,
                       struct move move, rules_effect_fn *fn, void *user)
{
    struct typed_call *typed = typed_new(client, rules, user);
    if (!typed)
        return -ENOMEM;
    typed->fn.effect = fn;
    return typed_send(typed, "game.check",
                      json_pack("{s:s,s:o}", "game", game, "move", move_json(rules, move)),
                      answer_effect);
}

int rules_client_play(struct rules_client *client, const char *game, const struct variant *rules,
                      struct move move, int ply, rules_play_fn *fn, void *user)
{
    struct typed_call *typed = typed_new(client, rules, user);
    if (!typed)
        return -ENOMEM;
    typed->fn.play = fn;
    json_t *params = json_pack("{s:s,s:o}", "game", game, "move", move_json(rules, move));
    if (params && ply >= 0)
        json_object_set_new(params, "ply", json_integer(ply));
    return typed_send(typed, "game.play", params, answer_play);
}

int rules_client_legal(struct rules_client *client, const char *game, const struct variant *rules,
                       rules_legal_fn *fn, void *user)
{
    struct typed_call *typed = typed_new(client, rules, user);
    if (!typed)
        return -ENOMEM;
    typed->fn.legal = fn;
    return typed_send(typed, "game.legal", json_pack("{s:s}", "game", game), answer_legal);
}

static json_t *board_json(const struct variant *rules, const seen_board seen)
{
    json_t *rows = json_array();
    for (unsigned y = rules->size; rows && y-- > 0;) {
        char row[BOARD_SIZE_MAX];
        for (unsigned x = 0; x < rules->size; x++) {
            uint8_t colour = seen[y * rules->size + x];
            row[x] = (char)(colour == 0 ? '.' : colour <= COLOURS_MAX ? '0' + colour : '?');
        }
        json_array_append_new(rows, json_stringn(row, rules->size));
    }
    return rows;
}

int rules_client_explain(struct rules_client *client, const char *game, const struct variant *rules,
                         const seen_board seen, rules_explain_fn *fn, void *user)
{
    struct typed_call *typed = typed_new(client, rules, user);
    if (!typed)
        return -ENOMEM;
    typed->fn.explain = fn;
    return typed_send(typed, "game.explain",
                      json_pack("{s:s,s:o}", "game", game, "board", board_json(rules, seen)),
                      answer_explain);
}
