#include "controller/robot_state.h"

#include "config/base/text.h"

#define ROW(from, event, to, action)                                                               \
    {                                                                                              \
        ROBOT_##from, ROBOT_EV_##event, ROBOT_##to, ROBOT_ACT_##action                             \
    }

const struct robot_row robot_rows[] = {
    // Nothing moves before somebody has confirmed it.
    ROW(STOPPED, STOP, STOPPED, STOP),
    ROW(STOPPED, RESET, STARTING, START),
    ROW(STOPPED, PRESSED, STOPPED, DECLINE),
    ROW(STOPPED, RETRY, STOPPED, DECLINE),
    ROW(STOPPED, CHANGED, STOPPED, NONE),

    ROW(STARTING, STOP, STOPPED, STOP),
    ROW(STARTING, ARM_READY, HOMING, HOME),
    ROW(STARTING, PRESSED, STARTING, NOTE),
    ROW(STARTING, RETRY, STARTING, DECLINE),

    ROW(HOMING, STOP, STOPPED, STOP),
    ROW(HOMING, ARM_LOST, STARTING, START),
    ROW(HOMING, FAILED, STARTING, START),
    ROW(HOMING, HOMED, LOOKING, LOOK),
    ROW(HOMING, HAND, HOLDING, HOLD), // on its way from there to the parking place
    ROW(HOMING, WRONG, ASKING, ASK),  // it has been tried often enough
    ROW(HOMING, PRESSED, HOMING, NOTE),
    ROW(HOMING, RETRY, HOMING, DECLINE),

    // The board is the judge of what has really happened.
    ROW(LOOKING, STOP, STOPPED, STOP),
    ROW(LOOKING, SAME, DECIDING, DECIDE),
    ROW(LOOKING, WORK, WORKING, WORK),
    ROW(LOOKING, TURN, TURNING, TURN),
    ROW(LOOKING, WRONG, ASKING, ASK),
    ROW(LOOKING, FAILED, RETREATING, RECOVER), // the arm still stands over the board
    ROW(LOOKING, PRESSED, LOOKING, NOTE),
    ROW(LOOKING, RETRY, LOOKING, DECLINE),
    ROW(LOOKING, CHANGED, LOOKING, LOOK),
    ROW(LOOKING, ARM_LOST, STARTING, START),

    ROW(DECIDING, STOP, STOPPED, STOP),
    ROW(DECIDING, PERSON, WATCHING, WATCH),
    ROW(DECIDING, NAMER, THINKING, THINK),
    ROW(DECIDING, GAME_OVER, OVER, FINISH),
    ROW(DECIDING, STALE, JUDGING, REREAD),
    ROW(DECIDING, PUT_BACK, WORKING, PUT_BACK), // the game is over
    ROW(DECIDING, PRESSED, DECIDING, LATER),    // lasts no time: whose turn it is has been raised
    ROW(DECIDING, CHANGED, LOOKING, LOOK),

    // While people play, the arm is parked; losing it matters only when it is needed again.
    ROW(WATCHING, STOP, STOPPED, STOP),
    ROW(WATCHING, PRESSED, READING, READ),
    ROW(WATCHING, RETRY, WATCHING, DECLINE),
    ROW(WATCHING, MOVE, JUDGING, JUDGE), // a choice of colours is said, not laid
    ROW(WATCHING, PUT_BACK, WORKING, PUT_BACK),
    ROW(WATCHING, TROUBLE, ASKING, ASK),
    ROW(WATCHING, CHANGED, LOOKING, LOOK),

    ROW(READING, STOP, STOPPED, STOP),
    ROW(READING, MOVE, JUDGING, JUDGE),
    ROW(READING, NO_MOVE, WATCHING, EXPLAIN),
    ROW(READING, PRESSED, READING, DECLINE),
    ROW(READING, RETRY, READING, DECLINE),
    ROW(READING, CHANGED, LOOKING, LOOK),

    ROW(THINKING, STOP, STOPPED, STOP),
    ROW(THINKING, MOVE, JUDGING, JUDGE),
    ROW(THINKING, TROUBLE, ASKING, ASK),
    ROW(THINKING, PRESSED, THINKING, DECLINE),
    ROW(THINKING, RETRY, THINKING, DECLINE),
    ROW(THINKING, CHANGED, LOOKING, LOOK),

    ROW(JUDGING, STOP, STOPPED, STOP),
    ROW(JUDGING, ACCEPTED, WORKING, WORK),
    ROW(JUDGING, REFUSED, WATCHING, EXPLAIN),
    ROW(JUDGING, TROUBLE, ASKING, ASK),
    ROW(JUDGING, PRESSED, JUDGING, DECLINE),
    ROW(JUDGING, RETRY, JUDGING, DECLINE),
    ROW(JUDGING, CHANGED, LOOKING, LOOK),

    ROW(TURNING, STOP, STOPPED, STOP),
    ROW(TURNING, SAME, DECIDING, DECIDE),
    ROW(TURNING, PUT_BACK, WORKING, PUT_BACK),
    ROW(TURNING, PRESSED, LOOKING, NOTE), // the block is turned, and perhaps a move made
    ROW(TURNING, RETRY, LOOKING, LOOK),
    ROW(TURNING, WRONG, ASKING, ASK),
    ROW(TURNING, CHANGED, LOOKING, LOOK),

    // The robot's hands.
    ROW(WORKING, STOP, STOPPED, STOP),
    ROW(WORKING, SAME, DECIDING, DECIDE), // nothing to do
    ROW(WORKING, TURN, TURNING, TURN),
    ROW(WORKING, DONE, LOOKING, LOOK),
    ROW(WORKING, FAILED, RETREATING, RECOVER),
    ROW(WORKING, ARM_LOST, STARTING, START),
    ROW(WORKING, HAND, HOLDING, HOLD),
    ROW(WORKING, WRONG, ASKING, ASK),
    ROW(WORKING, PRESSED, WORKING, NOTE),
    ROW(WORKING, RETRY, WORKING, DECLINE),
    ROW(WORKING, CHANGED, WORKING, NONE), // seen when the arm is done

    ROW(RETREATING, STOP, STOPPED, STOP),
    ROW(RETREATING, DONE, LOOKING, LOOK),
    ROW(RETREATING, FAILED, ASKING, ASK),
    ROW(RETREATING, WRONG, ASKING, ASK),
    ROW(RETREATING, ARM_LOST, STARTING, START),
    ROW(RETREATING, HAND, HOLDING, HOLD),
    ROW(RETREATING, PRESSED, RETREATING, NOTE),
    ROW(RETREATING, RETRY, RETREATING, DECLINE),
    ROW(RETREATING, CHANGED, RETREATING, NONE),

    ROW(HOLDING, STOP, STOPPED, STOP),
    // Whatever ends meanwhile, nothing moves under a hand: it is looked at when the board is clear.
    ROW(HOLDING, CLEAR, WORKING, GO_ON),
    ROW(HOLDING, DONE, HOLDING, NONE),
    ROW(HOLDING, FAILED, HOLDING, NONE),
    ROW(HOLDING, ARM_LOST, HOLDING, NONE),
    ROW(HOLDING, PRESSED, HOLDING, NOTE),
    ROW(HOLDING, RETRY, HOLDING, DECLINE), // the eyes say when it goes on

    ROW(ASKING, STOP, STOPPED, STOP),
    ROW(ASKING, SAME, DECIDING, DECIDE), // put right by somebody
    ROW(ASKING, TURN, TURNING, TURN),
    ROW(ASKING, WRONG, ASKING, ASK),
    ROW(ASKING, PUT_BACK, WORKING, PUT_BACK), // somebody leaves
    ROW(ASKING, RETRY, LOOKING, LOOK),
    ROW(ASKING, CHANGED, LOOKING, LOOK),
};
const size_t robot_row_count = sizeof robot_rows / sizeof robot_rows[0];

