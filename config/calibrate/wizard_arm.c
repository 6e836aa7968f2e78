// Camera and arm: where the board is in the arm's own coordinates.
//
// 1. Homing; the heights of store and board, felt with the vacuum.
// 2. A stone on the centre by the settings' guess, and four around it: where the camera sees them
//    gives a first map.
// 3. Stones on a grid of points over the whole board: the map is fitted to all of them, with a
//    table of residuals where that helps.
// 4. Proof on other points: stones are placed several times; the mean error of each point is the
//    map's, the scatter is the gripper's and the belts'. In hollows, which put a marble right, it
//    is felt by how much the cup misses a marble that is seen.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/calibrate/arm_heights.h"
#include "config/calibrate/arm_points.h"
#include "config/calibrate/centre.h"
#include "config/calibrate/handling.h"
#include "config/calibrate/wizard.h"

enum {
    PROOF_POINTS = 5,
    PROOF_ROUNDS = 6,
    PROOF_ROUNDS_FELT = 2, // each takes half a minute a point
    LIFT_TRIES = 3, // an arm that misses by chance is judged by how much, not stopped at once
};

static const double RMS_LIMIT = 0.5;     // mm
static const double MAX_LIMIT = 1.0;     // mm
static const double SCATTER_LIMIT = 0.8; // mm, σ of one placement in x or y
static const double UNEVEN_LIMIT = 1.5;  // mm: the cup gives about that much

// --- proof ---

struct proof {
    int points, rounds;
    int column[PROOF_POINTS], row[PROOF_POINTS];
    double error[PROOF_POINTS][PROOF_ROUNDS][2]; // mm, seen minus wanted, or felt minus seen
    double rms, max, scatter;
    double uneven; // mm by which the worst corner stands higher than the middle
    char where[HANDLING_NAME];
};

static void choose_proof(const struct arm_points *p, struct proof *proof)
{
    int half_column = p->step_column > 1 ? p->step_column / 2 : 0;
    int half_row = p->step_row > 1 ? p->step_row / 2 : 0;
    int last = p->side - 2;
    const int cell[PROOF_POINTS][2] = {
        {0, 0}, {last, 0}, {0, last}, {last, last}, {last / 2, last / 2}};
    proof->points = last / 2 > 0 ? PROOF_POINTS : PROOF_POINTS - 1; // no cell is in the middle
    for (int i = 0; i < proof->points; i++) {
        proof->column[i] = p->column0 + cell[i][0] * p->step_column + half_column;
        proof->row[i] = p->row0 + cell[i][1] * p->step_row + half_row;
    }
}

// By how much the stone laid at board `wanted` and seen is off: from there, or in a hollow from
// where the cup goes for it.
static int proof_error(struct bench *b, const double wanted[2], const struct handling_seen *seen,
                       double ret[2], struct error *err)
{
    if (!centre_moves_itself(b)) {
        ret[0] = seen->x - wanted[0];
        ret[1] = seen->y - wanted[1];
        return 0;
    }
    double goes[2];
    double lies[2];
    board_map_to_machine(bench_map(b), (const double[]){seen->x, seen->y}, goes);
    int r = centre_feel(b, goes, lies, err);
    for (int a = 0; a < 2 && r == 0; a++)
        ret[a] = lies[a] - goes[a];
    return r;
}

static int proof_round(struct arm_points *p, struct proof *proof, int round, struct error *err)
{
    const struct settings_board *board = &bench_settings(p->bench)->board;
    int r = 0;
    for (int i = 0; i < proof->points && r == 0; i++) {
        double at[2];
        double machine[2];
        settings_board_at(board, proof->column[i], proof->row[i], at);
        board_map_to_machine(bench_map(p->bench), at, machine);
        r = handling_place(p->bench, arm_points_colour(p, i + round), machine[0], machine[1], err);
    }
    if (r == 0)
        r = bench_park(p->bench, err);
    if (r == 0)
        r = bench_look(p->bench, p->o, err);
    for (int i = 0; i < proof->points && r == 0; i++) {
        double at[2];
        settings_board_at(board, proof->column[i], proof->row[i], at);
        struct handling_seen seen;
        r = handling_find(p->bench, p->o, at[0], at[1], 0.7 * board->pitch_x, &seen, NULL, err);
        if (r == 0)
            r = proof_error(p->bench, at, &seen, proof->error[i][round], err);
        if (r < 0)
            break;
        for (int tries = 0; tries == 0 || (r == -ENODATA && tries < LIFT_TRIES); tries++)
            r = handling_lift(p->bench, arm_points_colour(p, i + round), &seen, err);
    }
    return r;
}

static void judge_proof(struct proof *proof)
{
    double squares = 0;
    double spread = 0;
    proof->max = 0;
    for (int i = 0; i < proof->points; i++) {
        double mean[2] = {0, 0};
        for (int k = 0; k < proof->rounds; k++)
            for (int a = 0; a < 2; a++)
                mean[a] += proof->error[i][k][a] / proof->rounds;
        for (int k = 0; k < proof->rounds; k++)
            for (int a = 0; a < 2; a++)
                spread += (proof->error[i][k][a] - mean[a]) * (proof->error[i][k][a] - mean[a]);
        double error = hypot(mean[0], mean[1]);
        squares += error * error;
        proof->max = fmax(proof->max, error);
    }
    double variance = spread / (2.0 * proof->points * (proof->rounds - 1)); // in x or y
    proof->scatter = sqrt(variance);
    // A mean of few placements still holds some of the scatter; that share is not the map's error.
    // Nor can the map's error be known better than all placements together tell.
    double known = 2 * variance / (proof->rounds * proof->points);
    proof->rms = sqrt(fmax(known, squares / proof->points - 2 * variance / proof->rounds));
}

