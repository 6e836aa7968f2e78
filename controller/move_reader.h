// move_reader: which legal move a person has made, judged from what the camera saw.
//
// The likelihoods of all points are weighed for every legal turn from the known position: a stone
// with its captured stones already taken off or still lying there; both stones of a Connect6 turn;
// a Pentago marble with every twist. A turn is believed only when it beats the next best
// explanation by a set margin *and* no point speaks against it. The board is never "corrected":
// what no legal turn explains is reported with the points named.
//
// Method: maximum posterior over the legal successors with equal priors (the idea of reading a
// board by the rules, see vision's notes on PhotoKifu and igoki); log odds in nats. Turns that lead
// to the same board are one explanation: which of them it was makes no difference to the game.
#pragma once

#include "controller/board_target.h"

enum reading_kind {
    READING_WAIT,    // too little seen, or the scene is not still
    READING_NOTHING, // the board is as it was
    READING_MOVE,    // `move` explains everything
    READING_PARTIAL, // Pentago: a turn is under way; `block` says what is missing
    READING_DOUBT, // it may be `move`, but `second` or a point that can't be told stands against it
    READING_WRONG, // no legal turn explains this board; `wrong` says what differs
};

struct reading {
    enum reading_kind kind;
    struct move move;   // MOVE, DOUBT, PARTIAL (the marble); Connect6: also a pair
    struct move then;   // MOVE: what the next colour has played already, colour 0 = nothing
    double odds;        // nats between `move` and the next best explanation
    struct move second; // the next best; kind MOVE_PLACE with colour 0 = "no move at all"
    int block;      // PARTIAL: the block 1..4 that stands half turned, 0 = no block was turned yet;
                    // WRONG: the block that was turned without a marble, 0 = none
    int turn;       // WRONG with a block: enum pentago_turn
    int left_count; // captured stones that still lie there
    struct point left[POINTS_MAX];
    int unsure_count; // points that speak half-heartedly against it
    struct point unsure[POINTS_MAX];
    struct differences wrong;
};

struct reading_options {
    // Points where a stone of an earlier capture may lie still: seen there it is no fault, and
    // nobody can have played there. NULL = none.
    const struct board_target *pending;
    int moves; // how many turns may have been made since, 1 or 2 (two people playing fast)
};

// Judges the evidence against `game`, whose position was on the board before the move. `sure` as
// for board_target; a move needs odds of sure->wrong to be believed.
void move_reader_judge(const struct game *game, const struct evidence *e,
                       const struct sureness *sure, struct reading *ret);
void move_reader_judge_with(const struct game *game, const struct evidence *e,
                            const struct sureness *sure, const struct reading_options *options,
                            struct reading *ret);

// For people: "K10", "K10 or L11?", the differences. Returns buf.
char *move_reading_text(const struct reading *r, const struct game *game,
                        const struct colour_names *names, char *buf, size_t size);
