// The robot's hand: stops, and the steps that bring the board to where the game is.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/base/clock.h"
#include "controller/robot_private.h"
#include "motion/capture_order.h"

enum {
    TRAY_DIAMETERS = 2, // reach of a heap in a tray, in stone diameters
    STEPS_AT_ONCE = 24, // then the board is looked at again; the arm's queue holds them all
};

static const int64_t START_PATIENCE_NS = 15 * NS_PER_S;

// --- stopping ---

void robot_arm_stop_now(struct robot *r, enum arm_stop_reason reason, const char *why)
{
    arm_stop(r->arm, reason, loop_now(r->loop));
    arm_link_update(r->arm_link);
    snprintf(r->stop_text, sizeof r->stop_text, "%s", why);
    robot_raise(r, ROBOT_EV_STOP);
}

const char *robot_reset_words(const struct robot *r)
{
    bool button = r->controls && controls_wired(r->controls, GPIO_BUTTON_RESET);
    return button ? "press the reset button or type \"start\"" : "type \"start\"";
}

void robot_act_stop(struct robot *r)
{
    arm_stop(r->arm, ARM_STOP_PERSON, loop_now(r->loop)); // already stopped: nothing happens
    arm_cancel(r->arm, loop_now(r->loop));
    arm_link_update(r->arm_link);
    r->submitted = r->parked = r->pressed = false;
    r->homing_tries = 0; // somebody looks before it goes on
    r->whose = r->full = 0;
    eye_set_arm(r->eye, VISION_ARM_UNKNOWN);
    r->waits_since_ns = 0;
    robot_stop_players(r);
    r->counts.stops++;
    if (r->controls) {
        controls_lamp(r->controls, GPIO_LAMP_TURN, false);
        controls_lamp(r->controls, GPIO_LAMP_FAULT, true);
    }
    robot_news(r, ROBOT_NEWS_QUESTION,
               "stopped: %s. When nobody's hand is near the arm, %s: it will move to find its home "
               "corner.",
               r->stop_text, robot_reset_words(r));
}

void robot_act_start(struct robot *r)
{
    struct error err;
    r->parked = r->submitted = r->homing = false;
    r->waits_since_ns = 0;
    arm_cancel(r->arm, loop_now(r->loop)); // what waits was meant for a known position
    arm_link_update(r->arm_link);
    eye_set_arm(r->eye, VISION_ARM_UNKNOWN);
    if (arm_state(r->arm) == ARM_FAULTED) {
        int result = arm_reset(r->arm, loop_now(r->loop), &err);
        arm_link_update(r->arm_link);
        if (result < 0) {
            size_t length = strlen(err.text); // becomes part of a sentence: without its full stop
            length -= length && err.text[length - 1] == '.';
            snprintf(r->stop_text, sizeof r->stop_text, "%.*s",
                     (int)(length < ROBOT_TEXT ? length : ROBOT_TEXT - 1), err.text);
            robot_raise(r, ROBOT_EV_STOP);
            return;
        }
    }
    if (r->controls)
        controls_lamp(r->controls, GPIO_LAMP_FAULT, false);
    switch (arm_state(r->arm)) {
    case ARM_UNKNOWN:
    case ARM_HOMED:
        robot_raise(r, ROBOT_EV_ARM_READY);
        break;
    case ARM_OFFLINE:
        robot_arm_awaited(r);
        robot_patience(r, START_PATIENCE_NS);
        break;
    case ARM_FAULTED:
        robot_patience(r, NS_PER_S / 2);
        break;
    }
}

// --- jobs ---

void robot_board_to_machine(const struct robot *r, struct point at, const double offset[2],
                            double ret[2])
{
    double board[2];
    settings_board_at(&r->settings->board, at.x, at.y, board);
    // A marble lies in its hollow more exactly than it is seen.
    const bool put_right = r->settings->board.points == SETTINGS_POINTS_HOLLOWS;
    for (int k = 0; offset && !put_right && k < 2; k++)
        board[k] += offset[k];
    board_map_to_machine(&r->map, board, ret);
}

