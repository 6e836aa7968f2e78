#include "config/calibrate/centre.h"

#include <errno.h>
#include <math.h>

#include "config/calibrate/handling.h"

enum {
    TRIES = 2,  // a good contact leaks now and then
    STOPS = 3,  // when it is interrupted
    HALVES = 5, // of EDGE_FAR: where the edge is, to a tenth of a millimetre
};

static const double RAISE = 4;         // mm above the marble from which the cup comes down
static const double FEEL_TIME = 0.3;   // seconds of vacuum before the sensor is asked
static const double EDGE_FAR = 3.2;    // mm from within at which no cup holds any more
static const double RING_WIDTH = 2.1;  // mm: a cup holds from 1.5 mm off
static const int RINGS[] = {1, 6, 12}; // places felt at, from the middle outwards

enum { RING_COUNT = sizeof RINGS / sizeof *RINGS };

bool centre_moves_itself(const struct bench *b)
{
    return bench_settings(b)->board.points == SETTINGS_POINTS_HOLLOWS;
}

static void ring_place(const double at[2], int ring, int k, double ret[2])
{
    const double angle = 2 * M_PI * k / RINGS[ring];
    ret[0] = at[0] + ring * RING_WIDTH * cos(angle);
    ret[1] = at[1] + ring * RING_WIDTH * sin(angle);
}

static int none_felt(const double at[2], struct error *err)
{
    return error_set(err, -ENOENT,
                     "no marble is felt within %.0f mm of (%.1f, %.1f), where the arm has put one: "
                     "are board.a1_x, a1_y and rotation right, does the pump pull, is the cup "
                     "clean?",
                     (RING_COUNT - 0.5) * RING_WIDTH, at[0], at[1]);
}

// Whether the cup takes hold at (x, y, z).
static int holds(struct bench *b, double x, double y, double z, bool *ret, struct error *err)
{
    *ret = false;
    int r = 0;
    for (int tries = 0; tries < TRIES && r == 0 && !*ret; tries++) {
        r = bench_go(b, x, y, z + RAISE, err);
        if (r == 0)
            r = bench_lower(b, RAISE, err);
        if (r == 0)
            r = bench_grip(b, FEEL_TIME, ret, err);
        if (r == 0)
            r = bench_release(b, *ret ? FEEL_TIME : FEEL_TIME / 3, err);
    }
    return r;
}

// From `inside`, where the cup holds, along axis `axis` to `side` (+1, -1): how far it still does.
static int feel_edge(struct bench *b, const double inside[2], double z, int axis, int side,
                     double *ret, struct error *err)
{
    double within = 0;
    double beyond = EDGE_FAR;
    for (int k = 0; k < HALVES; k++) {
        const double middle = (within + beyond) / 2;
        double at[2] = {inside[0], inside[1]};
        bool held;
        at[axis] += side * middle;
        int r = holds(b, at[0], at[1], z, &held, err);
        if (r < 0)
            return r;
        *(held ? &within : &beyond) = middle;
    }
    *ret = (within + beyond) / 2;
    return 0;
}

// The middle of the chords through `ret`, a place where the cup holds: first in x, then in y.
static int between_edges(struct bench *b, double z, double ret[2], struct error *err)
{
    int r = 0;
    for (int axis = 0; axis < 2 && r == 0; axis++) {
        double up = 0;
        double down = 0;
        r = feel_edge(b, ret, z, axis, 1, &up, err);
        if (r == 0)
            r = feel_edge(b, ret, z, axis, -1, &down, err);
        ret[axis] += (up - down) / 2;
    }
    return r;
}

static int feel(struct bench *b, const double at[2], double z, double ret[2], struct error *err)
{
    bool held = false;
    int r = 0;
    for (int ring = 0; ring < RING_COUNT && r == 0 && !held; ring++)
        for (int k = 0; k < RINGS[ring] && r == 0 && !held; k++) {
            ring_place(at, ring, k, ret);
            r = holds(b, ret[0], ret[1], z, &held, err);
        }
    if (r == 0 && !held)
        r = none_felt(at, err);
    return r == 0 ? between_edges(b, z, ret, err) : r;
}

static int feel_at(struct bench *b, const double at[2], double z, double ret[2], struct error *err)
{
    double felt[2] = {at[0], at[1]};
    int r = feel(b, at, z, felt, err);
    for (int stops = 1; r == -EAGAIN && stops < STOPS; stops++)
        r = feel(b, at, z, felt, err);
    if (r == 0)
        r = bench_vent(b, err);
    if (r == 0) {
        ret[0] = felt[0];
        ret[1] = felt[1];
    }
    return r;
}

int centre_feel(struct bench *b, const double at[2], double ret[2], struct error *err)
{
    return feel_at(b, at, bench_arm_config(b)->board_z + bench_settings(b)->stones.height, ret,
                   err);
}

int centre_find_contact(struct bench *b, const double at[2], double expected, double ret[2],
                        double *ret_contact, struct error *err)
{
    double near[2] = {at[0], at[1]};
    double contact = 0;
    int r = -ENOENT;
    for (int ring = 0; ring < RING_COUNT && r == -ENOENT; ring++)
        for (int k = 0; k < RINGS[ring] && r == -ENOENT; k++) {
            ring_place(at, ring, k, near);
            r = handling_find_contact(b, near[0], near[1], expected, &contact, err);
        }
    if (r == -ENOENT)
        return none_felt(at, err);
    double middle[2] = {near[0], near[1]};
    if (r == 0)
        r = feel_at(b, near, contact, middle, err);
    // On its very top the marble is highest.
    if (r == 0)
        r = handling_find_contact(b, middle[0], middle[1], contact, &contact, err);
    if (r < 0)
        return r;
    ret[0] = middle[0];
    ret[1] = middle[1];
    *ret_contact = contact;
    return 0;
}
