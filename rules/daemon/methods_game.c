// game.*: everything that concerns one stored game.
#include <errno.h>
#include <string.h>

#include "config/base/json.h"
#include "rules/daemon/service_private.h"

static int bad_params(struct request *rq, int r)
{
    if (r < 0 && !rq->err.code[0])
        memcpy(rq->err.code, "BadParams", sizeof "BadParams");
    return r;
}

static void put_moves(struct writer *w, const struct game *game)
{
    writer_literal(w, "[");
    for (unsigned i = 0; i < game->entries; i++) {
        if (i)
            writer_literal(w, ",");
        wire_put_move(w, &game->rules, game_move(game, i));
    }
    writer_literal(w, "]");
}

void put_state(struct request *rq, uint32_t number, const struct game *position)
{
    struct writer *w = rq->out;
    unsigned count;
    const struct player *players = store_players(rq->store, number, &count);
    const struct setup *setup = store_setup(rq->store, number);
    struct summary summary;
    store_summary(rq->store, number, &summary);
    writer_format(w, "{\"game\":\"g%u\",", number);
    wire_put_position(w, position);
    writer_literal(w, ",\"players\":");
    wire_put_players(w, players, count);
    if (setup) {
        writer_literal(w, ",\"setup\":");
        wire_put_setup(w, &position->rules, setup);
    }
    if (summary.damage) {
        writer_literal(w, ",\"damage\":");
        writer_string(w, summary.damage);
    }
    writer_literal(w, ",\"moves\":");
    put_moves(w, position);
    writer_literal(w, "}");
}

static int state_now(struct request *rq, uint32_t number)
{
    put_state(rq, number, store_game(rq->store, number));
    return 0;
}

int method_game_new(struct request *rq)
{
    struct beginning beginning = {0};
    struct player players[SEATS_MAX];
    int r = wire_read_rules(rq->params, &rq->service->house, &beginning.rules, &rq->err);
    if (r == 0)
        r = wire_read_players(rq->params, players, &beginning.player_count, &rq->err);
    if (r == 0)
        r = wire_check_players(players, beginning.player_count, beginning.rules, &rq->err);
    beginning.players = players;
    const json_t *setup = json_object_get(rq->params, "setup");
    if (r == 0 && setup && !json_is_null(setup)) {
        r = wire_read_setup(setup, &rq->service->setup, &rq->err);
        beginning.setup = &rq->service->setup;
    }
    uint32_t number = 0;
    if (r == 0)
        r = store_new_game(rq->store, &beginning, &number, &rq->err);
    if (r < 0)
        return r;
    struct writer *w = event_begin(rq, number, store_game(rq->store, number)->ply, "new");
    writer_literal(w, ",\"variant\":");
    writer_string(w, beginning.rules->name);
    event_end(rq);
    return state_now(rq, number);
}

// The newest games, oldest of them first; `before` goes further back.
int method_game_list(struct request *rq)
{
    uint32_t total = store_game_count(rq->store);
    int64_t before = (int64_t)total + 1;
    int64_t limit = LIST_GAMES_MAX;
    bool open_only = false;
    int r = json_member_int(rq->params, "before", 1, INT32_MAX, &before, &rq->err);
    if (r >= 0)
        r = json_member_int(rq->params, "limit", 1, LIST_GAMES_MAX, &limit, &rq->err);
    if (r >= 0)
        r = json_member_bool(rq->params, "open", &open_only, &rq->err);
    if (r < 0)
        return bad_params(rq, r);
    uint32_t last = before > total ? total : (uint32_t)before - 1, first = last + 1;
    struct summary summary;
    for (int64_t found = 0; first > 1 && found < limit;) {
        store_summary(rq->store, --first, &summary);
        found += !(open_only && summary.result.over);
    }
    struct writer *w = rq->out;
    const char *separator = "";
    writer_format(w, "{\"total\":%u,\"more\":%s,\"games\":[", total, first > 1 ? "true" : "false");
    for (uint32_t number = first; number <= last; number++) {
        store_summary(rq->store, number, &summary);
        if (open_only && summary.result.over)
            continue;
        writer_format(w, "%s{\"game\":\"g%u\",\"variant\":\"%s\",\"ply\":%u,\"result\":", separator,
                      number, summary.rules->name, summary.ply);
        wire_put_result(w, &summary.result);
        writer_literal(w, "}");
        separator = ",";
    }
    writer_literal(w, "]}");
    return 0;
}

