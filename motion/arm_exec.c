// What the firmware answers to the running step; each is believed only when the firmware says so.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion/arm_impl.h"
#include "motion/grbl_text.h"

enum { MISSES_MAX = 3 }; // reports "Idle, elsewhere" in a row before that is believed

static const int64_t ask_again = 20000000;
static const int64_t ask_resumed = 100000000;
static const double off_target = 0.02; // mm, beside half a step
static const double home_play = 1;     // mm, beside the pull-off, around the home corner

void arm_exec_reset(struct arm *arm)
{
    arm->wait = ARM_WAIT_NONE;
    arm->lines_left = 0;
    arm->misses = 0;
    arm->homing = false;
    arm->ask_at = arm->arrive_by = arm->dwell_until = INT64_MAX;
    arm->paused_at = INT64_MAX;
    arm->lost_seen = false;
}
static void refused(struct arm *arm, int error, int64_t now)
{
    const struct grbl_text *text = grbl_error_text(error);
    bool jog = arm->running && arm_step_current(arm)->kind == ARM_STEP_JOG;
    char sentence[ERROR_TEXT_MAX];
    snprintf(sentence, sizeof sentence, "The plotter refused a line, error %d (%s): %s %s", error,
             text->name, text->means, text->advice);
    if (jog && error == 15) {
        // Nothing moved, nothing is queued, it stays Idle: the one harmless refusal.
        arm_job_failed(arm, ARM_SOFT_LIMIT, error, arm->at, sentence, now);
    } else if (arm->wait == ARM_WAIT_HOME) {
        arm_job_failed(arm, ARM_REFUSED, error, arm->at, sentence, now);
    } else {
        // Part of the leg may be on its way, and the rest of it must not follow.
        arm_lose(arm, ARM_REFUSED, error, now, "%s", sentence);
    }
}

void arm_exec_reply(struct arm *arm, int error, int64_t now)
{
    if (!arm->running || arm->wait == ARM_WAIT_NONE)
        return;
    if (error) {
        refused(arm, error, now);
        return;
    }
    if (arm->lines_left == 0 || --arm->lines_left > 0)
        return;
    switch (arm->wait) {
    case ARM_WAIT_LINES:
        arm->wait = ARM_WAIT_ARRIVAL;
        if (arm_step_current(arm)->kind == ARM_STEP_JOG && !grbl_dialect(arm->grbl)->jog_settles)
            arm->ask_at = arm->expected; // its ok comes before the motion
        else
            grbl_ask(arm->grbl, now);
        break;
    case ARM_WAIT_HOME:
        // An aborted $H says ok too: only Idle without an alarm in between is homed.
        arm->wait = ARM_WAIT_HOMED;
        arm->arrive_by = now + ARM_SLACK_NS;
        grbl_set_pace(arm->grbl, GRBL_PACE_IDLE, now);
        for (const char *const *word = grbl_dialect(arm->grbl)->modal; *word; word++) {
            arm->lines_left++;
            grbl_send(arm->grbl, *word, ARM_SLACK_NS, 0, now);
        }
        break;
    case ARM_WAIT_HOMED:
        grbl_ask(arm->grbl, now);
        break;
    case ARM_WAIT_WORD:
        arm_step_done(arm, now);
        break;
    default:
        break;
    }
}

// Where the firmware must say it is after homing: backed off from the end that $23 names, in a
// space that ends at 0. Firmware built or set to call the corner 0 (HOMING_FORCE_SET_ORIGIN, bit 3
// of grblHAL's $22) would be driven against its end.
static double home_corner(const struct grbl_machine *m, int axis)
{
    bool at_min = (m->homing_mask & 1 << axis) != 0;
    return at_min ? m->homing_pull_off - m->travel[axis] : -m->homing_pull_off;
}

static void homed(struct arm *arm, const struct grbl_status *s, int64_t now)
{
    const struct grbl_machine *m = grbl_machine(arm->grbl);
    for (int i = 0; i < GRBL_AXES; i++) {
        double corner = home_corner(m, i);
        if (fabs(s->machine[i] - corner) > m->homing_pull_off + home_play) {
            arm_lose(arm, ARM_OFF_TARGET, 0, now,
                     "After homing the plotter says %c %.1f mm, but by its settings $23, $27 and "
                     "$13%d it must be at %.1f mm. Its firmware calls its home corner by another "
                     "name: build it without HOMING_FORCE_SET_ORIGIN, or clear bit 3 of $22 "
                     "(grblHAL).",
                     "XYZ"[i], s -> machine[i], i, corner);
            return;
        }
    }
    memcpy(arm->at, s->machine, sizeof arm->at);
    memcpy(arm->intent.to, arm->at, sizeof arm->at);
    arm->known = true;
    arm->homing = false;
    arm->down = false;
    int sensed = arm_sensor(arm);
    if (sensed >= 0)
        arm->held = sensed ? ARM_HELD_YES : ARM_HELD_NO;
    arm_step_done(arm, now);
    arm_update_state(arm, now);
}

