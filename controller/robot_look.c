// The robot's eyes: what is on the board, compared with what should be there.
#include <stdio.h>
#include <string.h>

#include "config/base/clock.h"
#include "controller/robot_private.h"
#include "controller/twist_reader.h"
#include "rules/notation.h"

static const int64_t LOOK_PATIENCE_NS = 10 * NS_PER_S;  // until we say what we are waiting for
static const int64_t WRONG_PATIENCE_NS = 2 * NS_PER_S;  // a wrong board must stay wrong so long
static const int64_t UNSURE_PATIENCE_NS = 6 * NS_PER_S; // light and shadows may still settle
static const int64_t READ_PATIENCE_NS = 20 * NS_PER_S;  // for the hand to leave
static const int64_t TURN_PATIENCE_NS = 6 * NS_PER_S;   // a block may stand half turned so long
enum { GRID_DOUBTED = 8, LOOKS_ANEW = 3 };              // wrong points; times
static const int64_t STILL_PATIENCE_NS = 3 * NS_PER_S;  // a half-laid board in "still" mode

// --- helpers ---

bool robot_is_clear(const struct robot *r)
{
    if (r->camera_lost || r->last.scene.state != SCENE_STILL || !r->clear_since_ns)
        return false;
    // The first look of all counts at once; after a hand it takes a while.
    int64_t wait =
        r->counts.hands ? (int64_t)(r->settings->safety.hand_clear * (double)NS_PER_S) : 0;
    return r->last.time_ns - r->clear_since_ns >= wait;
}

// The same trouble must last before anybody is bothered. True: it has.
static bool lasts(struct robot *r, int64_t patience)
{
    int64_t now = r->last.time_ns;
    if (!r->doubt_since_ns)
        r->doubt_since_ns = now;
    return now - r->doubt_since_ns >= patience;
}

static int64_t still_time(const struct robot *r)
{
    return (int64_t)(r->settings->game.still_time * (double)NS_PER_S);
}

// The board has been seen unchanged long enough for a person's move to be believed.
static bool still_long_enough(const struct robot *r)
{
    return r->evidence.frames >= r->sure.frames &&
           r->evidence.until_ns - r->evidence.since_ns >= still_time(r);
}

void robot_expect(struct robot *r)
{
    eye_expect(r->eye, r->target.want, r->target.size * r->target.size);
}

static void set_pace(struct robot *r)
{
    bool closely = r->state == ROBOT_LOOKING || r->state == ROBOT_READING;
    eye_set_pace(r->eye, closely ? EYE_FULL : EYE_IDLE);
}

// --- comparing ---

void robot_act_look(struct robot *r)
{
    const struct game *game = robot_game(r);
    evidence_clear(&r->evidence);
    r->doubt_since_ns = 0;
    r->moved_early = false;
    r->whose = r->full = 0;
    set_pace(r);
    // What broke off on the arm's way out of the picture is tried once more, now that somebody has
    // looked.
    if (!r->parked && !arm_busy(r->arm)) {
        robot_raise(r, arm_state(r->arm) == ARM_HOMED ? ROBOT_EV_FAILED : ROBOT_EV_ARM_LOST);
        return;
    }
    // After a resignation nobody needs the board to be right.
    if (game->result.over && game->result.how & (HOW_RESIGN | HOW_AGREED) &&
        (!board_target_pending(&r->target) || r->turn.state != TURN_NONE)) {
        if (r->turn.state != TURN_GIVEN_UP)
            r->turn.state = TURN_NONE;
        robot_raise(r, ROBOT_EV_SAME);
        return;
    }
    robot_patience(r, LOOK_PATIENCE_NS);
}

static bool person_is_next(const struct robot *r)
{
    unsigned seat = game_next_seat(robot_game(r));
    return seat && r->o.players[seat - 1].at_board;
}

