// bench: one robot under calibration, as a wizard works with it: step by step, each call waiting
// for what it asked for.
//
// Real hardware and the simulated table are the same here (controller/devices.h); with the latter
// time is virtual and its people press the buttons. This folder stands above the controller, like a
// program; nothing else in config/ knows of it.
//
// Every call that waits returns -ECANCELED once bench_stop() was called (Ctrl-C, the dashboard) and
// then the arm has been stopped. The e-stop stops the arm by itself at any time; what stops it in
// the middle of a job is told to the person, who may let it go on: it finds its home corner and
// does that job again, so that a wizard of a hundred steps survives a stop.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"
#include "config/base/io.h"
#include "config/calibration.h"
#include "config/settings.h"
#include "controller/devices.h"
#include "vision/reader.h"

// The person who calibrates: a terminal, the dashboard, a test.
struct bench_people {
    void (*say)(void *user, const char *text);
    // A question with yes or no; false also when nobody is there any more.
    bool (*ask)(void *user, const char *text);
    // A length in mm, `proposed` when the person has none. false: nobody is there any more.
    bool (*measure)(void *user, const char *text, double proposed, double *ret);
    void *user;
};

struct bench_options {
    const struct settings *settings;
    struct calibration
        *calibration; // wizards read what earlier ones found and write their own part
    struct bench_people people;
    bool yes;                        // do not ask before something moves
    const struct table_setup *table; // another simulated table than the settings'; NULL = theirs
    bool camera_only;                // leave panel and plotter to whoever has them
    bool arm; // open the plotter's port too (an Arduino resets at that; nothing moves)
};

struct bench;

int bench_open(const struct bench_options *options, struct bench **ret, struct error *err);
struct bench *bench_free(struct bench *bench);
void bench_stop(struct bench *bench); // from a signal's callback on the loop, or before a call

const struct settings *bench_settings(const struct bench *bench);
struct calibration *bench_calibration(struct bench *bench);
struct loop *bench_loop(struct bench *bench);
struct table *bench_table(struct bench *bench); // NULL on real hardware
int bench_colours(const struct bench *bench);   // sets of stones in play

void bench_say(struct bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Has the stones of all trays put back into their stores: by the person, or by the people of the
// simulated table. Nobody moves the arm meanwhile.
int bench_tidy(struct bench *bench, struct error *err);
bool bench_ask(struct bench *bench, const char *text);
bool bench_measure(struct bench *bench, const char *text, double proposed, double *ret);
bool bench_asks_nobody(const struct bench *bench); // --yes: a question would not be answered
int bench_wait(struct bench *bench, int64_t ns);

// --- panel ---

bool bench_wired(const struct bench *bench, enum gpio_line line);
int bench_level(const struct bench *bench, enum gpio_line line); // 0, 1, negative errno
void bench_lamp(struct bench *bench, enum gpio_line lamp, bool lit);
// Waits until the line reads `value`. On the simulated table its people do it.
int bench_wait_level(struct bench *bench, enum gpio_line line, int value, int seconds);

// --- camera ---

// The newest frame; borrowed until the next call. -ETIMEDOUT: none came within 5 s.
int bench_frame(struct bench *bench, struct frame *ret, struct error *err);
struct vision *bench_vision(struct bench *bench, struct error *err);
void bench_new_vision(struct bench *bench); // forget the reader: lens or geometry have changed
// Waits until the board lies still and nothing is over it, then reads it. -ETIMEDOUT with what was
// in the way.
int bench_look(struct bench *bench, struct observation *ret, struct error *err);
// Whether no stone lies on the board; asks the person to take them off. -ENOTEMPTY.
int bench_need_empty(struct bench *bench, struct error *err);
// For a board on which nothing lies, as was seen: the eye takes in how each empty point looks, and
// sees clear glass against that. Reads the board once more.
int bench_see_empty(struct bench *bench, struct observation *ret, struct error *err);
// Writes the last frame with what was read from it as PNG. Does nothing when path is NULL or the
// camera was not needed yet.
int bench_picture(struct bench *bench, const char *path, struct error *err);
// Where the next wizard's picture goes (NULL = none is wanted; borrowed). A wizard calls
// bench_snap() when there is most to see; later calls do nothing. bench_snapped(): there is a
// picture.
void bench_want_picture(struct bench *bench, const char *path);
int bench_snap(struct bench *bench, struct error *err);
bool bench_snapped(const struct bench *bench);

// --- arm ---

// Opens, resets and homes the arm, once, after telling the person. -EPERM: the e-stop is not
// proven.
int bench_arm_ready(struct bench *bench, struct error *err);
// Runs one job to its end, also over stops. -EIO with the arm's own words when it failed;
// *ret_reason (NULL allowed) says how. -EAGAIN: a jog, grip or release was interrupted, and the arm
// is ready again, but elsewhere: begin anew from where the cup is known to be.
int bench_job(struct bench *bench, const struct arm_job *job, enum arm_reason *ret_reason,
              struct error *err);
int bench_park(struct bench *bench, struct error *err);
int bench_go(struct bench *bench, double x, double y, double z, struct error *err);
int bench_lower(struct bench *bench, double mm, struct error *err); // raises when negative
// Takes hold, or lets go, and waits so long. Nothing is expected: *ret_held is what the sensor
// says. Afterwards bench_vent() before the next job that handles stones.
int bench_grip(struct bench *bench, double seconds, bool *ret_held, struct error *err);
int bench_release(struct bench *bench, double seconds, struct error *err);
int bench_vent(struct bench *bench, struct error *err);
bool bench_has_sensor(const struct bench *bench);
struct board_map *bench_map(struct bench *bench); // in use; a wizard may better it
struct arm_config *bench_arm_config(struct bench *bench);
// Takes changed heights and dwells over into the arm (which must not be busy).
int bench_renew_arm(struct bench *bench, struct error *err);
struct stores *bench_stores(struct bench *bench); // heights may be bettered at any time