static bool near_target(const struct arm *arm, const double machine[3], const double target[3])
{
    double tolerance = off_target + arm_step_size(arm) / 2;
    for (int i = 0; i < 3; i++) {
        if (!(fabs(machine[i] - target[i]) <= tolerance))
            return false;
    }
    return true;
}

static void arrived(struct arm *arm, const double at[3], int64_t now)
{
    memcpy(arm->at, at, sizeof arm->at);
    arm->down = false;
    grbl_set_pace(arm->grbl, GRBL_PACE_IDLE, now);
    arm_step_done(arm, now);
}

static void await_arrival(struct arm *arm, const struct grbl_status *s, int64_t now)
{
    bool jog = arm_step_current(arm)->kind == ARM_STEP_JOG;
    if (s->state != GRBL_STATE_IDLE || !s->has_machine) {
        arm->misses = 0;
        arm->ask_at = arm->expected > now + ask_again ? arm->expected : now + ask_again;
    } else if (near_target(arm, s->machine, arm->target)) {
        arrived(arm, arm->target, now);
    } else if (++arm->misses < MISSES_MAX) {
        // An ok that came too early leaves the motion still to begin: ask again before judging.
        arm->ask_at = now + ask_again;
    } else if (jog) {
        arrived(arm, s->machine, now); // cancelled on the way; it knows where it is
    } else {
        arm_lose(arm, ARM_OFF_TARGET, 0, now,
                 "The plotter stands at %.2f %.2f %.2f mm instead of %.2f %.2f %.2f: a line was "
                 "garbled on the way. Home the arm; check the cable.",
                 s->machine[0], s->machine[1], s->machine[2], arm->target[0], arm->target[1],
                 arm->target[2]);
    }
}

static void watch_stone(struct arm *arm, const struct grbl_status *s)
{
    if (arm->held != ARM_HELD_YES || arm->lost_seen || !s->has_machine)
        return;
    int sensed = arm->gripper->ops->sense(arm->gripper->impl);
    if (sensed == -ENOENT && arm->config.probe_sensor)
        sensed = (s->pins & GRBL_PIN_PROBE) != 0;
    if (sensed == 0) {
        arm->lost_seen = true;
        memcpy(arm->lost_at, s->machine, sizeof arm->lost_at);
    }
}

void arm_exec_pause(struct arm *arm, int64_t now)
{
    grbl_set_paused(arm->grbl, true, now);
    if (arm->paused_at == INT64_MAX)
        arm->paused_at = now;
}

void arm_exec_unpause(struct arm *arm, int64_t now)
{
    grbl_set_paused(arm->grbl, false, now);
    if (arm->paused_at == INT64_MAX)
        return;
    if (arm->arrive_by != INT64_MAX)
        arm->arrive_by += now - arm->paused_at;
    arm->paused_at = INT64_MAX;
}

// GRBL discards a '~' while it still slows down, and a closed door takes seconds to take up again:
// both are no hold that anybody has to be told of. True: still on its way back to work.
static bool on_its_way(struct arm *arm, const struct grbl_status *s, int64_t now)
{
    bool ajar = s->state == GRBL_STATE_DOOR && s->substate == 1;
    if (!arm->resuming || ajar || now >= arm->resume_by) {
        arm->resuming = false;
        return false;
    }
    if (s->substate <= 0) // at rest, and ready to be resumed
        grbl_realtime(arm->grbl, grbl_dialect(arm->grbl)->resume, now);
    arm->ask_at = now + ask_resumed;
    return true;
}

static void held_up(struct arm *arm, bool door, int64_t now)
{
    if (door && arm->gripper->drops_on_reset && arm->held == ARM_HELD_YES)
        arm->held = ARM_HELD_UNKNOWN; // the door switches the firmware's outputs off
    arm_emit_warning(arm,
                     door ? "The plotter's door is open. Close it, then resume."
                          : "The plotter is in feed hold; its hold button was pressed. Resume to "
                            "go on.",
                     now);
}

// Only one hold is known to the firmware, whoever asked for it. Theirs shows on top of ours by the
// state that a door leads to, by a pin that was calm before, or where ours was not sent at all.
static bool is_theirs(const struct arm *arm, const struct grbl_status *s)
{
    unsigned pins = s->pins & ~arm->calm_pins & (GRBL_PIN_HOLD | GRBL_PIN_DOOR);
    return pins || (arm->hold && (s->state == GRBL_STATE_DOOR || !arm->hold_sent));
}

