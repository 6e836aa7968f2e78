#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/base/clock.h"
#include "config/calibrate/bench_private.h"

static const int64_t START_PATIENCE_NS = 20 * NS_PER_S;
static const int64_t PANEL_NS = NS_PER_S / 2; // until it is known that the e-stop was let out
enum { RESUME_TRIES = 3 };

static const int64_t JOB_PATIENCE_NS = 180 * NS_PER_S;

static void on_event(void *user, const struct arm_event *event, int64_t now_ns)
{
    (void)now_ns;
    struct bench *b = user;
    if (event->text && event->text[0])
        (void)snprintf(b->text, sizeof b->text, "%s", event->text);
    bool mine = event->job == b->job;
    if (mine && (event->kind == ARM_EVENT_DONE || event->kind == ARM_EVENT_FAILED)) {
        b->ended = true;
        b->reason = event->kind == ARM_EVENT_DONE ? ARM_OK : event->reason;
    }
    loop_exit(b->loop, 0);
}

int bench_make_arm(struct bench *b, struct error *err)
{
    struct gripper_lines lines = {0};
    if (b->controls)
        lines = controls_gripper(b->controls);
    int r = devices_gripper(b->options.settings, b->controls ? &lines : NULL, &b->gripper, err);
    if (r < 0)
        return r;
    const struct arm_hooks hooks = {.event = on_event, .user = b};
    r = arm_new(&b->devices.arm, b->options.settings->serial.baud, b->devices.transport, b->gripper,
                &b->devices.stores, &hooks, loop_now(b->loop), &b->arm, err);
    if (r == 0)
        r = arm_link_new(b->loop, b->arm, &b->link, err);
    if (r == 0 && b->controls) {
        arm_set_stop_input(b->arm, ARM_STOP_ESTOP, controls_estop(b->controls), loop_now(b->loop));
        arm_set_stop_input(b->arm, ARM_STOP_LID, controls_lid(b->controls), loop_now(b->loop));
    }
    if (r < 0)
        bench_close_arm(b);
    return r;
}

void bench_close_arm(struct bench *b)
{
    b->link = arm_link_free(b->link);
    b->arm = arm_free(b->arm);
    b->gripper = gripper_free(b->gripper);
    b->homed = false;
}

// From faulted to known position.
static int start_arm(struct bench *b, struct error *err)
{
    int64_t due = loop_now(b->loop) + START_PATIENCE_NS;
    int r = 0;
    while (r == 0 && (arm_state(b->arm) == ARM_OFFLINE || arm_state(b->arm) == ARM_FAULTED)) {
        if (arm_state(b->arm) == ARM_FAULTED) {
            r = arm_reset(b->arm, loop_now(b->loop), err);
            arm_link_update(b->link);
            if (r == -EBUSY)
                return r;
            r = 0;
        }
        if (arm_state(b->arm) == ARM_UNKNOWN || arm_state(b->arm) == ARM_HOMED)
            break;
        if (loop_now(b->loop) >= due)
            return error_set(err, -ETIMEDOUT, "the plotter does not answer: %s",
                             b->text[0] ? b->text : "is it switched on?");
        r = bench_run_until(b, loop_now(b->loop) + 100 * NS_PER_MS);
    }
    return r < 0 ? bench_wait_failed(r, err) : 0;
}

int bench_arm_ready(struct bench *b, struct error *err)
{
    if (b->homed && arm_state(b->arm) == ARM_HOMED)
        return 0;
    const struct settings *s = b->options.settings;
    if (s->safety.estop_required && !b->options.calibration->panel.estop_proven)
        return error_set(err, -EPERM,
                         "nothing moves before the e-stop is proven: `tessera-config "
                         "calibrate panel` first");
    if (!bench_ask(b, "The arm will now move to its home corner. Is nobody's hand near it?"))
        return error_set(err, -ECANCELED, "stopped");
    int r = b->arm ? 0 : bench_make_arm(b, err);
    if (r == 0)
        r = start_arm(b, err);
    if (r == 0)
        r = bench_job(b, &(struct arm_job){.kind = ARM_JOB_HOME}, NULL, err);
    b->homed = r == 0;
    return r == 0 ? bench_park(b, err) : r;
}

static int run_job(struct bench *b, const struct arm_job *job, enum arm_reason *ret_reason,
                   struct error *err)
{
    int64_t due = loop_now(b->loop) + JOB_PATIENCE_NS;
    b->ended = false;
    b->text[0] = '\0';
    b->job = 0;
    bool parks = job->kind == ARM_JOB_PARK;
    if (!parks && b->vision)
        vision_set_arm(b->vision, VISION_ARM_OVER_BOARD);
    b->over_board = true;
    uint64_t id;
    int r = arm_submit(b->arm, job, loop_now(b->loop), &id, err);
    if (r < 0)
        return r;
    b->job = id;
    arm_link_update(b->link);
    while (r == 0 && !b->ended) {
        if (loop_now(b->loop) >= due)
            return error_set(err, -ETIMEDOUT, "the arm did not finish in time");
        r = bench_run_until(b, due);
    }
    if (r < 0)
        return bench_wait_failed(r, err);
    if (ret_reason)
        *ret_reason = b->reason;
    if (b->reason != ARM_OK)
        return error_set(err, -EIO, "%s: %s", arm_reason_name(b->reason), b->text);
    b->over_board = !parks;
    if (parks && b->vision)
        vision_set_arm(b->vision, VISION_ARM_PARKED);
    return 0;
}

// --- going on after a stop ---

