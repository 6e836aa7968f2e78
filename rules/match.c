#include "rules/match.h"

#include <errno.h>
#include <string.h>

void match_init(struct match *match, enum match_kind kind, unsigned target)
{
    memset(match, 0, sizeof *match);
    match->kind = kind;
    match->start = START_ALTERNATE;
    match->players = 2;
    match->first = 1;
    match->target = (uint16_t)(target > UINT16_MAX ? UINT16_MAX : target);
}

int match_begin(struct match *match, struct error *err)
{
    unsigned most = match->kind == MATCH_POINTS ? MATCH_TARGET_MAX : MATCH_WINS_MAX;
    if (match->target < 1 || match->target > most)
        return error_set(err, -EINVAL, "A match goes to 1 up to %u %s, not to %u.", most,
                         match->kind == MATCH_POINTS ? "points" : "wins", match->target);
    if (match->players < 2 || match->players > COLOURS_MAX)
        return error_set(err, -EINVAL, "A match has two to four players, not %u.", match->players);
    if (match->first < 1 || match->first > match->players)
        return error_set(err, -EINVAL, "Player %u cannot begin: there are %u players.",
                         match->first, match->players);
    if (match->max_games > MATCH_GAMES_MAX)
        return error_set(err, -EINVAL, "A match has at most %d games.", MATCH_GAMES_MAX);
    match->games = 0;
    match->next_start = match->first;
    match->over = false;
    match->winner = 0;
    for (unsigned p = 1; p <= match->players; p++) {
        match->totals[p] = match->kind == MATCH_POINTS ? match->handicap[p] : 0;
        if (match->totals[p] >= match->target)
            return error_set(err, -EINVAL,
                             "Player %u would begin with %u points of handicap in a match to %u. "
                             "The handicap must be less than that.",
                             p, match->handicap[p], match->target);
    }
    return 0;
}

// The player with the highest total, 0 when several share it.
static unsigned leader(const struct match *match)
{
    unsigned best = 1;
    bool shared = false;
    for (unsigned p = 2; p <= match->players; p++) {
        if (match->totals[p] == match->totals[best])
            shared = true;
        if (match->totals[p] > match->totals[best]) {
            best = p;
            shared = false;
        }
    }
    return shared ? 0 : best;
}

static void decide(struct match *match)
{
    bool reached = false;
    for (unsigned p = 1; p <= match->players; p++)
        reached |= match->totals[p] >= match->target;
    bool last = match->max_games != 0 && match->games == match->max_games;
    unsigned first = leader(match);
    // Equal totals at the target play on (B16).
    match->over = (reached && first != 0) || last || match->games == MATCH_GAMES_MAX;
    match->winner = (uint8_t)(match->over ? first : 0);
}

static unsigned following(const struct match *match, unsigned player)
{
    return player < match->players ? player + 1 : 1;
}

enum reason match_record(struct match *match, unsigned winner, const uint16_t *scores)
{
    if (match->over)
        return REASON_MATCH_OVER;
    if (winner > match->players)
        return REASON_NO_SUCH_SIDE;
    match->games++;
    for (unsigned p = 1; p <= match->players; p++)
        match->totals[p] += match->kind == MATCH_POINTS ? scores[p] : (p == winner);
    if (match->start == START_ALTERNATE)
        match->next_start = (uint8_t)following(match, match->next_start);
    else if (match->start == START_LOSER && winner != 0)
        match->next_start = (uint8_t)following(match, winner);
    decide(match);
    return REASON_NONE;
}