// Until now a stone that had been on the cup might have lain anywhere, also for the program that
// goes on after a crash.
static void note_seen(struct robot *r)
{
    struct error err;
    if (r->undo_asked)
        return; // as the game was; what the log says of how it may be is still needed
    if (r->o.log && (r->adrift || r->change_logged) && robot_log_seen(r->o.log, &err) < 0)
        robot_news(r, ROBOT_NEWS_TROUBLE, "%s", err.text);
    robot_tell_fallen(r);
    r->fallen = 0;
    r->adrift = r->change_logged = false;
}

void robot_confirm(struct robot *r)
{
    bool well = robot_check_placing(r);
    board_target_settle(&r->target);
    r->attempts = r->looks_anew = 0;
    r->short_of = 0; // somebody may have laid that stone
    r->whose = r->full = 0;
    r->word_ns = 0; // it was said for a board that was not right
    robot_search_forget(r);
    note_seen(r);
    r->failure[0] = 0;
    if (well && robot_turn_next(r))
        return;
    if (r->events.confirmed && !r->tidying)
        r->events.confirmed(r->events.user, robot_game(r));
    if (well)
        robot_raise(r, ROBOT_EV_SAME);
}

static void ask_about_board(struct robot *r, const struct target_report *report)
{
    char text[DIFFERENCES_TEXT_MAX / 2];
    const int half = r->last.half_turned - 1;
    r->question_board = true;
    if (half >= 0)
        snprintf(r->question, sizeof r->question,
                 "block %d stands half turned: turn it until it rests in its place",
                 twist_block_at(half % 2 * 3, half / 2 * 3));
    else if (report->verdict == TARGET_UNSURE)
        snprintf(r->question, sizeof r->question,
                 "%s can't be made out. Is a shadow, glare or something foreign there?",
                 points_text_named(report->unsure, report->unsure_count, &r->colours, text,
                                   sizeof text));
    else if (report->verdict == TARGET_WORK && r->failure[0])
        snprintf(r->question, sizeof r->question, "this did not work: %.300s", r->failure);
    else if (report->verdict == TARGET_WORK)
        snprintf(r->question, sizeof r->question,
                 "the board still differs from the game after %d tries", ROBOT_ATTEMPTS);
    else
        snprintf(r->question, sizeof r->question, "the board is not as the game says: %s",
                 differences_text(&report->wrong, NULL, &r->colours, text, sizeof text));
    robot_raise(r, ROBOT_EV_WRONG);
}

// While the stones are put away, one that was laid after the game's end goes with them.
static bool claim_all(struct robot *r, const struct target_report *report)
{
    if (!r->tidying || report->verdict != TARGET_WRONG || report->wrong.count >= GRID_DOUBTED)
        return false;
    for (int i = 0; i < report->wrong.count; i++) {
        const struct board_difference *d = &report->wrong.list[i];
        r->target.before[d->at.y * r->target.size + d->at.x] = d->seen;
    }
    return true; // seen as work from the next picture on
}

// No hand changes that much at once: it is the grid that is wrong. Found while the arm or a hand
// hid a row of it, it can be a line off. The arm is parked now, so look again.
static bool mistrust_grid(struct robot *r, const struct target_report *report)
{
    if (report->verdict != TARGET_WRONG || report->wrong.count < GRID_DOUBTED ||
        r->looks_anew >= LOOKS_ANEW)
        return false;
    r->looks_anew++;
    robot_news(r, ROBOT_NEWS_DOING, "nearly the whole board looks wrong: finding its lines again");
    eye_look_anew(r->eye);
    evidence_clear(&r->evidence);
    return true;
}

// A person may have moved already while we were away: that is no fault of the board. A reading
// that explains every point also says that nothing of the last move is left to do.
static bool has_moved(const struct robot *r)
{
    struct reading reading;
    if (!person_is_next(r))
        return false;
    move_reader_judge(robot_game(r), &r->evidence, &r->sure, &reading);
    // In Pentago half of it; but a block that we still wait for is not a person's.
    bool half = reading.kind == READING_PARTIAL && robot_game(r)->rules.family == FAMILY_PENTAGO &&
                (reading.move.colour || r->turn.state == TURN_NONE);
    return reading.kind == READING_MOVE || half;
}