int method_game_state(struct request *rq)
{
    uint32_t number;
    int r = request_game(rq, &number);
    return r < 0 ? r : state_now(rq, number);
}

int method_game_check(struct request *rq)
{
    uint32_t number;
    struct move move;
    int r = request_game(rq, &number);
    if (r < 0)
        return r;
    struct effect *effect = &rq->service->effect;
    const struct game *game = store_game(rq->store, number);
    r = request_move(rq, &game->rules, &move);
    if (r < 0)
        return r;
    writer_literal(rq->out, "{");
    if (game->rules.family == FAMILY_PENTAGO) { // the board after the twist belongs to the answer
        rq->service->scratch = *game;
        game_play(&rq->service->scratch, move, effect);
        wire_put_effect(rq->out, effect, game, &move, &rq->service->scratch);
    } else {
        game_check(game, move, effect);
        wire_put_effect(rq->out, effect, game, &move, NULL);
    }
    writer_literal(rq->out, "}");
    return 0;
}

// Effect and state after a move. `after` is the position it led to.
static void put_played(struct request *rq, uint32_t number, const struct effect *effect,
                       const struct move *move, const struct game *after)
{
    writer_literal(rq->out, "{");
    wire_put_effect(rq->out, effect, after, move, after);
    writer_literal(rq->out, ",\"state\":");
    put_state(rq, number, after);
    writer_literal(rq->out, "}");
}

// Members of the notification that tell what a move did.
static void put_move_event(struct request *rq, uint32_t number, unsigned ply, const char *kind,
                           const struct move *move)
{
    const struct game *after = store_game(rq->store, number);
    struct writer *w = event_begin(rq, number, ply, kind);
    writer_literal(w, ",\"move\":");
    wire_put_move(w, &after->rules, *move);
    writer_literal(w, ",\"effect\":{");
    wire_put_effect(w, &rq->service->effect, after, move, after);
    writer_literal(w, "}");
    event_end(rq);
}

static int play(struct request *rq, uint32_t number, struct move move, const char *kind)
{
    enum reason reason = REASON_NONE;
    struct effect *effect = &rq->service->effect;
    int r = store_play(rq->store, number, move, effect, &reason, &rq->err);
    if (r < 0)
        return r;
    const struct game *game = store_game(rq->store, number);
    if (reason != REASON_NONE)
        return request_refused(rq, reason, game, &move);
    put_move_event(rq, number, game->ply, kind, &move);
    return 0;
}

int method_game_play(struct request *rq)
{
    uint32_t number;
    struct move move;
    int64_t ply = -1;
    int r = request_game(rq, &number);
    if (r < 0)
        return r;
    const struct game *game = store_game(rq->store, number);
    r = request_move(rq, &game->rules, &move);
    if (r < 0)
        return r;
    r = json_member_int(rq->params, "ply", 0, INT16_MAX, &ply, &rq->err);
    if (r < 0)
        return bad_params(rq, r);
    struct effect *effect = &rq->service->effect;
    bool refused = game_check(game, move, NULL) != REASON_NONE;
    if (ply >= 0 && (ply != game->ply || refused) &&
        store_find_played(rq->store, number, move, (int)ply, &rq->service->scratch, effect)) {
        put_played(rq, number, effect, &move, &rq->service->scratch);
        return 0;
    }
    if (ply >= 0 && ply != game->ply)
        return error_set_code(&rq->err, -EPERM, "WrongPly",
                              ply < game->ply
                                  ? "This was meant to be move %d of the game, but another one was "
                                    "played there. The next is move %d."
                                  : "This was meant to be move %d of the game, but the next is "
                                    "move %d.",
                              (int)ply + 1, game->ply + 1);
    r = play(rq, number, move, "play");
    if (r < 0)
        return r;
    put_played(rq, number, effect, &move, store_game(rq->store, number));
    return 0;
}

