// board_target: how the board should look, and what is still to be done until it does.
//
// The rules' position is the truth; the board follows it. When the position changes, each point
// that changed may for a while show what was there before: those are the steps the arm still has to
// do (or a person to undo). Anything else on the board is unexplained and a matter for people.
// So every physical step may be repeated safely: what is to be done is read off the board.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "controller/differences.h"
#include "controller/evidence.h"
#include "rules/game.h"

enum {
    TARGET_SETTLED = 255, // at this point nothing is pending
    TARGET_STEPS_MAX = 64,
};

struct board_target {
    int size;
    uint8_t want[POINTS_MAX];   // colour, 0 = empty; index y * size + x
    uint8_t before[POINTS_MAX]; // what may still be seen there, or TARGET_SETTLED
};

struct target_step {
    bool lift; // take it off; otherwise place one
    uint8_t colour;
    struct point at;
    double offset[2]; // lift: centre of the stone from the intersection as seen, board mm
};

enum target_verdict {
    TARGET_WAIT,   // too little seen yet, or the scene is not still
    TARGET_SAME,   // the board is as it should be
    TARGET_WORK,   // steps would make it so
    TARGET_UNSURE, // some points can't be told; `unsure` names them
    TARGET_WRONG,  // differences that nobody has asked for
};

struct target_report {
    enum target_verdict verdict;
    int step_count;
    struct target_step step[TARGET_STEPS_MAX]; // lifts first: a point must be free to be filled
    struct differences wrong;
    int unsure_count;
    struct point unsure[POINTS_MAX];
};

// How sure is sure, in nats of log likelihood.
struct sureness {
    double doubt; // more than this against what is allowed at a point: unsure
    double wrong; // more than this against it: it is not so; and a move must beat the next by this
    double tell;  // what was and what should be must differ by this to be told apart
    int frames;   // still frames needed at least
};
struct sureness sureness_default(void);

void board_target_init(struct board_target *t, int size);

// The board should now look like this position. Points that change become pending.
void board_target_set(struct board_target *t, const struct game *game);

// What is pending, as text for a log: a digit for each point that may still show that colour (0 =
// empty), '.' for the others; index y * size + x.
void board_target_format(const struct board_target *t, char ret[POINTS_MAX + 1]);

// Adds what such a text says (NULL or "" = nothing; one for another board says nothing).
void board_target_add(struct board_target *t, const char *pending);

// Declares what stood there before the last turn of `game`, and what `pending` says
// (board_target_add()): after a restart, when nobody knows how far the arm came.
void board_target_resume(struct board_target *t, const struct game *game, const char *pending);

// No stone should lie there any more: the game is over and the board is put in order.
void board_target_clear(struct board_target *t);

// The board has been seen to be as it should: nothing is pending any more.
void board_target_settle(struct board_target *t);
bool board_target_pending(const struct board_target *t);

void board_target_compare(const struct board_target *t, const struct evidence *e,
                          const struct sureness *sure, struct target_report *ret);
