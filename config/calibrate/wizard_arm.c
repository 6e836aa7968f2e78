// Camera and arm: where the board is in the arm's own coordinates.
//
// 1. Homing; the heights of store and board, felt with the vacuum.
// 2. A stone on the centre by the settings' guess, and four around it: where the camera sees them
//    gives a first map.
// 3. Stones on a grid of points over the whole board: the map is fitted to all of them, with a
// table
//    of residuals where that helps.
// 4. Proof on other points: stones are placed several times; the mean error of each point is the
//    map's, the scatter is the gripper's and the belts'.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/calibrate/handling.h"
#include "config/calibrate/wizard.h"

enum {
    SIDE_MAX = 5,
    PROOF_POINTS = 5,
    PROOF_ROUNDS = 4,
};

// All colours take turns: no store runs dry, and what the eye makes of one colour does not decide.
static int colour_of(const struct bench *b, int n)
{
    return 1 + n % bench_colours(b);
}

static const double RMS_LIMIT = 0.5;     // mm
static const double MAX_LIMIT = 1.0;     // mm
static const double SCATTER_LIMIT = 0.8; // mm, σ of one placement in x or y
static const double DROP_ABOVE = 1.5;    // mm above the guessed board for the first stone

// The points of the fit: side x side, evenly spaced.
struct plan {
    int side, step_column, step_row, column0, row0;
};

struct work {
    struct bench *b;
    struct plan plan;
    struct observation *o;
    struct board_map_pair pair[SIDE_MAX * SIDE_MAX]; // row by row
    bool placed[SIDE_MAX * SIDE_MAX];
};

static struct plan make_plan(const struct settings_board *board)
{
    int smaller = board->columns < board->rows ? board->columns : board->rows;
    struct plan plan = {.side = smaller >= 13 ? 5 : 3};
    plan.step_column = (board->columns - 1) / (plan.side - 1);
    plan.step_row = (board->rows - 1) / (plan.side - 1);
    plan.column0 = (board->columns - 1 - plan.step_column * (plan.side - 1)) / 2;
    plan.row0 = (board->rows - 1 - plan.step_row * (plan.side - 1)) / 2;
    return plan;
}

static void plan_point(const struct work *w, int i, int j, double ret[2])
{
    const struct settings_board *board = &bench_settings(w->b)->board;
    ret[0] = (w->plan.column0 + i * w->plan.step_column) * board->pitch_x;
    ret[1] = (w->plan.row0 + j * w->plan.step_row) * board->pitch_y;
}

// --- heights ---

static int feel_store(struct bench *b, int colour, struct error *err)
{
    struct stores *stores = bench_stores(b);
    int i = devices_store(stores, STORE_SUPPLY, colour);
    if (i < 0)
        return error_set(err, i, "there is no store for colour %d (stores.colour%d.capacity)",
                         colour, colour);
    double z;
    int r = handling_find_contact(b, stores->store[i].x, stores->store[i].y,
                                  stores->store[i].z_contact, &z, err);
    if (r < 0)
        return r;
    stores->store[i].z_contact = stores->store[i].z_release = z;
    bench_calibration(b)->gripper.store_z[colour - 1] = z;
    return 0;
}

// One stone on the board's middle, dropped from a little above, then felt where it lies.
static int feel_board(struct bench *b, struct error *err)
{
    const struct settings *s = bench_settings(b);
    struct arm_config *arm = bench_arm_config(b);
    int column = (s->board.columns - 1) / 2;
    int row = (s->board.rows - 1) / 2;
    double middle[2] = {column * s->board.pitch_x, row * s->board.pitch_y};
    double at[2];
    double contact = 0;
    board_map_to_machine(bench_map(b), middle, at);
    double guess = arm->board_z;
    arm->board_z = guess + DROP_ABOVE;
    int r = bench_renew_arm(b, err);
    if (r == 0)
        r = handling_place(b, 1, at[0], at[1], err);
    if (r == 0)
        r = handling_find_contact(b, at[0], at[1], guess + s->stones.height, &contact, err);
    if (r < 0)
        return r;
    arm->board_z = contact - s->stones.height;
    struct calibration *c = bench_calibration(b);
    c->gripper.contact_z = contact;
    c->arm.board_z[0] = arm->board_z;
    c->arm.board_z[1] = c->arm.board_z[2] = 0;
    bench_say(b, "The board is felt at z %.2f mm (the settings say %.2f).", arm->board_z, guess);
    r = bench_renew_arm(b, err);
    // Where the arm itself put it: the camera's view cannot be used before there is a map.
    return r == 0 ? handling_lift_at(b, 1, at[0], at[1], err) : r;
}

