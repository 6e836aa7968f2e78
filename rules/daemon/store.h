// store: every game and match the daemon knows, and the only door through which they change.
//
// A change is judged, staged in the journal and applied; store_commit() then brings everything
// staged to the disk. When that fails, store_commit() takes the changes back, so that what is told
// to clients and what is on the disk never differ. Without a journal (nothing stored) commit always
// succeeds.
//
// A game is kept as its list of moves (8 bytes each). Positions are worked out from it when they
// are needed, and the most recently used ones are kept.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base/error.h"
#include "rules/daemon/journal.h"
#include "rules/daemon/wire.h"
#include "rules/game.h"
#include "rules/match.h"

enum {
    STORE_GAMES_MAX = 100000,
    STORE_MATCHES_MAX = 100000,
    STORE_HOUSE_RULES_MAX = 10000, // different sets of house rules
    STORE_LIVE_MAX = 64,           // positions kept worked out
    STORE_MOVES_MAX = 4096,        // moves, choices and draw offers of one game
    STORE_NAME_MAX = 16,           // bytes of "g123" with its NUL
};

struct store;

// How a game begins. `moves` are played at once (an imported record); all must be legal.
struct beginning {
    const struct variant *rules;
    const struct setup *setup; // NULL = the empty board
    const struct player *players;
    unsigned player_count;
    const struct move *moves;
    size_t move_count;
};

// What game.list tells without working a position out.
struct summary {
    const struct variant *rules;
    uint16_t ply;
    struct result result;
    const char *damage; // NULL, or why the journal's moves could not all be played
};

int store_new(struct store **ret);
struct store *store_free(struct store *store); // NULL allowed; returns NULL; also ends the journal

// Opens the journal and takes over what it holds. Only on an empty store. Errors of journal_open().
int store_open(struct store *store, const struct journal_settings *settings,
               struct journal_report *ret_report, struct error *err);

// ---- games. `number` is that of the name: g1, g2, …

uint32_t store_game_count(const struct store *store); // they are numbered 1..count

// "g12" -> 12; 0 when it is no name of a game that exists.
uint32_t store_find_game(const struct store *store, const char *name);

void store_summary(const struct store *store, uint32_t number, struct summary *ret);
const struct player *store_players(const struct store *store, uint32_t number, unsigned *ret_count);
const struct setup *store_setup(const struct store *store, uint32_t number); // NULL = none

// The position. Borrowed: good until the next call that takes a store that is not const.
const struct game *store_game(struct store *store, uint32_t number);

// BadSetup, TooManyGames, IllegalMove, or an error of the journal.
int store_new_game(struct store *store, const struct beginning *beginning, uint32_t *ret_number,
                   struct error *err);

// *ret_reason says whether the rules accepted the move; only then something changed. Resignations
// and draw offers come through here too. The return value is about the store: 0 or an error.
int store_play(struct store *store, uint32_t number, struct move move, struct effect *effect,
               enum reason *ret_reason, struct error *err);

// Looks for a move that was played when the game's ply was `ply`. True: *ret_game is the position
// after it and *effect what it did.
bool store_find_played(const struct store *store, uint32_t number, struct move move, int ply,
                       struct game *ret_game, struct effect *effect);

// Takes back the last `count` entries of the history. NothingToUndo when there are fewer.
int store_undo(struct store *store, uint32_t number, unsigned count, struct error *err);

// ---- matches: m1, m2, …

struct match_game {
    uint32_t game;           // number of the game stored here that it was, 0 = none
    uint8_t starter, winner; // winner 0 = draw
    uint16_t scores[COLOURS_MAX + 1];
};

uint32_t store_find_match(const struct store *store, const char *name);
const struct match *store_match(const struct store *store, uint32_t number);
const struct match_game *store_match_games(const struct store *store, uint32_t number);

// `match` has its settings and is not begun. BadMatch.
int store_new_match(struct store *store, const struct match *match, uint32_t *ret_number,
                    struct error *err);

// Adds a game to a match: `played` has its result by player and which game it was; the starter is
// the match's. *ret_reason says whether it counted; only then something changed.
int store_record_match(struct store *store, uint32_t number, const struct match_game *played,
                       enum reason *ret_reason, struct error *err);

// ---- the disk

// 0, or the error of the disk; all changes since the last commit are then taken back.
int store_commit(struct store *store, struct error *err);

// While `err` is set (NULL = no longer), every change is refused with it. Used to answer again,
// truthfully, requests whose commit failed.
void store_refuse(struct store *store, const struct error *err);

// The journal lines of one game, for export: "do":… members, one JSON object a line.
void store_put_journal(const struct store *store, uint32_t number, struct writer *w);

// A move as the journal writes it: as people do, and "resign 1" or "draw 2" with a colour.
bool store_read_move(const json_t *json, const struct variant *rules, struct move *ret);
