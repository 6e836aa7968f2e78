#include "motion/board_map.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const double residual_max = 5; // mm: more is a mistake, not a curl of the board
static const double scale_min = 0.5, scale_max = 2;
static const double degrees = 3.14159265358979323846 / 180;

struct board_map board_map_from_pose(double origin_x, double origin_y, double rotation_deg,
                                     double scale)
{
    double c = scale * cos(rotation_deg * degrees), s = scale * sin(rotation_deg * degrees);
    return (struct board_map){.a = {c, -s, origin_x, s, c, origin_y}};
}

static void affine(const double a[6], const double p[2], double ret[2])
{
    double x = a[0] * p[0] + a[1] * p[1] + a[2], y = a[3] * p[0] + a[4] * p[1] + a[5];
    ret[0] = x;
    ret[1] = y;
}

// Bilinear between the nodes; beyond them the border's value holds.
static void residual_at(const struct board_map *m, const double p[2], double ret[2])
{
    ret[0] = ret[1] = 0;
    if (m->columns < 2 || m->rows < 2)
        return;
    double u = fmin(m->columns - 1, fmax(0, (p[0] - m->x0) / m->step_x));
    double v = fmin(m->rows - 1, fmax(0, (p[1] - m->y0) / m->step_y));
    int c = (int)fmin(m->columns - 2, floor(u)), r = (int)fmin(m->rows - 2, floor(v));
    u -= c;
    v -= r;
    for (int k = 0; k < 2; k++)
        ret[k] = (1 - v) * ((1 - u) * m->residual[r][c][k] + u * m->residual[r][c + 1][k]) +
                 v * ((1 - u) * m->residual[r + 1][c][k] + u * m->residual[r + 1][c + 1][k]);
}

void board_map_to_machine(const struct board_map *map, const double board[2], double ret[2])
{
    double extra[2], p[2] = {board[0], board[1]};
    residual_at(map, p, extra);
    affine(map->a, p, ret);
    ret[0] += extra[0];
    ret[1] += extra[1];
}

int board_map_to_board(const struct board_map *map, const double machine[2], double ret[2])
{
    const double *a = map->a;
    double det = a[0] * a[4] - a[1] * a[3];
    if (!isfinite(det) || fabs(det) < 1e-6)
        return -EDOM;
    double p[2] = {0, 0};
    // Residuals are small and smooth: a few rounds of "subtract what the table adds here" settle.
    for (int round = 0; round < 8; round++) {
        double extra[2];
        residual_at(map, p, extra);
        double x = machine[0] - extra[0] - a[2], y = machine[1] - extra[1] - a[5];
        p[0] = (a[4] * x - a[1] * y) / det;
        p[1] = (a[0] * y - a[3] * x) / det;
    }
    ret[0] = p[0];
    ret[1] = p[1];
    return 0;
}

static double rms_of(const struct board_map *map, const struct board_map_pair *pairs, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        double p[2];
        board_map_to_machine(map, pairs[i].board, p);
        double dx = pairs[i].machine[0] - p[0], dy = pairs[i].machine[1] - p[1];
        sum += dx * dx + dy * dy;
    }
    return sqrt(sum / count);
}

