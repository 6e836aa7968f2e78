// The steps of a program, one at a time, each believed only when the firmware says so.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion/arm_impl.h"
#include "motion/grbl_text.h"

#define MS     1000000LL
#define SECOND (1000 * MS)

enum { MISSES_MAX = 3 }; // reports "Idle, elsewhere" in a row before that is believed

static const int64_t slack = 3 * SECOND;        // over the time a line should take
static const int64_t word_timeout = 6 * SECOND; // M3 waits for the motion before it
static const int64_t ask_again = 20 * MS;
static const double off_target = 0.02;         // mm, beside half a step
static const char modal[] = "G21G90G94G17G54"; // a start-up line may have changed any of these

static const struct arm_step *current(const struct arm *arm)
{
    return &arm->program.step[arm->pc];
}

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

static void step_done(struct arm *arm, int64_t now)
{
    const struct arm_step *step = current(arm);
    bool physical = step->kind == ARM_STEP_HOME || step->kind == ARM_STEP_LEG ||
                    step->kind == ARM_STEP_JOG || step->kind == ARM_STEP_GRIP ||
                    step->kind == ARM_STEP_RELEASE;
    arm->wait = ARM_WAIT_NONE;
    arm->ask_at = arm->arrive_by = arm->dwell_until = INT64_MAX;
    arm->pc++;
    if (physical && arm->hooks.done)
        arm->hooks.done(arm->hooks.user, &arm->intent, now);
}

// A failure with the machine in order: withdraw, then tell.
static void soft_fail(struct arm *arm, enum arm_reason reason, bool release, const double at[3],
                      const char *text)
{
    arm->failing = true;
    arm->fail_reason = reason;
    memcpy(arm->fail_at, at, sizeof arm->fail_at);
    snprintf(arm->fail_text, sizeof arm->fail_text, "%s", text);
    arm_program_withdraw(&arm->config, arm->at, release, &arm->program);
    arm->pc = 0;
    arm->wait = ARM_WAIT_NONE;
}

// Tells the journal what is about to happen. False: it refused, the job has ended.
static bool intend(struct arm *arm, enum arm_act act, const double to[3], int64_t now)
{
    arm->intent = (struct arm_intent){
        .job = arm->job.id,
        .tag = arm->job.job.tag,
        .kind = arm->job.job.kind,
        .act = act,
        .held = arm->held,
        .store = arm->job.job.store,
        .slot = -1,
    };
    memcpy(arm->intent.from, arm->at, sizeof arm->at);
    memcpy(arm->intent.to, to, sizeof arm->at);
    if (!arm->hooks.intent)
        return true;
    int r = arm->hooks.intent(arm->hooks.user, &arm->intent, now);
    if (!arm->running)
        return false; // stopped from within the hook
    if (r >= 0)
        return true;
    arm_job_failed(arm, ARM_JOURNAL, r, arm->at,
                   "The step could not be written to the journal, so it was not done. Is the disk "
                   "full?",
                   now);
    return false;
}

// ---- beginning ---------------------------------------------------------------------------------

// Firmware seeks at most 1.5 travels an axis (Z first, then X and Y together), backs off and
// touches again slowly.
static int64_t homing_timeout(const struct grbl_machine *m)
{
    double seek = m->homing_seek > 0 ? m->homing_seek : 8;
    double feed = m->homing_feed > 0 ? m->homing_feed : 0.4;
    double pull = m->homing_pull_off > 0 ? m->homing_pull_off : 1;
    double way = 1.5 * (m->travel[2] + fmax(m->travel[0], m->travel[1]));
    return (int64_t)((1.25 * (way / seek + 2 * 5 * pull / feed) + 10) * 1e9);
}

static void begin_home(struct arm *arm, int64_t now)
{
    if (!intend(arm, ARM_ACT_HOME, arm->at, now))
        return;
    arm->known = false;
    arm->homing = true;
    arm_update_state(arm, now);
    if (!arm->running)
        return;
    arm->wait = ARM_WAIT_HOME;
    arm->lines_left = 1;
    grbl_set_pace(arm->grbl, GRBL_PACE_SILENT, now);
    grbl_send(arm->grbl, "$H", homing_timeout(grbl_machine(arm->grbl)), 0, now);
}