static int feel_heights(struct bench *b, struct error *err)
{
    if (!bench_has_sensor(b)) {
        bench_say(b, "There is no pick sensor, so heights stay as the settings say.");
        struct calibration *c = bench_calibration(b);
        c->arm.board_z[0] = bench_arm_config(b)->board_z;
        c->arm.board_z[1] = c->arm.board_z[2] = 0;
        return 0;
    }
    bench_say(b, "The cup is lowered over the stores until it feels a stone.");
    int r = bench_vent(b, err);
    for (int colour = 1; r == 0 && colour <= bench_colours(b); colour++)
        r = feel_store(b, colour, err);
    return r == 0 ? feel_board(b, err) : r;
}

// --- fitting ---

static int place_point(struct work *w, int i, int j, struct error *err)
{
    int n = j * w->plan.side + i;
    double board[2];
    if (w->placed[n])
        return 0;
    plan_point(w, i, j, board);
    double machine[2];
    board_map_to_machine(bench_map(w->b), board, machine);
    w->pair[n].machine[0] = machine[0];
    w->pair[n].machine[1] = machine[1];
    int r = handling_place(w->b, colour_of(w->b, n), machine[0], machine[1], err);
    w->placed[n] = r == 0;
    return r;
}

// Looks where the placed stones lie.
static int see_points(struct work *w, double reach, struct error *err)
{
    int r = bench_park(w->b, err);
    if (r == 0)
        r = bench_look(w->b, w->o, err);
    for (int n = 0; r == 0 && n < w->plan.side * w->plan.side; n++) {
        double board[2];
        struct handling_seen seen;
        if (!w->placed[n])
            continue;
        plan_point(w, n % w->plan.side, n / w->plan.side, board);
        r = handling_find(w->b, w->o, board[0], board[1], reach, &seen, NULL, err);
        w->pair[n].board[0] = seen.x;
        w->pair[n].board[1] = seen.y;
    }
    return r;
}

static int fit_placed(struct work *w, struct error *err)
{
    struct board_map_pair pairs[SIDE_MAX * SIDE_MAX];
    int count = 0;
    for (int n = 0; n < w->plan.side * w->plan.side; n++)
        if (w->placed[n])
            pairs[count++] = w->pair[n];
    double rms;
    return board_map_fit(pairs, count, bench_map(w->b), &rms, err);
}

// The table of residuals wants points on the very grid: each stone's place is carried over the
// short way from where it lies to its intersection by the affine map, which is good to microns over
// that.
static int fit_residuals(struct work *w, double *ret_rms, struct error *err)
{
    struct board_map_pair pairs[SIDE_MAX * SIDE_MAX];
    struct board_map map = *bench_map(w->b);
    int side = w->plan.side;
    for (int n = 0; n < side * side; n++) {
        double seen[2];
        double wanted[2];
        plan_point(w, n % side, n / side, pairs[n].board);
        board_map_to_machine(&map, w->pair[n].board, seen);
        board_map_to_machine(&map, pairs[n].board, wanted);
        for (int a = 0; a < 2; a++)
            pairs[n].machine[a] = w->pair[n].machine[a] + wanted[a] - seen[a];
    }
    int r = board_map_fit_grid(pairs, side, side, &map, ret_rms, err);
    if (r == 0)
        *bench_map(w->b) = map;
    return r;
}

// From the middle outwards, so that a wrong guess of the angle never misses by much.
static int fit_map(struct work *w, double *ret_rms, struct error *err)
{
    int side = w->plan.side;
    int mid = side / 2;
    const struct settings_board *board = &bench_settings(w->b)->board;
    double reach = 0.75 * fmin(board->pitch_x, board->pitch_y);
    bench_say(w->b, "The arm places %d stones over the board.", side * side);
    int r = place_point(w, mid, mid, err);
    for (int k = 0; k < 4 && r == 0; k++)
        r = place_point(w, mid + (k == 0) - (k == 1), mid + (k == 2) - (k == 3), err);
    if (r == 0)
        r = see_points(w, reach, err);
    if (r == 0)
        r = fit_placed(w, err);
    for (int n = 0; n < side * side && r == 0; n++)
        r = place_point(w, n % side, n / side, err);
    if (r == 0)
        r = see_points(w, reach, err);
    if (r == 0)
        r = fit_placed(w, err);
    return r == 0 ? fit_residuals(w, ret_rms, err) : r;
}

// --- proof ---

struct proof {
    int column[PROOF_POINTS], row[PROOF_POINTS];
    double error[PROOF_POINTS][PROOF_ROUNDS][2]; // mm, seen minus wanted
    double rms, max, scatter;
};

static void choose_proof(const struct work *w, struct proof *proof)
{
    const struct plan *p = &w->plan;
    int half_column = p->step_column > 1 ? p->step_column / 2 : 0;
    int half_row = p->step_row > 1 ? p->step_row / 2 : 0;
    int last = p->side - 2;
    const int cell[PROOF_POINTS][2] = {
        {0, 0}, {last, 0}, {0, last}, {last, last}, {last / 2, last / 2}};
    for (int i = 0; i < PROOF_POINTS; i++) {
        proof->column[i] = p->column0 + cell[i][0] * p->step_column + half_column;
        proof->row[i] = p->row0 + cell[i][1] * p->step_row + half_row;
    }
}

