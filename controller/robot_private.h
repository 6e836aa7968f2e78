// Inside of the robot, shared by its files:
//   robot.c        making, the event queue, what people may do
//   robot_arm.c    stops, physical steps; robot_arm_events.c  what the arm tells of them;
//                  robot_arm_open.c  making; robot_ahead.c  the stone that waits on the cup;
//                  robot_home.c  homing, and what the stones laid since say of it;
//                  robot_straighten.c  stones that lie beside their points;
//                  robot_search.c  stones that were not gripped where they were seen;
//                  robot_stores.c  where stones come from and go to, and who fills and empties it;
//                  robot_hands.c  people's, over the board
//   robot_look.c   camera, comparing, reading
//   robot_game.c   turns, players, rules
//   robot_turn.c   Pentago's blocks, which the arm can't turn
// Not for users.
#pragma once

#include "controller/arm_link.h"
#include "controller/board_target.h"
#include "controller/controls.h"
#include "controller/evidence.h"
#include "controller/eye.h"
#include "controller/home_check.h"
#include "controller/map_learner.h"
#include "controller/move_reader.h"
#include "controller/robot.h"

enum {
    ROBOT_QUEUE = 32, // events that wait; each callback raises one or two
    ROBOT_TEXT = 512,
    ROBOT_ATTEMPTS = 3, // times the same work is tried before people are asked
};

// Tags of the arm's jobs; those of steps are ROBOT_TAG_STEP + their index.
enum {
    ROBOT_TAG_HOME = 1,
    ROBOT_TAG_VENT,
    ROBOT_TAG_PARK,
    ROBOT_TAG_RETREAT,
    ROBOT_TAG_AHEAD, // the next stone is picked ahead
    ROBOT_TAG_BACK,  // and put away again
    ROBOT_TAG_REST,  // the pump stops: what hung on the cup has fallen
    ROBOT_TAG_STEP,
};

// What becomes of the stone that waits on the cup when work begins.
enum robot_ahead {
    ROBOT_AHEAD_NONE,       // none waits
    ROBOT_AHEAD_FIRST,      // it is laid by the first step
    ROBOT_AHEAD_IN_THE_WAY, // not by any, or something must be lifted first: it has to be put away
};

// A block that a person has to turn after the robot's marble.
enum robot_turn_state {
    TURN_NONE,
    TURN_LATER,    // the marble does not lie yet
    TURN_ASKED,    // it does; the board should look as after the turn
    TURN_GIVEN_UP, // the game ended meanwhile: as before the turn will do, and as after it
};

struct robot_turn {
    enum robot_turn_state state;
    int block, direction; // 1 … 4, enum pentago_turn
};

// What the arm has tried in vain to lift.
struct robot_search {
    int rounds;   // of tries at it
    double at[2]; // where it was seen then, board mm from the point
};

struct robot {
    struct robot_options o;
    struct robot_events events;
    struct loop *loop;
    const struct settings *settings;
    struct colour_names colours;
    struct robot_counts counts;

    // State machine.
    enum robot_state state;
    enum robot_event queue[ROBOT_QUEUE], handled; // handled: the one that is, or was last
    int queued;
    struct loop_source *wake;   // runs the queue
    struct loop_source *timer;  // patience of the present state
    struct loop_source *unseen; // no picture has come for too long

