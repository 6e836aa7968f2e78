// program: what the arm will do for a job, step by step, before anything is sent.
//
// A job becomes a list of steps: legs (straight lines that end verified), gripping, letting go,
// dwells and checks. The same list is executed by arm.c, timed (the lower bound the machine's
// physics allow), printed as G-code and drawn. Pure: no I/O, no clock.
//
// Heights: z of the cup's lip, 0 at the top, negative downwards. A leg lifts only as high as what
// stands in its way, and descends while it travels where that is safe.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base/error.h"
#include "motion/dialect.h"
#include "motion/stores.h"
#include "motion/travel.h"

// The geometry and the manners of one arm. All from the settings; nothing here changes by itself.
struct arm_config {
    double board_z;        // lip z at the board's surface
    double stone_height;   // mm
    double stone_radius;   // mm
    double cup_radius;     // mm
    double clearance;      // mm kept above whatever stands in the way
    double side_clearance; // mm kept beside it
    double safe_z;         // lip z above everything: for first moves and parking
    double park[2];        // x, y out of the camera's view
    double wait[2];        // x, y at the board's edge where a held stone waits
    double margin;         // mm kept to the ends of travel
    double backlash;       // mm of overshoot so that every target is approached from the same side
    double speed;          // share of the machine's speed, 0.05 … 1
    int64_t grip_ns;       // vacuum builds up
    int64_t release_ns;    // stone lets go
    int grip_tries;        // first try and retries beside the spot, of one job
    double grip_step;      // mm: unit of arm_program_spot()
    int release_tries;     // up, vent, down again while the stone sticks
    bool probe_sensor;     // the pick sensor is wired to the firmware's probe input (Pn:P)
    const struct dialect *dialect; // of the plotter's firmware; NULL = recognized at its start
};

struct arm_config arm_config_default(void); // the sample table of the design
int arm_config_check(const struct arm_config *config, struct error *err);
// Lip z when it touches a stone lying on the board.
double arm_config_contact(const struct arm_config *config);

enum arm_job_kind {
    ARM_JOB_HOME,    // find the home corner; makes the position known
    ARM_JOB_PARK,    // safe height, then out of the camera's view
    ARM_JOB_PICK,    // take the next stone of `store`, lift it
    ARM_JOB_READY,   // the same if none is held, then wait with it at the board's edge (pre-pick)
    ARM_JOB_PLACE,   // put the held stone down at x, y; takes one from `store` first when none is
                     // held (store < 0: one must be held)
    ARM_JOB_LIFT,    // take the stone at x, y off the board and drop it into `store` (store < 0:
                     // keep it on the cup)
    ARM_JOB_DROP,    // put the held stone into `store`
    ARM_JOB_VENT,    // over `store`: let go whatever may hang on the cup (first thing after homing)
    ARM_JOB_GOTO,    // to x, y at travel height; then down (or up) to z when use_z
    ARM_JOB_JOG,     // by x, y, z from here
    ARM_JOB_GRIP,    // vacuum on here
    ARM_JOB_RELEASE, // let go here
    ARM_JOB_REST,    // nothing hangs on the cup: the pump may stop; moves nothing
    ARM_JOB_KINDS
};

// What a job needs. In a stop nothing at all is allowed to run; tested for every kind.
struct arm_job_class {
    const char *name; // "home", "place", …
    bool needs_known; // position must be known
    bool moves;       // sends motion lines
    bool ends_raised; // leaves the cup at travel height by itself
};
const struct arm_job_class *arm_job_class(enum arm_job_kind kind);

struct arm_job {
    enum arm_job_kind kind;
    int store;      // PICK, READY, PLACE, LIFT, DROP, VENT: index; < 0 = none
    double x, y, z; // machine mm
    double feed;    // JOG, GOTO: mm/s; 0 = as fast as the settings allow
    uint64_t tag;   // the caller's, handed back in every event
    bool use_z;     // GOTO
    int search; // LIFT: rounds of tries that this very stone has withstood: the next one goes on
                // in the pattern of arm_program_spot() where they ended, 0 = at the stone
};

