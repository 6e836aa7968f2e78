#include "motion/arm.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/arm_impl.h"
#include "motion/grbl_text.h"

enum { FAULTS_MAX = 6 }; // failures of the machine in a row before a person must look

// A firmware whose door was closed lets its outputs run up for some seconds first.
static const int64_t resume_wait = 12000000000;

const char *arm_state_name(enum arm_state state)
{
    static const char *const names[] = {"offline", "faulted", "unknown", "homed"};
    return (unsigned)state < sizeof names / sizeof *names ? names[state] : "?";
}

const char *arm_stop_name(enum arm_stop_reason reason)
{
    static const char *const names[] = {
        [ARM_STOP_NONE] = "not stopped",     [ARM_STOP_START] = "not yet released",
        [ARM_STOP_ESTOP] = "emergency stop", [ARM_STOP_HAND] = "hand in the work area",
        [ARM_STOP_LID] = "lid open",         [ARM_STOP_PERSON] = "stopped by a person",
        [ARM_STOP_WATCHDOG] = "watchdog",    [ARM_STOP_REPEATED] = "too many faults in a row",
    };
    return (unsigned)reason < ARM_STOP_REASONS ? names[reason] : "?";
}

const char *arm_reason_name(enum arm_reason reason)
{
    static const char *const names[ARM_REASONS] = {
        [ARM_OK] = "ok",
        [ARM_STOPPED] = "stopped",
        [ARM_CANCELLED] = "cancelled",
        [ARM_NOTHING_GRIPPED] = "nothing gripped",
        [ARM_STONE_LOST] = "stone lost",
        [ARM_STONE_STUCK] = "stone stuck",
        [ARM_ALARM] = "alarm",
        [ARM_REFUSED] = "refused",
        [ARM_RESTARTED] = "firmware restarted",
        [ARM_LINK_LOST] = "link lost",
        [ARM_TIMEOUT] = "timeout",
        [ARM_OFF_TARGET] = "off target",
        [ARM_SOFT_LIMIT] = "soft limit",
        [ARM_STORE] = "store",
        [ARM_INVALID] = "invalid",
        [ARM_GRIPPER] = "gripper",
        [ARM_JOURNAL] = "journal",
    };
    return (unsigned)reason < ARM_REASONS ? names[reason] : "?";
}

// What is submitted from an event about a restart waits until the firmware is ready again.
bool arm_can_start(const struct arm *arm)
{
    return !arm->running && arm->queue_count > 0 && grbl_link(arm->grbl) == GRBL_LINK_READY;
}

static bool work_left(const struct arm *arm)
{
    if (arm->hold)
        return false;
    return arm->running ? arm->wait == ARM_WAIT_NONE : arm_can_start(arm);
}

// ---- losing the position -----------------------------------------------------------------------

void arm_lose(struct arm *arm, enum arm_reason reason, int number, int64_t now, const char *format,
              ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(arm->cause_text, sizeof arm->cause_text, format, ap);
    va_end(ap);
    arm->cause = reason;
    arm->cause_number = number;
    grbl_reset(arm->grbl, true, now); // ends in on_voided()
    arm->cause = ARM_OK;
}

static void explain(struct arm *arm, enum grbl_void_reason reason, int number)
{
    char *text = arm->cause_text;
    size_t size = sizeof arm->cause_text;
    switch (reason) {
    case GRBL_VOID_ALARM: {
        const struct grbl_text *t = grbl_alarm_text(number, grbl_machine(arm->grbl)->hal);
        arm->cause = ARM_ALARM;
        snprintf(text, size, "Alarm %d (%s): %s %s", number, t->name, t->means, t->advice);
        break;
    }
    case GRBL_VOID_BANNER:
        arm->cause = ARM_RESTARTED;
        snprintf(text, size,
                 "The plotter's firmware started anew: its supply or its USB line failed for a "
                 "moment, or its reset button was pressed. Home the arm.");
        break;
    case GRBL_VOID_TIMEOUT:
        arm->cause = ARM_TIMEOUT;
        snprintf(text, size,
                 "The plotter did not answer a line in time: bytes were lost. Home the arm; if it "
                 "happens again, check the cable.");
        break;
    case GRBL_VOID_MUTE:
        arm->cause = ARM_TIMEOUT;
        snprintf(text, size, "The plotter answers nothing any more. It is being reset.");
        break;
    case GRBL_VOID_LOST:
        arm->cause = ARM_LINK_LOST;
        snprintf(text, size, "%s", grbl_last_trouble(arm->grbl));
        break;
    case GRBL_VOID_RESET:
    case GRBL_VOID_NONE:
        arm->cause = ARM_STOPPED;
        snprintf(text, size, "The arm was stopped.");
        break;
    }
    arm->cause_number = number;
}

