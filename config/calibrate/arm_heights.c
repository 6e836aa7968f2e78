#include "config/calibrate/arm_heights.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "config/calibrate/centre.h"
#include "config/calibrate/handling.h"

static const double CURL = 2;         // mm
static const double ROLL = 1.5;       // mm
static const double DROP_ABOVE = 1.5; // mm above the guessed board for the first stone

// Stones of one set differ by some tenths of a millimetre: the mean of so many counts.
enum { FELT = 3 };

static int feel_store(struct bench *b, int colour, struct error *err)
{
    struct stores *stores = bench_stores(b);
    int i = devices_store(stores, STORE_SUPPLY, colour);
    if (i < 0)
        return error_set(err, i, "there is no store for colour %d (stores.colour%d.capacity)",
                         colour, colour);
    double sum = 0;
    int r = 0;
    for (int k = 0; k < FELT && r == 0; k++) {
        double z = 0;
        r = handling_find_contact(b, stores->store[i].x, stores->store[i].y,
                                  stores->store[i].z_contact, &z, err);
        sum += z / FELT;
        if (r == 0 && k + 1 < FELT) { // the next one comes into the pocket
            stores->store[i].z_contact = stores->store[i].z_release = z;
            r = handling_pass(b, colour, err);
        }
    }
    if (r < 0)
        return r;
    double z = sum;
    stores->store[i].z_contact = stores->store[i].z_release = z;
    bench_calibration(b)->gripper.store_z[colour - 1] = z;
    return 0;
}

static int use_board_z(struct bench *b, double z, struct error *err)
{
    devices_use_board_z(bench_arm_config(b), z);
    return bench_renew_arm(b, err);
}

// A stone dropped from a height rolls a little: it is felt for where it was dropped, then around.
static int feel_around(struct bench *b, double at[2], double expected, double *ret_contact,
                       struct error *err)
{
    static const double AROUND[][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    struct error about = {0}; // what is said of the place itself
    int r = -ENOENT;
    for (size_t k = 0; r == -ENOENT && k < sizeof AROUND / sizeof *AROUND; k++) {
        const double try[2] = {at[0] + ROLL * AROUND[k][0], at[1] + ROLL * AROUND[k][1]};
        r = handling_find_contact(b, try[0], try[1], expected, ret_contact, k ? err : &about);
        if (r == 0)
            memcpy(at, try, sizeof try);
    }
    if (r == -ENOENT)
        *err = about;
    return r;
}

// Feels the stone laid at machine `at`, which becomes where it lies. A first one in a hollow tells
// how far off the settings' guess is.
static int feel_laid(struct bench *b, double at[2], double expected, bool first, double *ret_z,
                     struct error *err)
{
    if (!centre_moves_itself(b))
        return feel_around(b, at, expected, ret_z, err);
    double lies[2];
    int r = centre_find_contact(b, at, expected, lies, ret_z, err);
    if (r < 0)
        return r;
    for (int k = 0; k < 2 && first; k++)
        bench_map(b)->a[3 * k + 2] += lies[k] - at[k];
    memcpy(at, lies, sizeof lies);
    return 0;
}

// Stones near the board's middle: the first is dropped from a little above what the settings guess;
// each is felt where it lies and taken off again.
static int feel_board(struct bench *b, struct error *err)
{
    const struct settings *s = bench_settings(b);
    double height = s->stones.height;
    int column = (s->board.columns - 1) / 2;
    int row = (s->board.rows - 1) / 2;
    double guess = bench_arm_config(b)->board_z;
    double sum = 0;
    int r = use_board_z(b, guess + DROP_ABOVE, err);
    for (int k = 0; k < FELT && r == 0; k++) {
        double at[2];
        double felt = 0;
        int colour = 1 + k % bench_colours(b);
        settings_board_at(&s->board, column + k - 1, row, at);
        board_map_to_machine(bench_map(b), (double[]){at[0], at[1]}, at);
        r = handling_place(b, colour, at[0], at[1], err);
        if (r == 0)
            r = feel_laid(b, at, guess + height, k == 0, &felt, err);
        sum += felt;
        guess = sum / (k + 1) - height;
        if (r == 0)
            r = use_board_z(b, guess, err);
        // Where the arm itself has felt it: the camera's view cannot be used before there is a map.
        if (r == 0)
            r = handling_lift_at(b, colour, at[0], at[1], err);
    }
    if (r < 0)
        return r;
    struct calibration *c = bench_calibration(b);
    c->gripper.contact_z = guess + height;
    c->arm.board_z[0] = guess;
    c->arm.board_z[1] = c->arm.board_z[2] = 0;
    bench_say(b, "The board is felt at z %.2f mm (the settings say %.2f).", guess,
              s->heights.board);
    return 0;
}

int arm_heights_feel(struct bench *b, struct error *err)
{
    if (!bench_has_sensor(b)) {
        bench_say(b, "There is no pick sensor, so heights stay as the settings say.");
        struct calibration *c = bench_calibration(b);
        c->arm.board_z[0] = bench_arm_config(b)->board_z;
        c->arm.board_z[1] = c->arm.board_z[2] = 0;
        for (int i = 0; i < SETTINGS_COLOURS; i++)
            c->gripper.store_z[i] = bench_settings(b)->stores[i].z;
        return 0;
    }
    bench_say(b, "The cup is lowered over the stores until it feels a stone.");
    int r = bench_vent(b, err);
    for (int colour = 1; r == 0 && colour <= bench_colours(b); colour++)
        r = feel_store(b, colour, err);
    return r == 0 ? feel_board(b, err) : r;
}

int arm_heights_even(struct bench *b, const double corner[4][2], double *ret_uneven, int *ret_worst,
                     struct error *err)
{
    double level = bench_arm_config(b)->board_z + bench_settings(b)->stones.height;
    *ret_uneven = 0;
    *ret_worst = 0;
    int r = 0;
    for (int i = 0; i < 4 && r == 0 && bench_has_sensor(b); i++) {
        double contact = level;
        // From higher up than usual: this is where a sheet curls.
        r = handling_find_contact(b, corner[i][0], corner[i][1], level + CURL, &contact, err);
        if (r == -ENOENT)
            r = 0; // not hit: how far the arm misses is judged later
        if (r < 0)
            return r;
        if (fabs(contact - level) <= fabs(*ret_uneven))
            continue;
        *ret_uneven = contact - level;
        *ret_worst = i;
    }
    return r;
}
