// Hands over the board. While the arm moves, or stands where it may be over the board, it covers
// points too, and only what lies well below its row counts (hand_watch); while it is parked the
// scene is judged as a whole.
#include "config/base/clock.h"
#include "controller/hand_watch.h"
#include "controller/robot_private.h"

// On a person's word the arm may move although the eyes see something; it is soon spent.
static const int64_t WORD_NS = 15 * NS_PER_S;
// What stands still so long while the arm's position is not known is no hand: the arm covers that.
static const int64_t GHOST_NS = 10 * NS_PER_S;
// Nobody may know what the arm waits for: it is said again.
static const int64_t HAND_PATIENCE_NS = 30 * NS_PER_S;

// Where the firmware last said the tool is, also in the middle of a leg. Once its position is lost
// it is believed to stand where it was.
double robot_tool_row(const struct robot *r)
{
    double machine[3], board[2];
    const struct grbl_status *status = grbl_last_status(arm_grbl(r->arm));
    if (!arm_position(r->arm, machine) || !status->has_machine ||
        board_map_to_board(&r->map, status->machine, board) < 0)
        return r->last_row;
    return board[1] / r->settings->board.pitch_y;
}

// The arm carries out what we told it, at a known position.
static bool under_way(const struct robot *r)
{
    return r->submitted && arm_state(r->arm) == ARM_HOMED &&
           (r->state == ROBOT_WORKING || r->state == ROBOT_RETREATING || r->state == ROBOT_HOMING);
}

static bool arm_in_the_picture(const struct robot *r)
{
    return r->state == ROBOT_HOMING || (r->state == ROBOT_HOLDING && r->submitted) || under_way(r);
}

bool robot_hand_seen(const struct robot *r)
{
    enum scene_state state = r->last.scene.state;
    if (arm_in_the_picture(r))
        return r->camera_lost || hand_watch(&r->last, robot_tool_row(r), r->waits_since_ns > 0);
    return state == SCENE_HAND || state == SCENE_MOVING || state == SCENE_NO_BOARD;
}

static bool clear_for_long(const struct robot *r)
{
    int64_t wait = (int64_t)(r->settings->safety.hand_clear * (double)NS_PER_S);
    return r->clear_since_ns && r->last.time_ns - r->clear_since_ns >= wait;
}

void robot_hands_word(struct robot *r)
{
    r->word_ns = loop_now(r->loop);
}

bool robot_hands_let_home(struct robot *r)
{
    bool word = r->word_ns && loop_now(r->loop) - r->word_ns < WORD_NS;
    r->word_ns = 0;
    if (word || !robot_hand_seen(r))
        return true;
    r->waits_since_ns = r->last.time_ns ? r->last.time_ns : 1;
    r->clear_since_ns = 0;
    robot_patience(r, HAND_PATIENCE_NS);
    robot_news(r, ROBOT_NEWS_HINT, "%s. The arm finds its home corner when the board is clear.",
               r->camera_lost ? "the camera sees nothing" : "there is a hand over the board");
    return false;
}

void robot_hands_hold(struct robot *r)
{
    r->last_row = robot_tool_row(r);
    r->waits_since_ns = r->last.time_ns ? r->last.time_ns : 1;
    robot_patience(r, HAND_PATIENCE_NS);
}

void robot_hands_patience(struct robot *r)
{
    if (!r->waits_since_ns)
        return; // it is on its way home
    if (r->camera_lost)
        robot_news(r, ROBOT_NEWS_HINT, "the arm still waits for the camera. Is it plugged in?");
    else
        robot_news(
            r, ROBOT_NEWS_HINT,
            "the arm still waits for the board to be clear. Is nothing there but a shadow or "
            "the arm itself? Then stop the robot, keep all hands away, and %s: it finds its "
            "home corner first.",
            robot_reset_words(r));
    robot_patience(r, HAND_PATIENCE_NS);
}

// Not once since then has anything moved: a hand that rests would by now.
static bool is_ghost(const struct robot *r)
{
    int64_t since = r->moved_ns > r->waits_since_ns ? r->moved_ns : r->waits_since_ns;
    return r->waits_since_ns && arm_state(r->arm) != ARM_HOMED && r->last.scene.motion == 0 &&
           r->last.time_ns - since >= GHOST_NS;
}

static void home_when_clear(struct robot *r)
{
    if (!clear_for_long(r) && !is_ghost(r))
        return;
    r->waits_since_ns = 0;
    robot_home_now(r);
}

void robot_hands_watch(struct robot *r)
{
    if (arm_state(r->arm) == ARM_HOMED && r->state != ROBOT_HOLDING)
        r->last_row = robot_tool_row(r);
    if (r->last.scene.motion > 0)
        r->moved_ns = r->last.time_ns;
    bool hand = robot_hand_seen(r);
    if (hand)
        r->clear_since_ns = 0;
    else if (!r->clear_since_ns)
        r->clear_since_ns = r->last.time_ns;
    if (under_way(r) && hand)
        robot_raise(r, ROBOT_EV_HAND);
    else if (r->state == ROBOT_HOLDING && (clear_for_long(r) || is_ghost(r)))
        robot_raise(r, ROBOT_EV_CLEAR);
    else if (r->state == ROBOT_HOMING && r->waits_since_ns)
        home_when_clear(r);
}

// Blind, the arm does not move.
void robot_hands_blind(struct robot *r)
{
    r->clear_since_ns = 0;
    if (under_way(r))
        robot_raise(r, ROBOT_EV_HAND);
}
