// Jobs: planned when their turn comes, run step by step, ended by exactly one event.
#include <errno.h>
#include <string.h>

#include "motion/arm_impl.h"

enum { STEPS_A_CALL = 64 }; // steps that take no time, before the loop gets its turn again

// ---- events ------------------------------------------------------------------------------------

void arm_emit(struct arm *arm, struct arm_event *event, int64_t now)
{
    event->state = arm->state;
    event->stop = arm->stop;
    if (!event->text)
        event->text = "";
    if (arm->hooks.event)
        arm->hooks.event(arm->hooks.user, event, now);
}

static struct arm_event job_event(const struct arm *arm, enum arm_event_kind kind)
{
    struct arm_event event = {
        .kind = kind,
        .job = arm->job.id,
        .tag = arm->job.job.tag,
        .job_kind = arm->job.job.kind,
        .held = arm->held,
    };
    memcpy(event.at, arm->at, sizeof event.at);
    return event;
}

void arm_emit_warning(struct arm *arm, const char *text, int64_t now)
{
    struct arm_event event = job_event(arm, ARM_EVENT_WARNING);
    event.text = text;
    arm_emit(arm, &event, now);
}

void arm_emit_retry(struct arm *arm, int attempt, int64_t now)
{
    struct arm_event event = job_event(arm, ARM_EVENT_RETRY);
    event.number = attempt;
    arm_emit(arm, &event, now);
}

void arm_update_state(struct arm *arm, int64_t now)
{
    enum arm_state state = arm->faulted                              ? ARM_FAULTED
                           : grbl_link(arm->grbl) != GRBL_LINK_READY ? ARM_OFFLINE
                           : arm->known                              ? ARM_HOMED
                                                                     : ARM_UNKNOWN;
    if (state == arm->state)
        return;
    arm->state = state;
    struct arm_event event = {.kind = ARM_EVENT_STATE, .held = arm->held};
    memcpy(event.at, arm->at, sizeof event.at);
    if (state == ARM_OFFLINE)
        event.text = grbl_last_trouble(arm->grbl);
    else if (state == ARM_FAULTED)
        event.text = arm_stop_name(arm->stop);
    arm_emit(arm, &event, now);
}

// ---- jobs --------------------------------------------------------------------------------------

void arm_job_done(struct arm *arm, int64_t now)
{
    struct arm_event event = job_event(arm, ARM_EVENT_DONE);
    event.verified = arm->verified;
    event.took_ns = now - arm->job_start;
    arm->running = false;
    if (arm->job.job.kind != ARM_JOB_HOME)
        arm->faults_in_a_row = 0;
    arm_emit(arm, &event, now);
}

void arm_job_failed(struct arm *arm, enum arm_reason reason, int number, const double at[3],
                    const char *text, int64_t now)
{
    // The queue is taken out first: what a callback submits from here on is new.
    struct arm_queued cancelled[ARM_QUEUE];
    int count = arm->queue_count;
    for (int i = 0; i < count; i++)
        cancelled[i] = arm->queue[(arm->queue_head + i) % ARM_QUEUE];
    arm->queue_count = 0;
    struct arm_event event = job_event(arm, ARM_EVENT_FAILED);
    event.reason = reason;
    event.number = number;
    event.text = text;
    event.took_ns = now - arm->job_start;
    memcpy(event.at, at, sizeof event.at);
    bool was_running = arm->running;
    arm->running = false;
    arm->failing = false;
    arm_exec_reset(arm);
    grbl_set_pace(arm->grbl, GRBL_PACE_IDLE, now);
    if (was_running)
        arm_emit(arm, &event, now);
    for (int i = 0; i < count; i++) {
        struct arm_event e = {.kind = ARM_EVENT_FAILED,
                              .job = cancelled[i].id,
                              .tag = cancelled[i].job.tag,
                              .job_kind = cancelled[i].job.kind,
                              .reason = ARM_CANCELLED,
                              .held = arm->held};
        memcpy(e.at, arm->at, sizeof e.at);
        arm_emit(arm, &e, now);
    }
}

bool arm_limits(const struct arm *arm, struct travel_limits *ret)
{
    const struct grbl_machine *m = grbl_machine(arm->grbl);
    struct travel_limits limits = {.junction = m->junction};
    for (int i = 0; i < TRAVEL_AXES; i++) {
        limits.speed[i] = m->speed[i] * arm->config.speed;
        limits.acceleration[i] = m->acceleration[i];
        if (!(limits.speed[i] > 0) || !(limits.acceleration[i] > 0))
            return false;
    }
    *ret = limits;
    return true;
}