    // Panel and arm.
    struct controls *controls;          // NULL = there are none
    struct gripper_lines gripper_lines; // of the controls
    struct gripper *gripper;
    struct arm *arm;
    struct arm_link *arm_link;
    bool arm_homed;  // as last heard
    bool stop_asked; // the arm is stopped by us, and why
    char stop_text[ROBOT_TEXT];
    bool parked, homing;
    struct map_learner learner; // board to machine, better with every stone placed
    struct board_map map;
    struct target_step steps[TARGET_STEPS_MAX];
    double commanded[TARGET_STEPS_MAX][2]; // machine mm each step was sent to
    int step_count;
    bool carried_out[TARGET_STEPS_MAX]; // of the steps: the arm has said so
    int straighten_from;   // from this step on a stone that lies crookedly is laid anew
    bool laid[POINTS_MAX]; // by the arm, once: it may be straightened; index y * size + x
    struct robot_search search[POINTS_MAX]; // the same index
    bool submitted;                         // the steps are with the arm
    bool putting_away;                      // the work is to put away what waits on the cup
    unsigned hand_colour; // of the stone the arm took hold of last; 0 = of none yet
    unsigned short_of;    // colour whose store is empty, as people were told; 0 = none
    unsigned full;        // bit s: store s is, as people were told
    int attempts;         // of the same work
    int moves_since_home;
    int homing_tries; // since it last came to its parking place
    double last_row;  // the tool's, when its position was last known
    bool row_known;   // it has been, once
    int64_t
        waits_since_ns; // for a hand to go before it finds its home corner, since; 0 = it doesn't
    int64_t reached_ns; // somebody's hand was over the board, or nobody could see, last
    int64_t calm_since_ns; // nothing in the picture moves since; 0 = something does, or who knows
    int64_t word_ns;       // a person has said that the arm may move; 0 = that is spent
    bool word_despite;     // what may be a hand was seen then, and is still
    unsigned fallen;       // colours that fell off the cup and may lie anywhere; bit 0 = which?
    int64_t fell_ns;    // the last of them was still there then; 0 = not while this program watched
    int64_t gripped_ns; // the last stone was held for certain
    struct target_step fell_step; // on its way to or from there; colour 0 = not known
    struct point whose_at;        // one that is asked about
    unsigned whose; // of these colours is a new stone that fell, or is a person's move: it is asked
    int looks_anew; // for the grid, since the board was last right
    bool adrift;    // a stone has been on the cup since the board was last right
    bool change_logged;     // the log has what was pending when the game was changed
    bool undo_asked;        // the rules are asked to take back, and the log says so
    bool home_due;          // a stone lies too far off: the arm may have lost steps
    struct home_check home; // by the stones laid since
    int64_t work_began_ns;
    unsigned ahead_asked;  // colour of the stone to be picked ahead
    unsigned ahead_colour; // of the one that has been; 0 = none
    int64_t ahead_since_ns;
    bool ahead_failed;          // since the last stone was laid: no other try before one is due
    char failure[ROBOT_TEXT];   // of the last failed step
    char loss_told[ROBOT_TEXT]; // why the plotter is gone, as people were told; "" = it is there

    // Eyes.
    struct eye *eye;
    bool camera_lost;
    struct evidence evidence;
    struct observation last; // the newest observation
    int64_t seen_ns;         // when it came
    int64_t gap_ns[2];       // how long after the one before; the same of that one
    struct sureness sure;
    int64_t clear_since_ns; // nothing foreign over the board since; 0 = something is
    int64_t doubt_since_ns; // in LOOKING, READING: the same trouble since; 0 = none
    char hint[ROBOT_TEXT];  // last told
    bool pressed;           // "done", while it was not asked for
    bool moved_early;       // a person's move lies there already, as the last look found

    // The game.
    struct board_target target;
    struct robot_turn turn;
    size_t entries;    // of the game as last followed
    uint64_t position; // of that game, its hash
    bool over;         // that game was
    struct move move;  // read or named, not yet judged
    unsigned move_seat;
    bool refused;               // it was, though it is legal in the game as we know it
    struct rules_effect effect; // of the last accepted move
    unsigned mover;             // seat that made it; 0 = none in this session
    bool tidy;                  // wanted when the game is over
    bool tidying;               // the stones are being put away
    bool result_told;
    bool question_board; // the question is about the board: looking may answer it
    char question[ROBOT_TEXT];
};

