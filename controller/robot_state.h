// robot_state: what the robot may be doing, what may happen then, and what follows. One table; the
// robot has no other states and takes no other turns. `tessera graph` prints it.
//
// An action may do things and may raise further events; it never changes the state by itself.
// An event that has no row in a state is ignored there (a button pressed at the wrong moment).
#pragma once

#include <stddef.h>

enum robot_state {
    ROBOT_STOPPED,    // nothing moves until the cause is gone and somebody confirms
    ROBOT_STARTING,   // the arm's firmware is awaited; its position is not known
    ROBOT_HOMING,     // the arm finds its home corner, lets go over the tray, parks
    ROBOT_LOOKING,    // the arm is parked; the board is compared with the game
    ROBOT_DECIDING,   // whose turn is it?
    ROBOT_WATCHING,   // a person's turn
    ROBOT_READING,    // the person is done: what has been played?
    ROBOT_THINKING,   // the turn of somebody who only names moves
    ROBOT_JUDGING,    // the rules daemon decides about a move
    ROBOT_TURNING,    // a block of Pentago's board, which the arm can't turn: a person is asked to
    ROBOT_WORKING,    // the arm brings the board to where the game is
    ROBOT_RETREATING, // after a step that failed: a stone in hand into its tray, and out of the
                      // picture
    ROBOT_HOLDING,    // a hand is over the board: the arm stands still
    ROBOT_ASKING,     // something only people can put right
    ROBOT_OVER,       // the game has ended
    ROBOT_STATES
};

enum robot_event {
    ROBOT_EV_STOP,      // e-stop, a stop by a person, or the arm has stopped itself
    ROBOT_EV_RESET,     // confirmed: go on after a stop
    ROBOT_EV_ARM_READY, // the firmware answers; position unknown
    ROBOT_EV_HOMED,     // position known, arm parked
    ROBOT_EV_ARM_LOST,  // position lost, or the device is gone
    ROBOT_EV_FAILED,    // a step of the arm failed, position still known
    ROBOT_EV_DONE,      // the arm has done all its steps and is parked
    ROBOT_EV_HAND,      // a hand, or no picture: nobody knows what is over the board
    ROBOT_EV_CLEAR,     // it is gone for long enough
    ROBOT_EV_SAME,      // the board is as the game says
    ROBOT_EV_WORK,      // … but for steps the arm can do
    ROBOT_EV_WRONG,     // … but for things nobody has asked for
    ROBOT_EV_TURN,      // … but for a block that is to be turned
    ROBOT_EV_PERSON,    // a player at the board is to move
    ROBOT_EV_NAMER,     // a player who names moves is to move
    ROBOT_EV_GAME_OVER,
    ROBOT_EV_STALE,    // a request to the rules failed: has it been carried out?
    ROBOT_EV_PRESSED,  // "my move is done"
    ROBOT_EV_MOVE,     // a move was read or named
    ROBOT_EV_NO_MOVE,  // none can be read from the board
    ROBOT_EV_ACCEPTED, // by the rules daemon
    ROBOT_EV_REFUSED,  // a move read from the board
    ROBOT_EV_TROUBLE,  // a player or the rules daemon can't go on
    ROBOT_EV_CHANGED,  // taken back, resigned, drawn: the game is another one now
    ROBOT_EV_RETRY,    // a person says: look again, try again
    ROBOT_EV_PUT_BACK, // the stone on the cup has waited long enough, or is not needed any more
    ROBOT_EVENTS
};

enum robot_action {
    ROBOT_ACT_NONE,
    ROBOT_ACT_STOP,     // everything stands still; tells why and what to do
    ROBOT_ACT_START,    // resets the arm, waits for the firmware
    ROBOT_ACT_HOME,     // home, vent, park
    ROBOT_ACT_LOOK,     // fresh evidence
    ROBOT_ACT_DECIDE,   // whose turn
    ROBOT_ACT_WATCH,    // lamp on, the person's turn
    ROBOT_ACT_READ,     // judge what lies there
    ROBOT_ACT_EXPLAIN,  // tells the person what is wrong with the board
    ROBOT_ACT_THINK,    // asks the player for a move
    ROBOT_ACT_JUDGE,    // asks the rules daemon
    ROBOT_ACT_REREAD,   // asks it how the game stands
    ROBOT_ACT_TURN,     // lamp on, asks for the block to be turned
    ROBOT_ACT_WORK,     // does the steps that are left
    ROBOT_ACT_HOLD,     // feed hold
    ROBOT_ACT_GO_ON,    // resumes the arm
    ROBOT_ACT_RECOVER,  // parks and looks what the failed step left behind
    ROBOT_ACT_ASK,      // puts the question
    ROBOT_ACT_FINISH,   // result, lamps off
    ROBOT_ACT_PUT_BACK, // puts the stone that waits on the cup away, then parks
    ROBOT_ACT_NOTE,     // remembers that a person said "done", for when the board is seen
    ROBOT_ACT_DECLINE,  // tells why what was said does not count now
    ROBOT_ACT_LATER,    // the next state handles the event
    ROBOT_ACTIONS
};

struct robot_row {
    enum robot_state from;
    enum robot_event event;
    enum robot_state to;
    enum robot_action action;
};

extern const struct robot_row robot_rows[];
extern const size_t robot_row_count;

// Short names: "working", "hand", "hold". Never NULL for valid values.
const char *robot_state_name(enum robot_state state);
const char *robot_event_name(enum robot_event event);
const char *robot_action_name(enum robot_action action);

// One line for people: what the robot does in this state.
const char *robot_state_meaning(enum robot_state state);

// The row for an event in a state, or NULL: it is ignored there.
const struct robot_row *robot_row_find(enum robot_state from, enum robot_event event);

// The table as a graph for Graphviz' dot. Cut to size; returns the length of the whole text.
size_t robot_state_graph(char *buf, size_t size);
