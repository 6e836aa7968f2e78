#include "config/calibrate/arm_points.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/calibrate/centre.h"
#include "config/calibrate/handling.h"

enum { LOOKS = 3 }; // the mean of so many counts

static const double WEAK = 0.5; // share of the best colour's margin below which one is left out
static const double STRAY_LEAST = 1.2; // mm off the map from which a stone may be left out
static const double STRAY_TIMES = 3.5; // … and so many times the middle distance
static const double STRAYS_MAX = 0.15; // share of the stones
static const double HIDDEN_MAX = 0.15; // share that may lie where the eye does not judge (glare)

void arm_points_init(struct arm_points *p, struct bench *bench, struct observation *o)
{
    const struct settings_board *board = &bench_settings(bench)->board;
    int smaller = board->columns < board->rows ? board->columns : board->rows;
    *p = (struct arm_points){.bench = bench, .o = o};
    p->side = smaller >= 19 ? 7 : smaller >= 13 ? 5 : 3;
    p->step_column = (board->columns - 1) / (p->side - 1);
    p->step_row = (board->rows - 1) / (p->side - 1);
    p->column0 = (board->columns - 1 - p->step_column * (p->side - 1)) / 2;
    p->row0 = (board->rows - 1 - p->step_row * (p->side - 1)) / 2;
    for (int c = 0; c < bench_colours(bench); c++)
        p->sure[c] = true; // until it is seen otherwise
}

int arm_points_colour(const struct arm_points *p, int n)
{
    int use[SETTINGS_COLOURS];
    int count = 0;
    for (int c = 0; c < bench_colours(p->bench); c++)
        if (p->sure[c])
            use[count++] = c + 1;
    return count ? use[n % count] : 1;
}

static void point_at(const struct arm_points *p, int n, double ret[2])
{
    const struct settings_board *board = &bench_settings(p->bench)->board;
    int column = p->column0 + n % p->side * p->step_column;
    int row = p->row0 + n / p->side * p->step_row;
    settings_board_at(board, column, row, ret);
}

static int lay(struct arm_points *p, int n, int colour, struct error *err)
{
    double board[2];
    if (p->colour[n])
        return 0;
    point_at(p, n, board);
    board_map_to_machine(bench_map(p->bench), board, p->pair[n].machine);
    int r = handling_place(p->bench, colour, p->pair[n].machine[0], p->pair[n].machine[1], err);
    if (r == 0)
        p->colour[n] = (int8_t)colour;
    // It has rolled into its hollow: not where it was laid, but where it is felt belongs to what
    // the eye sees.
    if (r == 0 && centre_moves_itself(p->bench))
        r = centre_feel(p->bench, p->pair[n].machine, p->pair[n].machine, err);
    return r;
}

// How sure the eye is of the stone seen near (x, y), nats.
static double sureness(const struct observation *o, const struct settings_board *board, double x,
                       double y)
{
    double u;
    double v;
    settings_board_place(board, (double[]){x, y}, &u, &v);
    int column = (int)lround(u);
    int row = (int)lround(v);
    if (column < 0 || row < 0 || column >= o->columns || row >= o->rows)
        return 0;
    return handling_sureness(&o->point[row * o->columns + column], o->colours);
}

