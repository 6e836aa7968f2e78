// move_reader: which legal move a person has made, judged from what the camera saw.
//
// The likelihoods of all 361 points are weighed for each legal move from the known position, with
// its captured stones already taken off or still lying there. A move is believed only when it beats
// the next best explanation by a set margin *and* no point speaks against it. The board is never
// "corrected": what no legal move explains is reported with the points named.
//
// Method: maximum posterior over the legal successors with equal priors (the idea of reading a
// board by the rules, see vision's notes on PhotoKifu and igoki); log odds in nats.
#pragma once

#include "controller/board_target.h"

enum reading_kind {
    READING_WAIT,    // too little seen, or the scene is not still
    READING_NOTHING, // the board is as it was
    READING_MOVE,    // `move` explains everything
    READING_DOUBT, // it may be `move`, but `second` or a point that can't be told stands against it
    READING_WRONG, // no legal move explains this board; `wrong` says what differs
};

struct reading {
    enum reading_kind kind;
    struct move move;   // MOVE, DOUBT
    double odds;        // nats between `move` and the next best explanation
    struct move second; // the next best; kind MOVE_PLACE with colour 0 = "no move at all"
    int left_count;     // captured stones that still lie there
    struct point left[CAPTURED_MAX];
    int unsure_count; // points that speak half-heartedly against it
    struct point unsure[POINTS_MAX];
    struct differences wrong;
};

// Judges the evidence against `game`, whose position was on the board before the move. `sure` as
// for board_target; a move needs odds of sure->wrong to be believed.
void move_reader_judge(const struct game *game, const struct evidence *e,
                       const struct sureness *sure, struct reading *ret);

// For people: "K10", "K10 or L11?", the differences. Returns buf.
char *move_reading_text(const struct reading *r, const struct game *game,
                        const struct colour_names *names, char *buf, size_t size);
