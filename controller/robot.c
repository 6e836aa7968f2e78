#include "controller/robot.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/robot_private.h"

void robot_news(struct robot *r, enum robot_news kind, const char *format, ...)
{
    char text[ROBOT_TEXT];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    if (kind != ROBOT_NEWS_TROUBLE)
        recorder_decision(r->o.recorder, "says", text);
    r->events.news(r->events.user, kind, text);
}

struct player *robot_player(struct robot *r, unsigned seat)
{
    return &r->o.players[seat - 1];
}

const char *robot_colour_name(const struct robot *r, unsigned colour)
{
    return r->colours.name[colour];
}

// --- the state machine ---

// Only where an event that leads on has been raised already.
static void act_later(struct robot *r)
{
    robot_raise(r, r->handled);
}

static void act(struct robot *r, enum robot_action action)
{
    static void (*const actions[ROBOT_ACTIONS])(struct robot *) = {
        [ROBOT_ACT_STOP] = robot_act_stop,       [ROBOT_ACT_START] = robot_act_start,
        [ROBOT_ACT_HOME] = robot_act_home,       [ROBOT_ACT_LOOK] = robot_act_look,
        [ROBOT_ACT_DECIDE] = robot_act_decide,   [ROBOT_ACT_WATCH] = robot_act_watch,
        [ROBOT_ACT_READ] = robot_act_read,       [ROBOT_ACT_EXPLAIN] = robot_act_explain,
        [ROBOT_ACT_THINK] = robot_act_think,     [ROBOT_ACT_JUDGE] = robot_act_judge,
        [ROBOT_ACT_TURN] = robot_act_turn,       [ROBOT_ACT_WORK] = robot_act_work,
        [ROBOT_ACT_HOLD] = robot_act_hold,       [ROBOT_ACT_GO_ON] = robot_act_go_on,
        [ROBOT_ACT_RECOVER] = robot_act_recover, [ROBOT_ACT_ASK] = robot_act_ask,
        [ROBOT_ACT_FINISH] = robot_act_finish,   [ROBOT_ACT_PUT_BACK] = robot_act_put_back,
        [ROBOT_ACT_NOTE] = robot_act_note,       [ROBOT_ACT_DECLINE] = robot_act_decline,
        [ROBOT_ACT_LATER] = act_later,           [ROBOT_ACT_REREAD] = robot_act_reread,
    };
    if (actions[action])
        actions[action](r);
}

// What is only noted or told does not begin the state, and its patience, anew.
static bool begins(const struct robot_row *row, bool changed)
{
    return changed || (row->action != ROBOT_ACT_NONE && row->action != ROBOT_ACT_NOTE &&
                       row->action != ROBOT_ACT_DECLINE);
}

// Whoever confirms after a stop has looked where the arm is going to move; so has who answers a
// question, if the arm stands where it should not: else it is about the board. What is only
// declined was said for something else.
static bool gives_leave(const struct robot *r, const struct robot_row *row)
{
    if (row->action == ROBOT_ACT_DECLINE)
        return false;
    bool stands_well = r->parked && arm_state(r->arm) == ARM_HOMED;
    return row->event == ROBOT_EV_RESET || (row->event == ROBOT_EV_RETRY && !stands_well);
}

static void handle(struct robot *r, enum robot_event event)
{
    const struct robot_row *row = robot_row_find(r->state, event);
    if (!row)
        return;
    // A stop is news also when it finds the robot stopped, as at the start.
    bool changed = r->state != row->to || event == ROBOT_EV_STOP;
    if (begins(row, changed))
        loop_source_set_due(r->timer, INT64_MAX);
    if (gives_leave(r, row))
        robot_hands_word(r);
    r->handled = event;
    r->state = row->to;
    if (changed) {
        recorder_decision(r->o.recorder, "state", robot_state_name(r->state));
        r->events.state(r->events.user, r->state);
    }
    act(r, row->action);
}

static void on_wake(void *user, int64_t now)
{
    (void)now;
    struct robot *r = user;
    while (r->queued) {
        enum robot_event event = r->queue[0];
        memmove(r->queue, r->queue + 1, (size_t)--r->queued * sizeof event);
        handle(r, event);
    }
}

// Handled from the loop, one at a time, so that no callback finds a half-done change.
void robot_raise(struct robot *r, enum robot_event event)
{
    if (event == ROBOT_EV_STOP) {
        r->queue[0] = event; // what waited is about a robot that was not stopped
        r->queued = 1;
    } else if (r->queued < ROBOT_QUEUE) {
        r->queue[r->queued++] = event;
    }
    loop_source_set_due(r->wake, 0);
}