int board_map_fit(const struct board_map_pair *pairs, int count, struct board_map *ret,
                  double *ret_rms, struct error *err)
{
    if (count < 3 || count > BOARD_MAP_POINTS)
        return error_set(err, -EINVAL, "The board map needs 3 to %d measured points; there are %d.",
                         BOARD_MAP_POINTS, count);
    double mean[4] = {0};
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 2; k++) {
            if (!isfinite(pairs[i].board[k]) || !isfinite(pairs[i].machine[k]))
                return error_set(err, -EINVAL, "Measured point %d is not a number.", i + 1);
            mean[k] += pairs[i].board[k] / count;
            mean[2 + k] += pairs[i].machine[k] / count;
        }
    }
    // About the mean, so that the equations are well conditioned wherever the board lies.
    double xx = 0, xy = 0, yy = 0, right[2][2] = {{0}};
    for (int i = 0; i < count; i++) {
        double x = pairs[i].board[0] - mean[0], y = pairs[i].board[1] - mean[1];
        xx += x * x;
        xy += x * y;
        yy += y * y;
        for (int k = 0; k < 2; k++) {
            right[k][0] += x * (pairs[i].machine[k] - mean[2 + k]);
            right[k][1] += y * (pairs[i].machine[k] - mean[2 + k]);
        }
    }
    double det = xx * yy - xy * xy;
    if (det < 1e-6 * (xx + yy) * (xx + yy))
        return error_set(err, -EINVAL,
                         "The measured points lie on one line. Touch points near three or four "
                         "corners of the board.");
    struct board_map map = {0};
    for (int k = 0; k < 2; k++) {
        double *row = &map.a[3 * k];
        row[0] = (right[k][0] * yy - right[k][1] * xy) / det;
        row[1] = (right[k][1] * xx - right[k][0] * xy) / det;
        row[2] = mean[2 + k] - row[0] * mean[0] - row[1] * mean[1];
    }
    int r = board_map_check(&map, err);
    if (r < 0)
        return r;
    *ret = map;
    if (ret_rms)
        *ret_rms = rms_of(&map, pairs, count);
    return 0;
}

// Whether the residuals hang together: each node foretold by its neighbours, against not correcting
// at all. Noise of the measurement would otherwise be carved into the table.
static bool table_helps(const struct board_map *m)
{
    double with = 0, without = 0;
    for (int r = 0; r < m->rows; r++) {
        for (int c = 0; c < m->columns; c++) {
            for (int k = 0; k < 2; k++) {
                double sum = 0;
                int n = 0;
                for (int side = 0; side < 4; side++) {
                    int rr = r + (side == 0) - (side == 1), cc = c + (side == 2) - (side == 3);
                    if (rr < 0 || cc < 0 || rr >= m->rows || cc >= m->columns)
                        continue;
                    sum += m->residual[rr][cc][k];
                    n++;
                }
                double own = m->residual[r][c][k], left = own - sum / n;
                with += left * left;
                without += own * own;
            }
        }
    }
    return with < 0.8 * without;
}

// What was measured on a full grid of straight rows and columns, spaced as they like.
struct measured {
    int columns, rows;
    double x[BOARD_MAP_NODES], y[BOARD_MAP_NODES]; // board mm, ascending
    double residual[BOARD_MAP_NODES][BOARD_MAP_NODES][2];
};

static int measured_grid(const struct board_map_pair *pairs, const struct board_map *map,
                         struct measured *m, struct error *err)
{
    const double straight = 0.1, apart = 1; // mm
    for (int i = 0; i < m->columns * m->rows; i++) {
        const int c = i % m->columns, r = i / m->columns;
        const double *at = pairs[i].board;
        if (r == 0)
            m->x[c] = at[0];
        if (c == 0)
            m->y[r] = at[1];
        if (fabs(at[0] - m->x[c]) > straight || fabs(at[1] - m->y[r]) > straight ||
            (c > 0 && at[0] - m->x[c - 1] < apart) || (r > 0 && at[1] - m->y[r - 1] < apart))
            return error_set(err, -EINVAL, "Measured point %d is not where the grid has it.",
                             i + 1);
        double p[2];
        affine(map->a, at, p);
        for (int k = 0; k < 2; k++)
            m->residual[r][c][k] = pairs[i].machine[k] - p[k];
    }
    return 0;
}

// The line of `lines` before `at`, and how far it is from there to the next, 0 … 1.
static int line_before(const double *lines, int count, double at, double *ret_part)
{
    int k = 0;
    while (k + 2 < count && at >= lines[k + 1])
        k++;
    *ret_part = fmin(1, (at - lines[k]) / (lines[k + 1] - lines[k]));
    return k;
}