// False: the arm will not take it; what that means has been raised.
bool robot_submit(struct robot *r, struct arm_job job)
{
    struct error err;
    int result = arm_submit(r->arm, &job, loop_now(r->loop), NULL, &err);
    arm_link_update(r->arm_link);
    if (result == 0) {
        r->parked = false;
        r->word_ns = 0; // that is what it was given for
        return true;
    }
    robot_arm_trouble(r, err.text);
    arm_cancel(r->arm, loop_now(r->loop));
    robot_raise(r, arm_state(r->arm) == ARM_HOMED ? ROBOT_EV_FAILED : ROBOT_EV_ARM_LOST);
    return false;
}

bool robot_park(struct robot *r, uint64_t tag)
{
    return robot_submit(r, (struct arm_job){.kind = ARM_JOB_PARK, .store = -1, .tag = tag});
}

bool robot_vent(struct robot *r)
{
    unsigned colour = r->hand_colour ? r->hand_colour : 1;
    const struct stores *stores = &r->o.devices->stores;
    bool sure = arm_held(r->arm) == ARM_HELD_YES;
    // Whatever only may hang there does without a place of its own, and must not lie unbooked among
    // the supply.
    int store = sure ? robot_store_back(r, colour, stores) : robot_tray(r, colour);
    const struct arm_job job = {.kind = ARM_JOB_VENT, .store = store, .tag = ROBOT_TAG_VENT};
    if (sure && !stores_room(stores, store)) {
        robot_ask_to_empty(r, 1u << store);
        return false;
    }
    return robot_submit(r, job);
}

// Trays where stones lie as they fall: nobody knows how they lie.
static int add_trays(const struct robot *r, struct travel_obstacle *list)
{
    const struct stores *stores = &r->o.devices->stores;
    int count = 0;
    for (int i = 0; i < stores->count; i++) {
        const struct store *s = &stores->store[i];
        if (s->role == STORE_CAPTURED && s->kind == STORE_BOWL)
            list[count++] = (struct travel_obstacle){
                s->x, s->y, TRAY_DIAMETERS * r->settings->stones.diameter,
                r->settings->heights.board + DEVICES_HEAP_LAYERS * r->settings->stones.height};
    }
    return count;
}

// The stone of this point (y * size + x) is one of those the arm is about to lay.
static bool still_to_come(const struct robot *r, int point)
{
    for (int i = 0; i < r->straighten_from; i++) {
        if (!r->steps[i].lift && r->steps[i].at.y * r->target.size + r->steps[i].at.x == point)
            return true;
    }
    return false;
}

// Stones that stand where the arm travels, each where it was seen.
void robot_tell_obstacles(struct robot *r)
{
    static const double none[2] = {0, 0};
    struct travel_obstacle list[POINTS_MAX + STORES_MAX];
    int count = add_trays(r, list), size = r->target.size;
    double radius = r->settings->stones.diameter / 2;
    double top = r->settings->heights.board + r->settings->stones.height;
    for (int i = 0; i < size * size; i++) {
        bool pending = r->target.before[i] != TARGET_SETTLED && r->target.before[i] != 0;
        if ((!r->target.want[i] || still_to_come(r, i)) && !pending)
            continue;
        struct point at = {(int8_t)(i % size), (int8_t)(i / size)};
        double offset[2], machine[2];
        evidence_offset(&r->evidence, at.y * r->evidence.columns + at.x, offset);
        robot_board_to_machine(r, at, r->evidence.frames ? offset : none, machine);
        list[count++] = (struct travel_obstacle){machine[0], machine[1], radius, top};
    }
    arm_set_obstacles(r->arm, list, count);
}

