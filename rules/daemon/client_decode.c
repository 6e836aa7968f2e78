// Answers of the daemon -> plain structs.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rules/daemon/client_private.h"
#include "rules/daemon/wire.h"
#include "rules/notation.h"

static int bad(struct error *err, const char *what)
{
    return error_set_code(err, -EBADMSG, "BadAnswer",
                          "The rules daemon's answer cannot be understood (%s). Install the same "
                          "version of all Tessera programs.",
                          what);
}

static unsigned number(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 && value <= UINT16_MAX ? (unsigned)value : 0;
}

static void counts(const json_t *object, const char *key, uint16_t ret[COLOURS_MAX + 1])
{
    const json_t *json = json_object_get(object, key);
    memset(ret, 0, (COLOURS_MAX + 1) * sizeof *ret);
    if (json_is_object(json))
        wire_read_counts(json, key, UINT16_MAX, ret, NULL);
}

static uint8_t how_bits(const json_t *list)
{
    unsigned found = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        for (unsigned bit = 1; name && bit <= HOW_AGREED; bit <<= 1) {
            unsigned copy = bit;
            const char *known = how_name(&copy);
            if (known && strcmp(known, name) == 0)
                found |= bit;
        }
    }
    return (uint8_t)found;
}

static struct result result_of(const json_t *json)
{
    struct result result = {.winner = (uint8_t)number(json, "winner"),
                            .how = how_bits(json_object_get(json, "how"))};
    result.over = result.winner || result.how || json_is_true(json_object_get(json, "draw"));
    return result;
}

static bool point_of(const json_t *json, struct point *ret)
{
    const json_t *x = json_array_get(json, 0), *y = json_array_get(json, 1);
    if (!json_is_integer(x) || !json_is_integer(y))
        return false;
    json_int_t px = json_integer_value(x), py = json_integer_value(y);
    if (px < 0 || py < 0 || px >= BOARD_SIZE_MAX || py >= BOARD_SIZE_MAX)
        return false;
    *ret = (struct point){(int8_t)px, (int8_t)py};
    return true;
}

static int points_of(const json_t *list, struct point *ret, size_t max, uint8_t *ret_count)
{
    size_t count = json_array_size(list);
    if (count > max)
        return -EBADMSG;
    for (size_t i = 0; i < count; i++)
        if (!point_of(json_array_get(list, i), &ret[i]))
            return -EBADMSG;
    *ret_count = (uint8_t)count;
    return 0;
}

// ---- state

static int decode_rows(const json_t *rows, struct rules_state *ret)
{
    if (json_array_size(rows) != ret->size)
        return -EBADMSG;
    for (unsigned row = 0; row < ret->size; row++) {
        const json_t *json = json_array_get(rows, row);
        const char *text = json_string_value(json);
        if (!text || json_string_length(json) != ret->size)
            return -EBADMSG;
        unsigned y = ret->size - 1 - row;
        for (unsigned x = 0; x < ret->size; x++) {
            if (text[x] != '.' && (text[x] < '1' || text[x] > '0' + COLOURS_MAX))
                return -EBADMSG;
            ret->board[y * ret->size + x] = (uint8_t)(text[x] == '.' ? 0 : text[x] - '0');
        }
    }
    return 0;
}

static void decode_players(const json_t *json, struct rules_state *ret)
{
    struct player players[SEATS_MAX];
    ret->player_count = 0;
    if (wire_read_players(json, players, &ret->player_count, NULL) < 0)
        return;
    for (unsigned i = 0; i < ret->player_count; i++) {
        memcpy(ret->players[i].name, players[i].name, sizeof ret->players[i].name);
        ret->players[i].colour = players[i].colour;
    }
}

// Moves as text have no colour; it follows from playing them.
static int colour_moves(struct rules_client *client, const json_t *json, struct rules_state *ret)
{
    struct game *game = &client->replayed;
    const json_t *setup = json_object_get(json, "setup");
    game_init(game, &ret->rules);
    if (setup && (wire_read_setup(setup, &client->setup, NULL) < 0 ||
                  game_setup(game, &ret->rules, &client->setup, NULL) < 0))
        return -EBADMSG;
    for (unsigned i = 0; i < ret->move_count; i++) {
        struct move *move = &ret->moves[i];
        bool stone = move->kind == MOVE_PLACE || move->kind == MOVE_PAIR;
        move->colour = (uint8_t)(stone ? game_next_colour(game) : 0);
        bool last = i + 1 == ret->move_count; // may be a draw that both had offered
        if (game_play(game, *move, NULL) != REASON_NONE && !last)
            return -EBADMSG;
    }
    return 0;
}

