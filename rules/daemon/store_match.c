// Matches: a series of games and its score.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/daemon/store_private.h"

const struct match *store_match(const struct store *store, uint32_t number)
{
    return &store->matches[number - 1]->match;
}

const struct match_game *store_match_games(const struct store *store, uint32_t number)
{
    return store->matches[number - 1]->games;
}

void store_free_match(struct stored_match *stored)
{
    if (!stored)
        return;
    free(stored->games);
    free(stored);
}

int store_add_match(struct store *store, const struct match *match)
{
    if (store->match_count >= STORE_MATCHES_MAX)
        return -ENOSPC;
    struct stored_match *stored = calloc(1, sizeof *stored);
    if (!stored)
        return -ENOMEM;
    stored->match = *match;
    int r = store_reserve((void **)&store->matches, store->match_count, &store->match_capacity,
                          sizeof(struct stored_match *));
    if (r < 0) {
        free(stored);
        return r;
    }
    store->matches[store->match_count++] = stored;
    return 0;
}

int store_add_match_game(struct stored_match *stored, const struct match_game *played,
                         enum reason *ret_reason)
{
    int r = store_reserve((void **)&stored->games, stored->match.games, &stored->game_capacity,
                          sizeof(struct match_game));
    if (r < 0)
        return r;
    struct match_game game = *played;
    game.starter = stored->match.next_start;
    unsigned index = stored->match.games;
    *ret_reason = match_record(&stored->match, game.winner, game.scores);
    if (*ret_reason == REASON_NONE)
        stored->games[index] = game;
    return 0;
}

int store_new_match(struct store *store, const struct match *match, uint32_t *ret_number,
                    struct error *err)
{
    int r = store_may_change(store, err);
    if (r < 0)
        return r;
    struct match begun = *match;
    r = match_begin(&begun, err);
    if (r < 0) {
        if (err && !err->code[0])
            memcpy(err->code, "BadMatch", sizeof "BadMatch");
        return r;
    }
    r = store_add_match(store, &begun);
    if (r < 0)
        return error_set_code(err, r, r == -ENOSPC ? "TooManyMatches" : "OutOfMemory",
                              "The rules daemon can keep no more matches.");
    uint32_t number = store->match_count;
    writer_cut(&store->members, 0);
    store_line_match(&store->members, number, match);
    r = store_stage(store, &(struct change){.kind = CHANGE_MATCH, .number = number}, err);
    if (r < 0) {
        store_free_match(store->matches[--store->match_count]);
        return r;
    }
    *ret_number = number;
    return 0;
}

int store_record_match(struct store *store, uint32_t number, const struct match_game *played,
                       enum reason *ret_reason, struct error *err)
{
    struct stored_match *stored = store->matches[number - 1];
    int r = store_may_change(store, err);
    if (r < 0)
        return r;
    struct change change = {.kind = CHANGE_MATCH_GAME, .number = number, .match = stored->match};
    r = store_add_match_game(stored, played, ret_reason);
    if (r < 0)
        return error_set_code(err, r, "OutOfMemory", "The rules daemon is out of memory.");
    if (*ret_reason != REASON_NONE)
        return 0;
    writer_cut(&store->members, 0);
    store_line_match_game(&store->members, number, &stored->match, played);
    r = store_stage(store, &change, err);
    if (r < 0)
        stored->match = change.match;
    return r;
}