// Puts the lifts, which begin with step `first`, into the order that costs least travel. Keeps the
// order when that can't be told.
static void order_lifts(struct robot *r, int first)
{
    struct target_step *steps = r->steps + first;
    struct capture_stone stones[CAPTURE_MAX];
    struct capture_drop drops[CAPTURE_DROPS];
    struct capture_step order[CAPTURE_MAX];
    struct travel_limits limits;
    const struct stores *stores = &r->o.devices->stores;
    int count = 0, drop_count = 0;
    while (first + count < r->step_count && steps[count].lift)
        count++;
    if (count < 2 || count > CAPTURE_MAX || !arm_limits(r->arm, &limits))
        return;
    int drop_of[COLOURS_MAX + 1] = {0};
    for (unsigned c = 1; c <= COLOURS_MAX; c++) {
        int s = robot_tray(r, c);
        if (s < 0)
            continue;
        drop_of[c] = drop_count;
        drops[drop_count++] =
            (struct capture_drop){stores->store[s].x, stores->store[s].y, stores_room(stores, s)};
    }
    for (int i = 0; i < count; i++) {
        double machine[2];
        robot_board_to_machine(r, steps[i].at, steps[i].offset, machine);
        stones[i] = (struct capture_stone){machine[0], machine[1], 1u << drop_of[steps[i].colour]};
    }
    double at[3] = {0};
    if (!arm_position(r->arm, at))
        return;
    if (first)
        robot_board_to_machine(r, r->steps[first - 1].at, NULL, at);
    const struct capture_problem problem = {.limits = &limits,
                                            .start = at,
                                            .stones = stones,
                                            .stone_count = count,
                                            .drops = drops,
                                            .drop_count = drop_count};
    if (capture_order(&problem, order, NULL, NULL) < 0)
        return;
    struct target_step sorted[CAPTURE_MAX];
    for (int i = 0; i < count; i++)
        sorted[i] = steps[order[i].stone];
    memcpy(steps, sorted, (size_t)count * sizeof sorted[0]);
}

// held: the stone to lay hangs on the cup by then. left: the stores as the steps before leave them,
// and then as this one does.
static bool submit_step(struct robot *r, int index, bool held, struct stores *left)
{
    const struct target_step *step = &r->steps[index];
    struct arm_job job = {.tag = (uint64_t)(ROBOT_TAG_STEP + index)};
    double machine[2];
    robot_board_to_machine(r, step->at, step->lift ? step->offset : NULL, machine);
    job.x = r->commanded[index][0] = machine[0];
    job.y = r->commanded[index][1] = machine[1];
    if (step->lift) {
        job.kind = ARM_JOB_LIFT;
        job.search = robot_search_round(r, step);
        job.store = index < r->straighten_from ? robot_store_for(r, step, machine, left) : -1;
        stores_will_put(left, job.store);
    } else {
        job.kind = ARM_JOB_PLACE;
        job.store = -1;
        if (!held && index < r->straighten_from &&
            !robot_supply_for(r, step->colour, machine, left, &job.store))
            return false;
    }
    return robot_submit(r, job);
}

// Hands all steps to the arm, unless a hand is over the board.
void robot_work_if_clear(struct robot *r)
{
    if (r->submitted || !robot_is_clear(r))
        return;
    r->submitted = true;
    eye_set_arm(r->eye, VISION_ARM_OVER_BOARD);
    if (r->putting_away) {
        robot_ahead_away(r);
        return;
    }
    struct stores left = r->o.devices->stores; // as the steps before will leave them
    if (robot_ahead_in_the_way(r))
        stores_will_put(&left, robot_store_back(r, robot_ahead_colour(r), &left));
    // A doubted position lays nothing and puts nothing back: what waits on the cup goes into a
    // tray.
    bool home = robot_homing_is_due(r);
    enum robot_ahead ahead = home ? ROBOT_AHEAD_NONE : robot_ahead_use(r);
    robot_tell_obstacles(r);
    order_lifts(r, ahead == ROBOT_AHEAD_FIRST);
    robot_straighten_add(r);
    if (ahead == ROBOT_AHEAD_IN_THE_WAY && !robot_ahead_put_back(r))
        return;
    if (home && !robot_home_first(r))
        return;
    r->moves_since_home++;
    for (int i = 0; i < r->step_count; i++) {
        if (!submit_step(r, i, i == 0 && ahead == ROBOT_AHEAD_FIRST, &left))
            return;
    }
    if (robot_ahead_pick(r, &left))
        robot_park(r, ROBOT_TAG_PARK);
}

// Under the hand that the arm waited for, the board may have changed: it is looked at once more.
void robot_work_when_clear(struct robot *r)
{
    if (r->submitted || !robot_is_clear(r))
        return;
    if (r->putting_away) {
        robot_work_if_clear(r);
        return;
    }
    r->attempts = 0; // nothing has been tried yet
    robot_raise(r, ROBOT_EV_DONE);
}