// Looks where the stones lie; what is not seen for sure counts as not seen.
static int see(struct arm_points *p, struct error *err)
{
    const struct settings_board *board = &bench_settings(p->bench)->board;
    double reach = 0.75 * fmin(board->pitch_x, board->pitch_y);
    double sum[ARM_POINTS_MAX][2] = {{0}};
    int times[ARM_POINTS_MAX] = {0};
    for (int n = 0; n < p->side * p->side; n++)
        p->margin[n] = 0;
    int r = bench_park(p->bench, err);
    for (int look = 0; look < LOOKS && r == 0; look++) {
        r = bench_look(p->bench, p->o, err);
        for (int n = 0; n < p->side * p->side && r == 0; n++) {
            double at[2];
            struct handling_seen seen;
            struct error unseen;
            if (!p->colour[n])
                continue;
            point_at(p, n, at);
            bool there =
                handling_find(p->bench, p->o, at[0], at[1], reach, &seen, NULL, &unseen) == 0;
            double sure = there ? sureness(p->o, board, seen.x, seen.y) : 0;
            if (sure < HANDLING_SURE)
                continue;
            p->margin[n] += sure / LOOKS;
            sum[n][0] += seen.x;
            sum[n][1] += seen.y;
            times[n]++;
        }
    }
    for (int n = 0; n < p->side * p->side; n++) {
        p->seen[n] = times[n] > 0;
        for (int a = 0; a < 2 && p->seen[n]; a++)
            p->pair[n].board[a] = sum[n][a] / times[n];
    }
    return r;
}

// How many of the stones laid are not seen; the sentence is about the first of them.
static int count_unseen(const struct arm_points *p, struct error *err)
{
    const struct settings_board *board = &bench_settings(p->bench)->board;
    int count = 0;
    for (int n = 0; n < p->side * p->side; n++) {
        double at[2];
        char name[HANDLING_NAME];
        if (!p->colour[n] || p->seen[n] || count++ > 0)
            continue;
        point_at(p, n, at);
        handling_name_at(board, at, name);
        (void)error_set(err, -ENOENT,
                        "no stone is seen near %s, where the arm has put one: is the light even, "
                        "are board.a1_x, a1_y and rotation right within half a cell?",
                        name);
    }
    return count;
}

// Which colours are asked again, by the stones laid first, in the middle of the board: those that
// were seen each time, and not much worse than the best. True: one is left out from here on.
static bool choose_colours(struct arm_points *p, const int *points, int count)
{
    double worst[SETTINGS_COLOURS];
    double best = 0;
    bool fewer = false;
    for (int c = 0; c < SETTINGS_COLOURS; c++)
        worst[c] = INFINITY; // none laid
    for (int i = 0; i < count; i++) {
        double *of = &worst[p->colour[points[i]] - 1];
        *of = fmin(*of, p->margin[points[i]]);
    }
    for (int c = 0; c < bench_colours(p->bench); c++)
        best = isinf(worst[c]) ? best : fmax(best, worst[c]);
    for (int c = 0; c < bench_colours(p->bench) && best > 0; c++) {
        bool sure = worst[c] >= WEAK * best;
        fewer |= p->sure[c] && !sure;
        p->sure[c] = sure;
    }
    return fewer;
}

// The stones of colours that are left out make room for others.
static int replace(struct arm_points *p, const int *points, int count, struct error *err)
{
    int r = 0;
    for (int i = 0; i < count && r == 0; i++) {
        int n = points[i];
        if (p->sure[p->colour[n] - 1])
            continue;
        r = handling_lift_at(p->bench, p->colour[n], p->pair[n].machine[0], p->pair[n].machine[1],
                             err);
        p->colour[n] = 0;
        if (r == 0)
            r = lay(p, n, arm_points_colour(p, i), err);
    }
    return r;
}

static int fit_seen(struct arm_points *p, double *ret_rms, struct error *err)
{
    struct board_map_pair pairs[ARM_POINTS_MAX];
    int count = 0;
    for (int n = 0; n < p->side * p->side; n++)
        if (p->seen[n])
            pairs[count++] = p->pair[n];
    return board_map_fit(pairs, count, bench_map(p->bench), ret_rms, err);
}

