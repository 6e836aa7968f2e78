// arm: the robot's arm, the one thing of this folder the controller drives.
//
// Jobs are asynchronous: arm_submit() queues one, an event tells how it ended. A failed job cancels
// those queued behind it. Sans-loop and single-threaded: poll arm_fd() for arm_events(), call
// arm_process() when it is ready or arm_deadline() has passed; look at all three again after every
// call here. All times are int64 ns of one
// monotonic clock and come in as arguments.
//
// States
//   OFFLINE  no firmware answers; the port is opened again with back-off
//   FAULTED  stopped; leaves only by arm_reset(), an explicit act. The arm starts here.
//   UNKNOWN  firmware ready, position not known: only homing and standing still are allowed
//   HOMED    position known
// The position becomes unknown by any reset, banner, alarm, reconnect, lost bytes, or when the
// machine is not where it was told to be. Only homing makes it known again. No motion line is sent
// while it is unknown, with the one exception of $H.
//
// Safety: arm_stop() puts '!' and 0x18 on the wire before it returns, whatever else goes on. Never
// more than the current leg is queued in the firmware. Bounds are checked here before anything is
// sent. A leg is believed only when the firmware is Idle at its end.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"
#include "motion/grbl.h"
#include "motion/gripper.h"
#include "motion/program.h"
#include "motion/stores.h"
#include "motion/transport.h"

enum { ARM_QUEUE = 48, ARM_OBSTACLES = 512 };

enum arm_state { ARM_OFFLINE, ARM_FAULTED, ARM_UNKNOWN, ARM_HOMED };
const char *arm_state_name(enum arm_state state);

enum arm_stop_reason {
    ARM_STOP_NONE,
    ARM_STOP_START,    // the arm starts stopped
    ARM_STOP_ESTOP,    // e-stop input
    ARM_STOP_HAND,     // a hand in the work area
    ARM_STOP_LID,      // door or lid input
    ARM_STOP_PERSON,   // asked for by a person or program
    ARM_STOP_WATCHDOG, // the controller did not keep up
    ARM_STOP_REPEATED, // too many faults in a row without a finished job
    ARM_STOP_REASONS
};
const char *arm_stop_name(enum arm_stop_reason reason);

enum arm_held { ARM_HELD_NO, ARM_HELD_YES, ARM_HELD_UNKNOWN };

enum arm_reason {
    ARM_OK,
    ARM_STOPPED,         // arm_stop()
    ARM_CANCELLED,       // an earlier job in the queue failed, or arm_cancel()
    ARM_NOTHING_GRIPPED, // after all tries: no stone there (store empty, stone not where it was
                         // seen)
    ARM_STONE_LOST,      // held, then not: it fell between where it was gripped and `at`
    ARM_STONE_STUCK,     // would not let go after all tries
    ARM_ALARM,           // number = alarm
    ARM_REFUSED,         // number = error:n to a line
    ARM_RESTARTED,       // the firmware started anew in the middle
    ARM_LINK_LOST,       // device gone
    ARM_TIMEOUT,         // no reply, no arrival, or homing took too long
    ARM_OFF_TARGET,      // Idle, but not where it was told to be
    ARM_SOFT_LIMIT,      // outside the machine; nothing was sent
    ARM_STORE,           // store empty or full
    ARM_INVALID,         // the job makes no sense here; text says why
    ARM_GRIPPER,         // an output or the sensor failed
    ARM_JOURNAL,         // the intent hook refused
    ARM_REASONS
};
const char *arm_reason_name(enum arm_reason reason);

// What a physical step is about to do / has done; for the journal.
enum arm_act { ARM_ACT_HOME, ARM_ACT_MOVE, ARM_ACT_GRIP, ARM_ACT_RELEASE };
struct arm_intent {
    uint64_t job, tag;
    enum arm_job_kind kind;
    enum arm_act act;
    double from[3], to[3]; // machine mm
    enum arm_held held;    // before the step
    int store, slot;       // of the job; -1 = none
};

enum arm_event_kind {
    ARM_EVENT_STATE,   // state, stop (why FAULTED), text
    ARM_EVENT_STARTED, // a job begins
    ARM_EVENT_DONE,    // a job is done; verified = the pick sensor agreed
    ARM_EVENT_FAILED,  // reason, number, at, held, text
    ARM_EVENT_RETRY,   // another try at gripping or letting go; number = which
    ARM_EVENT_WARNING, // text: e.g. a message of the firmware, stock low
};

struct arm_event {
    enum arm_event_kind kind;
    enum arm_state state;
    enum arm_stop_reason stop;
    uint64_t job, tag;
    enum arm_job_kind job_kind;
    enum arm_reason reason;
    int number;
    double at[3]; // where the cup is, or where the stone was noticed missing
    enum arm_held held;
    bool verified;
    int64_t took_ns;  // DONE, FAILED: since the job began
    const char *text; // a sentence for people; "" = none; valid during the call
};

