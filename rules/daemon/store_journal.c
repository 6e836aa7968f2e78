// The journal's lines: what each kind of change looks like, and taking them over at the start.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/json.h"
#include "rules/daemon/arena.h"
#include "rules/daemon/store_private.h"
#include "rules/notation.h"

// ---- writing

static void put_head(struct writer *w, const char *what, const char *key, char letter,
                     uint32_t number)
{
    writer_format(w, "\"do\":\"%s\",\"%s\":\"%c%" PRIu32 "\"", what, key, letter, number);
}

// Moves in the journal are text; whose resignation or draw offer it is stands behind a space.
static void put_move(struct writer *w, const struct variant *rules, struct move move)
{
    bool of_side = move.kind == MOVE_RESIGN || move.kind == MOVE_DRAW;
    if (!of_side || move.colour == 0) {
        wire_put_move(w, rules, move);
        return;
    }
    writer_format(w, "\"%s %u\"", move.kind == MOVE_RESIGN ? "resign" : "draw", move.colour);
}

void store_line_game(struct writer *w, uint32_t number, const struct beginning *beginning)
{
    put_head(w, "new", "game", 'g', number);
    writer_literal(w, ",\"variant\":");
    writer_string(w, beginning->rules->name);
    writer_literal(w, ",\"options\":");
    wire_put_options(w, beginning->rules);
    if (beginning->player_count) {
        writer_literal(w, ",\"players\":");
        wire_put_players(w, beginning->players, beginning->player_count);
    }
    if (beginning->setup) {
        writer_literal(w, ",\"setup\":");
        wire_put_setup(w, beginning->rules, beginning->setup);
    }
    if (beginning->move_count) {
        writer_literal(w, ",\"moves\":[");
        for (size_t i = 0; i < beginning->move_count; i++) {
            if (i)
                writer_literal(w, ",");
            put_move(w, beginning->rules, beginning->moves[i]);
        }
        writer_literal(w, "]");
    }
}

void store_line_move(struct writer *w, uint32_t number, unsigned ply, const struct variant *rules,
                     struct move move)
{
    put_head(w, "play", "game", 'g', number);
    writer_literal(w, ",\"ply\":");
    writer_int(w, ply);
    writer_literal(w, ",\"move\":");
    put_move(w, rules, move);
}

void store_line_undo(struct writer *w, uint32_t number, unsigned count)
{
    put_head(w, "undo", "game", 'g', number);
    writer_literal(w, ",\"plies\":");
    writer_int(w, count);
}

static void put_scores(struct writer *w, const struct match *match, const uint16_t *scores)
{
    for (unsigned player = 1; player <= match->players; player++)
        writer_format(w, "%s\"%u\":%u", player == 1 ? "{" : ",", player, scores[player]);
    writer_literal(w, "}");
}

void store_line_match(struct writer *w, uint32_t number, const struct match *match)
{
    put_head(w, "match", "match", 'm', number);
    writer_format(w,
                  ",\"kind\":%d,\"start\":%d,\"players\":%u,\"first\":%u,\"target\":%u,"
                  "\"max_games\":%u,\"handicap\":",
                  (int)match->kind, (int)match->start, match->players, match->first, match->target,
                  match->max_games);
    put_scores(w, match, match->handicap);
}

void store_line_match_game(struct writer *w, uint32_t number, const struct match *match,
                           const struct match_game *played)
{
    put_head(w, "match-game", "match", 'm', number);
    if (played->game)
        writer_format(w, ",\"game\":\"g%" PRIu32 "\"", played->game);
    writer_format(w, ",\"winner\":%u,\"scores\":", played->winner);
    put_scores(w, match, played->scores);
}

void store_put_journal(const struct store *store, uint32_t number, struct writer *w)
{
    const struct stored_game *game = store_at(store, number);
    writer_literal(w, "{");
    store_line_game(w, number,
                    &(struct beginning){.rules = game->rules,
                                        .setup = game->setup,
                                        .players = game->players,
                                        .player_count = game->player_count});
    writer_literal(w, "}\n");
    struct game position;
    struct stored_game empty = *game;
    empty.move_count = 0;
    store_work_out(&empty, &position);
    for (uint32_t i = 0; i < game->move_count; i++) {
        writer_literal(w, "{");
        store_line_move(w, number, position.ply, game->rules, game->moves[i]);
        writer_literal(w, "}\n");
        if (game_play(&position, game->moves[i], NULL) != REASON_NONE)
            break;
    }
}

// ---- taking over