static void on_voided(void *user, enum grbl_void_reason reason, int number, int64_t now)
{
    struct arm *arm = user;
    if (arm->cause == ARM_OK)
        explain(arm, reason, number);
    enum arm_reason cause = arm->cause;
    char text[ERROR_TEXT_MAX];
    memcpy(text, arm->cause_text, sizeof text);
    arm->cause = ARM_OK;
    bool mattered = arm->known || arm->running;
    arm->known = false;
    arm->know_obstacles = false; // who knows what it struck or dropped
    arm->hold = arm->hold_sent = arm->foreign_hold = arm->resuming = false;
    if (cause != ARM_STOPPED && mattered && ++arm->faults_in_a_row >= FAULTS_MAX) {
        arm->faulted = true;
        arm->stop = ARM_STOP_REPEATED;
    }
    arm_job_failed(arm, cause, arm->cause_number, arm->at, text, now);
    // The event above still told what was held when it happened.
    if (arm->gripper->drops_on_reset && reason != GRBL_VOID_NONE && arm->held == ARM_HELD_YES)
        arm->held = ARM_HELD_UNKNOWN;
    arm_update_state(arm, now);
}

static void on_reply(void *user, uint64_t tag, int error, int64_t now)
{
    (void)tag; // replies come in the order of the lines; voided lines get none
    arm_exec_reply(user, error, now);
}

static void on_status(void *user, const struct grbl_status *status, int64_t now)
{
    arm_exec_status(user, status, now);
}

// Settings with which the arm works, but not for long. Told once: it is reset often.
static void warn_of_settings(struct arm *arm, int64_t now)
{
    const struct grbl_machine *machine = grbl_machine(arm->grbl);
    if (arm->settings_told)
        return;
    arm->settings_told = true;
    if (!machine->motors_hold)
        arm_emit_warning(arm,
                         "The plotter lets go of its motors when it stands still ($1 is not 255): "
                         "an arm that is pushed or sinks then stands elsewhere than it believes. "
                         "Set $1=255.",
                         now);
    if (arm->gripper->drops_on_reset && machine->laser)
        arm_emit_warning(arm,
                         "The plotter is in laser mode ($32=1), which switches a gripper on M3 off "
                         "in fast moves: every stone would fall. Set $32=0.",
                         now);
}

static void on_link(void *user, enum grbl_link link, int64_t now)
{
    struct arm *arm = user;
    arm_update_state(arm, now);
    if (link != GRBL_LINK_READY)
        return;
    if (!grbl_machine(arm->grbl)->homing_enabled)
        arm_emit_warning(arm,
                         "Homing is switched off in the plotter ($22=0). Without it the arm cannot "
                         "know where it is: fit limit switches and set $22=1.",
                         now);
    warn_of_settings(arm, now);
}

static void on_message(void *user, const char *text, int64_t now)
{
    arm_emit_warning(user, text, now);
}

// ---- the outside -------------------------------------------------------------------------------

int arm_new(const struct arm_config *config, int baud, struct transport *transport,
            struct gripper *gripper, struct stores *stores, const struct arm_hooks *hooks,
            int64_t now_ns, struct arm **ret, struct error *err)
{
    int r = arm_config_check(config, err);
    if (r == 0)
        r = stores_check(stores, err);
    if (r < 0)
        return r;
    struct arm *arm = calloc(1, sizeof *arm);
    if (!arm)
        return error_set(err, -ENOMEM, "Out of memory.");
    arm->config = *config;
    arm->gripper = gripper;
    arm->stores = stores;
    arm->hooks = *hooks;
    arm->faulted = true;
    arm->stop = ARM_STOP_START;
    arm->state = ARM_FAULTED;
    arm->held = ARM_HELD_UNKNOWN;
    arm->next_id = 1;
    arm_exec_reset(arm);
    struct grbl_options options = {
        .baud = baud,
        .dialect = config->dialect,
        .events = {on_reply, on_voided, on_status, on_link, on_message},
        .user = arm,
    };
    r = grbl_new(&options, transport, now_ns, &arm->grbl);
    if (r < 0) {
        free(arm);
        return error_set(err, r, "Out of memory.");
    }
    *ret = arm;
    return 0;
}

struct arm *arm_free(struct arm *arm)
{
    if (arm) {
        grbl_free(arm->grbl);
        free(arm);
    }
    return NULL;
}

int arm_fd(const struct arm *arm)
{
    return grbl_fd(arm->grbl);
}

short arm_events(const struct arm *arm)
{
    return grbl_events_wanted(arm->grbl);
}

int64_t arm_deadline(const struct arm *arm)
{
    if (work_left(arm))
        return 0; // at once
    int64_t grbl = grbl_deadline(arm->grbl), own = arm_exec_deadline(arm);
    return grbl < own ? grbl : own;
}

