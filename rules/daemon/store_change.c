// Staging, committing and taking back.
#include <errno.h>
#include <stdlib.h>

#include "rules/daemon/store_private.h"

enum { CHANGES_MAX = 65536 }; // between two commits; a batch of requests is far shorter

int store_may_change(const struct store *store, struct error *err)
{
    if (!store->refusal)
        return 0;
    if (err)
        *err = *store->refusal;
    return store->refusal->number;
}

void store_refuse(struct store *store, const struct error *err)
{
    store->refusal = err;
}

// Puts the list of moves back and drops the position that followed from the newer one.
static void restore_moves(struct store *store, const struct change *change)
{
    struct stored_game *game = store_at(store, change->number);
    free(game->moves);
    game->moves = change->moves;
    game->move_count = game->move_capacity = change->move_count;
}

static void refresh(struct store *store, uint32_t number)
{
    store_forget_live(store, number);
    const struct game *live = store_game(store, number);
    store_at(store, number)->ply = live->ply;
    store_at(store, number)->result = live->result;
}

static void drop_newest_game(struct store *store)
{
    store_forget_live(store, store->game_count);
    struct stored_game *game = store->games[--store->game_count];
    free(game->setup);
    free(game->players);
    free(game->moves);
    free(game);
}

static void take_back(struct store *store, struct change *change)
{
    struct stored_match *match;
    switch (change->kind) {
    case CHANGE_GAME:
        drop_newest_game(store);
        break;
    case CHANGE_MOVE:
        store_at(store, change->number)->move_count--;
        refresh(store, change->number);
        break;
    case CHANGE_UNDO:
        restore_moves(store, change);
        refresh(store, change->number);
        break;
    case CHANGE_MATCH:
        store_free_match(store->matches[--store->match_count]);
        break;
    case CHANGE_MATCH_GAME:
        match = store->matches[change->number - 1];
        match->match = change->match;
        break;
    }
}

int store_stage(struct store *store, const struct change *change, struct error *err)
{
    if (!store->journal) {
        free(change->moves);
        return 0;
    }
    int r = store->members.error;
    int64_t seq;
    if (r == 0 && store->change_count == store->change_capacity) {
        size_t larger = store->change_capacity ? store->change_capacity * 2 : 64;
        struct change *moved =
            larger > CHANGES_MAX ? NULL : realloc(store->changes, larger * sizeof *moved);
        if (moved) {
            store->changes = moved;
            store->change_capacity = larger;
        }
        r = moved ? 0 : -ENOMEM;
    }
    if (r == 0)
        r = journal_append(store->journal, store->members.data, store->members.size, &seq);
    if (r == 0) {
        store->changes[store->change_count++] = *change;
        return 0;
    }
    store->members.error = 0;
    if (change->kind == CHANGE_UNDO) { // the caller has nothing else to take back itself
        restore_moves(store, change);
        refresh(store, change->number);
    }
    return error_set_code(err, r, r == -EMSGSIZE ? "TooLong" : "OutOfMemory",
                          r == -EMSGSIZE
                              ? "This is too long for the journal, so nothing was changed."
                              : "The rules daemon is out of memory, so nothing was "
                                "changed.");
}

int store_commit(struct store *store, struct error *err)
{
    if (!store->journal)
        return 0;
    int r = journal_commit(store->journal, err);
    while (store->change_count > 0) {
        struct change *change = &store->changes[--store->change_count];
        if (r < 0)
            take_back(store, change);
        else
            free(change->moves);
    }
    return r;
}
