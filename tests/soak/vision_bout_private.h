// vision_bout_private: what the parts of a bout share: its state, the person's hands, what goes
// wrong.
#pragma once

#include "config/base/clock.h"
#include "config/base/rng.h"
#include "controller/onlooker.h"
#include "controller/sim/table.h"
#include "controller/sim/world.h"
#include "tests/soak/vision_bout.h"

enum {
    BOUT_FPS = 15,
    BOUT_QUEUE_MAX = 8, // turns made and not yet read
    BOUT_TRIES = 400,   // at a random point that fits
};

struct bout {
    const struct bout_options *o;
    struct bout_totals *totals;
    struct error *err;
    struct rng rng;
    struct table_setup setup;
    struct loop *loop;
    struct table *table;
    struct onlooker *onlooker;
    struct game truth;
    struct move queue[BOUT_QUEUE_MAX]; // made, not yet read
    int queued;
    struct point late[CAPTURED_MAX]; // captured and left lying
    int lates;
    int frame, bumps;
    bool doing, mistaken;
    bool asked, named; // in this turn
    bool over, failed; // the bout ends
    int64_t off_ns;    // when the hand left the board
    int64_t read_ns;   // when the last commit came
    uint8_t *jpeg;     // the last picture, for --keep
    size_t jpeg_size, jpeg_room;
    char told[ONLOOKER_TEXT_MAX];
};

// vision_bout.c: time goes on, by a frame or by seconds, and the eyes look.
int bout_step(struct bout *b);
int bout_wait(struct bout *b, double seconds);
// Ends the bout and shows what the eyes made of the board.
void bout_fail(struct bout *b, const char *what, const char *detail);

// vision_bout_person.c: the hands, and what they play.
void bout_on_done(void *user, int result);
int bout_finish_task(struct bout *b, int begun); // begun = what person_*() returned
int bout_do_task(struct bout *b, const struct person_task *task);
void bout_add_lift(struct person_task *task, struct point p);
// Is every stone where the game has it, and near enough to its point to be read?
bool bout_is_fair(const struct bout *b);
bool bout_has_neighbour(const struct game *g, int x, int y);
// A capture if there is one, mostly; otherwise near other stones, mostly. False: no move is left.
bool bout_choose_move(struct bout *b, struct move *ret);
// The stones of one task, played in the truth. Fills the task with them and what is to be lifted.
void bout_play_move(struct bout *b, struct move move, bool lifts, struct person_task *task);

// vision_bout_trouble.c: what goes wrong.
enum bout_trouble bout_choose_trouble(struct rng *rng);
unsigned bout_blunder(enum bout_trouble trouble); // PERSON_… for the task, 0 = none
// What comes over camera and light just before the hand does. Returns seconds to let pass.
double bout_disturb(struct bout *b, enum bout_trouble trouble);
// The people's mistakes: made, left until they are named, put right.
int bout_lay_wrongly(struct bout *b, enum bout_trouble trouble, struct move move);
int bout_move_wrongly(struct bout *b);
int bout_after_mistake(struct bout *b);
