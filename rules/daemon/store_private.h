// store_private: what the files of the store share.
#pragma once

#include "rules/daemon/store.h"

struct stored_game {
    const struct variant *rules; // a row of the table or of store.house
    struct setup *setup;         // NULL = began on the empty board
    struct player *players;
    unsigned player_count;
    struct move *moves; // everything accepted, in order, draw offers included
    uint32_t move_count, move_capacity;
    uint16_t ply; // after the last move; with `result`, so that a list needs no positions
    struct result result;
    char *damage;      // why the moves of the journal end early; NULL = they do not
    struct game *live; // the position, when it is worked out: one of store.positions
    uint64_t used;     // for choosing which position to forget
};

struct stored_match {
    struct match match;
    struct match_game *games; // match.games of them
    uint32_t game_capacity;
};

// What a commit that fails has to take back.
struct change {
    enum { CHANGE_GAME, CHANGE_MOVE, CHANGE_UNDO, CHANGE_MATCH, CHANGE_MATCH_GAME } kind;
    uint32_t number;
    struct move *moves; // CHANGE_UNDO: the list as it was
    uint32_t move_count;
    struct match match; // CHANGE_MATCH_GAME: as it was
};

struct store {
    struct journal *journal; // NULL = nothing is stored
    struct writer members;   // scratch for journal lines

    struct stored_game **games; // [number - 1]
    uint32_t game_count, game_capacity;
    struct stored_match **matches;
    uint32_t match_count, match_capacity;
    struct variant **house;
    uint32_t house_count, house_capacity;

    struct game *positions;         // STORE_LIVE_MAX of them
    uint32_t owner[STORE_LIVE_MAX]; // number of the game whose position it is, 0 = free
    uint64_t clock;

    struct change *changes;
    size_t change_count, change_capacity;
    const struct error *refusal;
};

// Grows an array of `size`-byte items to hold one more. 0 or -ENOMEM.
int store_reserve(void **items, uint32_t count, uint32_t *capacity, size_t size);

// store.c
struct stored_game *store_at(const struct store *store, uint32_t number);
const struct variant *store_keep_rules(struct store *store, const struct variant *rules,
                                       struct error *err);
int store_begin_game(struct store *store, const struct beginning *beginning, struct error *err);
int store_add_move(struct stored_game *game, struct move move);
// Plays the stored moves from the start; returns how many of them the rules accepted.
uint32_t store_work_out(const struct stored_game *game, struct game *ret);
void store_forget_live(struct store *store, uint32_t number);
// Takes back entries in the list of moves; *ret_moves is the list as it was (NULL = do not keep).
int store_cut_moves(struct store *store, uint32_t number, unsigned count, struct move **ret_moves,
                    uint32_t *ret_count);

// store_match.c
int store_add_match(struct store *store, const struct match *match);
int store_add_match_game(struct stored_match *stored, const struct match_game *played,
                         enum reason *ret_reason);
void store_free_match(struct stored_match *stored);

// store_journal.c: the members of each kind of line, and taking one over.
void store_line_game(struct writer *w, uint32_t number, const struct beginning *beginning);
void store_line_move(struct writer *w, uint32_t number, unsigned ply, const struct variant *rules,
                     struct move move);
void store_line_undo(struct writer *w, uint32_t number, unsigned count);
void store_line_match(struct writer *w, uint32_t number, const struct match *match);
void store_line_match_game(struct writer *w, uint32_t number, const struct match *match,
                           const struct match_game *played);
journal_replay_fn store_replay;

// store_change.c: stages store.members as a line and remembers how to take the change back.
int store_stage(struct store *store, const struct change *change, struct error *err);
// 0 when a change may begin; otherwise the error of the refusal.
int store_may_change(const struct store *store, struct error *err);
