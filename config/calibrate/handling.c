#include "config/calibrate/handling.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// A soft cup snatches a stone up to about 2 mm below it and gives about 2 mm above it. The highest
// place at which it takes hold is known; this much below it the cup sits on the dome and is a
// little compressed, so that it also reaches a stone that is some tenths lower. (Snatched over a
// gap, a stone jumps off its centre.)
static const double EDGE_TO_CONTACT = 2.2; // mm
static const double BEGIN_ABOVE = 4;
static const double END_BELOW = 3;
static const double STEP = 0.25;
enum { FEEL_TRIES = 3 };             // when it is interrupted
enum { TRAY_ROOM = 14 };             // lifted stones after which a tray without slots is emptied
static const double FEEL_TIME = 0.3; // seconds of vacuum before the sensor is asked

static int within(double value, int most)
{
    return (int)fmax(0, fmin(most, round(value)));
}

void handling_name(double column, double row, char ret[HANDLING_NAME])
{
    (void)snprintf(ret, HANDLING_NAME, "%c%d", "ABCDEFGHJKLMNOPQRST"[within(column, 18)],
                   within(row, 18) + 1);
}

void handling_name_at(const struct settings_board *board, const double at[2],
                      char ret[HANDLING_NAME])
{
    double column;
    double row;
    settings_board_place(board, at, &column, &row);
    handling_name(column, row, ret);
}

static const char *colour_name(const struct bench *b, int colour)
{
    return stone_colour_name(
        (enum stone_colour)(bench_settings(b)->stones.colour[colour - 1] - SETTINGS_STONE_CLEAR));
}

int handling_place(struct bench *b, int colour, double x, double y, struct error *err)
{
    int store = devices_store(bench_stores(b), STORE_SUPPLY, colour);
    if (store < 0)
        return error_set(err, store, "there is no store for %s stones (stores.colour%d)",
                         colour_name(b, colour), colour);
    const struct arm_job job = {.kind = ARM_JOB_PLACE, .x = x, .y = y, .store = store};
    for (;;) {
        enum arm_reason reason = ARM_OK;
        int r = bench_job(b, &job, &reason, err);
        bool empty = reason == ARM_NOTHING_GRIPPED || reason == ARM_STORE;
        if (r == 0 || !empty)
            return r;
        char text[200];
        (void)snprintf(text, sizeof text, "No %s stone was gripped. Is the store full again?",
                       colour_name(b, colour));
        if (bench_asks_nobody(b) || !bench_ask(b, text))
            return error_set(
                err, -ENODATA,
                "no %s stone was gripped at its store: it is empty, its place or height is wrong, "
                "the arm misses it (a loose belt, lost steps), or the pump does not pull",
                colour_name(b, colour));
        (void)stores_set_count(bench_stores(b), store, bench_stores(b)->store[store].capacity);
    }
}

// Stones in a tray go back to their store by hand: the arm cannot fill a store.
static int tidy(struct bench *b, struct error *err)
{
    bool full = false;
    for (int i = 0; i < bench_stores(b)->count; i++) {
        const struct stores *stores = bench_stores(b);
        full |= stores->store[i].role == STORE_CAPTURED &&
                (stores_stones(stores, i) >= TRAY_ROOM || stores_room(stores, i) == 0);
    }
    if (!full)
        return 0;
    int r = bench_park(b, err);
    return r == 0 ? bench_tidy(b, err) : r;
}

int handling_lift_at(struct bench *b, int colour, double x, double y, struct error *err)
{
    int tray = devices_store(bench_stores(b), STORE_CAPTURED, colour);
    if (tray < 0)
        return error_set(err, tray, "there is no tray for %s stones", colour_name(b, colour));
    const struct arm_job job = {.kind = ARM_JOB_LIFT, .x = x, .y = y, .store = tray};
    enum arm_reason reason = ARM_OK;
    int r = bench_job(b, &job, &reason, err);
    if (r == 0)
        return tidy(b, err);
    if (reason != ARM_NOTHING_GRIPPED)
        return r;
    double board[2] = {0, 0};
    char name[HANDLING_NAME];
    (void)board_map_to_board(bench_map(b), (double[]){x, y}, board);
    handling_name_at(&bench_settings(b)->board, board, name);
    return error_set(
        err, -ENODATA,
        "no stone was gripped near %s, where one should lie: is the board flat there, "
        "does the pump pull, is the cup clean, does the arm come back to the same place "
        "each time (a loose belt, lost steps)?",
        name);
}

int handling_pass(struct bench *b, int colour, struct error *err)
{
    const struct stores *stores = bench_stores(b);
    int store = devices_store(stores, STORE_SUPPLY, colour);
    int tray = devices_store(stores, STORE_CAPTURED, colour);
    if (store < 0 || tray < 0)
        return error_set(err, -ENOENT, "there is no store or no tray for %s stones",
                         colour_name(b, colour));
    int r = bench_job(b, &(struct arm_job){.kind = ARM_JOB_PICK, .store = store}, NULL, err);
    return r == 0 ? bench_job(b, &(struct arm_job){.kind = ARM_JOB_DROP, .store = tray}, NULL, err)
                  : r;
}

int handling_lift(struct bench *b, int colour, const struct handling_seen *seen, struct error *err)
{
    double machine[2];
    board_map_to_machine(bench_map(b), (double[]){seen->x, seen->y}, machine);
    return handling_lift_at(b, colour, machine[0], machine[1], err);
}

