// The robot's hand: stops, homing, and the steps that bring the board to where the game is.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/base/clock.h"
#include "controller/robot_private.h"
#include "motion/capture_order.h"
#include "rules/notation.h"

// Tags of jobs; steps are TAG_STEP + their index.
enum { TRAY_DIAMETERS = 2 }; // reach of a heap in a tray, in stone diameters

enum { TAG_HOME = 1, TAG_VENT, TAG_PARK, TAG_RETREAT, TAG_STEP };

static const int64_t START_PATIENCE_NS = 15 * NS_PER_S;

// --- words ---

static void describe_step(const struct robot *r, const struct target_step *step, char *buf,
                          size_t size)
{
    char point[MOVE_TEXT_MAX];
    point_format(step->at, point);
    if (step->lift)
        snprintf(buf, size, "lifting the %s stone off %s", robot_colour_name(r, step->colour),
                 point);
    else
        snprintf(buf, size, "placing a %s stone on %s", robot_colour_name(r, step->colour), point);
}

static void describe(const struct robot *r, uint64_t tag, char *buf, size_t size)
{
    buf[0] = 0;
    if (tag >= TAG_STEP && tag < TAG_STEP + (uint64_t)r->step_count)
        describe_step(r, &r->steps[tag - TAG_STEP], buf, size);
    else if (tag == TAG_HOME)
        snprintf(buf, size, "homing");
    else if (tag == TAG_VENT)
        snprintf(buf, size, "letting go over the tray whatever may hang on the cup");
}

// --- stopping ---

void robot_arm_stop_now(struct robot *r, enum arm_stop_reason reason, const char *why)
{
    arm_stop(r->arm, reason, loop_now(r->loop));
    arm_link_update(r->arm_link);
    snprintf(r->stop_text, sizeof r->stop_text, "%s", why);
    robot_raise(r, ROBOT_EV_STOP);
}

void robot_act_stop(struct robot *r)
{
    arm_stop(r->arm, ARM_STOP_PERSON, loop_now(r->loop)); // already stopped: nothing happens
    arm_cancel(r->arm, loop_now(r->loop));
    arm_link_update(r->arm_link);
    r->submitted = r->parked = false;
    eye_set_arm(r->eye, VISION_ARM_UNKNOWN);
    robot_stop_players(r);
    r->counts.stops++;
    if (r->controls) {
        controls_lamp(r->controls, GPIO_LAMP_TURN, false);
        controls_lamp(r->controls, GPIO_LAMP_FAULT, true);
    }
    bool button = r->controls && controls_wired(r->controls, GPIO_BUTTON_RESET);
    robot_news(r, ROBOT_NEWS_QUESTION,
               "stopped: %s. When nobody's hand is near the arm, %s: it will move to find its home "
               "corner.",
               r->stop_text, button ? "press the reset button" : "type \"start\"");
}

void robot_act_start(struct robot *r)
{
    struct error err;
    r->parked = r->submitted = r->homing = false;
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
        robot_news(r, ROBOT_NEWS_TROUBLE, "waiting for the plotter%s%s",
                   grbl_last_trouble(arm_grbl(r->arm))[0] ? ": " : "",
                   grbl_last_trouble(arm_grbl(r->arm)));
        robot_patience(r, START_PATIENCE_NS);
        break;
    case ARM_FAULTED:
        robot_patience(r, NS_PER_S / 2);
        break;
    }
}

// --- jobs ---

static void board_to_machine(const struct robot *r, struct point at, const double offset[2],
                             double ret[2])
{
    const double board[2] = {at.x * r->settings->board.pitch_x + (offset ? offset[0] : 0),
                             at.y * r->settings->board.pitch_y + (offset ? offset[1] : 0)};
    board_map_to_machine(&r->map, board, ret);
}

// A stone that was let go over its intersection is seen `offset` beside it: the map is off by that.
void robot_learn_map(struct robot *r, int step, const double offset[2])
{
    struct point at = r->steps[step].at;
    const double seen[2] = {at.x * r->settings->board.pitch_x + offset[0],
                            at.y * r->settings->board.pitch_y + offset[1]};
    if (map_learner_add(&r->learner, seen, r->commanded[step]))
        map_learner_get(&r->learner, &r->map);
}

static void trouble(struct robot *r, const char *text)
{
    snprintf(r->failure, sizeof r->failure, "%s", text);
    robot_news(r, ROBOT_NEWS_TROUBLE, "%s", text);
}