static double step_size(const struct arm *arm)
{
    double steps = grbl_machine(arm->grbl)->steps_per_mm[0];
    return steps > 0 ? 1 / steps : 0.01;
}

// The only place that sends motion lines other than $H; it does so with the position known.
static void begin_motion(struct arm *arm, int64_t now)
{
    const struct arm_step step = *current(arm); // a callback may end the program under our feet
    const double *end = step.point[step.points - 1];
    if (!arm->known) {
        arm_job_failed(arm, ARM_INVALID, 0, arm->at, "The arm's position is not known. Home it.",
                       now);
        return;
    }
    if (!intend(arm, ARM_ACT_MOVE, end, now))
        return;
    struct travel_limits limits;
    if (!arm_limits(arm, &limits))
        limits = (struct travel_limits){{10, 10, 10}, {10, 10, 10}, 0};
    double seconds = arm_step_seconds(&step, &limits, arm->at);
    int64_t timeout = (int64_t)(1.5e9 * seconds) + slack;
    bool jog = step.kind == ARM_STEP_JOG;
    arm->wait = ARM_WAIT_LINES;
    arm->lines_left = step.points + !jog;
    arm->misses = 0;
    arm->arrive_by = now + timeout;
    arm->expected = now + (int64_t)(1e9 * seconds);
    memcpy(arm->target, end, sizeof arm->target);
    grbl_set_pace(arm->grbl, GRBL_PACE_MOVING, now);
    double from[3];
    memcpy(from, arm->at, sizeof from);
    int r = 0;
    for (int i = 0; i < step.points && r == 0; i++) {
        char line[GRBL_SEND_MAX + 2];
        arm_step_line(&step, i, from, line, sizeof line);
        r = grbl_send(arm->grbl, line, timeout, 0, now);
    }
    if (r == 0 && !jog)
        r = grbl_send(arm->grbl, "G4P0", timeout, 0, now);
    if (r < 0 && arm->running)
        arm_lose(arm, ARM_TIMEOUT, 0, now, "A line for the plotter could not be queued.");
}

static void begin_gripper(struct arm *arm, enum arm_step_kind kind, int64_t now)
{
    const struct gripper_ops *ops = arm->gripper->ops;
    char word[GRIPPER_LINE];
    if (kind != ARM_STEP_REST &&
        !intend(arm, kind == ARM_STEP_GRIP ? ARM_ACT_GRIP : ARM_ACT_RELEASE, arm->at, now))
        return;
    int (*act)(void *, char *) = kind == ARM_STEP_GRIP      ? ops->grip
                                 : kind == ARM_STEP_RELEASE ? ops->release
                                                            : ops->rest;
    int r = act(arm->gripper->impl, word);
    if (r < 0) {
        arm_job_failed(arm, ARM_GRIPPER, r, arm->at,
                       "The gripper's output could not be switched. Check its wiring.", now);
        return;
    }
    if (kind == ARM_STEP_GRIP)
        arm->held = ARM_HELD_UNKNOWN; // until the check after the dwell
    arm->down = kind != ARM_STEP_REST || arm->down;
    if (!word[0]) {
        step_done(arm, now);
        return;
    }
    arm->wait = ARM_WAIT_WORD;
    arm->lines_left = 1;
    grbl_send(arm->grbl, word, word_timeout, 0, now);
}

// ---- checks ------------------------------------------------------------------------------------

static void insert(struct arm *arm, const struct arm_step *steps, int count)
{
    struct arm_program *p = &arm->program;
    int rest = p->count - arm->pc - 1; // the steps behind the failed check
    if (arm->pc + count + rest > ARM_STEPS_MAX) {
        // Done steps are no longer needed: make room at the front.
        memmove(p->step, p->step + arm->pc, sizeof *p->step * (size_t)(p->count - arm->pc));
        p->count -= arm->pc;
        arm->pc = 0;
    }
    memmove(p->step + arm->pc + count, p->step + arm->pc + 1, sizeof *p->step * (size_t)rest);
    memcpy(p->step + arm->pc, steps, sizeof *steps * (size_t)count);
    p->count = arm->pc + count + rest;
}