static struct handling_seen seen_at(const struct settings_board *board, const struct observation *o,
                                    int i)
{
    int row = i / o->columns;
    // A marble lies in its hollow more exactly than it is seen.
    double seen = board->points == SETTINGS_POINTS_HOLLOWS ? 0 : 1;
    double at[2];
    settings_board_at(board, i % o->columns + seen * (double)o->point[i].offset_u,
                      row + seen * (double)o->point[i].offset_v, at);
    return (struct handling_seen){at[0], at[1]};
}

int handling_find(const struct bench *b, const struct observation *o, double x, double y,
                  double reach, struct handling_seen *ret, int *ret_colour, struct error *err)
{
    const struct settings_board *board = &bench_settings(b)->board;
    double nearest = reach;
    bool found = false;
    for (int i = 0; i < o->columns * o->rows; i++) {
        const struct observation_point *p = &o->point[i];
        if (p->best < 1 || p->best > o->colours)
            continue;
        const struct handling_seen seen = seen_at(board, o, i);
        double distance = hypot(seen.x - x, seen.y - y);
        if (distance > nearest)
            continue;
        nearest = distance;
        found = true;
        *ret = seen;
        if (ret_colour)
            *ret_colour = p->best;
    }
    if (found)
        return 0;
    char name[HANDLING_NAME];
    handling_name_at(board, (double[]){x, y}, name);
    return error_set(err, -ENOENT, "no stone is seen near %s, where the arm has put one", name);
}

double handling_sureness(const struct observation_point *point, int colours)
{
    double most = -INFINITY;
    for (int k = 1; k <= colours; k++)
        most = fmax(most, (double)point->log_likelihood[k]);
    return most - (double)point->log_likelihood[0];
}

// Lifts what is seen. A place where nothing is gripped is passed over: the next look tells whether
// something is there.
static int lift_all(struct bench *b, const struct observation *o, int *ret_lifted, int *ret_missed,
                    struct error *err)
{
    const struct settings_board *board = &bench_settings(b)->board;
    *ret_lifted = *ret_missed = 0;
    for (int i = 0; i < o->columns * o->rows; i++) {
        const struct observation_point *p = &o->point[i];
        if (p->best < 1 || p->best > o->colours)
            continue;
        const struct handling_seen seen = seen_at(board, o, i);
        int r = handling_lift(b, p->best, &seen, err);
        if (r < 0 && r != -ENODATA)
            return r;
        *ret_lifted += r == 0;
        *ret_missed += r < 0 && handling_sureness(p, o->colours) >= HANDLING_SURE;
    }
    return 0;
}

int handling_clear(struct bench *b, struct error *err)
{
    struct observation *o = calloc(1, sizeof *o);
    if (!o)
        return error_set(err, -ENOMEM, "out of memory");
    int r = 0;
    int lifted = 1;
    int missed = 0;
    for (int round = 0; r == 0 && lifted + missed > 0 && round < 3; round++) {
        r = bench_park(b, err);
        if (round > 0)
            bench_new_vision(b); // one that has seen no stone there yet is the better judge
        if (r == 0)
            r = bench_look(b, o, err);
        if (r == 0)
            r = lift_all(b, o, &lifted, &missed, err);
    }
    if (r == 0 && missed > 0)
        r = error_set(
            err, -ENOTEMPTY,
            "%d stone%s seen on the board where the arm finds none. If stones lie there, the arm "
            "misses them: look for a loose belt or a loose cup. If something else does, take it "
            "off; if nothing, give the board more even light",
            missed, missed == 1 ? " is" : "s are");
    if (r == 0)
        r = bench_park(b, err);
    if (r == 0 && lifted == 0)
        r = bench_see_empty(b, o, err);
    free(o);
    return r;
}

static int find_contact(struct bench *b, double x, double y, double expected, double *ret_contact,
                        struct error *err)
{
    double z = expected + BEGIN_ABOVE;
    bool held = false;
    int r = bench_go(b, x, y, z, err);
    while (r == 0 && !held && z > expected - END_BELOW) {
        r = bench_lower(b, STEP, err);
        z -= STEP;
        if (r == 0)
            r = bench_grip(b, FEEL_TIME, &held, err);
        if (r == 0)
            r = bench_release(b, held ? FEEL_TIME : FEEL_TIME / 3, err);
    }
    if (r == 0)
        r = bench_lower(b, z - (expected + BEGIN_ABOVE), err);
    if (r == 0)
        r = bench_vent(b, err);
    if (r < 0)
        return r;
    if (!held)
        return error_set(err, -ENOENT,
                         "no stone was felt at (%.1f, %.1f) from z %.1f down to %.1f mm: there is "
                         "none, the height is wrong, or the pump does not pull",
                         x, y, expected + BEGIN_ABOVE, z);
    *ret_contact = z - EDGE_TO_CONTACT;
    return 0;
}

int handling_find_contact(struct bench *b, double x, double y, double expected, double *ret_contact,
                          struct error *err)
{
    int r = find_contact(b, x, y, expected, ret_contact, err);
    for (int stops = 1; r == -EAGAIN && stops < FEEL_TRIES; stops++)
        r = find_contact(b, x, y, expected, ret_contact, err);
    return r;
}
