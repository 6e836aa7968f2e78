// wire: rules as JSON (protocol.md §2), both ways.
//
// Reading takes jansson trees and fills plain structs; writing goes straight into a text.
// Everything here is pure: no game is kept.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "config/base/error.h"
#include "rules/daemon/writer.h"
#include "rules/explain.h"
#include "rules/game.h"

enum {
    PLAYER_NAME_MAX = 64, // bytes with the NUL
};

struct player {
    char name[PLAYER_NAME_MAX];
    uint8_t colour; // 0 = not given
};

// ---- reading: 0 or a negative errno with a code and a sentence in err

// `variant` and `options` of params. *ret_rules points to a row of the table, or to *house, which
// is then filled. UnknownVariant, UnknownOption, BadOption.
int wire_read_rules(const json_t *params, struct variant *house, const struct variant **ret_rules,
                    struct error *err);

// A free position. BadSetup.
int wire_read_setup(const json_t *json, struct setup *ret, struct error *err);

// `players` of params; *ret_count is 0 when there are none. BadPlayers.
int wire_read_players(const json_t *params, struct player ret[SEATS_MAX], unsigned *ret_count,
                      struct error *err);

// Whether the players fit the game: not more than it has seats, none of a colour it does not have,
// not more of a colour than seats play it. BadPlayers.
int wire_check_players(const struct player *players, unsigned count, const struct variant *rules,
                       struct error *err);

// A move in any of its forms. False: it is none (reason "malformed").
bool wire_read_move(const json_t *json, const struct variant *rules, struct move *ret);

// {"1":8,"2":2} -> counts[1] = 8 …; keys 1..COLOURS_MAX, values 0..max. BadParams; `name` is that
// of the object, for the sentence.
int wire_read_counts(const json_t *json, const char *name, uint16_t max,
                     uint16_t counts[COLOURS_MAX + 1], struct error *err);

// A board as somebody sees it: rows, top first, or one string with line ends; '?' = not seen.
// BadBoard.
int wire_read_board(const json_t *json, const struct variant *rules, seen_board ret,
                    struct error *err);

// ---- writing

void wire_put_point(struct writer *w, struct point p);
void wire_put_counts(struct writer *w, const struct variant *rules,
                     const uint16_t counts[COLOURS_MAX + 1]);
void wire_put_move(struct writer *w, const struct variant *rules, struct move move);

// "options": the fields in which the rules differ from the row of the table that they are named
// after; {} when none does.
void wire_put_options(struct writer *w, const struct variant *rules);

// {"stones":…}, as wire_read_setup() reads it.
void wire_put_setup(struct writer *w, const struct variant *rules, const struct setup *setup);

void wire_put_players(struct writer *w, const struct player *players, unsigned count);

// null while the game goes on.
void wire_put_result(struct writer *w, const struct result *result);

// `members` of an effect without braces, so that a caller can add to them. For an illegal move the
// sentence is made for `before` and `move` (both only used then). `after` (may be NULL) is the
// position after the move: for Pentago its board is added.
void wire_put_effect(struct writer *w, const struct effect *effect, const struct game *before,
                     const struct move *move, const struct game *after);

// Members of a state that the position alone gives; the caller adds game, players and moves.
void wire_put_position(struct writer *w, const struct game *game);