void arm_process(struct arm *arm, int64_t now_ns, short revents)
{
    grbl_process(arm->grbl, now_ns, revents);
    arm_exec_time(arm, now_ns);
    arm_pump(arm, now_ns);
}

static bool home_ahead(const struct arm *arm)
{
    if (arm->running && arm->job.job.kind == ARM_JOB_HOME)
        return true;
    for (int i = 0; i < arm->queue_count; i++) {
        if (arm->queue[(arm->queue_head + i) % ARM_QUEUE].job.kind == ARM_JOB_HOME)
            return true;
    }
    return false;
}

static int allowed(const struct arm *arm, const struct arm_job *job, struct error *err)
{
    const struct arm_job_class *class = arm_job_class(job->kind);
    if (!class)
        return error_set(err, -EINVAL, "There is no such job for the arm.");
    if (arm->faulted)
        return error_set_code(err, -EPERM, "Stopped", "The arm is stopped (%s). Reset it first.",
                              arm_stop_name(arm->stop));
    if (grbl_link(arm->grbl) != GRBL_LINK_READY)
        return error_set_code(err, -EPERM, "Offline", "The plotter does not answer. %s",
                              grbl_last_trouble(arm->grbl));
    if (class->needs_known && !arm->known && !home_ahead(arm))
        return error_set_code(err, -EPERM, "NotHomed",
                              "The arm does not know where it is. Home it first.");
    return 0;
}

static bool uses_place(enum arm_job_kind kind)
{
    return kind == ARM_JOB_PLACE || kind == ARM_JOB_LIFT || kind == ARM_JOB_GOTO;
}

static int in_machine(const struct arm *arm, const struct arm_job *job, struct error *err)
{
    const double *travel = grbl_machine(arm->grbl)->travel;
    const double p[3] = {job->x, job->y, job->z};
    for (int i = 0; i < 3; i++) {
        if (!isfinite(p[i]) || !isfinite(job->feed))
            return error_set(err, -EINVAL, "The place to go to is not a number.");
        if (!uses_place(job->kind) || travel[i] <= 0 || (i == 2 && !job->use_z))
            continue;
        double low = -travel[i] + arm->config.margin, high = -arm->config.margin;
        if (p[i] < low || p[i] > high)
            return error_set_code(err, -ERANGE, "SoftLimit",
                                  "%c %.1f mm is outside the arm's travel (%.1f to %.1f mm). "
                                  "Nothing was moved. Check the calibration or the place.",
                                  "XYZ"[i], p[i], low, high);
    }
    return 0;
}

int arm_submit(struct arm *arm, const struct arm_job *job, int64_t now_ns, uint64_t *ret_job,
               struct error *err)
{
    int r = allowed(arm, job, err);
    if (r == 0)
        r = in_machine(arm, job, err);
    if (r < 0)
        return r;
    if (job->store >= arm->stores->count)
        return error_set(err, -EINVAL, "There is no store number %d.", job->store);
    if (arm->queue_count == ARM_QUEUE)
        return error_set(err, -EAGAIN, "The arm has %d jobs waiting already.", ARM_QUEUE);
    struct arm_queued *q = &arm->queue[(arm->queue_head + arm->queue_count++) % ARM_QUEUE];
    *q = (struct arm_queued){*job, arm->next_id++};
    if (ret_job)
        *ret_job = q->id;
    // Not begun from here: several jobs submitted together are planned knowing of each other.
    // arm_deadline() says "at once".
    (void)now_ns;
    return 0;
}

void arm_cancel(struct arm *arm, int64_t now_ns)
{
    while (arm->queue_count > 0) {
        struct arm_queued last = arm->queue[(arm->queue_head + --arm->queue_count) % ARM_QUEUE];
        struct arm_event event = {.kind = ARM_EVENT_FAILED,
                                  .job = last.id,
                                  .tag = last.job.tag,
                                  .job_kind = last.job.kind,
                                  .reason = ARM_CANCELLED,
                                  .held = arm->held};
        memcpy(event.at, arm->at, sizeof event.at);
        arm_emit(arm, &event, now_ns);
    }
}

void arm_jog_cancel(struct arm *arm, int64_t now_ns)
{
    if (arm->running && arm->job.job.kind == ARM_JOB_JOG)
        grbl_realtime(arm->grbl, grbl_dialect(arm->grbl)->jog_cancel, now_ns);
}

void arm_stop(struct arm *arm, enum arm_stop_reason reason, int64_t now_ns)
{
    arm->cause = ARM_STOPPED;
    arm->cause_number = (int)reason;
    snprintf(arm->cause_text, sizeof arm->cause_text, "The arm was stopped: %s.",
             arm_stop_name(reason));
    arm->faulted = true; // before the bytes: no callback may start anything
    arm->stop = reason;
    if (grbl_link(arm->grbl) != GRBL_LINK_DOWN)
        grbl_reset(arm->grbl, true, now_ns);
    arm->cause = ARM_OK;
    arm_update_state(arm, now_ns);
}