// The plotter's own start button ends our hold; our '~' ends one of somebody there who still
// presses. It is to stand all the same.
static bool is_to_stand(const struct arm *arm, const struct grbl_status *s)
{
    bool runs = s->state == GRBL_STATE_RUN || s->state == GRBL_STATE_JOG;
    return runs && ((arm->hold && arm->hold_sent) || (arm->resuming && is_theirs(arm, s)));
}

static void watch_pause(struct arm *arm, const struct grbl_status *s, int64_t now)
{
    bool standing = s->state == GRBL_STATE_HOLD || s->state == GRBL_STATE_DOOR;
    if (is_to_stand(arm, s)) {
        grbl_realtime(arm->grbl, grbl_dialect(arm->grbl)->hold, now);
        standing = true;
    }
    bool tell = standing && !arm->foreign_hold &&
                (is_theirs(arm, s) || (!arm->hold && !on_its_way(arm, s, now)));
    if (tell)
        arm->foreign_hold = true;
    if (tell || !standing)
        arm->resuming = false;
    if (!standing && !arm->hold)
        arm->foreign_hold = false;
    if (!arm->hold && !arm->resuming)
        arm->calm_pins = s->pins;
    if (standing || arm->hold)
        arm_exec_pause(arm, now);
    else
        arm_exec_unpause(arm, now);
    if (tell)
        held_up(arm, s->state == GRBL_STATE_DOOR, now); // last: a callback may end everything
}

void arm_exec_status(struct arm *arm, const struct grbl_status *s, int64_t now)
{
    bool moving = arm->wait == ARM_WAIT_LINES || arm->wait == ARM_WAIT_ARRIVAL;
    if (s->state == GRBL_STATE_ALARM || s->state == GRBL_STATE_SLEEP) {
        // Expected before homing; afterwards it means a reset that nobody heard of.
        if (arm->known || arm->wait == ARM_WAIT_HOMED)
            arm_lose(arm, ARM_RESTARTED, 0, now,
                     "The plotter is locked although it was homed: it restarted or lost its "
                     "supply. Home the arm.");
        return;
    }
    watch_pause(arm, s, now);
    watch_stone(arm, s);
    if (!arm->running || arm->wait == ARM_WAIT_NONE)
        moving = false;
    if (arm->wait == ARM_WAIT_ARRIVAL) {
        await_arrival(arm, s, now);
    } else if (arm->wait == ARM_WAIT_HOMED && arm->lines_left == 0 && s->has_machine) {
        if (s->state == GRBL_STATE_IDLE)
            homed(arm, s, now);
        else
            arm->ask_at = now + ask_again;
    } else if (arm->wait == ARM_WAIT_SENSE) {
        arm_step_judge(arm, (s->pins & GRBL_PIN_PROBE) != 0, now);
    } else if (!moving && arm->known && s->has_machine && !near_target(arm, s->machine, arm->at)) {
        arm_lose(arm, ARM_OFF_TARGET, 0, now,
                 "The plotter says it stands at %.2f %.2f %.2f mm, but nobody moved it there: it "
                 "restarted, or somebody else drives it. Home the arm.",
                 s->machine[0], s->machine[1], s->machine[2]);
    }
}

void arm_exec_time(struct arm *arm, int64_t now)
{
    if (now >= arm->ask_at) {
        arm->ask_at = INT64_MAX;
        grbl_ask(arm->grbl, now);
    }
    if (arm->wait == ARM_WAIT_DWELL && now >= arm->dwell_until)
        arm_step_done(arm, now);
    bool waits =
        arm->wait == ARM_WAIT_ARRIVAL || arm->wait == ARM_WAIT_HOMED || arm->wait == ARM_WAIT_SENSE;
    if (waits && arm->paused_at == INT64_MAX && now >= arm->arrive_by)
        arm_lose(arm, ARM_TIMEOUT, 0, now,
                 "The plotter took all its lines but did not come to rest in time.");
}

int64_t arm_exec_deadline(const struct arm *arm)
{
    int64_t due = arm->ask_at;
    if (arm->wait == ARM_WAIT_DWELL && arm->dwell_until < due)
        due = arm->dwell_until;
    bool waits =
        arm->wait == ARM_WAIT_ARRIVAL || arm->wait == ARM_WAIT_HOMED || arm->wait == ARM_WAIT_SENSE;
    if (waits && arm->paused_at == INT64_MAX && arm->arrive_by < due)
        due = arm->arrive_by;
    return due;
}
