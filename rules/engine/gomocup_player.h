// gomocup_player: a program that speaks the Gomocup protocol (a "brain"), asked for moves.
//
// It runs in the sandbox and is told its time; what it answers is only read here, whether it is
// legal the caller's rules core says. The protocol knows stones on a square board and nothing else:
// games with choices, twists, several stones a turn or more than two colours can't be played with
// it. Source: Gomocup protocol, version 2 (Petr Lastovicka, Tianyi Hao).
#pragma once

#include "config/base/error.h"
#include "rules/game.h"

struct gomocup_player;

// `launcher` as for guest_new. The program is started with the first move.
int gomocup_player_new(const char *launcher, const char *command, struct gomocup_player **ret,
                       struct error *err);
struct gomocup_player *gomocup_player_free(struct gomocup_player *player);

// The brain's move in this position, which it has to find within budget_ns. Follows the game by the
// moves played since it was last asked, and lays the whole position when it can't. After an error
// (-ENOTSUP: not a game for it; -ETIMEDOUT, -EPIPE, -EPROTO: its own fault) the next question
// starts the program anew.
int gomocup_player_think(struct gomocup_player *player, const struct game *game, int64_t budget_ns,
                         struct move *ret, struct error *err);