static const char *const state_names[ROBOT_STATES][2] = {
    [ROBOT_STOPPED] = {"stopped", "stopped; nothing moves until somebody confirms"},
    [ROBOT_STARTING] = {"starting", "waiting for the arm"},
    [ROBOT_HOMING] = {"homing", "the arm finds its home corner"},
    [ROBOT_LOOKING] = {"looking", "looking at the board"},
    [ROBOT_DECIDING] = {"deciding", "whose turn is it?"},
    [ROBOT_WATCHING] = {"watching", "waiting for a person's move"},
    [ROBOT_READING] = {"reading", "reading the move"},
    [ROBOT_THINKING] = {"thinking", "thinking"},
    [ROBOT_JUDGING] = {"judging", "asking the rules"},
    [ROBOT_TURNING] = {"turning", "waiting for somebody to turn a block"},
    [ROBOT_WORKING] = {"working", "the arm moves stones"},
    [ROBOT_RETREATING] = {"retreating", "the arm leaves the board after a failed step"},
    [ROBOT_HOLDING] = {"holding", "the arm waits for a hand to leave the board"},
    [ROBOT_ASKING] = {"asking", "waiting for help"},
    [ROBOT_OVER] = {"over", "the game has ended"},
};

static const char *const event_names[ROBOT_EVENTS] = {
    [ROBOT_EV_STOP] = "stop",         [ROBOT_EV_RESET] = "reset",
    [ROBOT_EV_ARM_READY] = "ready",   [ROBOT_EV_HOMED] = "homed",
    [ROBOT_EV_ARM_LOST] = "arm lost", [ROBOT_EV_FAILED] = "failed",
    [ROBOT_EV_DONE] = "done",         [ROBOT_EV_HAND] = "hand",
    [ROBOT_EV_CLEAR] = "clear",       [ROBOT_EV_SAME] = "same",
    [ROBOT_EV_WORK] = "work",         [ROBOT_EV_WRONG] = "wrong",
    [ROBOT_EV_PERSON] = "person",     [ROBOT_EV_NAMER] = "namer",
    [ROBOT_EV_GAME_OVER] = "over",    [ROBOT_EV_PRESSED] = "pressed",
    [ROBOT_EV_MOVE] = "move",         [ROBOT_EV_NO_MOVE] = "no move",
    [ROBOT_EV_ACCEPTED] = "accepted", [ROBOT_EV_REFUSED] = "refused",
    [ROBOT_EV_TROUBLE] = "trouble",   [ROBOT_EV_CHANGED] = "changed",
    [ROBOT_EV_RETRY] = "retry",       [ROBOT_EV_PUT_BACK] = "put back",
    [ROBOT_EV_TURN] = "turn",         [ROBOT_EV_STALE] = "stale",
};