// False: the arm will not take it; what that means has been raised.
static bool submit(struct robot *r, struct arm_job job)
{
    struct error err;
    int result = arm_submit(r->arm, &job, loop_now(r->loop), NULL, &err);
    arm_link_update(r->arm_link);
    if (result == 0) {
        r->parked = false;
        return true;
    }
    trouble(r, err.text);
    arm_cancel(r->arm, loop_now(r->loop));
    robot_raise(r, arm_state(r->arm) == ARM_HOMED ? ROBOT_EV_FAILED : ROBOT_EV_ARM_LOST);
    return false;
}

static int tray(const struct robot *r, unsigned colour)
{
    return devices_store(&r->o.devices->stores, STORE_CAPTURED, (int)colour);
}

static bool submit_homing(struct robot *r)
{
    eye_set_arm(r->eye, VISION_ARM_OVER_BOARD);
    arm_forget_obstacles(r->arm); // nobody knows what lies there now
    r->homing = true;
    r->counts.homings++;
    r->moves_since_home = 0;
    return submit(r, (struct arm_job){.kind = ARM_JOB_HOME, .store = -1, .tag = TAG_HOME}) &&
           submit(r, (struct arm_job){.kind = ARM_JOB_VENT, .store = tray(r, 1), .tag = TAG_VENT});
}

