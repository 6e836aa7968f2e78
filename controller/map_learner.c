#include "controller/map_learner.h"

#include <math.h>
#include <string.h>

enum { SHIFT_X, SHIFT_Y, TURN, STRETCH };

// What the settings may be off by, and how a stone slips: standard deviations.
static const double SHIFT_MM = 2, TURN_RAD = 0.005, STRETCH_RATIO = 0.002, SLIP_MM = 0.7;
static const double OUTLIER_MM = 6;

void map_learner_init(struct map_learner *l, const struct board_map *base, double width,
                      double height)
{
    *l = (struct map_learner){.base = *base, .centre = {width / 2, height / 2}};
    l->precision[SHIFT_X][SHIFT_X] = l->precision[SHIFT_Y][SHIFT_Y] = 1 / (SHIFT_MM * SHIFT_MM);
    l->precision[TURN][TURN] = 1 / (TURN_RAD * TURN_RAD);
    l->precision[STRETCH][STRETCH] = 1 / (STRETCH_RATIO * STRETCH_RATIO);
}

// Gaussian elimination of a symmetric positive definite system: needs no pivots.
static void solve(const struct map_learner *l, double ret[MAP_LEARNER_TERMS])
{
    enum { N = MAP_LEARNER_TERMS };
    double a[N][N + 1];
    for (int i = 0; i < N; i++) {
        memcpy(a[i], l->precision[i], sizeof l->precision[i]);
        a[i][N] = l->moment[i];
    }
    for (int k = 0; k < N; k++) {
        for (int i = k + 1; i < N; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j <= N; j++)
                a[i][j] -= f * a[k][j];
        }
    }
    for (int i = N - 1; i >= 0; i--) {
        double sum = a[i][N];
        for (int j = i + 1; j < N; j++)
            sum -= a[i][j] * ret[j];
        ret[i] = sum / a[i][i];
    }
}

// Adds one equation: sum of row[i] * term[i] = value, with the noise of a slip.
static void observe(struct map_learner *l, const double row[MAP_LEARNER_TERMS], double value)
{
    double weight = 1 / (SLIP_MM * SLIP_MM);
    for (int i = 0; i < MAP_LEARNER_TERMS; i++) {
        for (int j = 0; j < MAP_LEARNER_TERMS; j++)
            l->precision[i][j] += weight * row[i] * row[j];
        l->moment[i] += weight * row[i] * value;
    }
}

bool map_learner_add(struct map_learner *l, const double board[2], const double machine[2])
{
    struct board_map known;
    double base[2], now[2];
    map_learner_get(l, &known);
    board_map_to_machine(&known, board, now);
    if (hypot(machine[0] - now[0], machine[1] - now[1]) > OUTLIER_MM)
        return false;
    board_map_to_machine(&l->base, board, base);
    double x = board[0] - l->centre[0], y = board[1] - l->centre[1];
    const double row_x[MAP_LEARNER_TERMS] = {1, 0, -y, x}, row_y[MAP_LEARNER_TERMS] = {0, 1, x, y};
    observe(l, row_x, machine[0] - base[0]);
    observe(l, row_y, machine[1] - base[1]);
    l->count++;
    return true;
}

void map_learner_move(struct map_learner *l, const double board[2], const double machine[2])
{
    struct board_map map;
    double now[2];
    map_learner_get(l, &map);
    board_map_to_machine(&map, board, now);
    map.a[2] += machine[0] - now[0];
    map.a[5] += machine[1] - now[1];
    map_learner_init(l, &map, 2 * l->centre[0], 2 * l->centre[1]);
}

void map_learner_get(const struct map_learner *l, struct board_map *ret)
{
    double t[MAP_LEARNER_TERMS];
    solve(l, t);
    *ret = l->base;
    ret->a[0] += t[STRETCH];
    ret->a[1] -= t[TURN];
    ret->a[2] += t[SHIFT_X] + t[TURN] * l->centre[1] - t[STRETCH] * l->centre[0];
    ret->a[3] += t[TURN];
    ret->a[4] += t[STRETCH];
    ret->a[5] += t[SHIFT_Y] - t[TURN] * l->centre[0] - t[STRETCH] * l->centre[1];
}
