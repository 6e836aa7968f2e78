// robot: the whole robot at one table for one game. Ties arm, eyes, panel, rules and players
// together by the state table of controller/robot_state.h.
//
// What binds it (design, section 6): it starts stopped; stopping never waits for anything; before a
// physical step its intention is on disk and after it the camera confirms it; the rules' position
// is the truth and the board is brought to it, so every step may be repeated; what can't be
// explained is shown and asked, never corrected in silence; losing a device is a state, not an end.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/settings.h"
#include "controller/devices.h"
#include "controller/differences.h"
#include "controller/evidence.h"
#include "controller/loop.h"
#include "controller/player.h"
#include "controller/recorder.h"
#include "controller/referee.h"
#include "controller/robot_log.h"
#include "controller/robot_state.h"

struct robot;

// What is told to people, by how they may want to see it.
enum robot_news {
    ROBOT_NEWS_DOING,    // "placing a red stone on K10"
    ROBOT_NEWS_TURN,     // whose turn it is and what to do
    ROBOT_NEWS_CALL,     // "tria", "tessera"
    ROBOT_NEWS_HINT,     // why a move can't be read; the person goes on by himself
    ROBOT_NEWS_QUESTION, // the game stands until somebody helps
    ROBOT_NEWS_TROUBLE,  // a device, a retry: worth knowing
    ROBOT_NEWS_RESULT,   // how the game ended
};

struct robot_events {
    void (*news)(void *user, enum robot_news kind, const char *text);
    void (*state)(void *user, enum robot_state state);
    // The game is now this one. `effect` of the move that led here; NULL at the start, after taking
    // back and after a resignation.
    void (*position)(void *user, const struct game *game, const struct rules_effect *effect);
    // The arm is parked and the camera agrees with the game on every point. For tests. NULL
    // allowed.
    void (*confirmed)(void *user, const struct game *game);
    void (*over)(void *user, const struct game *game);
    void *user;
};

// What has happened so far, for the summary.
struct robot_counts {
    int moves, captured;             // stones laid by anybody; stones captured
    int placed, lifted;              // by the arm
    int straightened;                // laid a second time, since they lay beside their points
    int ahead;                       // stones picked while people think
    int picks_failed, picks_retried; // gave up; tried again
    int questions, hints;            // asked people; told a person why a move can't be read
    int hands;                       // the arm stood still for a hand
    int homings, stops;
    int observations;
    int64_t working_ns; // the arm's time between the rules' word and the parked arm
    int worked;         // how often
};

struct robot_options {
    struct loop *loop;
    const struct settings *settings; // borrowed until robot_free(), as all below
    struct devices *devices;
    struct referee *referee;   // its game has begun or been continued
    struct robot_log *log;     // NULL = none is kept
    struct recorder *recorder; // NULL = nothing is recorded
    struct player *players;    // [seat - 1], for every seat of the variant
    bool resumed;              // the board may be at any point of the last move
    unsigned fallen;           // robot_log_past.fallen,
    const char *pending;       // .pending; NULL or "" = nothing; not kept
    bool changed;              // .changed
    bool fast;                 // few frames: a virtual clock, where pictures are all the cost
};

int robot_new(const struct robot_options *options, const struct robot_events *events,
              struct robot **ret, struct error *err);
struct robot *robot_free(struct robot *robot); // NULL allowed

// Begins: stopped, and says what it needs. Everything else follows from events.
void robot_start(struct robot *robot);

// What people may do; each is ignored where it makes no sense.
void robot_press_done(struct robot *robot);
void robot_reset(struct robot *robot);
void robot_stop(struct robot *robot, const char *why);
void robot_retry(struct robot *robot);

// These ask the rules: -EBUSY while something is asked already, -ESTALE while it is not known what
// became of what was asked last. Should it fail, the game goes on as it stands.
//
// Takes back moves until it is `seat`'s turn again; -ENODATA when that seat has not moved yet,
// -EPERM when the stones are being put away. The robot puts the board right.
int robot_undo(struct robot *robot, unsigned seat);
// -EALREADY when the game is over.
int robot_resign(struct robot *robot, unsigned seat);
int robot_offer_draw(struct robot *robot, unsigned seat);

// The handlers to give to players; user = the robot.
void robot_on_player_move(void *robot, unsigned seat, struct move move);
void robot_on_player_failed(void *robot, unsigned seat, const struct error *err);

// A stone waits on the cup and would fall when the robot goes: it is put away now. False: none
// does, or it can't be. Done when the state is neither ROBOT_WORKING nor ROBOT_HOLDING any more.
bool robot_put_away(struct robot *robot);
// When the game is over the arm puts all stones away, as with the setting game.tidy.
void robot_tidy(struct robot *robot);

enum robot_state robot_state(const struct robot *robot);
// The block of a Pentago board that somebody is asked to turn. False: none; the rest is untouched.
bool robot_turn_asked(const struct robot *robot, int *ret_block, int *ret_direction);
// Where a new stone lies of which somebody is asked whether it fell off the cup. As above.
bool robot_whose_asked(const struct robot *robot, struct point *ret);
bool robot_emptying_asked(const struct robot *robot); // somebody is asked to empty trays
const struct robot_counts *robot_counts(const struct robot *robot);
const struct colour_names *robot_colours(const struct robot *robot);
// For a replay, whose devices have no camera: looks at this picture now.
void robot_push_frame(struct robot *robot, const struct frame *frame);

// What has been seen of the board since it last lay still. Borrowed; changes as the loop runs.
const struct evidence *robot_evidence(const struct robot *robot);