void arm_set_stop_input(struct arm *arm, enum arm_stop_reason input, bool active, int64_t now_ns)
{
    unsigned bit = 1u << (unsigned)input;
    bool rising = active && !(arm->stop_inputs & bit);
    if (active)
        arm->stop_inputs |= bit;
    else
        arm->stop_inputs &= ~bit;
    if (rising)
        arm_stop(arm, input, now_ns);
}

int arm_reset(struct arm *arm, int64_t now_ns, struct error *err)
{
    for (unsigned i = 0; i < ARM_STOP_REASONS; i++) {
        if (arm->stop_inputs & 1u << i)
            return error_set_code(err, -EBUSY, "StopActive",
                                  "The arm cannot be released: %s is still active.",
                                  arm_stop_name((enum arm_stop_reason)i));
    }
    arm->faulted = false;
    arm->stop = ARM_STOP_NONE;
    arm->faults_in_a_row = 0;
    arm_update_state(arm, now_ns);
    return 0;
}

void arm_hold(struct arm *arm, int64_t now_ns)
{
    if (arm->hold)
        return;
    const char *word = grbl_dialect(arm->grbl)->hold;
    bool moving = arm->running && arm->wait != ARM_WAIT_NONE;
    if (moving && !word) {
        arm_lose(arm, ARM_STOPPED, 0, now_ns,
                 "The plotter's firmware knows no feed hold, so the arm was stopped. Home it.");
        return;
    }
    arm->hold = true;
    arm->hold_sent = moving;
    arm->resuming = false;
    if (moving) {
        grbl_realtime(arm->grbl, word, now_ns);
        arm_exec_pause(arm, now_ns);
    }
}

void arm_resume(struct arm *arm, int64_t now_ns)
{
    // Where nothing moved no '!' was sent, and a '~' could only end a hold that is not ours.
    bool stands = arm->hold_sent || arm->foreign_hold || !arm->hold;
    arm->hold = arm->hold_sent = false;
    arm->foreign_hold = false;
    if (stands) {
        arm->resuming = true;
        arm->resume_by = now_ns + resume_wait;
        grbl_realtime(arm->grbl, grbl_dialect(arm->grbl)->resume, now_ns);
    }
    arm_exec_unpause(arm, now_ns);
    grbl_ask(arm->grbl, now_ns); // if it stands still all the same, the report says so
    arm_pump(arm, now_ns);
}

enum arm_state arm_state(const struct arm *arm)
{
    return arm->state;
}

bool arm_busy(const struct arm *arm)
{
    return arm->running || arm->queue_count > 0;
}

bool arm_position(const struct arm *arm, double ret[3])
{
    if (arm->known)
        memcpy(ret, arm->at, sizeof arm->at);
    return arm->known;
}

bool arm_held_up(const struct arm *arm)
{
    return arm->foreign_hold;
}

enum arm_held arm_held(const struct arm *arm)
{
    return arm->held;
}

int arm_sensor(const struct arm *arm)
{
    int sensed = arm->gripper->ops->sense(arm->gripper->impl);
    if (sensed == -ENOENT && arm->config.probe_sensor)
        return (grbl_last_status(arm->grbl)->pins & GRBL_PIN_PROBE) != 0;
    return sensed;
}

const struct grbl *arm_grbl(const struct arm *arm)
{
    return arm->grbl;
}

const struct arm_config *arm_get_config(const struct arm *arm)
{
    return &arm->config;
}

int arm_set_obstacles(struct arm *arm, const struct travel_obstacle *obstacles, int count)
{
    if (count < 0 || count > ARM_OBSTACLES)
        return -EINVAL;
    if (count)
        memcpy(arm->obstacle, obstacles, sizeof *obstacles * (size_t)count);
    arm->obstacle_count = count;
    arm->know_obstacles = true;
    return 0;
}

void arm_forget_obstacles(struct arm *arm)
{
    arm->know_obstacles = false;
}

int arm_plan(const struct arm *arm, const struct arm_job *job, const double *from,
             struct arm_program *ret, struct error *err)
{
    struct arm_scene scene;
    struct travel_limits limits;
    arm_scene_of(arm, &scene, &limits);
    if (from) {
        memcpy(scene.at, from, sizeof scene.at);
    } else if (!arm->known) {
        memcpy(scene.at, arm->config.park, sizeof arm->config.park);
        scene.at[2] = arm->config.safe_z;
    }
    return arm_program_plan(&scene, job, ret, err);
}
