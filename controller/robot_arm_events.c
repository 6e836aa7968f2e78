// What the arm tells: of its state, of jobs that ended, of what it is about to do.
#include <stdio.h>
#include <string.h>

#include "controller/robot_private.h"
#include "rules/notation.h"

// --- words ---

static void describe_step(const struct robot *r, const struct target_step *step, char *buf,
                          size_t size)
{
    char point[MOVE_TEXT_MAX];
    const char *stone = r->colours.marbles ? "marble" : "stone";
    points_text_named(&step->at, 1, &r->colours, point, sizeof point);
    bool anew = step - r->steps >= r->straighten_from;
    if (anew)
        snprintf(buf, size, step->lift ? "straightening the %s %s on %s" : "laying the %s %s on %s",
                 robot_colour_name(r, step->colour), stone, point);
    else if (step->lift)
        snprintf(buf, size, "lifting the %s %s off %s", robot_colour_name(r, step->colour), stone,
                 point);
    else
        snprintf(buf, size, "placing a %s %s on %s", robot_colour_name(r, step->colour), stone,
                 point);
}

// The step that this tag stands for; NULL = it stands for something else.
static const struct target_step *step_of(const struct robot *r, uint64_t tag)
{
    bool is_step = tag >= ROBOT_TAG_STEP && tag < ROBOT_TAG_STEP + (uint64_t)r->step_count;
    return is_step ? &r->steps[tag - ROBOT_TAG_STEP] : NULL;
}

static void describe(const struct robot *r, uint64_t tag, char *buf, size_t size)
{
    const struct target_step *step = step_of(r, tag);
    buf[0] = 0;
    if (step)
        describe_step(r, step, buf, size);
    else if (tag == ROBOT_TAG_HOME)
        snprintf(buf, size, "homing");
    else if (tag == ROBOT_TAG_VENT)
        snprintf(buf, size, "letting go over the tray whatever may hang on the cup");
    else if (tag == ROBOT_TAG_AHEAD)
        snprintf(buf, size, "taking the next %s %s", robot_colour_name(r, r->ahead_asked),
                 r->colours.marbles ? "marble" : "stone");
    else if (tag == ROBOT_TAG_BACK)
        snprintf(buf, size, "putting the waiting %s %s away", robot_colour_name(r, r->ahead_colour),
                 r->colours.marbles ? "marble" : "stone");
}

// The loss of the plotter ends many things at once; people are told of it once.
static bool loss_is_told(struct robot *r, const char *text)
{
    const char *loss = grbl_last_trouble(arm_grbl(r->arm));
    if (!loss[0] || !strstr(text, loss))
        return false;
    bool told = strcmp(loss, r->loss_told) == 0;
    snprintf(r->loss_told, sizeof r->loss_told, "%s", loss);
    return told;
}

void robot_arm_trouble(struct robot *r, const char *text)
{
    snprintf(r->failure, sizeof r->failure, "%s", text);
    if (!loss_is_told(r, text))
        robot_news(r, ROBOT_NEWS_TROUBLE, "%s", text);
}

void robot_arm_awaited(struct robot *r)
{
    const char *loss = grbl_last_trouble(arm_grbl(r->arm));
    bool tell = loss[0] && !loss_is_told(r, loss);
    robot_news(r, ROBOT_NEWS_TROUBLE, "waiting for the plotter%s%s", tell ? ": " : "",
               tell ? loss : "");
}

// --- news of the arm ---

static void on_state(struct robot *r, const struct arm_event *e)
{
    bool was_homed = r->arm_homed;
    r->arm_homed = e->state == ARM_HOMED;
    if (e->state != ARM_OFFLINE)
        r->loss_told[0] = '\0';
    if (e->text[0] && e->state != ARM_HOMED && r->state != ROBOT_STOPPED &&
        !loss_is_told(r, e->text))
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
    if (e->tag == ROBOT_TAG_HOME) {
        r->homing = false;
        home_check_homed(&r->home);
        robot_ahead_check(r);
    }
    if (e->tag == ROBOT_TAG_AHEAD)
        robot_ahead_taken(r);
    else if (e->tag == ROBOT_TAG_BACK || e->tag == ROBOT_TAG_VENT)
        r->ahead_colour = 0;
    const struct target_step *step = step_of(r, e->tag);
    if (step)
        r->carried_out[step - r->steps] = true;
    bool anew = e->tag >= ROBOT_TAG_STEP + (uint64_t)r->straighten_from;
    if (e->job_kind == ARM_JOB_PLACE)
        r->ahead_failed = false;
    if (e->job_kind == ARM_JOB_PLACE && anew)
        r->counts.straightened++;
    else if (e->job_kind == ARM_JOB_PLACE)
        r->counts.placed++;
    else if (e->job_kind == ARM_JOB_LIFT && !anew)
        r->counts.lifted++;
    if (e->tag != ROBOT_TAG_PARK && e->tag != ROBOT_TAG_RETREAT)
        return;
    r->parked = true;
    eye_set_arm(r->eye, VISION_ARM_PARKED);
    r->homing_tries = 0;
    if (r->state == ROBOT_HOMING) {
        robot_raise(r, ROBOT_EV_HOMED);
    } else if (e->tag == ROBOT_TAG_RETREAT) {
        robot_raise(r, ROBOT_EV_DONE); // only now is there anything to see
    } else {
        r->counts.working_ns += loop_now(r->loop) - r->work_began_ns;
        r->counts.worked++;
        if (r->tidying)
            r->attempts = 0; // all of these steps were done; more follow
        robot_raise(r, ROBOT_EV_DONE);
    }
}

