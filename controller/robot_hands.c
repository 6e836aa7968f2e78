// Hands over the board. While the arm moves, or stands where it may be over the board, it covers
// points too, and only what lies well below its row counts (hand_watch); while it is parked, or
// stands nobody knows where, the scene is judged as a whole.
#include "config/base/clock.h"
#include "controller/hand_watch.h"
#include "controller/robot_private.h"

// On a person's word the arm may move although the eyes see something; it is soon spent.
static const int64_t WORD_NS = 15 * NS_PER_S;
// What stands still so long while the arm's position is not known is no hand: the arm covers that.
static const int64_t GHOST_NS = 10 * NS_PER_S;
// Nobody may know what the arm waits for: it is said again.
static const int64_t HAND_PATIENCE_NS = 30 * NS_PER_S;
// No picture does for longer, however slow the camera is.
static const int64_t PICTURE_MOST_NS = 3 * NS_PER_S;
// Without pictures it is looked so often whether the arm has got under way meanwhile.
static const int64_t UNSEEN_NS = NS_PER_S / 4;

static int64_t least_lasts(const struct robot *r)
{
    return r->o.fast ? 5 * NS_PER_S / 2 : NS_PER_S;
}

// A picture that is older tells nothing of where hands are now. Where few come, each has to do for
// longer: one may be missing, two may not. A gap in between makes no slow camera.
static int64_t picture_lasts(const struct robot *r)
{
    int64_t gap = r->gap_ns[0] < r->gap_ns[1] ? r->gap_ns[0] : r->gap_ns[1];
    int64_t least = least_lasts(r), lasts = gap / 2 * 5;
    return lasts < least ? least : lasts < PICTURE_MOST_NS ? lasts : PICTURE_MOST_NS;
}

bool robot_sees_often(const struct robot *r)
{
    return picture_lasts(r) <= least_lasts(r);
}

// Where the firmware last said the tool is, also in the middle of a leg. Once its position is lost
// it is believed to stand where it was.
double robot_tool_row(const struct robot *r)
{
    double machine[3], board[2];
    const struct grbl_status *status = grbl_last_status(arm_grbl(r->arm));
    if (!arm_position(r->arm, machine) || !status->has_machine ||
        board_map_to_board(&r->map, status->machine, board) < 0)
        return r->last_row;
    const struct spacing rows = settings_rows(&r->settings->board);
    return spacing_place(&rows, board[1]);
}