// People who like to take their captures themselves are asked to.
static bool left_to_person(const struct robot *r, const struct target_report *report)
{
    if (r->settings->game.lifter != SETTINGS_LIFTER_PERSON || !r->mover || r->tidying ||
        !r->o.players[r->mover - 1].at_board)
        return false;
    for (int i = 0; i < report->step_count; i++) {
        if (!report->step[i].lift)
            return false;
    }
    return true;
}

static void ask_to_lift(struct robot *r, const struct target_report *report)
{
    struct point points[TARGET_STEPS_MAX];
    char list[128];
    for (int i = 0; i < report->step_count; i++)
        points[i] = report->step[i].at;
    snprintf(r->question, sizeof r->question, "please take the captured stones off %s",
             points_text(points, report->step_count, list, sizeof list));
    r->question_board = true;
    robot_raise(r, ROBOT_EV_WRONG);
}

void robot_act_work(struct robot *r)
{
    struct target_report report;
    board_target_compare(&r->target, &r->evidence, &r->sure, &report);
    r->submitted = r->putting_away = false;
    r->step_count = 0;
    r->fell_step = (struct target_step){0}; // the next look finds what this work lays there
    memset(r->carried_out, 0, sizeof r->carried_out);
    r->work_began_ns = loop_now(r->loop);
    if (report.verdict == TARGET_SAME) {
        robot_confirm(r);
    } else if (report.verdict != TARGET_WORK) {
        robot_raise(r, ROBOT_EV_DONE); // look again first
    } else if (left_to_person(r, &report)) {
        ask_to_lift(r, &report);
    } else if (arm_state(r->arm) != ARM_HOMED) {
        robot_raise(r, arm_state(r->arm) == ARM_FAULTED ? ROBOT_EV_STOP : ROBOT_EV_ARM_LOST);
    } else {
        r->step_count = report.step_count < STEPS_AT_ONCE ? report.step_count : STEPS_AT_ONCE;
        memcpy(r->steps, report.step, (size_t)r->step_count * sizeof report.step[0]);
        if (!robot_make_room(r))
            return;
        r->straighten_from = r->step_count;
        robot_work_if_clear(r);
        if (!r->submitted)
            robot_hands_wait(r, "move");
    }
}

// Where its position is not known, the arm moves only to find its home corner, and no feed hold
// ends that: begun in the very moment in which the hand was seen, it is stopped. A hold that it did
// not stand by would outlast the hand.
void robot_act_hold(struct robot *r)
{
    bool homed = arm_state(r->arm) == ARM_HOMED;
    robot_hands_hold(r);
    if (!homed && r->homing) {
        robot_arm_stop_now(r, ARM_STOP_HAND, robot_hands_obstacle(r));
        return;
    }
    if (homed) {
        arm_hold(r->arm, loop_now(r->loop));
        arm_link_update(r->arm_link);
    }
    r->counts.hands++;
    robot_news(r, ROBOT_NEWS_HINT, "%s. The arm waits until the board is clear.",
               robot_hands_obstacle(r));
}

// What ended while a hand was over the board is told now.
void robot_act_go_on(struct robot *r)
{
    r->waits_since_ns = 0;
    if (arm_state(r->arm) != ARM_HOMED) {
        robot_raise(r, ROBOT_EV_ARM_LOST);
        return;
    }
    arm_resume(r->arm, loop_now(r->loop));
    arm_link_update(r->arm_link);
    if (r->submitted && !arm_busy(r->arm))
        robot_raise(r, r->parked ? ROBOT_EV_DONE : ROBOT_EV_FAILED);
    else
        robot_work_if_clear(r);
}

// After a failed step: whatever hangs on the cup goes into a tray, and the arm out of the picture.
void robot_act_recover(struct robot *r)
{
    r->submitted = true;
    if (robot_hand_seen(r)) {
        robot_raise(r, ROBOT_EV_HAND);
        return;
    }
    if (arm_held(r->arm) == ARM_HELD_NO || robot_vent(r))
        robot_park(r, ROBOT_TAG_RETREAT);
}
