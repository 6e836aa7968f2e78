// match.*: a series of games.
#include <errno.h>
#include <string.h>

#include "config/base/json.h"
#include "rules/daemon/service_private.h"

static int bad_params(struct request *rq)
{
    memcpy(rq->err.code, "BadParams", sizeof "BadParams");
    return -EINVAL;
}

static int read_number(struct request *rq, const char *key, int64_t max, int64_t *ret)
{
    int r = json_member_int(rq->params, key, 0, max, ret, &rq->err);
    return r < 0 ? bad_params(rq) : 0;
}

static int read_start(struct request *rq, struct match *match)
{
    static const char *const names[] = {"alternate", "same", "loser"};
    const char *start = NULL;
    if (json_member_string(rq->params, "start", &start, &rq->err) < 0)
        return bad_params(rq);
    for (unsigned i = 0; start && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(start, names[i]) == 0) {
            match->start = (enum match_start)i;
            return 0;
        }
    if (!start)
        return 0;
    error_set(&rq->err, -EINVAL, "\"start\" must be \"alternate\", \"same\" or \"loser\".");
    return bad_params(rq);
}

// The highest player named in {"1":…,"2":…}; 0 when there is none.
static unsigned highest_player(const json_t *counts)
{
    unsigned highest = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)counts, key, value)
    {
        if (key[0] > '0' && key[0] <= '0' + COLOURS_MAX && key[1] == '\0' &&
            (unsigned)(key[0] - '0') > highest)
            highest = (unsigned)(key[0] - '0');
    }
    return highest;
}

static int read_settings(struct request *rq, bool points, struct match *match)
{
    const json_t *handicap = json_object_get(rq->params, "handicap");
    int64_t target = points ? 21 : 3, first = 1, max_games = 0;
    int64_t players = highest_player(handicap);
    if (players < 2)
        players = 2;
    int r = read_number(rq, points ? "target" : "wins", UINT16_MAX, &target);
    if (r == 0)
        r = read_number(rq, "first", COLOURS_MAX, &first);
    if (r == 0)
        r = read_number(rq, "max_games", MATCH_GAMES_MAX, &max_games);
    if (r == 0)
        r = read_number(rq, "players", COLOURS_MAX, &players);
    if (r < 0)
        return r;
    match_init(match, points ? MATCH_POINTS : MATCH_WINS, (unsigned)target);
    match->first = (uint8_t)first;
    match->players = (uint8_t)players;
    match->max_games = (uint16_t)max_games;
    if (handicap && !json_is_null(handicap))
        r = wire_read_counts(handicap, "handicap", MATCH_TARGET_MAX, match->handicap, &rq->err);
    return r < 0 ? r : read_start(rq, match);
}

static void put_totals(struct writer *w, const struct match *match)
{
    for (unsigned player = 1; player <= match->players; player++)
        writer_format(w, "%s\"%u\":%u", player == 1 ? "{" : ",", player, match->totals[player]);
    writer_literal(w, "}");
}

static void put_match(struct writer *w, const struct match *match, const struct match_game *games)
{
    bool points = match->kind == MATCH_POINTS;
    writer_format(w, "\"kind\":\"%s\",\"target\":%u,\"players\":%u,\"totals\":",
                  points ? "points" : "wins", match->target, match->players);
    put_totals(w, match);
    if (!points) {
        writer_literal(w, ",\"wins\":");
        put_totals(w, match);
    }
    writer_literal(w, ",\"starters\":[");
    for (unsigned i = 0; i < match->games; i++)
        writer_format(w, "%s%u", i ? "," : "", games[i].starter);
    writer_literal(w, "],\"games\":[");
    for (unsigned i = 0; i < match->games; i++) {
        if (games[i].winner)
            writer_format(w, "%s{\"winner\":%u", i ? "," : "", games[i].winner);
        else
            writer_format(w, "%s{\"winner\":null", i ? "," : "");
        if (games[i].game)
            writer_format(w, ",\"game\":\"g%u\"", games[i].game);
        if (points) {
            writer_literal(w, ",\"scores\":");
            for (unsigned player = 1; player <= match->players; player++)
                writer_format(w, "%s\"%u\":%u", player == 1 ? "{" : ",", player,
                              games[i].scores[player]);
            writer_literal(w, "}");
        }
        writer_literal(w, "}");
    }
    writer_format(w, "],\"over\":%s,\"draw\":%s,\"winner\":", match->over ? "true" : "false",
                  match->over && !match->winner ? "true" : "false");
    writer_format(w, match->winner ? "%u" : "null", match->winner);
    writer_format(w, match->over ? ",\"next_start\":null" : ",\"next_start\":%u",
                  match->next_start);
}

