// pentago_opening: the exact value of every Pentago position with up to four marbles.
//
// The values come from G. Irving's strong solution of the game ("Pentago is a first player win",
// arXiv 1404.0743; its data are in the public domain). They are packed into pentago_opening.bin,
// two bytes for each of the 47,368 classes of positions that the eight symmetries of the board
// leave, in the order of their keys; the keys themselves are counted up again when the table is
// first used. pentago_opening_pack.c makes the file.
#pragma once

#include <stdint.h>

#include "rules/pentago.h"

enum {
    PENTAGO_OPENING_MARBLES = 4,
    PENTAGO_OPENING_CLASSES = 47368,
    PENTAGO_EASE_MAX = 31,
};

struct pentago_turn_move {
    uint8_t bit;  // of the hole
    uint8_t lane; // of the block that is turned
    int8_t turn;  // enum pentago_turn
};

struct pentago_opening_entry {
    int value; // for the side to move: 1 won, 0 drawn, −1 lost
    int ease;  // share of moves that keep it: 0 = hardly any … PENTAGO_EASE_MAX = all
    struct pentago_turn_move move; // one that keeps it
};

// The key of a position's class (24 bits), and in *ret_symmetry the symmetry (see
// pentago_map_marbles) that leads from the position to the class's representative.
// At most PENTAGO_OPENING_MARBLES marbles.
uint32_t pentago_class(const uint64_t marbles[2], unsigned *ret_symmetry);

// The eight symmetries: 0 … 3 turn the board clockwise by so many quarters; 4 … 7 first mirror it
// left to right.
uint64_t pentago_map_marbles(uint64_t marbles, unsigned symmetry);
struct pentago_turn_move pentago_map_move(struct pentago_turn_move move, unsigned symmetry);
unsigned pentago_inverse(unsigned symmetry);

// Looks a position up; the side to move follows from the number of marbles. Returns 0, -ENOENT
// with more than four marbles, -ENOMEM. Thread-safe.
int pentago_opening_find(const uint64_t marbles[2], struct pentago_opening_entry *ret);

// For the packer: all keys in order, PENTAGO_OPENING_CLASSES of them (freed by the caller), NULL
// when there is no memory; and an entry's two bytes.
uint32_t *pentago_opening_keys(void);
uint16_t pentago_opening_encode(const struct pentago_opening_entry *entry);