// robot.c
void robot_raise(struct robot *r, enum robot_event event);
void robot_news(struct robot *r, enum robot_news kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void robot_patience(struct robot *r, int64_t ns); // calls robot_on_patience() after that time
struct player *robot_player(struct robot *r, unsigned seat);
const char *robot_colour_name(const struct robot *r, unsigned colour);

// robot_arm_events.c
struct arm_hooks robot_arm_hooks(struct robot *r);
void robot_arm_trouble(struct robot *r, const char *text); // kept as the reason, and told
void robot_arm_awaited(struct robot *r);                   // told: there is no plotter yet

// robot_arm_open.c
int robot_arm_open(struct robot *r, struct error *err);
void robot_arm_close(struct robot *r);

// robot_ahead.c. Functions that submit: false = the arm will not take it; what that means has been
// raised.
// After the last step, which leaves so much in the stores: takes the next stone, if it should.
bool robot_ahead_pick(struct robot *r, const struct stores *left);
void robot_ahead_taken(struct robot *r);
void robot_ahead_not_taken(struct robot *r);
unsigned robot_seats(const struct robot *r);        // bit s-1 = the robot lays seat s's stones
unsigned robot_ahead_colour(const struct robot *r); // of the stone that waits; 0 = none does
bool robot_ahead_check(struct robot *r);           // does it still hang there? False: it has fallen
void robot_ahead_watch(struct robot *r);           // at each look: still there, not for too long
enum robot_ahead robot_ahead_use(struct robot *r); // may put its step in front of the others
bool robot_ahead_in_the_way(const struct robot *r); // one waits that no step lays
bool robot_ahead_put_back(struct robot *r);
void robot_ahead_away(struct robot *r); // submits it, once the board is clear
void robot_act_put_back(struct robot *r);

// robot_arm.c
void robot_board_to_machine(const struct robot *r, struct point at, const double offset[2],
                            double ret[2]); // offset: board mm from the point; NULL = none
bool robot_submit(struct robot *r, struct arm_job job); // false: as above
bool robot_park(struct robot *r, uint64_t tag);
bool robot_vent(struct robot *r); // over the tray of what may hang on the cup
void robot_tell_obstacles(struct robot *r);
void robot_arm_stop_now(struct robot *r, enum arm_stop_reason reason, const char *why);
void robot_act_stop(struct robot *r);
const char *robot_reset_words(const struct robot *r); // what people do to confirm after a stop
void robot_act_start(struct robot *r);
void robot_act_work(struct robot *r);
void robot_act_hold(struct robot *r);
void robot_act_go_on(struct robot *r);
void robot_act_recover(struct robot *r);
void robot_work_if_clear(struct robot *r);
void robot_work_when_clear(struct robot *r); // each picture, while it waits

// robot_stores.c
int robot_tray(const struct robot *r, unsigned colour);
// Where a stone that is lifted goes, which is at `from`; `left`: the stores by then.
int robot_store_for(const struct robot *r, const struct target_step *step, const double from[2],
                    const struct stores *left);
// Where a stone comes from, and out of `left`. False: no store has one; it has been raised.
bool robot_supply_for(struct robot *r, unsigned colour, const double to[2], struct stores *left,
                      int *ret_store);
// Where a stone goes that hangs on the cup and is not to be laid: its tray, if none has room.
int robot_store_back(const struct robot *r, unsigned colour, const struct stores *left);
// Leaves out the steps for which there is no room. False: there is none at all; people are asked.
bool robot_make_room(struct robot *r);
void robot_ask_to_empty(struct robot *r, unsigned full); // these stores; bit s = store s
void robot_store_filled(struct robot *r); // or emptied, as somebody says who was asked to

// robot_hands.c
double robot_tool_row(const struct robot *r);      // rows of the board; may lie outside
bool robot_sees_often(const struct robot *r);      // so often that a hand cannot come and go unseen
bool robot_hand_seen(const struct robot *r);       // or nothing at all can be seen
void robot_hands_watch(struct robot *r);           // each picture
void robot_hands_blind(struct robot *r);           // the camera is lost
void robot_hands_unseen(void *robot, int64_t now); // its timer: no picture comes
void robot_hands_word(struct robot *r);            // somebody has said that the arm may move
void robot_hands_hold(struct robot *r);            // from here on the arm waits for a hand to go
// Work can't begin: asks people for a clear board, or says why it is not seen to be clear.
void robot_hands_wait(struct robot *r, const char *wish);
const char *robot_hands_obstacle(const struct robot *r); // a clause: why the arm must not move
bool robot_hands_waits(const struct robot *r);           // the arm does, for a clear board
void robot_hands_patience(struct robot *r);              // says again what it waits for
// May the arm look for its home corner now? False: robot_home_now() is called when it may.
bool robot_hands_let_home(struct robot *r);

// robot_home.c
void robot_act_home(struct robot *r);
void robot_home_now(struct robot *r);
bool robot_homing_is_due(const struct robot *r);
// Homes before anything else, and lets go over a tray what hangs on the cup. False: as above.
bool robot_home_first(struct robot *r);
// What the stones just laid say of the home corner and of the map. False: people are asked.
bool robot_check_placing(struct robot *r);

// robot_straighten.c
void robot_straighten_note(struct robot *r, int step); // it laid its stone where it should be
void robot_straighten_forget(struct robot *r);         // stones that are to be gone
// Behind the steps there are: lifts and lays one of these stones anew, if one lies crookedly.
void robot_straighten_add(struct robot *r);

// robot_search.c
int robot_search_round(struct robot *r, const struct target_step *step);   // for arm_job.search
void robot_search_failed(struct robot *r, const struct target_step *step); // a round of tries has
void robot_search_forget(struct robot *r); // nothing is left to be lifted

// robot_fallen.c
void robot_note_fall(struct robot *r, unsigned colour, bool held); // held: perhaps not yet
void robot_note_kept(struct robot *r);   // what hung on the cup is in its tray
void robot_tell_fallen(struct robot *r); // the board has been seen, and what fell is not there
// The one new stone, where none should be, is the one that fell: it is work from now on.
bool robot_claim_fallen(struct robot *r, const struct target_report *report);
// Colours of the new stones that may be one that fell.
unsigned robot_may_have_fallen(const struct robot *r, const struct target_report *report);
bool robot_is_next(const struct robot *r, unsigned colours); // a person, with one of these
// The same, and he may have reached over the board since it fell.
bool robot_may_be_moved(const struct robot *r, unsigned fallen);
void robot_find_in_place(struct robot *r); // what is thought to have fallen, if it is there
void robot_ask_whose(struct robot *r, const struct target_report *report, unsigned colours);
void robot_fallen_taken(struct robot *r); // off the board, by whom was asked whose it is
void robot_answer_whose(struct robot *r); // if it was asked: the stone is a person's

// robot_look.c
int robot_look_open(struct robot *r, struct error *err);
void robot_look_close(struct robot *r);
void robot_expect(struct robot *r); // tells the reader what should be on the board
void robot_act_look(struct robot *r);
void robot_confirm(struct robot *r); // the board is as the game says
void robot_act_read(struct robot *r);
void robot_act_note(struct robot *r);
void robot_act_decline(struct robot *r);
void robot_look_patience(struct robot *r);
bool robot_is_clear(const struct robot *r);

// robot_turn.c
void robot_turn_accepted(struct robot *r);  // a move; call before robot_set_target()
void robot_turn_resume(struct robot *r);    // the game's last move may not be all there
void robot_set_target(struct robot *r);     // the board should follow the game
bool robot_turn_next(struct robot *r);      // the board is right but for a turn: raised, true
bool robot_turned_already(struct robot *r); // before it was asked for
// The board against the game, or against how it stood before the turn; nothing is pending.
void robot_turn_compare(const struct robot *r, bool turned, struct target_report *ret);
void robot_turn_ended(struct robot *r); // the game has: nobody need turn anything any more
void robot_act_turn(struct robot *r);

// robot_game.c
void robot_act_decide(struct robot *r);
void robot_act_watch(struct robot *r);
void robot_act_explain(struct robot *r);
void robot_act_think(struct robot *r);
void robot_act_judge(struct robot *r);
void robot_act_reread(struct robot *r);
void robot_act_ask(struct robot *r);
void robot_act_finish(struct robot *r);
void robot_stop_players(struct robot *r);
const struct game *robot_game(const struct robot *r);
void robot_note_change(struct robot *r); // logs what is pending, for after an interruption