static void not_held(struct arm *arm, const struct arm_step *expect, int64_t now)
{
    arm->held = ARM_HELD_NO;
    if (expect->attempt + 1 >= arm->config.grip_tries) {
        soft_fail(arm, ARM_NOTHING_GRIPPED, true, (double[]){expect->x, expect->y, expect->z},
                  "No stone was gripped after all tries: there is none, or it lies elsewhere.");
        return;
    }
    struct arm_step steps[ARM_RETRY_STEPS];
    int count = arm_program_regrip(&arm->config, expect, steps);
    int attempt = expect->attempt + 1;
    insert(arm, steps, count);
    arm_emit_retry(arm, attempt, now);
}

static void not_free(struct arm *arm, const struct arm_step *expect, int64_t now)
{
    arm->held = ARM_HELD_YES;
    if (expect->attempt + 1 >= arm->config.release_tries) {
        soft_fail(arm, ARM_STONE_STUCK, false, (double[]){expect->x, expect->y, expect->z},
                  "The stone sticks to the cup. Take it off by hand.");
        return;
    }
    struct arm_step steps[ARM_RETRY_STEPS];
    int count = arm_program_rerelease(expect, steps);
    int attempt = expect->attempt + 1;
    insert(arm, steps, count);
    arm_emit_retry(arm, attempt, now);
}

static void not_carried(struct arm *arm, const struct arm_step *expect)
{
    const double here[3] = {expect->x, expect->y, expect->z};
    arm->held = ARM_HELD_NO;
    soft_fail(arm, ARM_STONE_LOST, true, arm->lost_seen ? arm->lost_at : here,
              "The stone fell off the cup on the way.");
}

// sensed: 1, 0, -ENOENT (no sensor), -EIO.
static void judge(struct arm *arm, int sensed, int64_t now)
{
    const struct arm_step expect = *current(arm);
    bool want = expect.kind != ARM_STEP_EXPECT_FREE;
    if (sensed == -EIO) {
        soft_fail(arm, ARM_GRIPPER, false, (double[]){expect.x, expect.y, expect.z},
                  "The pick sensor cannot be read. Check its wiring.");
        return;
    }
    if (sensed == -ENOENT)
        arm->verified = false;
    if (sensed == -ENOENT || (sensed == 1) == want) {
        arm->held = want ? ARM_HELD_YES : ARM_HELD_NO;
        arm->lost_seen = false;
        step_done(arm, now);
    } else if (expect.kind == ARM_STEP_EXPECT_HELD) {
        not_held(arm, &expect, now);
    } else if (expect.kind == ARM_STEP_EXPECT_FREE) {
        not_free(arm, &expect, now);
    } else {
        not_carried(arm, &expect);
    }
}

static void begin_expect(struct arm *arm, int64_t now)
{
    int sensed = arm->gripper->ops->sense(arm->gripper->impl);
    if (sensed == -ENOENT && arm->config.probe_sensor) {
        arm->wait = ARM_WAIT_SENSE;
        arm->arrive_by = now + slack;
        grbl_ask(arm->grbl, now);
        return;
    }
    judge(arm, sensed, now);
}

static void book(struct arm *arm, const struct arm_step *step, int64_t now)
{
    struct store_point point = step->store;
    if (step->kind == ARM_STEP_PUT) {
        stores_put(arm->stores, &point);
        step_done(arm, now);
        return;
    }
    stores_took(arm->stores, &point);
    step_done(arm, now);
    if (stores_low(arm->stores, point.store)) {
        char text[128];
        snprintf(text, sizeof text, "Store \"%s\" is low: %d stones left. Fill it.",
                 arm->stores->store[point.store].name, stores_stones(arm->stores, point.store));
        arm_emit_warning(arm, text, now);
    }
}

