// arm_impl: what arm.c (jobs, states, events) and arm_exec.c (steps) share. Not for users.
#pragma once

#include "motion/arm.h"

// What the running step waits for.
enum arm_wait {
    ARM_WAIT_NONE,    // nothing: the next step may begin
    ARM_WAIT_LINES,   // ok of every line of the leg, the last of which comes after the motion
    ARM_WAIT_ARRIVAL, // Idle at the target
    ARM_WAIT_HOME,    // ok of $H
    ARM_WAIT_HOMED,   // ok of the modal line, then Idle
    ARM_WAIT_WORD,    // ok of the gripper's word
    ARM_WAIT_DWELL,   // time
    ARM_WAIT_SENSE,   // a report with the probe pin
};

struct arm_queued {
    struct arm_job job;
    uint64_t id;
};

struct arm {
    struct arm_config config;
    struct grbl *grbl;
    struct gripper *gripper;
    struct stores *stores;
    struct arm_hooks hooks;

    enum arm_state state; // as last told
    enum arm_stop_reason stop;
    unsigned stop_inputs; // bit = enum arm_stop_reason
    int faults_in_a_row;
    double at[3];
    enum arm_held held;

    struct arm_queued queue[ARM_QUEUE];
    int queue_head, queue_count;
    uint64_t next_id;

    struct arm_queued job;
    int64_t job_start;
    struct arm_program program;
    int pc;

    // A job that failed with the machine in order: the cup is withdrawn, then it is told.
    enum arm_reason fail_reason;
    double fail_at[3];
    char fail_text[ERROR_TEXT_MAX];

    enum arm_wait wait;
    int lines_left;
    double target[3];
    int64_t expected;    // when the motion should be over
    int misses;          // Idle but elsewhere, reports in a row
    int64_t arrive_by;   // ARRIVAL, HOMED, SENSE
    int64_t ask_at;      // when to ask for the next report; INT64_MAX = not
    int64_t dwell_until; // DWELL
    int64_t paused_at;   // INT64_MAX = not paused
    int64_t resume_by;   // while resuming: after that it is told as a hold
    unsigned calm_pins;  // as reported while nobody held or resumed
    struct arm_intent intent;
    double lost_at[3];

    // Why the next voiding happens, when it is our own doing.
    enum arm_reason cause;
    int cause_number;
    char cause_text[ERROR_TEXT_MAX];

    int obstacle_count;
    struct travel_obstacle obstacle[ARM_OBSTACLES];

    bool faulted; // left only by arm_reset()
    bool known;   // position: at[] is where the cup is
    bool homing;
    bool down;           // the cup stands on or in something
    bool hold;           // feed hold asked for by arm_hold()
    bool hold_sent;      // '!' was, for it: something moved
    bool foreign_hold;   // feed hold or door that nobody here asked for
    bool resuming;       // '~' was sent and it still stands
    bool running;        // `job` has begun
    bool verified;       // the pick sensor agreed with every check of the job so far
    bool pumping;        // inside arm_pump()
    bool failing;        // see fail_reason
    bool lost_seen;      // while carrying, the sensor said no at lost_at
    bool know_obstacles; // else anything may stand anywhere
    bool settings_told;  // what is wrong with the firmware's settings
};

// Over the time that a line or an arrival should take.
#define ARM_SLACK_NS (3 * 1000000000LL)

// arm.c
bool arm_can_start(const struct arm *arm); // a job waits, and its turn has come
// The position can no longer be believed: stop bytes go out, then everything is ended.
void arm_lose(struct arm *arm, enum arm_reason reason, int number, int64_t now, const char *format,
              ...) __attribute__((format(printf, 5, 6)));

// arm_jobs.c
void arm_emit(struct arm *arm, struct arm_event *event, int64_t now);
void arm_emit_warning(struct arm *arm, const char *text, int64_t now);
void arm_emit_retry(struct arm *arm, int attempt, int64_t now);
void arm_update_state(struct arm *arm, int64_t now);
void arm_job_done(struct arm *arm, int64_t now);
// Ends the running job and cancels the queue; the machine is in order.
void arm_job_failed(struct arm *arm, enum arm_reason reason, int number, const double at[3],
                    const char *text, int64_t now);
void arm_scene_of(const struct arm *arm, struct arm_scene *ret, struct travel_limits *limits);
void arm_pump(struct arm *arm, int64_t now);

// arm_step.c
const struct arm_step *arm_step_current(const struct arm *arm);
void arm_step_begin(struct arm *arm, int64_t now);
void arm_step_done(struct arm *arm, int64_t now);
void arm_step_judge(struct arm *arm, int sensed, int64_t now); // a check; 1, 0, -ENOENT, -EIO
double arm_step_size(const struct arm *arm);                   // mm of one motor step

// arm_exec.c
void arm_exec_reset(struct arm *arm); // forget the running step
void arm_exec_reply(struct arm *arm, int error, int64_t now);
void arm_exec_status(struct arm *arm, const struct grbl_status *status, int64_t now);
void arm_exec_pause(struct arm *arm, int64_t now); // time stands still for what is waited for
void arm_exec_unpause(struct arm *arm, int64_t now);
void arm_exec_time(struct arm *arm, int64_t now);
int64_t arm_exec_deadline(const struct arm *arm);