bool store_read_move(const json_t *json, const struct variant *rules, struct move *ret)
{
    const char *text = json_string_value(json);
    if (!text)
        return false;
    unsigned colour;
    if (sscanf(text, "resign %u", &colour) == 1 && colour <= COLOURS_MAX) {
        *ret = move_choice(MOVE_RESIGN);
        ret->colour = (uint8_t)colour;
        return true;
    }
    if (sscanf(text, "draw %u", &colour) == 1 && colour <= COLOURS_MAX) {
        *ret = move_choice(MOVE_DRAW);
        ret->colour = (uint8_t)colour;
        return true;
    }
    return move_parse(rules, text, json_string_length(json), ret);
}

static int bad_line(struct error *err, const char *what)
{
    return error_set_code(err, -EBADMSG, "BadJournal",
                          "this line is whole but makes no sense here (%s); it was written by "
                          "another version of tessera-rulesd, or by hand",
                          what);
}

static int read_moves(const json_t *json, const struct variant *rules, struct move *moves,
                      size_t *ret_count, struct error *err)
{
    size_t count = json_array_size(json);
    if (count > STORE_MOVES_MAX)
        return bad_line(err, "too many moves");
    for (size_t i = 0; i < count; i++)
        if (!store_read_move(json_array_get(json, i), rules, &moves[i]))
            return bad_line(err, "a move that is none");
    *ret_count = count;
    return 0;
}

static int replay_new(struct store *store, const json_t *line, struct error *err)
{
    struct variant house;
    struct beginning beginning = {0};
    struct player players[SEATS_MAX];
    struct setup *setup = NULL;
    struct move *moves = NULL;
    int r = wire_read_rules(line, &house, &beginning.rules, err);
    if (r == 0)
        r = wire_read_players(line, players, &beginning.player_count, err);
    const json_t *setup_json = json_object_get(line, "setup");
    if (r == 0 && setup_json) {
        setup = malloc(sizeof *setup);
        r = setup ? wire_read_setup(setup_json, setup, err) : -ENOMEM;
    }
    const json_t *moves_json = json_object_get(line, "moves");
    if (r == 0 && moves_json) {
        moves = malloc(STORE_MOVES_MAX * sizeof *moves);
        r = moves ? read_moves(moves_json, beginning.rules, moves, &beginning.move_count, err)
                  : -ENOMEM;
    }
    beginning.players = players;
    beginning.setup = setup;
    beginning.moves = moves;
    if (r == 0)
        r = store_begin_game(store, &beginning, err);
    free(setup);
    free(moves);
    return r;
}

static int replay_game_line(struct store *store, const json_t *line, const char *what,
                            struct error *err)
{
    const char *name = json_string_value(json_object_get(line, "game"));
    uint32_t number = name ? store_find_game(store, name) : 0;
    if (number == 0)
        return bad_line(err, "a game that never began");
    struct stored_game *game = store_at(store, number);
    if (strcmp(what, "play") == 0) {
        struct move move;
        if (!store_read_move(json_object_get(line, "move"), game->rules, &move))
            return bad_line(err, "a move that is none");
        return store_add_move(game, move) < 0 ? bad_line(err, "too many moves") : 0;
    }
    json_int_t count = json_integer_value(json_object_get(line, "plies"));
    // The position must be the one of now, not one that was worked out some moves ago.
    store_forget_live(store, number);
    if (count < 1 || count > UINT16_MAX ||
        store_cut_moves(store, number, (unsigned)count, NULL, NULL) < 0)
        return bad_line(err, "nothing to take back");
    store_forget_live(store, number);
    return 0;
}

static int64_t number_of(const json_t *line, const char *key)
{
    return json_integer_value(json_object_get(line, key));
}

static int replay_match(struct store *store, const json_t *line, struct error *err)
{
    struct match match;
    int64_t target = number_of(line, "target");
    if (target < 0 || target > UINT16_MAX)
        return bad_line(err, "a target");
    match_init(&match, number_of(line, "kind") == MATCH_WINS ? MATCH_WINS : MATCH_POINTS,
               (unsigned)target);
    match.start = (enum match_start)(number_of(line, "start") & 3);
    match.players = (uint8_t)number_of(line, "players");
    match.first = (uint8_t)number_of(line, "first");
    match.max_games = (uint16_t)number_of(line, "max_games");
    int r = wire_read_counts(json_object_get(line, "handicap"), "handicap", UINT16_MAX,
                             match.handicap, err);
    if (r == 0)
        r = match_begin(&match, err);
    return r < 0 ? r : store_add_match(store, &match);
}