void arm_step_begin(struct arm *arm, int64_t now)
{
    const struct arm_step *step = current(arm);
    switch (step->kind) {
    case ARM_STEP_HOME:
        begin_home(arm, now);
        break;
    case ARM_STEP_LEG:
    case ARM_STEP_JOG:
        begin_motion(arm, now);
        break;
    case ARM_STEP_GRIP:
    case ARM_STEP_RELEASE:
    case ARM_STEP_REST:
        begin_gripper(arm, step->kind, now);
        break;
    case ARM_STEP_DWELL:
        arm->wait = ARM_WAIT_DWELL;
        arm->dwell_until = now + step->dwell_ns;
        break;
    case ARM_STEP_EXPECT_HELD:
    case ARM_STEP_EXPECT_CARRIED:
    case ARM_STEP_EXPECT_FREE:
        begin_expect(arm, now);
        break;
    case ARM_STEP_TOOK:
    case ARM_STEP_PUT:
        book(arm, step, now);
        break;
    }
}

// ---- answers -----------------------------------------------------------------------------------

static void refused(struct arm *arm, int error, int64_t now)
{
    const struct grbl_text *text = grbl_error_text(error);
    bool jog = arm->running && current(arm)->kind == ARM_STEP_JOG;
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
        if (current(arm)->kind == ARM_STEP_JOG)
            arm->ask_at = arm->expected; // its ok comes before the motion
        else
            grbl_ask(arm->grbl, now);
        break;
    case ARM_WAIT_HOME:
        // An aborted $H says ok too: only Idle without an alarm in between is homed.
        arm->wait = ARM_WAIT_HOMED;
        arm->lines_left = 1;
        arm->arrive_by = now + slack;
        grbl_set_pace(arm->grbl, GRBL_PACE_IDLE, now);
        grbl_send(arm->grbl, modal, slack, 0, now);
        break;
    case ARM_WAIT_HOMED:
        grbl_ask(arm->grbl, now);
        break;
    case ARM_WAIT_WORD:
        step_done(arm, now);
        break;
    default:
        break;
    }
}

static void homed(struct arm *arm, const struct grbl_status *s, int64_t now)
{
    const struct grbl_machine *m = grbl_machine(arm->grbl);
    for (int i = 0; i < GRBL_AXES; i++) {
        if (m->travel[i] > 0 &&
            (s->machine[i] > off_target || s->machine[i] < -m->travel[i] - off_target)) {
            arm_lose(arm, ARM_OFF_TARGET, 0, now,
                     "After homing the plotter says %c %.1f mm, outside its travel. Its firmware "
                     "was built with another home position than this program expects.",
                     "XYZ"[i], s -> machine[i]);
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
    step_done(arm, now);
    arm_update_state(arm, now);
}

static bool near_target(const struct arm *arm, const double machine[3], const double target[3])
{
    double tolerance = off_target + step_size(arm) / 2;
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
    step_done(arm, now);
}

static void await_arrival(struct arm *arm, const struct grbl_status *s, int64_t now)
{
    bool jog = current(arm)->kind == ARM_STEP_JOG;
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

static void watch_pause(struct arm *arm, const struct grbl_status *s, int64_t now)
{
    bool standing = s->state == GRBL_STATE_HOLD || s->state == GRBL_STATE_DOOR;
    if (standing && !arm->hold && !arm->foreign_hold) {
        arm->foreign_hold = true;
        if (s->state == GRBL_STATE_DOOR && arm->gripper->drops_on_reset &&
            arm->held == ARM_HELD_YES)
            arm->held = ARM_HELD_UNKNOWN; // the door switches the firmware's outputs off
        arm_emit_warning(arm,
                         s->state == GRBL_STATE_DOOR
                             ? "The plotter's door is open. Close it, then resume."
                             : "The plotter is in feed hold; its hold button was pressed. Resume "
                               "to go on.",
                         now);
    }
    if (!standing && !arm->hold)
        arm->foreign_hold = false;
    if (standing || arm->hold)
        arm_exec_pause(arm, now);
    else
        arm_exec_unpause(arm, now);
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
        judge(arm, (s->pins & GRBL_PIN_PROBE) != 0, now);
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
        step_done(arm, now);
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
