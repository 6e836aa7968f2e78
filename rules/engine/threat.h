// threat: proves wins by continuous threats.
//
// The attacker plays only moves after which a win at once is threatened (a row, or a capture that
// reaches the goal) and which leave the defender no win of their own; the defender's only useful
// replies are then to occupy a winning point or to capture something, and every one of them is
// tried on the board. So a proof holds against every legal reply. (In poof and boat games stones
// can also vanish by the player's own move; there the same replies are tried, which is no longer
// every useful one, and a proof is strong evidence only.)
//
// After Allis, van den Herik, Huntjens, "Go-Moku and Threat-Space Search" (1993), made exact for
// captures.
#pragma once

#include <stdint.h>

#include "rules/engine/sboard.h"

enum {
    THREAT_MOVES_MAX = 40, // own moves in the longest proof
};

struct threat_entry {
    uint64_t hash;
    uint16_t cell;    // the winning first move
    uint8_t win;      // own moves to win, 0 = none known
    uint8_t searched; // no win within so many own moves
};

// A search's memory; make one for each thread. A zeroed struct with `slots` (a power of two)
// entries is ready.
struct threat {
    struct threat_entry *entry;
    uint32_t slots;
    uint64_t nodes;          // moves made, ever
    uint64_t node_limit;     // of the current call, compared with nodes
    int (*poll)(void *user); // NULL, or called now and then: non-zero = no time left
    void *user;
    int exhausted; // the current call gave up
    int cut;       // it stopped somewhere only because of its limit of moves
};

// Allocates the memory. Returns 0 or -ENOMEM.
int threat_init(struct threat *threat, uint32_t slots);
void threat_done(struct threat *threat);
void threat_forget(struct threat *threat);

// Looks for the shortest win of the side to move within `moves` own moves, making at most about
// `nodes` moves on the board (which is as before afterwards). Returns the number of own moves the
// win takes and sets *ret_cell to its first; 0 when none was found.
int threat_win(struct threat *threat, struct sboard *b, int moves, uint64_t nodes,
               uint16_t *ret_cell);

// Whether playing `cell` starts a win within `moves` own moves. Returns how many, or 0.
int threat_wins_with(struct threat *threat, struct sboard *b, int cell, int moves, uint64_t nodes);
