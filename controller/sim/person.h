// person: the simulated player, sitting at the row-1 side: a hand that comes in, puts a stone,
// takes captured ones off, presses the button, and sometimes dithers or blunders.
//
// Asynchronous on the loop: a task takes the time it takes a person (1.5 … 3 s for a simple move),
// then `done` is called. One task at a time: -EBUSY otherwise. Points are (column, row), 0-based.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"

struct person;

enum { PERSON_LIFTS_MAX = 32 };

// What goes wrong on purpose; flags.
enum person_blunder {
    PERSON_NUDGES = 1 << 0,       // pushes a neighbouring stone by 3 … 6 mm
    PERSON_WRONG_COLOUR = 1 << 1, // puts the next colour in play
    PERSON_TWO_STONES = 1 << 2,   // puts a second stone on the next free point
    PERSON_HESITATES = 1 << 3,    // hovers, goes away, comes back
    PERSON_RESTS = 1 << 4,        // leaves the hand lying over the board for 3 s before it goes
    PERSON_NO_BUTTON = 1 << 5,    // forgets to press
    PERSON_EARLY_BUTTON = 1 << 6, // presses before the stone lies
};

struct person_task {
    int colour;                    // of the stone to place, 1 … 4; 0 = place none
    int column, row;               // where
    int lifts;                     // stones to take off afterwards
    int lift[PERSON_LIFTS_MAX][2]; // {column, row}; they go to the tray of their colour
    int block,
        turn;   // then turn this block (Pentago, 1 … 4; 0 = none): 1 clockwise, -1 the other way
    bool press; // press "done" in the end
    unsigned blunders; // enum person_blunder
};

// result: 0 = done; -ENOENT: no stone left in the bowl or nothing to lift at a point (the rest of
// the task was done); -ECANCELED: person_stop().
typedef void person_done_fn(void *user, int result);

// A block that was left half turned is turned to where the task wants it.
//
// Starts a task. done may be NULL. -EBUSY: still at the last one. -EINVAL: off the board.
int person_do(struct person *person, const struct person_task *task, person_done_fn *done,
              void *user);

// Moves a stone from one point to another (a blunder of its own, or tidying up on request).
int person_move_stone(struct person *person, const int from[2], const int to[2],
                      person_done_fn *done, void *user);

// Reaches over the board to (column, row) and stays for `seconds`, touching nothing.
int person_reach(struct person *person, int column, int row, double seconds, person_done_fn *done,
                 void *user);

bool person_busy(const struct person *person);
void person_stop(struct person *person); // takes the hand away at once; what it held goes back