static const char *const action_names[ROBOT_ACTIONS] = {
    [ROBOT_ACT_NONE] = "",       [ROBOT_ACT_STOP] = "stop",     [ROBOT_ACT_START] = "start",
    [ROBOT_ACT_HOME] = "home",   [ROBOT_ACT_LOOK] = "look",     [ROBOT_ACT_DECIDE] = "decide",
    [ROBOT_ACT_WATCH] = "watch", [ROBOT_ACT_READ] = "read",     [ROBOT_ACT_EXPLAIN] = "explain",
    [ROBOT_ACT_THINK] = "think", [ROBOT_ACT_JUDGE] = "judge",   [ROBOT_ACT_WORK] = "work",
    [ROBOT_ACT_HOLD] = "hold",   [ROBOT_ACT_GO_ON] = "go on",   [ROBOT_ACT_RECOVER] = "recover",
    [ROBOT_ACT_ASK] = "ask",     [ROBOT_ACT_FINISH] = "finish", [ROBOT_ACT_PUT_BACK] = "put back",
    [ROBOT_ACT_TURN] = "turn",   [ROBOT_ACT_NOTE] = "note",     [ROBOT_ACT_DECLINE] = "decline",
    [ROBOT_ACT_LATER] = "later", [ROBOT_ACT_REREAD] = "reread",
};

const char *robot_state_name(enum robot_state state)
{
    return state_names[state][0];
}

const char *robot_state_meaning(enum robot_state state)
{
    return state_names[state][1];
}

const char *robot_event_name(enum robot_event event)
{
    return event_names[event];
}

const char *robot_action_name(enum robot_action action)
{
    return action_names[action];
}

const struct robot_row *robot_row_find(enum robot_state from, enum robot_event event)
{
    for (size_t i = 0; i < robot_row_count; i++) {
        if (robot_rows[i].from == from && robot_rows[i].event == event)
            return &robot_rows[i];
    }
    return NULL;
}

size_t robot_state_graph(char *buf, size_t size)
{
    struct text g = {buf, size, 0};
    text_put(&g, "digraph tessera {\n    rankdir=TB; node [shape=box, style=rounded];\n");
    for (int s = 0; s < ROBOT_STATES; s++)
        text_put(&g, "    \"%s\" [tooltip=\"%s\"%s];\n", state_names[s][0], state_names[s][1],
                 s == ROBOT_STOPPED ? ", style=\"rounded,bold\"" : "");
    for (size_t i = 0; i < robot_row_count; i++) {
        const struct robot_row *r = &robot_rows[i];
        const char *action = action_names[r->action];
        // Every state leads to "stopped"; drawn faintly, or nothing else can be seen.
        text_put(&g, "    \"%s\" -> \"%s\" [label=\"%s%s%s\"%s];\n", state_names[r->from][0],
                 state_names[r->to][0], event_names[r->event], action[0] ? " / " : "", action,
                 r->event == ROBOT_EV_STOP ? ", color=gray80, fontcolor=gray60" : "");
    }
    text_put(&g, "}\n");
    return g.length;
}