enum arm_step_kind {
    ARM_STEP_HOME,           // $H, then Idle without an alarm in between, then the modal line
    ARM_STEP_LEG,            // way points, G4 P0, Idle at the last one
    ARM_STEP_JOG,            // one $J line, then Idle
    ARM_STEP_GRIP,           // vacuum on
    ARM_STEP_RELEASE,        // let go
    ARM_STEP_REST,           // gripper without power
    ARM_STEP_DWELL,          // dwell_ns
    ARM_STEP_EXPECT_HELD,    // pick sensor says held, else another try around (x, y)
    ARM_STEP_EXPECT_CARRIED, // pick sensor still says held, else the stone fell on the way
    ARM_STEP_EXPECT_FREE,    // pick sensor says free, else up, vent, down again
    ARM_STEP_TOOK,           // book: `store` gave its stone
    ARM_STEP_PUT,            // book: `store` got the stone
};

enum { ARM_LEG_POINTS = 5, ARM_STEPS_MAX = 48, ARM_RETRY_STEPS = 8 };

struct arm_step {
    enum arm_step_kind kind;
    int points;                      // LEG, JOG: lines
    int attempt;                     // EXPECT_*: tries already made
    int first_spot;                  // EXPECT_HELD: where the first of them was
    double point[ARM_LEG_POINTS][3]; // LEG: where each line ends; JOG: point[0] = target
    double feed[ARM_LEG_POINTS];     // LEG, JOG: mm/s along each line; 0 = rapid
    int64_t dwell_ns;
    struct store_point store; // TOOK, PUT
    double x, y, z;           // EXPECT_*: where it is tried, or around where
    double lifted_z;          // EXPECT_*: height to withdraw to between tries
};

struct arm_program {
    struct arm_step step[ARM_STEPS_MAX];
    int count;
    double end[3]; // where it leaves the cup
};

// Where the arm is and what it knows when planning.
struct arm_scene {
    const struct arm_config *config;
    const struct stores *stores;
    const struct travel_limits *limits;
    const double *travel; // mm per axis ([-travel, 0] is reachable); NULL: not checked
    const struct travel_obstacle *obstacles; // NULL = unknown: anything may stand anywhere
    int obstacle_count;
    double at[3]; // where the cup is (ignored by HOME)
    bool holding;
    bool down;     // it stands on or in something: rise by the clearance before going sideways
    bool stay_low; // another job follows at once: PLACE, LIFT, … may leave the cup down
};

// -ERANGE: a point lies outside the machine (soft limit; the error names it). -EINVAL: the job
// makes no sense here (holding when it must not, no such store). -ENODATA / -ENOSPC: store empty /
// full.
int arm_program_plan(const struct arm_scene *scene, const struct arm_job *job,
                     struct arm_program *ret, struct error *err);

// A stone that was not gripped is looked for around the place: mm beside it of the number-th try.
// ARM_SPOTS of them, then it begins anew: the place, a cross of one grip_step, its diagonals at one
// and a half each way, a cross of two and a half. A cup that takes a stone 1.5 steps off its centre
// so finds all that are up to 3 steps off.
enum { ARM_SPOTS = 13 };
void arm_program_spot(const struct arm_config *config, int number, double ret[2]);
// Where that is, of a try around the place of `expect`: not beyond the machine's travel (as in
// struct arm_scene).
void arm_program_place(const struct arm_config *config, const struct arm_step *expect, int attempt,
                       const double *travel, double ret[2]);
// The steps of one more try at gripping around the place of `expect` (an EXPECT_HELD that failed):
// let go, withdraw, aside, down, grip, check. travel as in struct arm_scene. Returns how many steps
// it wrote.
int arm_program_regrip(const struct arm_config *config, const struct arm_step *expect,
                       const double *travel, struct arm_step ret[ARM_RETRY_STEPS]);
// The same for a stone that sticks (EXPECT_FREE): up, vent longer, down again, check.
int arm_program_rerelease(const struct arm_step *expect, struct arm_step ret[ARM_RETRY_STEPS]);
// After a failure with the position known: let go (when `release`), withdraw.
void arm_program_withdraw(const struct arm_config *config, const double at[3], bool release,
                          struct arm_program *ret);

// The lower bound: trapezoids and dwells, no firmware or host time. Homing counts 0.
double arm_step_seconds(const struct arm_step *step, const struct travel_limits *limits,
                        const double from[3]);
double arm_program_seconds(const struct arm_program *program, const struct travel_limits *limits,
                           const double from[3]);

// Writes one G-code line for way point i of a leg (GRBL_SEND_MAX holds it). from: where the line
// starts; axes that do not move are left out.
void arm_step_line(const struct arm_step *step, int i, const double from[3], char *buf,
                   size_t size);

// --dry-run: G-code with a comment and the time of each step. Returns the length it needs, like
// snprintf.
int arm_program_text(const struct arm_program *program, const struct travel_limits *limits,
                     const double from[3], char *buf, size_t size);