static void accept_early_move(struct robot *r)
{
    r->turn.state = TURN_NONE;
    r->moved_early = true;
    note_seen(r);
    if (!robot_check_placing(r))
        return;
    robot_set_target(r);
    board_target_settle(&r->target);
    robot_raise(r, ROBOT_EV_SAME);
}

// Its marbles are seen nowhere: neither is the board right nor is there work for the arm.
static void compare_half_turned(struct robot *r, const struct target_report *report)
{
    if (has_moved(r))
        accept_early_move(r);
    else if (lasts(r, UNSURE_PATIENCE_NS))
        ask_about_board(r, report);
}

static void compare(struct robot *r)
{
    if (!r->parked)
        return; // the arm is on its way out of the picture
    struct target_report report;
    board_target_compare(&r->target, &r->evidence, &r->sure, &report);
    if (report.verdict == TARGET_WAIT)
        return;
    if (r->last.half_turned) {
        compare_half_turned(r, &report);
        return;
    }
    robot_find_in_place(r);
    if (report.verdict == TARGET_SAME) {
        robot_confirm(r);
        return;
    }
    if (robot_turned_already(r)) {
        robot_confirm(r);
        return;
    }
    if (report.verdict == TARGET_WORK && r->turn.state == TURN_ASKED) {
        robot_raise(r, ROBOT_EV_TURN);
        return;
    }
    if (report.verdict == TARGET_WORK) {
        if (++r->attempts > ROBOT_ATTEMPTS)
            ask_about_board(r, &report);
        else
            robot_raise(r, ROBOT_EV_WORK);
        return;
    }
    unsigned fallen = robot_may_have_fallen(r, &report);
    bool moved = has_moved(r);
    if (moved && !robot_is_next(r, fallen)) {
        accept_early_move(r);
        return;
    }
    if ((moved || report.wrong.count == 1) && robot_may_be_moved(r, fallen)) {
        if (lasts(r, WRONG_PATIENCE_NS))
            robot_ask_whose(r, &report, fallen);
        return;
    }
    if (robot_claim_fallen(r, &report) || claim_all(r, &report) || mistrust_grid(r, &report))
        return;
    if (lasts(r, report.verdict == TARGET_WRONG ? WRONG_PATIENCE_NS : UNSURE_PATIENCE_NS))
        ask_about_board(r, &report);
}

static void compare_while_asking(struct robot *r)
{
    struct target_report report;
    if (!r->question_board || !r->parked || r->last.half_turned)
        return;
    board_target_compare(&r->target, &r->evidence, &r->sure, &report);
    if (!still_long_enough(r))
        return;
    bool taken = r->whose &&
                 arm_state(r->arm) == ARM_HOMED && // else what follows is a leave to home
                 (report.verdict == TARGET_SAME || report.verdict == TARGET_WORK);
    if (taken)
        robot_fallen_taken(r);
    if (report.verdict == TARGET_SAME || robot_turned_already(r))
        robot_confirm(r);
    else if (taken)
        robot_raise(r, ROBOT_EV_RETRY);
}

// Nobody is hurried; but a block that has been turned otherwise, or half, is told of.
static void compare_while_turning(struct robot *r)
{
    struct target_report report;
    if (!still_long_enough(r))
        return;
    robot_turn_compare(r, true, &report);
    if (report.verdict == TARGET_SAME && !r->last.half_turned) {
        robot_confirm(r);
        return;
    }
    struct target_report before;
    robot_turn_compare(r, false, &before);
    if (before.verdict == TARGET_SAME && !r->last.half_turned)
        r->doubt_since_ns = 0;
    else if (lasts(r, TURN_PATIENCE_NS))
        ask_about_board(r, &report);
}

// --- reading ---

// Said where it changes nothing: the person learns what to do instead.
static void decline_retry(struct robot *r)
{
    if (robot_hands_waits(r))
        robot_hands_patience(r);
    else
        robot_news(r, ROBOT_NEWS_HINT, "there is nothing to try again: %s",
                   robot_state_meaning(r->state));
}