static int put_match_state(struct request *rq, uint32_t number)
{
    writer_format(rq->out, "{\"match\":\"m%u\",", number);
    put_match(rq->out, store_match(rq->store, number), store_match_games(rq->store, number));
    writer_literal(rq->out, "}");
    return 0;
}

int method_match_new(struct request *rq)
{
    const char *kind = json_string_value(json_object_get(rq->params, "kind"));
    bool points = kind && strcmp(kind, "points") == 0;
    if (!points && (!kind || strcmp(kind, "wins") != 0)) {
        error_set(&rq->err, -EINVAL, "\"kind\" must be \"points\" or \"wins\".");
        return bad_params(rq);
    }
    struct match match;
    uint32_t number = 0;
    int r = read_settings(rq, points, &match);
    if (r == 0)
        r = store_new_match(rq->store, &match, &number, &rq->err);
    return r < 0 ? r : put_match_state(rq, number);
}

static int request_match(struct request *rq, uint32_t *ret_number)
{
    const char *name = json_string_value(json_object_get(rq->params, "match"));
    if (!name) {
        error_set(&rq->err, -EINVAL, "\"match\" must be the name of a match, such as \"m1\".");
        return bad_params(rq);
    }
    *ret_number = store_find_match(rq->store, name);
    return *ret_number ? 0
                       : error_set_code(&rq->err, -ENOENT, "NoSuchMatch",
                                        "There is no match \"%.20s\".", name);
}

int method_match_state(struct request *rq)
{
    uint32_t number;
    int r = request_match(rq, &number);
    return r < 0 ? r : put_match_state(rq, number);
}

// The result of a game, by player of the match: the player who begins it sits on the first seat and
// the others follow in order, as partners where the game is played by sides. Colours may have been
// swapped since the seats were taken.
static int result_by_player(const struct game *game, const struct match *match, unsigned starter,
                            struct match_game *ret)
{
    uint16_t by_colour[COLOURS_MAX + 1];
    uint8_t player_of_side[COLOURS_MAX + 1] = {0};
    bool counted[COLOURS_MAX + 1] = {false};
    unsigned sides = 0;
    game_scores(game, by_colour);
    for (unsigned seat = 1; seat <= game->rules.seat_count; seat++) {
        unsigned colour = game_seat_colour(game, seat);
        uint8_t *player = &player_of_side[game->rules.sides[colour]];
        if (*player == 0)
            *player = (uint8_t)((starter - 1 + sides++) % match->players + 1);
        if (!counted[colour])
            ret->scores[*player] = (uint16_t)(ret->scores[*player] + by_colour[colour]);
        counted[colour] = true;
    }
    ret->winner = player_of_side[game->result.winner];
    return sides == match->players ? 0 : -EPERM;
}

static int result_of_game(struct request *rq, uint32_t number, const struct match *match,
                          unsigned starter, struct match_game *ret)
{
    const struct game *game = store_game(rq->store, number);
    ret->game = number;
    if (!game->result.over)
        return error_set_code(&rq->err, -EBUSY, "GameNotOver",
                              "The game g%u is not over yet, so it cannot count for a match.",
                              number);
    int r = result_by_player(game, match, starter, ret);
    return r < 0 ? error_set_code(&rq->err, r, "BadResult",
                                  "The game g%u was played by %u sides, but this match has %u "
                                  "players, so it cannot count for it.",
                                  number, variant_side_count(&game->rules), match->players)
                 : 0;
}

static int result_given(struct request *rq, const struct match *match, struct match_game *ret)
{
    int64_t winner = 0;
    int r = read_number(rq, "winner", COLOURS_MAX, &winner);
    const json_t *json = json_object_get(rq->params, "scores");
    if (r == 0 && json)
        r = wire_read_counts(json, "scores", UINT16_MAX, ret->scores, &rq->err);
    if (r == 0 && !json && match->kind == MATCH_POINTS) {
        error_set(&rq->err, -EINVAL,
                  "Give the game's points in \"scores\", or its name in \"game\".");
        r = bad_params(rq);
    }
    ret->winner = (uint8_t)winner;
    return r;
}

// Which game of the match (1-based) the stored game counted for; 0 = none yet.
static unsigned find_counted(const struct match *match, const struct match_game *games,
                             uint32_t game)
{
    for (unsigned i = 0; i < match->games; i++)
        if (games[i].game == game)
            return i + 1;
    return 0;
}