static void note_row(struct robot *r)
{
    r->last_row = robot_tool_row(r);
    r->row_known = r->row_known || arm_state(r->arm) == ARM_HOMED;
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

// It stands, and is to find its home corner: where it believes to be counts for little.
static bool stands_in_doubt(const struct robot *r)
{
    return r->state == ROBOT_HOMING ? !r->submitted : arm_state(r->arm) != ARM_HOMED;
}

// No picture, none yet, or none for too long.
static bool is_blind(const struct robot *r)
{
    return r->camera_lost || !r->last.time_ns || loop_now(r->loop) - r->seen_ns >= picture_lasts(r);
}

// In such a picture there is no hand and nothing moves, whatever is there and does.
static bool shows_nothing(const struct robot *r)
{
    enum scene_state state = r->last.scene.state;
    return is_blind(r) || state == SCENE_TOO_DARK || state == SCENE_OVEREXPOSED ||
           state == SCENE_NO_BOARD;
}

// Where the tool is not known, or no row lies below those that the arm may cover, nothing tells a
// hand from the arm: an arm that stands waits for both, and is_ghost() keeps it from doing so for
// ever. While it stands, so little is a hand as is one that rests.
bool robot_hand_seen(const struct robot *r)
{
    enum scene_state state = r->last.scene.state;
    double row = robot_tool_row(r);
    if (!arm_in_the_picture(r))
        return state == SCENE_HAND || state == SCENE_MOVING || state == SCENE_NO_BOARD;
    if (shows_nothing(r))
        return true;
    if (stands_in_doubt(r) && (!r->row_known || row <= HAND_WATCH_ROWS))
        return state != SCENE_STILL;
    return hand_watch(&r->last, row, r->waits_since_ns > 0 || !r->submitted);
}

// What it is that makes the picture useless; NULL = it can be judged.
static const char *seen_badly(const struct robot *r)
{
    if (is_blind(r))
        return "the camera sees nothing";
    switch (r->last.scene.state) {
    case SCENE_TOO_DARK:
        return "it is too dark to see the board";
    case SCENE_OVEREXPOSED:
        return "the light on the board is too bright to see it";
    case SCENE_BLURRED:
        return "the camera's picture is blurred";
    case SCENE_LIGHT:
        return "the light changes";
    case SCENE_CAMERA_MOVED:
        return "the camera or the board has been moved";
    case SCENE_NO_BOARD:
        return "the board can't be found in the picture";
    default:
        return NULL;
    }
}

const char *robot_hands_obstacle(const struct robot *r)
{
    const char *badly = seen_badly(r);
    return badly ? badly : "there is a hand over the board";
}

static bool clear_for_long(const struct robot *r)
{
    int64_t wait = (int64_t)(r->settings->safety.hand_clear * (double)NS_PER_S);
    return r->clear_since_ns && r->last.time_ns - r->clear_since_ns >= wait;
}

void robot_hands_word(struct robot *r)
{
    r->word_ns = loop_now(r->loop);
    r->word_despite = !is_blind(r) && robot_hand_seen(r);
}

static void begin_waiting(struct robot *r)
{
    r->waits_since_ns = r->last.time_ns ? r->last.time_ns : loop_now(r->loop);
    robot_patience(r, HAND_PATIENCE_NS);
}

bool robot_hands_let_home(struct robot *r)
{
    bool word = r->word_ns && loop_now(r->loop) - r->word_ns < WORD_NS;
    r->word_ns = 0;
    if (word || !robot_hand_seen(r))
        return true;
    begin_waiting(r);
    r->clear_since_ns = 0;
    robot_news(r, ROBOT_NEWS_HINT, "%s. The arm finds its home corner when the board is clear.",
               robot_hands_obstacle(r));
    return false;
}

void robot_hands_hold(struct robot *r)
{
    note_row(r);
    r->word_ns = 0; // said before this hand came
    begin_waiting(r);
}

void robot_hands_wait(struct robot *r, const char *wish)
{
    const char *badly = seen_badly(r);
    if (badly)
        robot_news(r, ROBOT_NEWS_HINT, "%s; the robot wants to %s, and waits until it can see",
                   badly, wish);
    else
        robot_news(r, ROBOT_NEWS_HINT,
                   "please keep your hands off the board; the robot wants to %s", wish);
    robot_patience(r, HAND_PATIENCE_NS);
}

bool robot_hands_waits(const struct robot *r)
{
    return r->waits_since_ns || (r->state == ROBOT_WORKING && !r->submitted);
}

void robot_hands_patience(struct robot *r)
{
    const char *badly = seen_badly(r);
    if (!robot_hands_waits(r))
        return; // it is on its way
    if (is_blind(r))
        robot_news(r, ROBOT_NEWS_HINT, "the arm still waits for the camera. Is it plugged in?");
    else if (badly && stands_in_doubt(r))
        robot_news(
            r, ROBOT_NEWS_HINT,
            "the arm still waits: %s. If that can't be helped, keep all hands away, stop the "
            "robot, and only then %s: the arm finds its home corner first.",
            badly, robot_reset_words(r));
    else if (badly)
        robot_news(r, ROBOT_NEWS_HINT,
                   "the arm still waits: %s. It goes on as soon as the board can be seen.", badly);
    else
        robot_news(
            r, ROBOT_NEWS_HINT,
            "the arm still waits for the board to be clear. Is nothing there but a shadow or "
            "the arm itself? Then keep all hands away, stop the robot, and only then %s: it "
            "finds its home corner first.",
            robot_reset_words(r));
    robot_patience(r, HAND_PATIENCE_NS);
}

static void note_motion(struct robot *r)
{
    if (r->last.scene.motion > 0 || shows_nothing(r) || r->last.scene.state == SCENE_LIGHT)
        r->calm_since_ns = 0;
    else if (!r->calm_since_ns)
        r->calm_since_ns = r->last.time_ns;
}

// Not once since then has anything moved: a hand that rests would by now.
static bool is_ghost(const struct robot *r)
{
    int64_t since = r->calm_since_ns > r->waits_since_ns ? r->calm_since_ns : r->waits_since_ns;
    return r->waits_since_ns && r->calm_since_ns && stands_in_doubt(r) &&
           r->last.time_ns - since >= GHOST_NS;
}

static void home_when_clear(struct robot *r)
{
    if (!clear_for_long(r) && !is_ghost(r))
        return;
    r->waits_since_ns = 0;
    robot_home_now(r);
}

// Over the board, by somebody, as far as can be told. As the arm leaves the picture, what moves is
// not a hand.
static bool may_be_reached(const struct robot *r, bool hand)
{
    enum scene_state state = r->last.scene.state;
    if (r->reached_ns > r->last.time_ns || shows_nothing(r) || state == SCENE_LIGHT)
        return true;
    if (arm_in_the_picture(r))
        return hand || robot_tool_row(r) <= HAND_WATCH_ROWS;
    return hand && state != SCENE_MOVING;
}

void robot_hands_watch(struct robot *r)
{
    int64_t now = loop_now(r->loop);
    r->gap_ns[1] = r->gap_ns[0];
    r->gap_ns[0] = now - r->seen_ns;
    r->seen_ns = now;
    loop_source_set_due(r->unseen, r->seen_ns + picture_lasts(r));
    if (arm_state(r->arm) == ARM_HOMED && r->state != ROBOT_HOLDING)
        note_row(r);
    note_motion(r);
    bool hand = robot_hand_seen(r);
    r->word_despite = r->word_despite && hand;
    if (hand && !r->word_despite)
        r->word_ns = 0; // said before this hand came
    if (hand)
        r->clear_since_ns = 0;
    else if (!r->clear_since_ns)
        r->clear_since_ns = r->last.time_ns;
    if (may_be_reached(r, hand))
        r->reached_ns = r->last.time_ns;
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
    r->clear_since_ns = r->calm_since_ns = 0;
    r->reached_ns = INT64_MAX;
    if (under_way(r))
        robot_raise(r, ROBOT_EV_HAND);
}

void robot_hands_unseen(void *user, int64_t now)
{
    struct robot *r = user;
    loop_source_set_due(r->unseen, now + UNSEEN_NS);
    robot_hands_blind(r);
}