void robot_act_decline(struct robot *r)
{
    unsigned seat = game_next_seat(robot_game(r));
    if (r->state == ROBOT_STOPPED)
        robot_news(r, ROBOT_NEWS_HINT, "the robot is stopped and does nothing: %s first",
                   robot_reset_words(r));
    else if (r->state == ROBOT_HOLDING)
        robot_hands_patience(r);
    else if (r->handled == ROBOT_EV_RETRY)
        decline_retry(r);
    else if (r->state == ROBOT_READING)
        robot_news(r, ROBOT_NEWS_HINT, "your move is being read already");
    else if (r->state == ROBOT_JUDGING)
        robot_news(r, ROBOT_NEWS_HINT, "\"done\" does not count while a move is being judged");
    else if (seat)
        robot_news(r, ROBOT_NEWS_HINT,
                   "it is the turn of %s: \"done\" does not count until your own move is due",
                   robot_player(r, seat)->name);
    else
        robot_news(r, ROBOT_NEWS_HINT, "the game is over: \"done\" does not count any more");
}

// Said while nobody had been asked for a move: it counts if there is one when the board is seen,
// provided that the person knew that it is his turn.
void robot_act_note(struct robot *r)
{
    r->pressed = person_is_next(r);
    if (r->state == ROBOT_LOOKING && (r->pressed || r->turn.state == TURN_ASKED))
        robot_act_look(r);
    else if (!r->pressed)
        robot_act_decline(r);
    else
        robot_news(r, ROBOT_NEWS_DOING,
                   "that you are done is noted; the robot looks at the board when its arm is out "
                   "of the way");
}

void robot_act_read(struct robot *r)
{
    r->doubt_since_ns = 0;
    set_pace(r);
    if (r->controls)
        controls_lamp(r->controls, GPIO_LAMP_TURN, false);
    robot_patience(r, READ_PATIENCE_NS);
}

static void give_up_reading(struct robot *r, const struct reading *reading)
{
    char text[ROBOT_TEXT / 2];
    snprintf(r->hint, sizeof r->hint, "%s",
             move_reading_text(reading, robot_game(r), &r->colours, text, sizeof text));
    robot_raise(r, ROBOT_EV_NO_MOVE);
}

static void read_move(struct robot *r)
{
    struct reading reading;
    if (!still_long_enough(r))
        return;
    move_reader_judge(robot_game(r), &r->evidence, &r->sure, &reading);
    if (reading.kind == READING_MOVE) {
        r->move = reading.move;
        r->move_seat = game_next_seat(robot_game(r));
        robot_raise(r, ROBOT_EV_MOVE);
    } else if (lasts(r, WRONG_PATIENCE_NS)) {
        give_up_reading(r, &reading);
    }
}

// In "still" mode nobody presses: a board that lies still with something new on it is the sign.
static void watch(struct robot *r)
{
    if (r->settings->game.done != SETTINGS_DONE_STILL || !still_long_enough(r))
        return;
    struct reading reading;
    char text[ROBOT_TEXT];
    move_reader_judge(robot_game(r), &r->evidence, &r->sure, &reading);
    if (reading.kind == READING_MOVE) {
        robot_raise(r, ROBOT_EV_PRESSED);
    } else if (reading.kind == READING_NOTHING) {
        r->doubt_since_ns = 0;
    } else if (lasts(r, STILL_PATIENCE_NS)) {
        move_reading_text(&reading, robot_game(r), &r->colours, text, sizeof text);
        if (strcmp(text, r->hint) != 0) // said once, not for as long as it lies there
            robot_raise(r, ROBOT_EV_PRESSED);
    }
}