struct arm_hooks {
    void (*event)(void *user, const struct arm_event *event, int64_t now_ns);
    // Before each physical step: 0, or a negative errno to refuse it (ARM_JOURNAL). NULL allowed.
    int (*intent)(void *user, const struct arm_intent *intent, int64_t now_ns);
    void (*done)(void *user, const struct arm_intent *intent, int64_t now_ns); // NULL allowed
    void *user;
};

struct arm;

// Borrows transport, gripper and stores until arm_free(); copies config. `stores` is updated as
// stones move. baud 0 = 115200.
int arm_new(const struct arm_config *config, int baud, struct transport *transport,
            struct gripper *gripper, struct stores *stores, const struct arm_hooks *hooks,
            int64_t now_ns, struct arm **ret, struct error *err);
struct arm *arm_free(struct arm *arm); // NULL allowed; returns NULL; sends nothing

int arm_fd(const struct arm *arm); // -1 while there is no device; may change after any call
short arm_events(const struct arm *arm);
int64_t arm_deadline(const struct arm *arm); // INT64_MAX = none
void arm_process(struct arm *arm, int64_t now_ns, short revents);

// Queues a job. -EPERM: not allowed in this state (the error says what to do); -EAGAIN: queue full;
// -ERANGE: outside the machine; -EINVAL. Whether stores hold or take a stone is seen when the job's
// turn comes.
int arm_submit(struct arm *arm, const struct arm_job *job, int64_t now_ns, uint64_t *ret_job,
               struct error *err);
// Drops what is queued but has not begun; the running job ends normally.
void arm_cancel(struct arm *arm, int64_t now_ns);
void arm_jog_cancel(struct arm *arm, int64_t now_ns); // 0x85: ends a jog where it is

// Stop now. Afterwards FAULTED and position unknown; the gripper keeps what it holds.
void arm_stop(struct arm *arm, enum arm_stop_reason reason, int64_t now_ns);
// The level of a stop input. Its rising edge stops; while one is active arm_reset() is refused.
void arm_set_stop_input(struct arm *arm, enum arm_stop_reason input, bool active, int64_t now_ns);
// Leaves FAULTED. -EBUSY: a stop input is still active (the error names it). Moves nothing.
int arm_reset(struct arm *arm, int64_t now_ns, struct error *err);

// Feed hold: stands still within v/a, keeps position and stone; resume goes on with the job. A
// stop or fault ends the hold. Firmware without one (Marlin) is stopped instead while it moves: the
// job fails (ARM_STOPPED) and the position is unknown.
void arm_hold(struct arm *arm, int64_t now_ns);
void arm_resume(struct arm *arm, int64_t now_ns);

// It stands by a hold or door at the plotter itself, told by ARM_EVENT_WARNING: arm_resume() goes
// on, once the door is shut. Also when that comes on top of arm_hold(): the firmware knows only one
// hold, so the button is seen by its pin, and one that was let go between two reports is not.
bool arm_held_up(const struct arm *arm);

enum arm_state arm_state(const struct arm *arm);
bool arm_busy(const struct arm *arm);                    // a job runs or waits
bool arm_position(const struct arm *arm, double ret[3]); // false: unknown
enum arm_held arm_held(const struct arm *arm);
int arm_sensor(const struct arm *arm); // pick sensor now: 1, 0, -ENOENT no sensor
// While a stone waits on the cup: asks the sensor whether it still hangs there. arm_held() is
// ARM_HELD_NO from then on if it has fallen; the caller tells, and may have the pump stopped by
// ARM_JOB_REST. Changes nothing while a job runs, which looks by itself, and without a sensor.
enum arm_held arm_check_held(struct arm *arm);
const struct grbl *arm_grbl(const struct arm *arm);
const struct arm_config *arm_get_config(const struct arm *arm);
// From the firmware's settings, scaled by the configured speed; false until they were read.
bool arm_limits(const struct arm *arm, struct travel_limits *ret);

// What stands on the table (copied), so that lifts are only as high as needed. count 0 = nothing
// stands there; arm_forget_obstacles() = not known, assume stones everywhere (the start state).
// Stones in `stores` need not be told. What the arm itself places and lifts afterwards it adds and
// takes away. A lost stone or a lost position makes them not known again.
int arm_set_obstacles(struct arm *arm, const struct travel_obstacle *obstacles, int count);
void arm_forget_obstacles(struct arm *arm);

// Plans without sending; for --dry-run. `from` NULL = where the arm is (or the park place).
int arm_plan(const struct arm *arm, const struct arm_job *job, const double *from,
             struct arm_program *ret, struct error *err);