int method_game_undo(struct request *rq)
{
    uint32_t number;
    int64_t plies = 1;
    int r = request_game(rq, &number);
    if (r < 0)
        return r;
    r = json_member_int(rq->params, "plies", 1, GAME_ENTRIES_MAX, &plies, &rq->err);
    if (r < 0)
        return bad_params(rq, r);
    r = store_undo(rq->store, number, (unsigned)plies, &rq->err);
    if (r < 0)
        return r;
    writer_format(event_begin(rq, number, store_game(rq->store, number)->ply, "undo"),
                  ",\"plies\":%d", (int)plies);
    event_end(rq);
    return state_now(rq, number);
}

int method_game_legal(struct request *rq)
{
    uint32_t number;
    int r = request_game(rq, &number);
    if (r < 0)
        return r;
    const struct game *game = store_game(rq->store, number);
    struct move moves[LEGAL_MAX];
    size_t count = game_legal(game, moves);
    writer_literal(rq->out, "{\"moves\":[");
    for (size_t i = 0; i < count; i++) {
        if (i)
            writer_literal(rq->out, ",");
        wire_put_move(rq->out, &game->rules, moves[i]);
    }
    writer_literal(rq->out, "]}");
    return 0;
}

// Resignations and draw offers are moves to the rules, but safe to repeat here.
static int play_for_side(struct request *rq, enum move_kind kind)
{
    uint32_t number;
    unsigned colour;
    int r = request_game(rq, &number);
    if (r < 0)
        return r;
    const struct game *game = store_game(rq->store, number);
    r = request_side(rq, game, &colour);
    if (r < 0)
        return r;
    struct move move = move_choice(kind);
    move.colour = (uint8_t)colour;
    unsigned how = kind == MOVE_RESIGN ? HOW_RESIGN : HOW_AGREED;
    bool again = game->result.over && game->result.how & how &&
                 (kind == MOVE_DRAW || game->result.winner != game->rules.sides[colour]);
    if (!again)
        r = play(rq, number, move, kind == MOVE_RESIGN ? "resign" : "draw");
    return r < 0 ? r : state_now(rq, number);
}

int method_game_resign(struct request *rq)
{
    return play_for_side(rq, MOVE_RESIGN);
}

int method_game_draw(struct request *rq)
{
    return play_for_side(rq, MOVE_DRAW);
}

static void put_differences(struct writer *w, const struct game *game,
                            const struct difference *differences, size_t count)
{
    writer_literal(w, "[");
    for (size_t i = 0; i < count; i++) {
        const struct difference *d = &differences[i];
        writer_text(w, i ? ",{\"point\":" : "{\"point\":");
        wire_put_point(w, d->at);
        writer_literal(w, ",\"name\":");
        wire_put_move(w, &game->rules, move_place(0, d->at.x, d->at.y));
        writer_format(w, ",\"expected\":%u,\"seen\":%u}", d->expected, d->seen);
    }
    writer_literal(w, "]");
}

int method_game_explain(struct request *rq)
{
    uint32_t number;
    seen_board seen;
    int r = request_game(rq, &number);
    if (r < 0)
        return r;
    const struct game *game = store_game(rq->store, number);
    r = wire_read_board(json_object_get(rq->params, "board"), &game->rules, seen, &rq->err);
    if (r < 0)
        return r;
    struct explanation explanation;
    game_explain(game, seen, &explanation);
    struct writer *w = rq->out;
    writer_format(w, "{\"unchanged\":%s,\"moves\":[", explanation.unchanged ? "true" : "false");
    for (size_t i = 0; i < explanation.move_count; i++) {
        if (i)
            writer_literal(w, ",");
        wire_put_move(w, &game->rules, explanation.moves[i]);
    }
    writer_format(w, "],\"more\":%s,\"differences\":", explanation.more ? "true" : "false");
    put_differences(w, game, explanation.differences, explanation.difference_count);
    writer_literal(w, ",\"nearest\":");
    if (explanation.has_nearest) {
        writer_literal(w, "{\"move\":");
        wire_put_move(w, &game->rules, explanation.nearest);
        writer_literal(w, ",\"differences\":");
        put_differences(w, game, explanation.nearest_differences, explanation.nearest_count);
        writer_literal(w, "}");
    } else {
        writer_literal(w, "null");
    }
    writer_literal(w, "}");
    return 0;
}