// What hung on the cup when a step broke off may have fallen since: an emergency stop takes the
// pump's power as well, a restart lets the valve go.
static void note_fallen(struct robot *r, const struct arm_event *e)
{
    if (e->reason == ARM_STONE_LOST)
        robot_note_fall(r, r->hand_colour, false);
    else if (e->held == ARM_HELD_YES || (step_of(r, e->tag) && e->held == ARM_HELD_UNKNOWN))
        robot_note_fall(r, r->hand_colour, true);
    else
        return;
    if (step_of(r, e->tag))
        r->fell_step = *step_of(r, e->tag);
}

static void on_failed(struct robot *r, const struct arm_event *e)
{
    if (e->tag == ROBOT_TAG_HOME) {
        r->homing = false;
        r->home_due = true; // as before
    }
    if (e->reason == ARM_CANCELLED)
        return; // the one before it has told
    const struct target_step *step = step_of(r, e->tag);
    if (e->reason == ARM_NOTHING_GRIPPED)
        r->counts.picks_failed++;
    if (e->reason == ARM_NOTHING_GRIPPED && step && step->lift)
        robot_search_failed(r, step);
    note_fallen(r, e);
    if (e->reason == ARM_STOPPED)
        return; // the stop itself is told
    char what[ROBOT_LOG_STEP_MAX], text[ROBOT_TEXT];
    describe(r, e->tag, what, sizeof what);
    snprintf(text, sizeof text, "%s%s%.300s", what, what[0] ? ": " : "",
             e->text[0] ? e->text : arm_reason_name(e->reason));
    robot_arm_trouble(r, text);
    if (arm_state(r->arm) == ARM_HOMED && e->tag == ROBOT_TAG_AHEAD) {
        robot_ahead_not_taken(r);
    } else if (arm_state(r->arm) == ARM_HOMED) {
        if (r->state == ROBOT_RETREATING) {
            r->question_board = false; // nothing to be seen yet: the arm is over the board
            snprintf(r->question, sizeof r->question, "%s", r->failure);
        }
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
        if (what[0] && e->tag >= ROBOT_TAG_AHEAD)
            robot_news(r, ROBOT_NEWS_DOING, "%s", what);
        if (e->job_kind == ARM_JOB_PLACE)
            r->ahead_colour = 0; // from here on it is the stone of this step
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
        if (!loss_is_told(r, e->text))
            robot_news(r, ROBOT_NEWS_TROUBLE, "%s", e->text);
        if (!arm_held_up(r->arm))
            break;
        // Somebody is at the machine: it goes on when that is confirmed, not when the door shuts.
        snprintf(r->stop_text, sizeof r->stop_text, "%s",
                 "the plotter's own door or hold button has halted it");
        robot_raise(r, ROBOT_EV_STOP);
        break;
    }
}

// Colour of the stone that this job takes hold of; 0 = of none.
static unsigned colour_of(const struct robot *r, uint64_t tag)
{
    const struct target_step *step = step_of(r, tag);
    if (step)
        return step->colour;
    return tag == ROBOT_TAG_AHEAD ? r->ahead_asked : 0;
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
    if (intent->act == ARM_ACT_GRIP)
        r->hand_colour = colour_of(r, intent->tag);
    if (!r->o.log || !is_logged(intent))
        return 0;
    r->adrift = true; // from now on a stone may be on the cup
    char what[ROBOT_LOG_STEP_MAX];
    describe(r, intent->tag, what, sizeof what);
    int result =
        robot_log_intent(r->o.log, what, r->hand_colour, intent->held == ARM_HELD_YES, &err);
    if (result < 0)
        robot_news(r, ROBOT_NEWS_TROUBLE, "%s", err.text);
    return result;
}

static void on_act_done(void *user, const struct arm_intent *intent, int64_t now)
{
    (void)now;
    struct robot *r = user;
    struct error err;
    if (intent->tag == ROBOT_TAG_VENT && intent->act == ARM_ACT_RELEASE &&
        intent->held == ARM_HELD_YES)
        robot_note_kept(r);
    if (intent->act == ARM_ACT_GRIP)
        r->gripped_ns = loop_now(r->loop);
    if (r->o.log && is_logged(intent) &&
        robot_log_done(r->o.log, intent->act == ARM_ACT_GRIP, &err) < 0)
        robot_news(r, ROBOT_NEWS_TROUBLE, "%s", err.text);
}

struct arm_hooks robot_arm_hooks(struct robot *r)
{
    return (struct arm_hooks){
        .event = on_event, .intent = on_intent, .done = on_act_done, .user = r};
}