int decode_state(struct rules_client *client, const json_t *json, struct rules_state *ret,
                 struct error *err)
{
    const char *name = json_string_value(json_object_get(json, "game"));
    const struct variant *rules;
    struct variant house;
    if (!name || strlen(name) >= sizeof ret->game)
        return bad(err, "a state without its game");
    memcpy(ret->game, name, strlen(name) + 1);
    if (wire_read_rules(json, &house, &rules, NULL) < 0)
        return bad(err, "rules that this program does not know");
    ret->rules = *rules;
    ret->size = rules->size;
    ret->ply = (uint16_t)number(json, "ply");
    if (decode_rows(json_object_get(json, "board"), ret) < 0)
        return bad(err, "a board");
    ret->next_colour = (uint8_t)number(json, "next_colour");
    ret->next_seat = (uint8_t)number(json, "next_seat");
    ret->choice_pending = (uint8_t)number(json, "choice_pending");
    ret->stones_due = (uint8_t)number(json, "stones_due");
    counts(json, "captures", ret->captures);
    counts(json, "stones_taken", ret->stones_taken);
    counts(json, "friendly", ret->friendly);
    ret->scored = json_is_object(json_object_get(json, "scores"));
    counts(json, "scores", ret->scores);
    ret->result = result_of(json_object_get(json, "result"));
    ret->draw_offers = 0;
    const json_t *offers = json_object_get(json, "draw_offers");
    for (size_t i = 0; i < json_array_size(offers); i++) {
        json_int_t side = json_integer_value(json_array_get(offers, i));
        if (side >= 1 && side <= COLOURS_MAX)
            ret->draw_offers = (uint8_t)(ret->draw_offers | 1u << side);
    }
    decode_players(json, ret);
    size_t count;
    int r = decode_moves(json_object_get(json, "moves"), rules, ret->moves, GAME_ENTRIES_MAX,
                         &count, err);
    if (r < 0)
        return r;
    ret->move_count = (unsigned)count;
    return colour_moves(client, json, ret) < 0 ? bad(err, "moves that are not legal") : 0;
}

int decode_moves(const json_t *json, const struct variant *rules, struct move *ret, size_t max,
                 size_t *ret_count, struct error *err)
{
    size_t count = json_array_size(json);
    if (count > max)
        return bad(err, "too many moves");
    for (size_t i = 0; i < count; i++) {
        const json_t *text = json_array_get(json, i);
        if (!json_is_string(text) ||
            !move_parse(rules, json_string_value(text), json_string_length(text), &ret[i]))
            return bad(err, "a move");
    }
    *ret_count = count;
    return 0;
}

// ---- effect

static enum reason reason_of(const char *name)
{
    for (int reason = REASON_NONE + 1; name && reason < REASON_COUNT; reason++)
        if (strcmp(reason_name((enum reason)reason), name) == 0)
            return (enum reason)reason;
    return REASON_MALFORMED;
}

static int decode_formations(const json_t *list, struct effect *effect)
{
    size_t count = json_array_size(list);
    if (count > CALLS_MAX)
        return -EBADMSG;
    for (size_t i = 0; i < count; i++) {
        const json_t *json = json_array_get(list, i);
        const char *kind = json_string_value(json_object_get(json, "kind"));
        struct call *call = &effect->call[i];
        if (!kind)
            return -EBADMSG;
        call->kind = strcmp(kind, "tria") == 0 ? CALL_TRIA : CALL_TESSERA;
        effect->calls = (uint8_t)(effect->calls | call->kind);
        if (points_of(json_object_get(json, "stones"), call->stones, CALL_POINTS_MAX,
                      &call->stone_count) < 0 ||
            points_of(json_object_get(json, "blocks"), call->blocks, CALL_POINTS_MAX,
                      &call->block_count) < 0)
            return -EBADMSG;
    }
    effect->call_count = (uint8_t)count;
    return 0;
}

