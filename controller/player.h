// player: the edge to whoever sits at the table.
//
// A player *at the board* moves stones with his own hands (or with somebody's hands): the robot
// sees what he did. Any other player only names his moves, and the robot lays the stones for him.
// Implementations: a person at the board, an engine process (GTP), and for the simulated table a
// simulated person whose moves come from an engine or from what is typed.
//
// All calls come from the loop's thread. Moves and failures are reported through the events given
// at the start, never from within a call.
#pragma once

#include <stdbool.h>

#include "config/base/error.h"
#include "rules/game.h"

struct player_events {
    // He names his move (not from players at the board, except for choices, resignation and draw).
    void (*move)(void *user, unsigned seat, struct move move);
    // He can't go on: crashed, silent, illegal. The sentence says what happened; think() tries
    // again.
    void (*failed)(void *user, unsigned seat, const struct error *err);
    void *user;
};

struct player_ops {
    // A game begins (or is continued) with this position. 0 or negative errno with a sentence.
    int (*begin)(void *impl, const struct game *game, struct error *err);
    // The position is now this one: after every move of anybody and after taking back.
    void (*follow)(void *impl, const struct game *game);
    // It is your turn in this position.
    void (*think)(void *impl, const struct game *game);
    // Never mind: the turn is over (taken back, resigned). No event may follow.
    void (*stop)(void *impl);
    // The stone seen is no legal move, or the board is not as it should be: `text` says why and
    // what was expected. Players at the board only; NULL allowed.
    void (*complain)(void *impl, const char *text);
    void (*free)(void *impl);
};

struct player {
    const struct player_ops *ops;
    void *impl;
    bool at_board;
    char name[64]; // for messages: "you", "tessera-engine, level 5"
};

// His name is "you": sentences about him are said to him.
bool player_is_you(const struct player *player);

void player_free(struct player *player); // an empty one is fine