void robot_act_home(struct robot *r)
{
    robot_news(r, ROBOT_NEWS_DOING, "the arm finds its home corner");
    if (submit_homing(r))
        submit(r, (struct arm_job){.kind = ARM_JOB_PARK, .store = -1, .tag = TAG_PARK});
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

// Stones that stand where the arm travels, each where it was seen.
static void tell_obstacles(struct robot *r)
{
    static const double none[2] = {0, 0};
    struct travel_obstacle list[POINTS_MAX + STORES_MAX];
    int count = add_trays(r, list), size = r->target.size;
    double radius = r->settings->stones.diameter / 2;
    double top = r->settings->heights.board + r->settings->stones.height;
    for (int i = 0; i < size * size; i++) {
        bool pending = r->target.before[i] != TARGET_SETTLED && r->target.before[i] != 0;
        if (!r->target.want[i] && !pending)
            continue;
        struct point at = {(int8_t)(i % size), (int8_t)(i / size)};
        double offset[2], machine[2];
        evidence_offset(&r->evidence, at.y * r->evidence.columns + at.x, offset);
        board_to_machine(r, at, r->evidence.frames ? offset : none, machine);
        list[count++] = (struct travel_obstacle){machine[0], machine[1], radius, top};
    }
    arm_set_obstacles(r->arm, list, count);
}

// Puts the lifts into the order that costs least travel. Keeps the order when that can't be told.
static void order_lifts(struct robot *r)
{
    struct capture_stone stones[CAPTURE_MAX];
    struct capture_drop drops[CAPTURE_DROPS];
    struct capture_step order[CAPTURE_MAX];
    struct travel_limits limits;
    const struct stores *stores = &r->o.devices->stores;
    int count = 0, drop_count = 0;
    while (count < r->step_count && r->steps[count].lift)
        count++;
    if (count < 2 || count > CAPTURE_MAX || !arm_limits(r->arm, &limits))
        return;
    int drop_of[COLOURS_MAX + 1] = {0};
    for (unsigned c = 1; c <= COLOURS_MAX; c++) {
        int s = tray(r, c);
        if (s < 0)
            continue;
        drop_of[c] = drop_count;
        drops[drop_count++] =
            (struct capture_drop){stores->store[s].x, stores->store[s].y, stores_room(stores, s)};
    }
    for (int i = 0; i < count; i++) {
        double machine[2];
        board_to_machine(r, r->steps[i].at, r->steps[i].offset, machine);
        stones[i] =
            (struct capture_stone){machine[0], machine[1], 1u << drop_of[r->steps[i].colour]};
    }
    double at[3] = {0};
    if (!arm_position(r->arm, at))
        return;
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
        sorted[i] = r->steps[order[i].stone];
    memcpy(r->steps, sorted, (size_t)count * sizeof sorted[0]);
}

static bool submit_step(struct robot *r, int index)
{
    const struct target_step *step = &r->steps[index];
    struct arm_job job = {.tag = (uint64_t)(TAG_STEP + index)};
    double machine[2];
    board_to_machine(r, step->at, step->lift ? step->offset : NULL, machine);
    job.x = r->commanded[index][0] = machine[0];
    job.y = r->commanded[index][1] = machine[1];
    if (step->lift) {
        job.kind = ARM_JOB_LIFT;
        job.store = tray(r, step->colour);
    } else {
        struct error err;
        job.kind = ARM_JOB_PLACE;
        if (stores_supply(&r->o.devices->stores, step->colour, machine[0], machine[1], &job.store,
                          &err) < 0) {
            trouble(r, err.text);
            robot_raise(r, ROBOT_EV_FAILED);
            return false;
        }
    }
    return submit(r, job);
}

// Hands all steps to the arm, unless a hand is over the board.
void robot_work_if_clear(struct robot *r)
{
    if (r->submitted || !robot_is_clear(r))
        return;
    r->submitted = true;
    eye_set_arm(r->eye, VISION_ARM_OVER_BOARD);
    tell_obstacles(r);
    order_lifts(r);
    int every = r->settings->machine.home_every;
    if (r->home_due || (every && r->moves_since_home >= every)) {
        r->home_due = false;
        robot_news(r, ROBOT_NEWS_DOING, "the arm checks its home corner");
        if (!submit_homing(r))
            return;
        tell_obstacles(r);
    }
    r->moves_since_home++;
    for (int i = 0; i < r->step_count; i++) {
        if (!submit_step(r, i))
            return;
    }
    submit(r, (struct arm_job){.kind = ARM_JOB_PARK, .store = -1, .tag = TAG_PARK});
}

// People who like to take their captures themselves are asked to.
static bool left_to_person(const struct robot *r, const struct target_report *report)
{
    if (r->settings->game.lifter != SETTINGS_LIFTER_PERSON || !r->mover ||
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
    robot_raise(r, ROBOT_EV_WRONG);
}

void robot_act_work(struct robot *r)
{
    struct target_report report;
    board_target_compare(&r->target, &r->evidence, &r->sure, &report);
    r->submitted = false;
    r->step_count = 0;
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
        memcpy(r->steps, report.step, (size_t)report.step_count * sizeof report.step[0]);
        r->step_count = report.step_count;
        robot_work_if_clear(r);
        if (!r->submitted)
            robot_news(r, ROBOT_NEWS_HINT,
                       "please keep your hands off the board; the robot wants "
                       "to move");
    }
}

void robot_act_hold(struct robot *r)
{
    arm_hold(r->arm, loop_now(r->loop));
    arm_link_update(r->arm_link);
    r->counts.hands++;
    robot_news(r, ROBOT_NEWS_HINT, "%s. The arm waits until the board is clear.",
               r->camera_lost ? "the camera sees nothing" : "there is a hand over the board");
}

void robot_act_go_on(struct robot *r)
{
    arm_resume(r->arm, loop_now(r->loop));
    arm_link_update(r->arm_link);
    robot_work_if_clear(r);
}

// After a failed step: whatever hangs on the cup goes into a tray, and the arm out of the picture.
void robot_act_recover(struct robot *r)
{
    unsigned colour = 1;
    for (int i = 0; i < r->step_count; i++)
        colour = r->steps[i].colour;
    if (arm_held(r->arm) != ARM_HELD_NO &&
        !submit(r,
                (struct arm_job){.kind = ARM_JOB_VENT, .store = tray(r, colour), .tag = TAG_VENT}))
        return;
    submit(r, (struct arm_job){.kind = ARM_JOB_PARK, .store = -1, .tag = TAG_RETREAT});
}

// --- news of the arm ---

static void on_state(struct robot *r, const struct arm_event *e)
{
    bool was_homed = r->arm_homed;
    r->arm_homed = e->state == ARM_HOMED;
    if (e->text[0] && e->state != ARM_HOMED && r->state != ROBOT_STOPPED)
        robot_news(r, ROBOT_NEWS_TROUBLE, "%s", e->text);
    switch (e->state) {
    case ARM_FAULTED:
        if (r->state == ROBOT_STOPPED)
            break;
        snprintf(r->stop_text, sizeof r->stop_text, "%s",
                 e->text[0] ? e->text : "the arm has stopped itself");
        robot_raise(r, ROBOT_EV_STOP);
        break;
    case ARM_UNKNOWN:
        if (!r->homing) // homing itself begins by forgetting the position
            robot_raise(r, was_homed ? ROBOT_EV_ARM_LOST : ROBOT_EV_ARM_READY);
        break;
    case ARM_OFFLINE:
        robot_raise(r, ROBOT_EV_ARM_LOST);
        break;
    case ARM_HOMED:
        break;
    }
}

static void on_done(struct robot *r, const struct arm_event *e)
{
    if (e->tag == TAG_HOME)
        r->homing = false;
    if (e->job_kind == ARM_JOB_PLACE)
        r->counts.placed++;
    if (e->job_kind == ARM_JOB_LIFT)
        r->counts.lifted++;
    if (e->tag != TAG_PARK && e->tag != TAG_RETREAT)
        return;
    r->parked = true;
    eye_set_arm(r->eye, VISION_ARM_PARKED);
    if (r->state == ROBOT_HOMING) {
        robot_raise(r, ROBOT_EV_HOMED);
    } else if (e->tag == TAG_RETREAT) {
        if (r->state == ROBOT_LOOKING)
            robot_act_look(r); // only now is there anything to see
    } else {
        r->counts.working_ns += loop_now(r->loop) - r->work_began_ns;
        r->counts.worked++;
        robot_raise(r, ROBOT_EV_DONE);
    }
}

// What hung on the cup when a step broke off may have fallen since: an emergency stop takes the
// pump's power as well, a restart lets the valve go.
static void note_fallen(struct robot *r, const struct arm_event *e)
{
    bool step = e->tag >= TAG_STEP && e->tag < TAG_STEP + (uint64_t)r->step_count;
    if (e->reason != ARM_STONE_LOST && e->held != ARM_HELD_YES &&
        !(step && e->held == ARM_HELD_UNKNOWN))
        return;
    r->fallen = true;
    r->fallen_colour = step ? r->steps[e->tag - TAG_STEP].colour : 0;
}

static void on_failed(struct robot *r, const struct arm_event *e)
{
    if (e->tag == TAG_HOME)
        r->homing = false;
    if (e->reason == ARM_CANCELLED)
        return; // the one before it has told
    if (e->reason == ARM_NOTHING_GRIPPED)
        r->counts.picks_failed++;
    note_fallen(r, e);
    if (e->reason == ARM_STOPPED)
        return; // the stop itself is told
    char what[ROBOT_LOG_STEP_MAX], text[ROBOT_TEXT];
    describe(r, e->tag, what, sizeof what);
    snprintf(text, sizeof text, "%s%s%.300s", what, what[0] ? ": " : "",
             e->text[0] ? e->text : arm_reason_name(e->reason));
    trouble(r, text);
    if (arm_state(r->arm) == ARM_HOMED) {
        robot_raise(r, ROBOT_EV_FAILED);
    } else {
        r->arm_homed = false; // told here; the state's own event need not tell it again
        robot_raise(r, ROBOT_EV_ARM_LOST);
    }
}

static void on_event(void *user, const struct arm_event *e, int64_t now)
{
    (void)now;
    struct robot *r = user;
    char what[ROBOT_LOG_STEP_MAX];
    switch (e->kind) {
    case ARM_EVENT_STATE:
        on_state(r, e);
        break;
    case ARM_EVENT_STARTED:
        describe(r, e->tag, what, sizeof what);
        if (what[0] && e->tag >= TAG_STEP)
            robot_news(r, ROBOT_NEWS_DOING, "%s", what);
        break;
    case ARM_EVENT_DONE:
        on_done(r, e);
        break;
    case ARM_EVENT_FAILED:
        on_failed(r, e);
        break;
    case ARM_EVENT_RETRY:
        r->counts.picks_retried++;
        robot_news(r, ROBOT_NEWS_TROUBLE, "%s", e->text[0] ? e->text : "one more try");
        break;
    case ARM_EVENT_WARNING:
        robot_news(r, ROBOT_NEWS_TROUBLE, "%s", e->text);
        break;
    }
}

// Only taking hold and letting go change the world; travelling does not.
static bool is_logged(const struct arm_intent *intent)
{
    return intent->act == ARM_ACT_GRIP || intent->act == ARM_ACT_RELEASE;
}

static int on_intent(void *user, const struct arm_intent *intent, int64_t now)
{
    (void)now;
    struct robot *r = user;
    struct error err;
    if (!r->o.log || !is_logged(intent))
        return 0;
    r->adrift = true; // from now on a stone may be on the cup
    char what[ROBOT_LOG_STEP_MAX];
    describe(r, intent->tag, what, sizeof what);
    int result = robot_log_intent(r->o.log, what, intent->held == ARM_HELD_YES, &err);
    if (result < 0)
        robot_news(r, ROBOT_NEWS_TROUBLE, "%s", err.text);
    return result;
}

static void on_act_done(void *user, const struct arm_intent *intent, int64_t now)
{
    (void)now;
    struct robot *r = user;
    struct error err;
    if (r->o.log && is_logged(intent) &&
        robot_log_done(r->o.log, intent->act == ARM_ACT_GRIP, &err) < 0)
        robot_news(r, ROBOT_NEWS_TROUBLE, "%s", err.text);
}

static void on_bytes(void *user, enum transport_direction direction, const void *data, size_t size)
{
    struct robot *r = user;
    recorder_serial(r->o.recorder, direction, data, size);
}

// --- making ---

// What the robot has laid already is no longer in its stores.
static void count_stores(struct robot *r)
{
    const struct game *game = robot_game(r);
    struct stores *stores = &r->o.devices->stores;
    for (size_t i = 0; i < game->entries; i++) {
        struct move move = game_move(game, i);
        int s = move.kind == MOVE_PLACE ? devices_store(stores, STORE_SUPPLY, move.colour) : -1;
        bool by_robot = false;
        for (unsigned seat = 1; seat <= game->rules.seat_count; seat++)
            by_robot = by_robot || (game_seat_colour(game, seat) == move.colour &&
                                    !robot_player(r, seat)->at_board);
        if (s >= 0 && by_robot && stores->store[s].count > 0)
            stores->store[s].count--;
    }
}

// The gripper's sensor is an input like any other: recorded as it is read.
static int read_sensor(void *user)
{
    struct robot *r = user;
    int level = r->gripper_lines.get_sensor(r->gripper_lines.user);
    recorder_gpio(r->o.recorder, GPIO_PICK_SENSOR, level);
    return level;
}

static int set_pump(void *user, int on)
{
    struct robot *r = user;
    return r->gripper_lines.set_pump(r->gripper_lines.user, on);
}

static int set_valve(void *user, int vented)
{
    struct robot *r = user;
    return r->gripper_lines.set_valve(r->gripper_lines.user, vented);
}

static struct gripper_lines recorded_lines(struct robot *r)
{
    r->gripper_lines = controls_gripper(r->controls);
    return (struct gripper_lines){
        .user = r,
        .set_pump = set_pump,
        .set_valve = r->gripper_lines.set_valve ? set_valve : NULL,
        .get_sensor = r->gripper_lines.get_sensor ? read_sensor : NULL,
    };
}

int robot_arm_open(struct robot *r, struct error *err)
{
    struct devices *d = r->o.devices;
    const struct arm_hooks hooks = {
        .event = on_event, .intent = on_intent, .done = on_act_done, .user = r};
    struct gripper_lines lines;
    if (r->controls)
        lines = recorded_lines(r);
    int result = devices_gripper(r->settings, r->controls ? &lines : NULL, &r->gripper, err);
    if (result < 0)
        return result;
    count_stores(r);
    map_learner_init(&r->learner, &d->map,
                     (r->settings->board.columns - 1) * r->settings->board.pitch_x,
                     (r->settings->board.rows - 1) * r->settings->board.pitch_y);
    r->map = d->map;
    d->transport->tap = on_bytes;
    d->transport->tap_user = r;
    result = arm_new(&d->arm, r->settings->serial.baud, d->transport, r->gripper, &d->stores,
                     &hooks, loop_now(r->loop), &r->arm, err);
    if (result == 0)
        result = arm_link_new(r->loop, r->arm, &r->arm_link, err);
    if (result == 0 && r->controls)
        arm_set_stop_input(r->arm, ARM_STOP_ESTOP, controls_estop(r->controls), loop_now(r->loop));
    return result;
}

void robot_arm_close(struct robot *r)
{
    if (r->o.devices->transport)
        r->o.devices->transport->tap = NULL;
    arm_link_free(r->arm_link);
    arm_free(r->arm);
    gripper_free(r->gripper);
}