static void decode_marbles(const json_t *list, struct rules_effect *ret)
{
    ret->has_board = json_is_array(list);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *marble = json_array_get(list, i);
        json_int_t colour = json_integer_value(json_array_get(marble, 0));
        json_int_t x = json_integer_value(json_array_get(marble, 1));
        json_int_t y = json_integer_value(json_array_get(marble, 2));
        if (x >= 0 && x < PENTAGO_SIZE && y >= 0 && y < PENTAGO_SIZE)
            ret->board[y * PENTAGO_SIZE + x] = (uint8_t)colour;
    }
}

int decode_effect(const json_t *json, struct rules_effect *ret, struct error *err)
{
    memset(ret, 0, sizeof *ret);
    struct effect *effect = &ret->effect;
    const json_t *legal = json_object_get(json, "legal");
    if (!json_is_boolean(legal))
        return bad(err, "an effect");
    if (json_is_false(legal)) {
        const char *text = json_string_value(json_object_get(json, "text"));
        effect->reason = reason_of(json_string_value(json_object_get(json, "reason")));
        snprintf(ret->sentence, sizeof ret->sentence, "%s", text ? text : "");
        return 0;
    }
    if (points_of(json_object_get(json, "captured"), effect->captured, CAPTURED_MAX,
                  &effect->captured_count) < 0 ||
        points_of(json_object_get(json, "poofed"), effect->poofed, POOFED_MAX,
                  &effect->poofed_count) < 0)
        return bad(err, "stones taken");
    if (decode_formations(json_object_get(json, "formations"), effect) < 0)
        return bad(err, "calls");
    effect->twisted = json_is_true(json_object_get(json, "twisted"));
    effect->result = result_of(json);
    effect->scored = json_is_object(json_object_get(json, "scores"));
    counts(json, "scores", effect->scores);
    counts(json, "captures", effect->captures);
    counts(json, "stones_taken", effect->stones_taken);
    counts(json, "friendly", effect->friendly);
    effect->next_colour = (uint8_t)number(json, "next_colour");
    effect->next_seat = (uint8_t)number(json, "next_seat");
    effect->choice_pending = (uint8_t)number(json, "choice_pending");
    effect->board_count = (uint16_t)number(json, "board_count");
    decode_marbles(json_object_get(json, "board"), ret);
    return 0;
}

// ---- explanation

static int differences_of(const json_t *list, struct difference *ret, size_t *ret_count)
{
    size_t count = json_array_size(list);
    if (count > POINTS_MAX)
        return -EBADMSG;
    for (size_t i = 0; i < count; i++) {
        const json_t *json = json_array_get(list, i);
        if (!point_of(json_object_get(json, "point"), &ret[i].at))
            return -EBADMSG;
        ret[i].expected = (uint8_t)number(json, "expected");
        ret[i].seen = (uint8_t)number(json, "seen");
    }
    *ret_count = count;
    return 0;
}

int decode_explanation(const json_t *json, const struct variant *rules, struct explanation *ret,
                       struct error *err)
{
    memset(ret, 0, sizeof *ret);
    ret->unchanged = json_is_true(json_object_get(json, "unchanged"));
    ret->more = json_is_true(json_object_get(json, "more"));
    int r = decode_moves(json_object_get(json, "moves"), rules, ret->moves, EXPLAIN_MOVES_MAX,
                         &ret->move_count, err);
    if (r < 0)
        return r;
    const json_t *nearest = json_object_get(json, "nearest");
    if (differences_of(json_object_get(json, "differences"), ret->differences,
                       &ret->difference_count) < 0)
        return bad(err, "differences");
    if (!json_is_object(nearest))
        return 0;
    const json_t *move = json_object_get(nearest, "move");
    if (!json_is_string(move) ||
        !move_parse(rules, json_string_value(move), json_string_length(move), &ret->nearest))
        return bad(err, "a nearest move");
    ret->has_nearest = true;
    return differences_of(json_object_get(nearest, "differences"), ret->nearest_differences,
                          &ret->nearest_count) < 0
               ? bad(err, "differences")
               : 0;
}