void arm_scene_of(const struct arm *arm, struct arm_scene *ret, struct travel_limits *limits)
{
    const struct grbl_machine *m = grbl_machine(arm->grbl);
    if (!arm_limits(arm, limits))
        *limits = (struct travel_limits){{200, 200, 50}, {1000, 1000, 300}, 0};
    *ret = (struct arm_scene){
        .config = &arm->config,
        .stores = arm->stores,
        .limits = limits,
        .travel = m->travel[0] > 0 ? m->travel : NULL,
        .obstacles = arm->know_obstacles ? arm->obstacle : NULL,
        .obstacle_count = arm->know_obstacles ? arm->obstacle_count : 0,
        .holding = arm->held == ARM_HELD_YES,
        .down = arm->down,
    };
    memcpy(ret->at, arm->at, sizeof ret->at);
}

static enum arm_reason reason_of(int error)
{
    return error == -ERANGE                        ? ARM_SOFT_LIMIT
           : error == -ENODATA || error == -ENOSPC ? ARM_STORE
                                                   : ARM_INVALID;
}

static bool touches_stones(enum arm_job_kind kind)
{
    return kind == ARM_JOB_PICK || kind == ARM_JOB_READY || kind == ARM_JOB_PLACE ||
           kind == ARM_JOB_LIFT || kind == ARM_JOB_DROP;
}

// The sensor is asked before a stone is taken or carried on: it may have fallen while it waited.
static bool contradicted(struct arm *arm, int64_t now)
{
    int sensed = arm_sensor(arm);
    if (arm->held == ARM_HELD_YES && sensed == 0) {
        arm->held = ARM_HELD_NO;
        arm_job_failed(arm, ARM_STONE_LOST, 0, arm->at,
                       "The stone fell off the cup while it waited there.", now);
        return true;
    }
    if (arm->held == ARM_HELD_NO && sensed == 1) {
        arm->held = ARM_HELD_UNKNOWN;
        arm_job_failed(arm, ARM_GRIPPER, 0, arm->at,
                       "The pick sensor says that a stone hangs on the cup, but none was gripped. "
                       "Vent it over a tray; if it says so again, check the sensor.",
                       now);
        return true;
    }
    return false;
}

enum arm_held arm_check_held(struct arm *arm)
{
    if (!arm_busy(arm) && arm->held != ARM_HELD_NO && arm_sensor(arm) == 0) {
        arm->held = ARM_HELD_NO;
        arm->know_obstacles = false; // it lies where it fell
    }
    return arm->held;
}

static void start_job(struct arm *arm, int64_t now)
{
    arm->job = arm->queue[arm->queue_head];
    arm->queue_head = (arm->queue_head + 1) % ARM_QUEUE;
    arm->queue_count--;
    arm->running = true;
    arm->job_start = now;
    arm->verified = true;
    arm->failing = false;
    arm->pc = 0;
    arm->program.count = 0;
    arm_exec_reset(arm);
    struct arm_event event = job_event(arm, ARM_EVENT_STARTED);
    arm_emit(arm, &event, now);
    if (!arm->running)
        return;
    const struct arm_job *job = &arm->job.job;
    if (arm_job_class(job->kind)->needs_known && !arm->known) {
        arm_job_failed(arm, ARM_INVALID, 0, arm->at, "The arm's position is not known. Home it.",
                       now);
        return;
    }
    if (touches_stones(job->kind) && arm->held == ARM_HELD_UNKNOWN) {
        arm_job_failed(arm, ARM_INVALID, 0, arm->at,
                       "It is not known whether a stone hangs on the cup. Vent it over a tray "
                       "first.",
                       now);
        return;
    }
    if (touches_stones(job->kind) && contradicted(arm, now))
        return;
    struct arm_scene scene;
    struct travel_limits limits;
    arm_scene_of(arm, &scene, &limits);
    const struct arm_queued *next = &arm->queue[arm->queue_head];
    scene.stay_low = arm->queue_count > 0 && arm_job_class(next->job.kind)->ends_raised &&
                     next->job.kind != ARM_JOB_HOME;
    struct error err = {0};
    int r = arm_program_plan(&scene, job, &arm->program, &err);
    if (r < 0)
        arm_job_failed(arm, reason_of(r), 0, arm->at, err.text, now);
}

void arm_pump(struct arm *arm, int64_t now)
{
    if (arm->pumping)
        return; // called from a callback of the loop below, which goes on by itself
    arm->pumping = true;
    for (int i = 0; i < STEPS_A_CALL && !arm->hold; i++) {
        if (arm_can_start(arm)) {
            start_job(arm, now);
        } else if (!arm->running) {
            break;
        } else if (arm->wait != ARM_WAIT_NONE) {
            break;
        } else if (arm->pc < arm->program.count) {
            arm_step_begin(arm, now);
        } else if (arm->failing) {
            char text[ERROR_TEXT_MAX];
            double at[3];
            memcpy(text, arm->fail_text, sizeof text);
            memcpy(at, arm->fail_at, sizeof at);
            arm_job_failed(arm, arm->fail_reason, 0, at, text, now);
        } else {
            arm_job_done(arm, now);
        }
    }
    arm->pumping = false;
}