static int prove(struct arm_points *p, struct proof *proof, struct error *err)
{
    choose_proof(p, proof);
    proof->rounds = centre_moves_itself(p->bench) ? PROOF_ROUNDS_FELT : PROOF_ROUNDS;
    bench_say(p->bench, "The arm proves the map on %d other points, %d times each.", proof->points,
              proof->rounds);
    int r = 0;
    for (int round = 0; round < proof->rounds && r == 0; round++)
        r = proof_round(p, proof, round, err);
    judge_proof(proof);
    return r == 0 ? bench_park(p->bench, err) : r;
}

// --- verdict ---

static double skew_degrees(const struct board_map *map)
{
    double angle_x = atan2(map->a[3], map->a[0]);
    double angle_y = atan2(-map->a[1], map->a[4]);
    return (angle_y - angle_x) * 180 / M_PI;
}

// The corners' stones are those of the points first laid.
static int feel_corners(struct arm_points *p, struct proof *proof, struct error *err)
{
    int last = p->side * p->side - 1;
    const int at[4] = {0, p->side - 1, last - p->side + 1, last};
    double corner[4][2];
    for (int i = 0; i < 4; i++)
        memcpy(corner[i], p->pair[at[i]].machine, sizeof corner[i]);
    int worst = 0;
    int r = arm_heights_even(p->bench, (const double(*)[2])corner, &proof->uneven, &worst, err);
    int column = p->column0 + at[worst] % p->side * p->step_column;
    int row = p->row0 + at[worst] / p->side * p->step_row;
    handling_name(column, row, proof->where);
    return r;
}

static void say_verdict(const struct board_map *map, const struct proof *proof,
                        struct wizard_result *ret)
{
    ret->figure = proof->rms;
    ret->limit = RMS_LIMIT;
    ret->what = "mm RMS of placing";
    ret->passed = proof->rms <= RMS_LIMIT && proof->max <= MAX_LIMIT &&
                  proof->scatter <= SCATTER_LIMIT && fabs(proof->uneven) <= UNEVEN_LIMIT;
    if (fabs(proof->uneven) > UNEVEN_LIMIT)
        (void)snprintf(ret->words, sizeof ret->words,
                       "the board is not flat: %s stands %.1f mm %s than the middle (limit %.1f). "
                       "Weigh its corners down, or level it against the plotter",
                       proof->where, fabs(proof->uneven), proof->uneven > 0 ? "higher" : "lower",
                       UNEVEN_LIMIT);
    else if (proof->scatter > SCATTER_LIMIT)
        (void)snprintf(
            ret->words, sizeof ret->words,
            "the same place is missed by a different amount each time (%.2f mm): a loose "
            "belt or grub screw, lost steps (lower machine.speed), or a stone that slips",
            proof->scatter);
    else
        (void)snprintf(ret->words, sizeof ret->words,
                       "%.2f mm at most (limit %.1f), scatter %.2f mm; the board is turned by %.2f "
                       "degrees, the axes are %.2f degrees off square%s",
                       proof->max, MAX_LIMIT, proof->scatter,
                       atan2(map->a[3], map->a[0]) * 180 / M_PI, skew_degrees(map),
                       ret->passed ? ""
                                   : "; calibrate camera and board again, and lay the board flat");
}

static int measure(struct arm_points *p, struct wizard_result *ret, struct error *err)
{
    struct calibration *c = bench_calibration(p->bench);
    struct proof proof = {0};
    double rms = 0;
    int r = bench_need_empty(p->bench, err);
    if (r == 0)
        r = bench_arm_ready(p->bench, err);
    if (r == 0 && centre_moves_itself(p->bench) && !bench_has_sensor(p->bench))
        r = error_set(err, -ENOTSUP,
                      "in hollows marbles roll to their places, so where the arm goes can only be "
                      "felt, and there is no pick sensor: wire one (gripper.sensor)");
    if (r == 0)
        r = arm_heights_feel(p->bench, err);
    if (r == 0)
        r = arm_points_fit(p, &rms, err);
    if (r == 0)
        r = feel_corners(p, &proof, err);
    bool flat = fabs(proof.uneven) <= UNEVEN_LIMIT;
    if (r == 0)
        r = bench_park(p->bench, err);
    if (r == 0)
        (void)bench_snap(p->bench, err);
    if (r == 0)
        r = handling_clear(p->bench, err);
    if (r == -ENOTEMPTY && !flat)
        r = 0; // that the cup does not reach every stone is what is said anyway
    // On the empty board: the shadows of other stones would be measured too.
    if (r == 0 && flat)
        r = prove(p, &proof, err);
    if (r < 0)
        return r;
    c->arm.map = *bench_map(p->bench);
    c->arm.max_error = proof.max;
    c->arm.points = p->side * p->side;
    say_verdict(&c->arm.map, &proof, ret);
    return 0;
}

int wizard_arm(struct bench *b, struct wizard_result *ret, struct error *err)
{
    const struct settings *s = bench_settings(b);
    if (!bench_calibration(b)->board.verdict.valid)
        return error_set(err, -EPERM,
                         "the board must be known first: `tessera-config calibrate board`");
    // What was measured before is not a better guess: the board may have been moved.
    *bench_map(b) = board_map_from_pose(s->board.a1_x, s->board.a1_y, s->board.rotation, 1.0);
    struct arm_points *p = calloc(1, sizeof *p);
    struct observation *o = calloc(1, sizeof *o);
    int r = -ENOMEM;
    if (p && o) {
        arm_points_init(p, b, o);
        r = measure(p, ret, err);
    }
    free(o);
    free(p);
    return r == -ENOMEM ? error_set(err, r, "out of memory") : r;
}
