// The steps of a program: how each begins, what a check decides.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/base/clock.h"
#include "motion/arm_impl.h"

#define SECOND 1000000000LL

static const int64_t word_timeout = 6 * SECOND; // M3 waits for the motion before it
static const double HOMING_MAX = 600;           // seconds

const struct arm_step *arm_step_current(const struct arm *arm)
{
    return &arm->program.step[arm->pc];
}
void arm_step_done(struct arm *arm, int64_t now)
{
    const struct arm_step *step = arm_step_current(arm);
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
// touches again slowly. Settings that would let it take longer than HOMING_MAX are none: a plotter
// that says nothing for so long is stuck.
static int64_t homing_timeout(const struct grbl_machine *m)
{
    double seek = m->homing_seek > 0 ? m->homing_seek : 8;
    double feed = m->homing_feed > 0 ? m->homing_feed : 0.4;
    double pull = m->homing_pull_off > 0 ? m->homing_pull_off : 1;
    double way = 1.5 * (m->travel[2] + fmax(m->travel[0], m->travel[1]));
    return clock_span_ns(fmin(1.25 * (way / seek + 2 * 5 * pull / feed) + 10, HOMING_MAX));
}

// A line that is not even queued will never be answered.
static void must_send(struct arm *arm, const char *line, int64_t timeout, int64_t now)
{
    if (grbl_send(arm->grbl, line, timeout, 0, now) < 0 && arm->running)
        arm_lose(arm, ARM_TIMEOUT, 0, now, "A line for the plotter could not be queued.");
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
    must_send(arm, grbl_dialect(arm->grbl)->home, homing_timeout(grbl_machine(arm->grbl)), now);
}

double arm_step_size(const struct arm *arm)
{
    double steps = grbl_machine(arm->grbl)->steps_per_mm[0];
    return steps > 0 ? 1 / steps : 0.01;
}

// The only place that sends motion lines other than $H; it does so with the position known.
static void begin_motion(struct arm *arm, int64_t now)
{
    const struct arm_step step =
        *arm_step_current(arm); // a callback may end the program under our feet
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
    int64_t timeout = clock_span_ns(1.5 * seconds) + ARM_SLACK_NS;
    const struct dialect *dialect = grbl_dialect(arm->grbl);
    const struct grbl_machine *machine = grbl_machine(arm->grbl);
    bool jog = step.kind == ARM_STEP_JOG, settles = !jog || dialect->jog_settles;
    arm->wait = ARM_WAIT_LINES;
    arm->lines_left = step.points + settles;
    arm->misses = 0;
    arm->arrive_by = now + timeout;
    arm->expected = now + clock_span_ns(seconds);
    memcpy(arm->target, end, sizeof arm->target);
    grbl_set_pace(arm->grbl, GRBL_PACE_MOVING, now);
    double from[3];
    memcpy(from, arm->at, sizeof from);
    int r = 0;
    for (int i = 0; i < step.points && r == 0; i++) {
        char line[GRBL_SEND_MAX + 2];
        const struct dialect_move move = {.from = i > 0 ? step.point[i - 1] : from,
                                          .to = step.point[i],
                                          .feed = step.feed[i],
                                          .jog = jog,
                                          .travel = machine->travel,
                                          .speed = machine->speed};
        dialect->move(&move, line, sizeof line);
        r = grbl_send(arm->grbl, line, timeout, 0, now);
    }
    if (r == 0 && settles)
        r = grbl_send(arm->grbl, dialect->settle, timeout, 0, now);
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
        arm_step_done(arm, now);
        return;
    }
    arm->wait = ARM_WAIT_WORD;
    arm->lines_left = 1;
    must_send(arm, word, word_timeout, now);
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
    arm->wait = ARM_WAIT_NONE; // the check is over; what was put in begins next
    arm->arrive_by = INT64_MAX;
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
    int count = arm_program_regrip(&arm->config, expect, grbl_machine(arm->grbl)->travel, steps);
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
    arm->know_obstacles = false; // it lies somewhere
    soft_fail(arm, ARM_STONE_LOST, true, arm->lost_seen ? arm->lost_at : here,
              "The stone fell off the cup on the way.");
}

// Jobs queued together were planned for a table that the ones before them change.
static void keep_obstacles(struct arm *arm, const struct arm_step *expect)
{
    enum arm_job_kind kind = arm->job.job.kind;
    if (kind == ARM_JOB_PLACE && expect->kind == ARM_STEP_EXPECT_FREE &&
        arm->obstacle_count < ARM_OBSTACLES) {
        arm->obstacle[arm->obstacle_count++] =
            (struct travel_obstacle){expect->x, expect->y, arm->config.stone_radius, expect->z};
    } else if (kind == ARM_JOB_LIFT && expect->kind == ARM_STEP_EXPECT_HELD) {
        int kept = 0;
        for (int i = 0; i < arm->obstacle_count; i++) {
            const struct travel_obstacle *o = &arm->obstacle[i];
            if (hypot(o->x - expect->x, o->y - expect->y) >= arm->config.stone_radius)
                arm->obstacle[kept++] = *o;
        }
        arm->obstacle_count = kept;
    }
}

// sensed: 1, 0, -ENOENT (no sensor), -EIO.
void arm_step_judge(struct arm *arm, int sensed, int64_t now)
{
    const struct arm_step expect = *arm_step_current(arm);
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
        keep_obstacles(arm, &expect);
        arm_step_done(arm, now);
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
        arm->arrive_by = now + ARM_SLACK_NS;
        grbl_ask(arm->grbl, now);
        return;
    }
    arm_step_judge(arm, sensed, now);
}

static void book(struct arm *arm, const struct arm_step *step, int64_t now)
{
    struct store_point point = step->store;
    if (step->kind == ARM_STEP_PUT) {
        stores_put(arm->stores, &point);
        arm_step_done(arm, now);
        return;
    }
    stores_took(arm->stores, &point);
    arm_step_done(arm, now);
    if (stores_low(arm->stores, point.store)) {
        char text[128];
        snprintf(text, sizeof text, "Store \"%s\" is low: %d stones left. Fill it.",
                 arm->stores->store[point.store].name, stores_stones(arm->stores, point.store));
        arm_emit_warning(arm, text, now);
    }
}

void arm_step_begin(struct arm *arm, int64_t now)
{
    const struct arm_step *step = arm_step_current(arm);
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