void robot_patience(struct robot *r, int64_t ns)
{
    loop_source_set_due(r->timer, loop_now(r->loop) + ns);
}

static void on_patience(void *user, int64_t now)
{
    (void)now;
    struct robot *r = user;
    if (r->state == ROBOT_LOOKING || r->state == ROBOT_READING)
        robot_look_patience(r);
    else if (r->state == ROBOT_STARTING)
        robot_act_start(r);
    else if (r->state == ROBOT_HOLDING || r->state == ROBOT_HOMING || r->state == ROBOT_WORKING)
        robot_hands_patience(r);
}

// --- panel ---

static void on_estop(void *user, bool stop)
{
    struct robot *r = user;
    recorder_gpio(r->o.recorder, GPIO_ESTOP, stop);
    // Straight to the wire; the state follows.
    arm_set_stop_input(r->arm, ARM_STOP_ESTOP, stop, loop_now(r->loop));
    arm_link_update(r->arm_link);
    if (stop)
        robot_arm_stop_now(r, ARM_STOP_ESTOP, "the emergency stop is pressed");
    else
        robot_news(r, ROBOT_NEWS_TROUBLE, "the emergency stop is released");
}

static void on_lid(void *user, bool open)
{
    struct robot *r = user;
    recorder_gpio(r->o.recorder, GPIO_LID, open);
    arm_set_stop_input(r->arm, ARM_STOP_LID, open, loop_now(r->loop));
    arm_link_update(r->arm_link);
    if (open)
        robot_arm_stop_now(r, ARM_STOP_LID, "the lid is open");
    else
        robot_news(r, ROBOT_NEWS_TROUBLE, "the lid is shut");
}

// Who answers a question has done what it asked for. "Done" may be said of a move as well: it makes
// a new stone one, and empties no tray.
static void answer(struct robot *r, enum robot_event event, bool done)
{
    if (r->state == ROBOT_ASKING && event == ROBOT_EV_RETRY) {
        if (done)
            robot_answer_whose(r);
        if (!done || !r->full)
            robot_store_filled(r);
    }
    robot_raise(r, event);
}

static void on_pressed(void *user, enum gpio_line button)
{
    struct robot *r = user;
    recorder_gpio(r->o.recorder, button, 1);
    if (button == GPIO_BUTTON_RESET)
        answer(r, r->state == ROBOT_STOPPED ? ROBOT_EV_RESET : ROBOT_EV_RETRY, false);
    else
        answer(r, r->state == ROBOT_ASKING ? ROBOT_EV_RETRY : ROBOT_EV_PRESSED, true);
}

static void on_panel_lost(void *user, const char *text)
{
    struct robot *r = user;
    robot_arm_stop_now(r, ARM_STOP_ESTOP, text);
}

// --- making ---

static void name_colours(struct robot *r)
{
    for (int c = 1; c <= r->o.devices->vision.colours; c++)
        r->colours.name[c] = stone_colour_name(r->o.devices->vision.colour[c - 1]);
    r->colours.marbles = robot_game(r)->rules.family == FAMILY_PENTAGO;
}

static int check_game(struct robot *r, struct error *err)
{
    const struct variant *rules = &robot_game(r)->rules;
    const struct settings_board *board = &r->settings->board;
    if (board->columns != rules->size || board->rows != rules->size)
        return error_set_code(err, -EINVAL, "WrongTable",
                              "%s needs a board of %d×%d points; board.columns and board.rows say "
                              "%d×%d.",
                              rules->title, rules->size, rules->size, board->columns, board->rows);
    if (r->o.devices->vision.colours < rules->colours)
        return error_set_code(err, -EINVAL, "WrongTable",
                              "%s needs stones of %d colours; the settings name %d.", rules->title,
                              rules->colours, r->o.devices->vision.colours);
    return 0;
}

static int open_panel(struct robot *r, struct error *err)
{
    const struct controls_events events = {
        .estop = on_estop, .lid = on_lid, .pressed = on_pressed, .lost = on_panel_lost, .user = r};
    if (r->o.devices->has_gpio) {
        int result = controls_new(r->loop, &r->o.devices->gpio, &events, &r->controls, err);
        if (result < 0)
            return result;
        r->o.devices->has_gpio = false; // the panel closes it
    }
    if (r->settings->safety.estop_required &&
        !(r->controls && controls_wired(r->controls, GPIO_ESTOP)))
        return error_set_code(err, -ENODEV, "NoEstop",
                              "no emergency stop is wired, so the arm must not move. Wire "
                              "gpio.estop, or set safety.estop_required to false if the machine "
                              "is stopped in another way.");
    return 0;
}