// The table's nodes are evenly spaced, also where the measured grid is not (blocks with a seam).
static void fill_table(const struct measured *m, struct board_map *map)
{
    map->columns = m->columns;
    map->rows = m->rows;
    map->x0 = m->x[0];
    map->y0 = m->y[0];
    map->step_x = (m->x[m->columns - 1] - m->x[0]) / (m->columns - 1);
    map->step_y = (m->y[m->rows - 1] - m->y[0]) / (m->rows - 1);
    for (int r = 0; r < m->rows; r++) {
        for (int c = 0; c < m->columns; c++) {
            double u, v;
            const int x = line_before(m->x, m->columns, map->x0 + c * map->step_x, &u);
            const int y = line_before(m->y, m->rows, map->y0 + r * map->step_y, &v);
            for (int k = 0; k < 2; k++)
                map->residual[r][c][k] =
                    (1 - v) * ((1 - u) * m->residual[y][x][k] + u * m->residual[y][x + 1][k]) +
                    v * ((1 - u) * m->residual[y + 1][x][k] + u * m->residual[y + 1][x + 1][k]);
        }
    }
}

int board_map_fit_grid(const struct board_map_pair *pairs, int columns, int rows,
                       struct board_map *ret, double *ret_rms, struct error *err)
{
    if (columns < 2 || rows < 2 || columns > BOARD_MAP_NODES || rows > BOARD_MAP_NODES)
        return error_set(err, -EINVAL, "A grid of %d x %d points; 2 to %d each way are possible.",
                         columns, rows, BOARD_MAP_NODES);
    int count = columns * rows;
    struct board_map map = {0};
    int r = board_map_fit(pairs, count, &map, NULL, err);
    if (r < 0)
        return r;
    struct measured measured = {.columns = columns, .rows = rows};
    r = measured_grid(pairs, &map, &measured, err);
    if (r < 0)
        return r;
    struct board_map with = map;
    fill_table(&measured, &with);
    r = board_map_check(&with, err);
    if (r < 0)
        return r;
    *ret = table_helps(&with) ? with : map;
    if (ret_rms)
        *ret_rms = rms_of(ret, pairs, count);
    return 0;
}

int board_map_check(const struct board_map *map, struct error *err)
{
    const double *a = map->a;
    for (int i = 0; i < 6; i++) {
        if (!isfinite(a[i]))
            return error_set(err, -EINVAL, "The board map holds a value that is not a number.");
    }
    double sx = hypot(a[0], a[3]), sy = hypot(a[1], a[4]);
    double area = fabs(a[0] * a[4] - a[1] * a[3]);
    if (sx < scale_min || sx > scale_max || sy < scale_min || sy > scale_max ||
        area < 0.5 * sx * sy)
        return error_set(err, -EINVAL,
                         "The board map scales by %.3f x %.3f, which no board does. Calibrate the "
                         "board again; two points were probably swapped.",
                         sx, sy);
    if (map->columns == 0 && map->rows == 0)
        return 0;
    if (map->columns < 2 || map->rows < 2 || map->columns > BOARD_MAP_NODES ||
        map->rows > BOARD_MAP_NODES || !(map->step_x > 0) || !(map->step_y > 0) ||
        !isfinite(map->x0) || !isfinite(map->y0))
        return error_set(err, -EINVAL, "The board map's residual table has an impossible shape.");
    for (int r = 0; r < map->rows; r++) {
        for (int c = 0; c < map->columns; c++) {
            const double *d = map->residual[r][c];
            if (!(fabs(d[0]) <= residual_max && fabs(d[1]) <= residual_max))
                return error_set(
                    err, -EINVAL,
                    "Point %d of row %d lies %.1f mm off the others. Measure it again.", c + 1,
                    r + 1, hypot(d[0], d[1]));
        }
    }
    return 0;
}
