// Gripper: the shortest times that hold every stone, proven by twenty picks.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/base/clock.h"
#include "config/calibrate/handling.h"
#include "config/calibrate/wizard.h"

enum {
    PICKS = 20,
    TRIES = 4, // picks of each shorter time before it is believed
};

static const double SAFETY = 1.5; // on the shortest time that held
static const double SHORTEST = 0.04;
static const double SLIPPED = 0.8; // mm beside its place; the cup wants its middle within about 1.5

static int set_times(struct bench *b, double grip, double release, struct error *err)
{
    struct arm_config *arm = bench_arm_config(b);
    arm->grip_ns = (int64_t)(grip * (double)NS_PER_S);
    arm->release_ns = (int64_t)(release * (double)NS_PER_S);
    arm->grip_tries = 1; // a second try would hide that the first one failed
    return bench_renew_arm(b, err);
}

// A stone that slipped when it was let go, or rolled, is tried once more where it is seen: that the
// cup missed its middle says nothing about the times. 1 = it held there, 0 = it did not, or had not
// slipped.
static int pick_slipped(struct bench *b, int colour, double x, double y, struct error *err)
{
    const struct settings_board *board = &bench_settings(b)->board;
    struct observation *o = calloc(1, sizeof *o);
    struct handling_seen seen;
    double laid[2];
    double machine[2];
    enum arm_reason reason = ARM_OK;
    int r = o ? bench_park(b, err) : error_set(err, -ENOMEM, "out of memory");
    if (r == 0)
        r = bench_look(b, o, err);
    bool slipped =
        r == 0 && board_map_to_board(bench_map(b), (double[]){x, y}, laid) == 0 &&
        handling_find(b, o, laid[0], laid[1], 0.7 * board->pitch_x, &seen, NULL, err) == 0 &&
        hypot(seen.x - laid[0], seen.y - laid[1]) > SLIPPED;
    free(o);
    if (!slipped)
        return r;
    board_map_to_machine(bench_map(b), (double[]){seen.x, seen.y}, machine);
    int tray = devices_store(bench_stores(b), STORE_CAPTURED, colour);
    r = bench_job(
        b, &(struct arm_job){.kind = ARM_JOB_LIFT, .x = machine[0], .y = machine[1], .store = tray},
        &reason, err);
    return r == 0 ? 1 : reason == ARM_NOTHING_GRIPPED ? 0 : r;
}

// One stone down and up again. 1 = it held, 0 = it did not.
static int pick_once(struct bench *b, int colour, double x, double y, struct error *err)
{
    enum arm_reason reason = ARM_OK;
    int store = devices_store(bench_stores(b), STORE_SUPPLY, colour);
    int tray = devices_store(bench_stores(b), STORE_CAPTURED, colour);
    int r = bench_job(b, &(struct arm_job){.kind = ARM_JOB_PLACE, .x = x, .y = y, .store = store},
                      &reason, err);
    bool placed = r == 0;
    if (placed)
        r = bench_job(b, &(struct arm_job){.kind = ARM_JOB_LIFT, .x = x, .y = y, .store = tray},
                      &reason, err);
    if (r == 0)
        return 1;
    if (placed && reason == ARM_NOTHING_GRIPPED)
        return pick_slipped(b, colour, x, y, err);
    if (reason == ARM_NOTHING_GRIPPED || reason == ARM_STONE_LOST || reason == ARM_STONE_STUCK)
        return 0;
    return r;
}

// How many of `count` held; stops at the first that did not when `all` are needed.
static int pick_some(struct bench *b, int count, bool all, int *ret_held, struct error *err)
{
    const struct settings_board *board = &bench_settings(b)->board;
    *ret_held = 0;
    for (int i = 0; i < count; i++) {
        double at[2];
        int column = board->columns / 2 - 2 + i % 5;
        int row = board->rows / 2 - 2 + i / 5 % 5;
        settings_board_at(board, column, row, at);
        board_map_to_machine(bench_map(b), (double[]){at[0], at[1]}, at);
        int r = pick_once(b, 1 + i % bench_colours(b), at[0], at[1], err);
        if (r < 0)
            return r;
        *ret_held += r;
        if (r == 0 && all)
            return 0;
    }
    return 0;
}

// Halves the time as long as it holds.
static int shorten(struct bench *b, double *grip, double *release, struct error *err)
{
    bool on = true;
    while (on && *grip / 2 >= SHORTEST) {
        int held = 0;
        int r = set_times(b, *grip / 2, *release / 2, err);
        if (r == 0)
            r = pick_some(b, TRIES, true, &held, err);
        if (r < 0)
            return r;
        on = held == TRIES;
        if (on) {
            *grip /= 2;
            *release /= 2;
        } else {
            r = handling_clear(b, err);
            if (r < 0)
                return r;
        }
    }
    *grip *= SAFETY;
    *release *= SAFETY;
    return 0;
}

static int measure(struct bench *b, struct wizard_result *ret, struct error *err)
{
    const struct settings_gripper *s = &bench_settings(b)->gripper;
    struct calibration_gripper *gripper = &bench_calibration(b)->gripper;
    double grip = s->grip_time;
    double release = s->release_time;
    int held = 0;
    int r = bench_need_empty(b, err);
    if (r == 0)
        r = bench_arm_ready(b, err);
    if (r == 0)
        bench_say(b, "The arm picks stones up and puts them down, each time faster.");
    if (r == 0 && bench_has_sensor(b))
        r = shorten(b, &grip, &release, err);
    if (grip > s->grip_time)
        grip = s->grip_time; // the settings' own time is the longest that is ever needed
    if (release > s->release_time)
        release = s->release_time;
    if (r == 0)
        r = set_times(b, grip, release, err);
    if (r == 0)
        r = pick_some(b, PICKS, false, &held, err);
    if (r == 0)
        r = handling_clear(b, err);
    if (r < 0)
        return r;
    gripper->grip_time = grip;
    gripper->release_time = release;
    ret->figure = held;
    ret->limit = PICKS;
    ret->what = "of 20 picks held";
    ret->passed = held == PICKS;
    (void)snprintf(ret->words, sizeof ret->words,
                   ret->passed
                       ? "grip %.0f ms, release %.0f ms"
                       : "with %.0f ms to grip and %.0f ms to release: look at the cup (worn, "
                         "dirty), the hose, the pump, and at gripper.grip_time",
                   grip * 1000, release * 1000);
    return 0;
}

int wizard_gripper(struct bench *b, struct wizard_result *ret, struct error *err)
{
    if (!bench_calibration(b)->arm.verdict.valid)
        return error_set(err, -EPERM,
                         "the arm must find the board first: `tessera-config calibrate arm`");
    return measure(b, ret, err);
}