// 0: none of these, or several.
static unsigned lone_colour(unsigned colours)
{
    for (unsigned c = 1; c <= COLOURS_MAX; c++) {
        if (colours == 1u << c)
            return c;
    }
    return 0;
}

int robot_new(const struct robot_options *options, const struct robot_events *events,
              struct robot **ret, struct error *err)
{
    struct robot *r = calloc(1, sizeof *r);
    if (!r)
        return error_set(err, -ENOMEM, "out of memory");
    r->o = *options;
    r->events = *events;
    r->loop = options->loop;
    r->settings = options->settings;
    r->sure = sureness_default();
    r->state = ROBOT_STOPPED;
    r->fallen = options->fallen;
    r->adrift = options->fallen != 0;
    r->hand_colour = lone_colour(options->fallen);
    r->change_logged = options->pending && options->pending[0];
    name_colours(r);
    int result = check_game(r, err);
    if (result == 0) {
        board_target_init(&r->target, robot_game(r)->rules.size);
        if (options->resumed)
            board_target_resume(&r->target, robot_game(r), options->pending);
        result = loop_add_timer(r->loop, INT64_MAX, on_wake, r, &r->wake);
        if (result == 0)
            result = loop_add_timer(r->loop, INT64_MAX, on_patience, r, &r->timer);
        if (result == 0)
            result = loop_add_timer(r->loop, 0, robot_hands_unseen, r, &r->unseen);
        if (result < 0)
            error_set(err, result, "no timer: %s.", strerror(-result));
    }
    if (result == 0)
        result = open_panel(r, err);
    if (result == 0)
        result = robot_arm_open(r, err);
    if (result == 0)
        result = robot_look_open(r, err);
    if (result < 0) {
        robot_free(r);
        return result;
    }
    if (options->resumed)
        robot_turn_resume(r);
    *ret = r;
    return 0;
}

struct robot *robot_free(struct robot *r)
{
    if (!r)
        return NULL;
    robot_look_close(r);
    robot_arm_close(r);
    controls_free(r->controls);
    loop_source_free(r->wake);
    loop_source_free(r->timer);
    loop_source_free(r->unseen);
    free(r);
    return NULL;
}

void robot_start(struct robot *r)
{
    r->events.position(r->events.user, robot_game(r), NULL);
    struct error err;
    for (unsigned seat = 1; seat <= robot_game(r)->rules.seat_count; seat++) {
        struct player *p = robot_player(r, seat);
        if (p->ops->begin(p->impl, robot_game(r), &err) < 0)
            robot_news(r, ROBOT_NEWS_TROUBLE, "%s: %s", p->name, err.text);
    }
    snprintf(r->stop_text, sizeof r->stop_text, "the arm is stopped, as always at the start");
    robot_raise(r, ROBOT_EV_STOP);
}

// --- what people may do ---

void robot_press_done(struct robot *r)
{
    recorder_person(r->o.recorder, "done", 0);
    answer(r, r->state == ROBOT_ASKING ? ROBOT_EV_RETRY : ROBOT_EV_PRESSED, true);
}

void robot_reset(struct robot *r)
{
    recorder_person(r->o.recorder, "reset", 0);
    answer(r, r->state == ROBOT_STOPPED ? ROBOT_EV_RESET : ROBOT_EV_RETRY, false);
}

void robot_stop(struct robot *r, const char *why)
{
    recorder_person(r->o.recorder, "stop", 0);
    robot_arm_stop_now(r, ARM_STOP_PERSON, why);
}

void robot_retry(struct robot *r)
{
    recorder_person(r->o.recorder, "retry", 0);
    answer(r, ROBOT_EV_RETRY, false);
}

void robot_tidy(struct robot *r)
{
    recorder_person(r->o.recorder, "tidy", 0);
    r->tidy = true;
    robot_news(r, ROBOT_NEWS_DOING, "when the game is over, the arm puts the stones away");
}

enum robot_state robot_state(const struct robot *r)
{
    return r->state;
}

const struct robot_counts *robot_counts(const struct robot *r)
{
    return &r->counts;
}

const struct colour_names *robot_colours(const struct robot *r)
{
    return &r->colours;
}

const struct evidence *robot_evidence(const struct robot *r)
{
    return &r->evidence;
}