static bool same_result(const struct match_game *a, const struct match_game *b)
{
    return a->winner == b->winner && memcmp(a->scores, b->scores, sizeof a->scores) == 0 &&
           (a->game == b->game || a->game == 0 || b->game == 0);
}

static int record(struct request *rq, uint32_t number, const struct match_game *played)
{
    enum reason reason = REASON_NONE;
    int r = store_record_match(rq->store, number, played, &reason, &rq->err);
    if (r < 0)
        return r;
    if (reason == REASON_NONE)
        return put_match_state(rq, number);
    rq->reason = reason_name(reason);
    return error_set_code(
        &rq->err, -EPERM, reason == REASON_MATCH_OVER ? "MatchOver" : "BadResult",
        reason == REASON_MATCH_OVER
            ? "This match has been decided; no more games count for it. Begin a new one."
            : "No such player plays in this match.");
}

// Safe to repeat for a stored game, which counts once, and with the number of the game in the
// match.
int method_match_record(struct request *rq)
{
    uint32_t number, game = 0;
    int64_t index = -1;
    int r = request_match(rq, &number);
    if (r == 0)
        r = read_number(rq, "number", MATCH_GAMES_MAX, &index);
    if (r == 0 && json_object_get(rq->params, "game"))
        r = request_game(rq, &game);
    if (r < 0)
        return r;
    const struct match *match = store_match(rq->store, number);
    const struct match_game *games = store_match_games(rq->store, number);
    unsigned counted = game ? find_counted(match, games, game) : 0;
    if (counted && (index < 0 || index == counted))
        return put_match_state(rq, number);
    if (counted)
        return error_set_code(&rq->err, -EPERM, "WrongGame",
                              "The game g%u has already counted as number %u of this match.", game,
                              counted);
    bool known = index > 0 && index <= match->games;
    struct match_game played = {0};
    r = game ? result_of_game(rq, game, match, known ? games[index - 1].starter : match->next_start,
                              &played)
             : result_given(rq, match, &played);
    if (r < 0)
        return r;
    if (known && same_result(&games[index - 1], &played))
        return put_match_state(rq, number);
    if (index >= 0 && index != match->games + 1)
        return error_set_code(&rq->err, -EPERM, "WrongGame",
                              "The next game of this match is number %u, not %d.",
                              match->games + 1u, (int)index);
    return record(rq, number, &played);
}

// ---- judging a whole match at once, without keeping it

static int add_case_game(struct request *rq, const json_t *json, struct match *match,
                         struct match_game *game)
{
    unsigned winner = 0;
    if (json_is_object(json)) {
        int r = wire_read_counts(json, "games", UINT16_MAX, game->scores, &rq->err);
        if (r < 0)
            return r;
    } else if (json_is_integer(json)) {
        json_int_t value = json_integer_value(json);
        winner = value < 1 || value > COLOURS_MAX ? COLOURS_MAX + 1 : (unsigned)value;
    } else if (!json_is_null(json)) {
        error_set(&rq->err, -EINVAL,
                  "Each of \"games\" must be a winner, null for a draw, or points by player.");
        return bad_params(rq);
    }
    game->starter = match->next_start;
    game->winner = (uint8_t)winner;
    enum reason reason = match_record(match, winner, game->scores);
    if (reason != REASON_NONE)
        rq->reason = reason_name(reason);
    return 0;
}

int check_match_case(struct request *rq, bool points)
{
    struct match match;
    struct match_game games[MATCH_GAMES_MAX] = {0};
    const json_t *list = json_object_get(rq->params, "games");
    int r = read_settings(rq, points, &match);
    unsigned named = highest_player(json_array_get(list, 0));
    if (r == 0 && named > match.players)
        match.players = (uint8_t)named;
    if (r == 0)
        r = match_begin(&match, &rq->err);
    if (r == 0 && json_array_size(list) > MATCH_GAMES_MAX)
        r = error_set_code(&rq->err, -E2BIG, "BadParams", "A match has at most %d games.",
                           MATCH_GAMES_MAX);
    for (size_t i = 0; r == 0 && !rq->reason && i < json_array_size(list); i++)
        r = add_case_game(rq, json_array_get(list, i), &match, &games[i]);
    if (r != 0)
        return r;
    writer_format(rq->out, "{\"legal\":%s,", rq->reason ? "false" : "true");
    if (rq->reason)
        writer_format(rq->out, "\"reason\":\"%s\",", rq->reason);
    put_match(rq->out, &match, games);
    writer_literal(rq->out, "}");
    return 0;
}