static int proof_round(struct work *w, struct proof *proof, int round, struct error *err)
{
    const struct settings_board *board = &bench_settings(w->b)->board;
    int r = 0;
    for (int i = 0; i < PROOF_POINTS && r == 0; i++) {
        double machine[2];
        board_map_to_machine(
            bench_map(w->b),
            (double[]){proof->column[i] * board->pitch_x, proof->row[i] * board->pitch_y}, machine);
        r = handling_place(w->b, colour_of(w->b, i + round), machine[0], machine[1], err);
    }
    if (r == 0)
        r = bench_park(w->b, err);
    if (r == 0)
        r = bench_look(w->b, w->o, err);
    for (int i = 0; i < PROOF_POINTS && r == 0; i++) {
        double x = proof->column[i] * board->pitch_x;
        double y = proof->row[i] * board->pitch_y;
        struct handling_seen seen;
        r = handling_find(w->b, w->o, x, y, 0.7 * board->pitch_x, &seen, NULL, err);
        if (r < 0)
            break;
        proof->error[i][round][0] = seen.x - x;
        proof->error[i][round][1] = seen.y - y;
        r = handling_lift(w->b, colour_of(w->b, i + round), &seen, err);
    }
    return r;
}

static void judge_proof(struct proof *proof)
{
    double squares = 0;
    double spread = 0;
    proof->max = 0;
    for (int i = 0; i < PROOF_POINTS; i++) {
        double mean[2] = {0, 0};
        for (int k = 0; k < PROOF_ROUNDS; k++)
            for (int a = 0; a < 2; a++)
                mean[a] += proof->error[i][k][a] / PROOF_ROUNDS;
        for (int k = 0; k < PROOF_ROUNDS; k++)
            for (int a = 0; a < 2; a++)
                spread += (proof->error[i][k][a] - mean[a]) * (proof->error[i][k][a] - mean[a]);
        double error = hypot(mean[0], mean[1]);
        squares += error * error;
        proof->max = fmax(proof->max, error);
    }
    double variance = spread / (2.0 * PROOF_POINTS * (PROOF_ROUNDS - 1)); // in x or y
    proof->scatter = sqrt(variance);
    // A mean of few placements still holds some of the scatter; that share is not the map's error.
    proof->rms = sqrt(fmax(0, squares / PROOF_POINTS - 2 * variance / PROOF_ROUNDS));
}

static int prove(struct work *w, struct proof *proof, struct error *err)
{
    choose_proof(w, proof);
    bench_say(w->b, "The arm proves the map on %d other points, %d times each.", PROOF_POINTS,
              PROOF_ROUNDS);
    int r = 0;
    for (int round = 0; round < PROOF_ROUNDS && r == 0; round++)
        r = proof_round(w, proof, round, err);
    judge_proof(proof);
    return r;
}

// --- verdict ---

static double skew_degrees(const struct board_map *map)
{
    double angle_x = atan2(map->a[3], map->a[0]);
    double angle_y = atan2(-map->a[1], map->a[4]);
    return (angle_y - angle_x) * 180 / M_PI;
}

static void say_verdict(const struct board_map *map, const struct proof *proof,
                        struct wizard_result *ret)
{
    ret->figure = proof->rms;
    ret->limit = RMS_LIMIT;
    ret->what = "mm RMS of placing";
    ret->passed =
        proof->rms <= RMS_LIMIT && proof->max <= MAX_LIMIT && proof->scatter <= SCATTER_LIMIT;
    if (proof->scatter > SCATTER_LIMIT)
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

static int measure(struct work *w, struct wizard_result *ret, struct error *err)
{
    struct calibration *c = bench_calibration(w->b);
    struct proof proof = {0};
    double rms = 0;
    int r = bench_need_empty(w->b, err);
    if (r == 0)
        r = bench_arm_ready(w->b, err);
    if (r == 0)
        r = feel_heights(w->b, err);
    if (r == 0)
        r = fit_map(w, &rms, err);
    if (r == 0)
        r = prove(w, &proof, err);
    if (r == 0)
        r = handling_clear(w->b, err);
    if (r < 0)
        return r;
    c->arm.map = *bench_map(w->b);
    c->arm.max_error = proof.max;
    c->arm.points = w->plan.side * w->plan.side;
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
    struct work *w = calloc(1, sizeof *w);
    struct observation *o = calloc(1, sizeof *o);
    int r = -ENOMEM;
    if (w && o) {
        w->b = b;
        w->o = o;
        w->plan = make_plan(&s->board);
        r = measure(w, ret, err);
    }
    free(o);
    free(w);
    return r == -ENOMEM ? error_set(err, r, "out of memory") : r;
}