// A hand that does not move at all, with the arm parked: most likely the eyes first opened on a
// board with the arm over it (a restart in mid-move), and what it hid looks foreign since it is
// gone.
static bool look_behind_a_ghost(struct robot *r)
{
    const struct scene *scene = &r->last.scene;
    if (r->state != ROBOT_LOOKING || !r->parked || r->camera_lost || scene->state != SCENE_HAND ||
        scene->motion > 0 || r->looks_anew >= LOOKS_ANEW)
        return false;
    r->looks_anew++;
    robot_news(r, ROBOT_NEWS_DOING,
               "what seems to be a hand does not move: looking at the board anew");
    eye_look_anew(r->eye);
    evidence_clear(&r->evidence);
    return true;
}

void robot_look_patience(struct robot *r)
{
    if (r->state == ROBOT_READING) {
        snprintf(r->hint, sizeof r->hint, "the board can't be read: %s",
                 r->camera_lost ? "the camera is gone" : scene_state_name(r->last.scene.state));
        robot_raise(r, ROBOT_EV_NO_MOVE);
        return;
    }
    if (look_behind_a_ghost(r)) {
        robot_patience(r, LOOK_PATIENCE_NS);
        return;
    }
    robot_news(r, ROBOT_NEWS_TROUBLE, "waiting for a clear look at the board: %s",
               r->camera_lost ? "the camera is gone"
               : !r->parked   ? "the arm is not parked yet"
                              : scene_state_name(r->last.scene.state));
    robot_patience(r, LOOK_PATIENCE_NS);
}

// --- the camera's news ---

static void on_observed(void *user, const struct observation *o, const struct frame *frame)
{
    struct robot *r = user;
    r->counts.observations++;
    if (frame)
        recorder_frame(r->o.recorder, frame);
    r->last = *o;
    evidence_add(&r->evidence, o);
    robot_hands_watch(r);
    robot_ahead_watch(r);
    if (!r->evidence.frames && r->state != ROBOT_READING)
        r->doubt_since_ns = 0;
    switch (r->state) {
    case ROBOT_LOOKING:
        compare(r);
        break;
    case ROBOT_READING:
        read_move(r);
        break;
    case ROBOT_WATCHING:
        watch(r);
        break;
    case ROBOT_ASKING:
        compare_while_asking(r);
        break;
    case ROBOT_TURNING:
        compare_while_turning(r);
        break;
    case ROBOT_WORKING:
        robot_work_when_clear(r);
        break;
    default:
        break;
    }
    set_pace(r);
}

static void on_lost(void *user, const struct error *err)
{
    struct robot *r = user;
    r->camera_lost = true;
    evidence_clear(&r->evidence);
    robot_news(r, ROBOT_NEWS_TROUBLE, "the camera is gone: %s Looking for it again.", err->text);
    robot_hands_blind(r);
}

static void on_back(void *user, const char *name)
{
    struct robot *r = user;
    if (r->camera_lost)
        robot_news(r, ROBOT_NEWS_TROUBLE, "%s is back", name);
    r->camera_lost = false;
}

void robot_push_frame(struct robot *r, const struct frame *frame)
{
    eye_push(r->eye, frame);
}

int robot_look_open(struct robot *r, struct error *err)
{
    double fps = r->settings->camera.fps;
    const struct eye_options options = {
        .vision = r->o.devices->vision,
        .open = r->o.devices->no_camera ? NULL : devices_open_camera,
        .open_user = r->o.devices,
        .rate_full = r->o.fast ? 5 : fps,
        .rate_idle = r->o.fast ? 1 : 4,
        .follow_motion = !r->o.fast,
    };
    const struct eye_events events = {
        .observed = on_observed, .lost = on_lost, .back = on_back, .user = r};
    int result = eye_new(r->loop, &options, &events, &r->eye, err);
    if (result < 0)
        return result;
    eye_set_arm(r->eye, VISION_ARM_UNKNOWN);
    if (r->o.devices->has_geometry)
        eye_set_geometry(r->eye, &r->o.devices->geometry);
    if (r->o.devices->has_models)
        eye_set_models(r->eye, &r->o.devices->models);
    robot_expect(r);
    return 0;
}

void robot_look_close(struct robot *r)
{
    eye_free(r->eye);
}