static int replay_match_game(struct store *store, const json_t *line, struct error *err)
{
    const char *name = json_string_value(json_object_get(line, "match"));
    uint32_t number = name ? store_find_match(store, name) : 0;
    if (number == 0)
        return bad_line(err, "a match that never began");
    // Lines of earlier versions do not say which game it was, and not all have scores.
    struct match_game played = {0};
    const char *game = json_string_value(json_object_get(line, "game"));
    if (game && (played.game = store_find_game(store, game)) == 0)
        return bad_line(err, "a game that never began");
    int64_t winner = number_of(line, "winner");
    if (winner < 0 || winner > COLOURS_MAX)
        return bad_line(err, "a winner");
    played.winner = (uint8_t)winner;
    const json_t *json = json_object_get(line, "scores");
    int r = json ? wire_read_counts(json, "scores", UINT16_MAX, played.scores, err) : 0;
    enum reason reason = REASON_NONE;
    if (r == 0)
        r = store_add_match_game(store->matches[number - 1], &played, &reason);
    return r == 0 && reason != REASON_NONE ? bad_line(err, reason_name(reason)) : r;
}

// Steps over `literal`; NULL when it is not there.
static const char *skip(const char *p, const char *end, const char *literal)
{
    size_t size = strlen(literal);
    return p && (size_t)(end - p) >= size && memcmp(p, literal, size) == 0 ? p + size : NULL;
}

// Steps over a number below a million; NULL when there is none.
static const char *skip_number(const char *p, const char *end, uint32_t *ret)
{
    uint32_t number = 0;
    const char *start = p;
    while (p && p < end && p - start < 6 && *p >= '0' && *p <= '9')
        number = number * 10 + (uint32_t)(*p++ - '0');
    *ret = number;
    return p > start ? p : NULL;
}

// Nearly all lines are plays, in exactly the form that store_line_move() gives them. Reading these
// without making a tree of them first is what lets a long journal start at once. False: not of this
// form, or not in order; then the line is looked at in full.
static bool replay_play_line(struct store *store, const char *text, size_t size)
{
    const char *end = text + size;
    const char *p = memmem(text, size, "\"do\":", 5);
    uint32_t number, ply;
    p = p ? skip(p, end, "\"do\":\"play\",\"game\":\"g") : NULL;
    p = skip_number(p, end, &number);
    p = skip(p, end, "\",\"ply\":");
    p = skip_number(p, end, &ply);
    p = skip(p, end, ",\"move\":\"");
    const char *quote = p ? memchr(p, '"', (size_t)(end - p)) : NULL;
    if (!quote || !skip(quote, end, "\",\"crc\":\"") || number < 1 || number > store->game_count)
        return false;
    struct stored_game *game = store_at(store, number);
    struct move move;
    return move_parse(game->rules, p, (size_t)(quote - p), &move) &&
           store_add_move(game, move) == 0;
}

int store_replay(void *user, const char *text, size_t size, int64_t seq, struct error *err)
{
    (void)seq;
    struct store *store = user;
    if (replay_play_line(store, text, size))
        return 0;
    json_t *line;
    int r = json_read_text(text, size, NULL, &line, err);
    if (r < 0)
        return r;
    const char *what = json_string_value(json_object_get(line, "do"));
    if (what && strcmp(what, "new") == 0)
        r = replay_new(store, line, err);
    else if (what && (strcmp(what, "play") == 0 || strcmp(what, "undo") == 0))
        r = replay_game_line(store, line, what, err);
    else if (what && strcmp(what, "match") == 0)
        r = replay_match(store, line, err);
    else if (what && strcmp(what, "match-game") == 0)
        r = replay_match_game(store, line, err);
    else
        r = bad_line(err, "an unknown kind of line");
    arena_drop(line);
    return r;
}

// Once everything is read: where each game stands. A move that the rules refuse (they were mended
// since, or the file was) ends its game there, and only its game.
static int judge_all(struct store *store, struct error *err)
{
    struct game *position = malloc(sizeof *position);
    if (!position)
        return error_set(err, -ENOMEM, "out of memory");
    for (uint32_t number = 1; number <= store->game_count; number++) {
        struct stored_game *game = store_at(store, number);
        store_forget_live(store, number);
        uint32_t played = store_work_out(game, position);
        game->ply = position->ply;
        game->result = position->result;
        if (played == game->move_count)
            continue;
        char text[MOVE_TEXT_MAX];
        if (asprintf(&game->damage,
                     "move %" PRIu32 " of its journal, %s, is not legal by these rules.",
                     played + 1, move_format(game->rules, game->moves[played], text)) < 0)
            game->damage = NULL;
        game->move_count = played;
    }
    free(position);
    return 0;
}

int store_open(struct store *store, const struct journal_settings *settings,
               struct journal_report *ret_report, struct error *err)
{
    int r = journal_open(settings, store_replay, store, &store->journal, ret_report, err);
    return r < 0 ? r : judge_all(store, err);
}