// What a person has to do so that the step can be done again.
static const char *to_do(enum arm_job_kind kind)
{
    switch (kind) {
    case ARM_JOB_PLACE:
        return "Take away the stone it carried, also when it has just been laid.";
    case ARM_JOB_LIFT:
        return "Lay the stone it was lifting back where it lay.";
    case ARM_JOB_DROP:
        return "Put the stone it carried into its tray.";
    default:
        return "Take away what lies where it should not.";
    }
}

static int home_again(struct bench *b, struct error *err)
{
    int tray = devices_store(&b->devices.stores, STORE_CAPTURED, 1);
    int r = bench_wait(b, PANEL_NS);
    if (r < 0)
        return bench_wait_failed(r, err);
    r = start_arm(b, err);
    if (r == 0)
        r = run_job(b, &(struct arm_job){.kind = ARM_JOB_HOME}, NULL, err);
    if (r == 0 && tray >= 0)
        r = run_job(b, &(struct arm_job){.kind = ARM_JOB_VENT, .store = tray}, NULL, err);
    return r;
}

// Asks, then finds the home corner again and lets go what may hang on the cup. Negative: nobody
// wants to go on, or it cannot; *err says what stopped the arm last.
static int go_on(struct bench *b, enum arm_job_kind kind, struct error *err)
{
    char question[ERROR_TEXT_MAX];
    int r = -EIO;
    b->homed = false;
    for (int tries = 0; r < 0 && !b->stopped && tries < RESUME_TRIES; tries++) {
        (void)snprintf(
            question, sizeof question,
            "The arm was stopped (%.150s). %s Let the e-stop out. Shall the arm find its "
            "home corner and go on?",
            err->text, to_do(kind));
        if (bench_asks_nobody(b) || !bench_ask(b, question))
            return -ECANCELED;
        r = home_again(b, err);
    }
    b->homed = r == 0;
    return r;
}

int bench_renew_arm(struct bench *b, struct error *err)
{
    int r = arm_config_check(&b->devices.arm, err);
    if (r < 0 || !b->arm)
        return r;
    bench_close_arm(b);
    r = bench_make_arm(b, err);
    if (r == 0)
        r = start_arm(b, err);
    if (r == -EBUSY) // stopped just now: that ends no wizard here either
        r = go_on(b, ARM_JOB_HOME, err);
    if (r == 0 && arm_state(b->arm) != ARM_HOMED)
        r = bench_job(b, &(struct arm_job){.kind = ARM_JOB_HOME}, NULL, err);
    b->homed = r == 0;
    return r;
}

// A stop (the e-stop, a pulled cable, an alarm) ends the step, not the wizard.
int bench_job(struct bench *b, const struct arm_job *job, enum arm_reason *ret_reason,
              struct error *err)
{
    bool homes = job->kind == ARM_JOB_HOME;
    bool known = b->homed || homes;
    int r = run_job(b, job, ret_reason, err);
    for (int stops = 0; r < 0 && known && !b->stopped && stops < RESUME_TRIES; stops++) {
        if (arm_state(b->arm) == ARM_HOMED)
            return r; // it failed by itself
        if (go_on(b, job->kind, err) < 0)
            return r;
        // What was meant from where the cup was has to begin anew.
        if (job->kind == ARM_JOB_JOG || job->kind == ARM_JOB_GRIP || job->kind == ARM_JOB_RELEASE)
            return error_set(err, -EAGAIN, "the step was interrupted");
        r = homes ? 0 : run_job(b, job, ret_reason, err);
    }
    return r;
}

int bench_park(struct bench *b, struct error *err)
{
    if (!b->homed) // it has not moved
        return 0;
    return bench_job(b, &(struct arm_job){.kind = ARM_JOB_PARK}, NULL, err);
}

int bench_go(struct bench *b, double x, double y, double z, struct error *err)
{
    return bench_job(b,
                     &(struct arm_job){.kind = ARM_JOB_GOTO, .x = x, .y = y, .z = z, .use_z = true},
                     NULL, err);
}

int bench_lower(struct bench *b, double mm, struct error *err)
{
    return bench_job(b, &(struct arm_job){.kind = ARM_JOB_JOG, .z = -mm}, NULL, err);
}

int bench_vent(struct bench *b, struct error *err)
{
    int tray = devices_store(&b->devices.stores, STORE_CAPTURED, 1);
    if (tray < 0)
        return error_set(err, tray, "there is no tray for stones of the first colour");
    return bench_job(b, &(struct arm_job){.kind = ARM_JOB_VENT, .store = tray}, NULL, err);
}

static int wait_seconds(struct bench *b, double seconds, struct error *err)
{
    int r = bench_wait(b, (int64_t)(seconds * (double)NS_PER_S));
    return r < 0 ? bench_wait_failed(r, err) : 0;
}

int bench_grip(struct bench *b, double seconds, bool *ret_held, struct error *err)
{
    int r = bench_job(b, &(struct arm_job){.kind = ARM_JOB_GRIP}, NULL, err);
    if (r == 0)
        r = wait_seconds(b, seconds, err);
    *ret_held = r == 0 && arm_sensor(b->arm) == 1;
    return r;
}

int bench_release(struct bench *b, double seconds, struct error *err)
{
    int r = bench_job(b, &(struct arm_job){.kind = ARM_JOB_RELEASE}, NULL, err);
    return r == 0 ? wait_seconds(b, seconds, err) : r;
}

bool bench_has_sensor(const struct bench *b)
{
    return b->arm && arm_sensor(b->arm) >= 0;
}

struct board_map *bench_map(struct bench *b)
{
    return &b->devices.map;
}

struct arm_config *bench_arm_config(struct bench *b)
{
    return &b->devices.arm;
}

struct stores *bench_stores(struct bench *b)
{
    return &b->devices.stores;
}