static double off_map(const struct arm_points *p, int n)
{
    double machine[2];
    board_map_to_machine(bench_map(p->bench), p->pair[n].board, machine);
    return hypot(machine[0] - p->pair[n].machine[0], machine[1] - p->pair[n].machine[1]);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

// A stone that rolled, or was taken off its centre, must not bend the map.
static void leave_out_strays(struct arm_points *p)
{
    double distance[ARM_POINTS_MAX];
    int count = 0;
    for (int n = 0; n < p->side * p->side; n++)
        if (p->seen[n])
            distance[count++] = off_map(p, n);
    qsort(distance, (size_t)count, sizeof *distance, compare);
    double limit = fmax(STRAY_LEAST, STRAY_TIMES * distance[count / 2]);
    for (int n = 0; n < p->side * p->side; n++)
        if (p->seen[n] && off_map(p, n) > limit) {
            p->seen[n] = false;
            p->strays++;
        }
}

// The map from what is left when the strays are out. Many of them mean something is loose.
static int fit_without_strays(struct arm_points *p, double *ret_rms, struct error *err)
{
    int all = p->side * p->side;
    struct error about = {0};
    int hidden = count_unseen(p, &about);
    if (hidden > HIDDEN_MAX * all) {
        *err = about;
        return about.number;
    }
    int r = fit_seen(p, ret_rms, err);
    if (r < 0)
        return r;
    leave_out_strays(p);
    if (p->strays > STRAYS_MAX * all)
        return error_set(err, -EIO,
                         "%d of %d stones do not lie where the arm has put them: a loose belt, "
                         "lost steps (lower machine.speed), or a cup that takes stones off their "
                         "centre (stores.*.x, y)",
                         p->strays, all);
    return fit_seen(p, ret_rms, err);
}

// The table of residuals wants points on the very grid: each stone's place is carried over the
// short way from where it lies to its intersection by the affine map, which is good to microns
// over that. A point left out has no residual.
static int fit_residuals(struct arm_points *p, double *ret_rms, struct error *err)
{
    struct board_map_pair pairs[ARM_POINTS_MAX];
    struct board_map map = *bench_map(p->bench);
    for (int n = 0; n < p->side * p->side; n++) {
        double seen[2];
        double wanted[2];
        point_at(p, n, pairs[n].board);
        board_map_to_machine(&map, pairs[n].board, wanted);
        memcpy(pairs[n].machine, wanted, sizeof wanted);
        if (!p->seen[n])
            continue;
        board_map_to_machine(&map, p->pair[n].board, seen);
        for (int a = 0; a < 2; a++)
            pairs[n].machine[a] += p->pair[n].machine[a] - seen[a];
    }
    int r = board_map_fit_grid(pairs, p->side, p->side, &map, ret_rms, err);
    if (r == 0)
        *bench_map(p->bench) = map;
    return r;
}

// From the middle outwards, so that a wrong guess of the angle never misses by much.
static int first_map(struct arm_points *p, struct error *err)
{
    int mid = p->side / 2 * p->side + p->side / 2;
    const int first[] = {mid, mid + 1, mid - 1, mid + p->side, mid - p->side};
    enum { FIRST = sizeof first / sizeof *first };
    double rms;
    int r = 0;
    for (int i = 0; i < FIRST && r == 0; i++)
        r = lay(p, first[i], arm_points_colour(p, i), err);
    if (r == 0)
        r = see(p, err);
    if (r == 0 && choose_colours(p, first, FIRST)) {
        r = replace(p, first, FIRST, err);
        if (r == 0)
            r = see(p, err);
    }
    if (r == 0 && count_unseen(p, err) > 0)
        r = -ENOENT;
    return r == 0 ? fit_seen(p, &rms, err) : r;
}

int arm_points_fit(struct arm_points *p, double *ret_rms, struct error *err)
{
    bench_say(p->bench, "The arm places %d stones over the board.", p->side * p->side);
    int r = first_map(p, err);
    for (int n = 0; n < p->side * p->side && r == 0; n++)
        r = lay(p, n, arm_points_colour(p, n), err);
    if (r == 0)
        r = see(p, err);
    if (r == 0)
        r = fit_without_strays(p, ret_rms, err);
    return r == 0 ? fit_residuals(p, ret_rms, err) : r;
}
