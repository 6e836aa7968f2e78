#include "tests/bench/see_truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool see_truth_read(const char *base, struct see_truth *ret)
{
    char path[1500];
    memset(ret, 0, sizeof *ret);
    snprintf(path, sizeof path, "%s.txt", base);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    char line[64];
    while (ret->size < BOARD_LINES_MAX && fgets(line, sizeof line, file) && line[0] >= '.') {
        line[strcspn(line, "\r\n")] = 0;
        snprintf(ret->row[ret->size++], sizeof ret->row[0], "%.19s", line);
    }
    fclose(file);
    snprintf(path, sizeof path, "%s.corners", base);
    file = fopen(path, "r");
    if (!file)
        return false;
    int read = 0;
    for (int k = 0; k < 4; k++)
        read += fscanf(file, "%lf %lf", &ret->corner[k][0], &ret->corner[k][1]);
    fclose(file);
    return read == 8;
}

void see_truth_turn(struct see_truth *truth)
{
    struct see_truth t = *truth;
    for (int r = 0; r < t.size; r++)
        for (int c = 0; c < t.size; c++)
            truth->row[r][c] = t.row[t.size - 1 - c][r];
    for (int k = 0; k < 4; k++)
        memcpy(truth->corner[(k + 1) % 4], t.corner[k], sizeof t.corner[k]);
}

double see_corner_error(const struct see_truth *truth, const struct photo_result *result)
{
    double area = 0, worst = 0;
    if (result->size != truth->size)
        return INFINITY;
    for (int k = 0; k < 4; k++) {
        const double *a = truth->corner[k], *b = truth->corner[(k + 1) % 4];
        area += (a[0] * b[1] - a[1] * b[0]) / 2;
        worst = fmax(worst, hypot(result->corner[k][0] - a[0], result->corner[k][1] - a[1]));
    }
    return worst / (sqrt(fabs(area)) / (truth->size - 1));
}

static void compare_points(const char *name, const struct see_truth *truth,
                           const struct photo_result *result, int verbose, struct see_tally *t)
{
    int points = 0, wrong = 0, confident = 0;
    for (int r = 0; r < truth->size; r++)
        for (int c = 0; c < truth->size; c++) {
            const char is = truth->row[r][c], read = result->row[r][c];
            if (is == '?') {
                // Hidden: may be anything, but must not be asserted.
                confident += read != '.' && !result->unsure[r][c];
                continue;
            }
            points++;
            if (is == read)
                continue;
            wrong++;
            confident += !result->unsure[r][c];
            if (verbose > 1)
                printf("    row %d column %d: is %c, read %c (%.3f)%s\n", r + 1, c + 1, is, read,
                       (double)result->confidence[r][c], result->unsure[r][c] ? "" : " CONFIDENT");
        }
    t->points += points;
    t->right += points - wrong;
    t->perfect += wrong == 0;
    t->honest += confident == 0;
    t->unsure += result->unsure_count;
    if (verbose)
        printf("  %-24s wrong %d, confident %d, unsure %d\n", name, wrong, confident,
               result->unsure_count);
}

void see_compare(const char *name, const struct see_truth *truth, const struct photo_result *result,
                 bool any_side, int verbose, struct see_tally *tally)
{
    if (!result->found) {
        if (verbose)
            printf("  %-24s %s\n", name, result->why);
        return;
    }
    struct see_truth turned = *truth, best = *truth;
    double error = see_corner_error(truth, result);
    for (int k = 0; any_side && k < 3; k++) {
        see_truth_turn(&turned);
        if (see_corner_error(&turned, result) < error) {
            error = see_corner_error(&turned, result);
            best = turned;
        }
    }
    if (error > 0.25) {
        tally->wrong_grids++;
        if (verbose)
            printf("  %-24s grid WRONG: %d lines, a corner is %.2f cells off\n", name, result->size,
                   error);
        return;
    }
    tally->found++;
    compare_points(name, &best, result, verbose, tally);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double percent(int part, int whole)
{
    return 100.0 * part / (whole ? whole : 1);
}

void see_print(const char *source, struct see_tally *t, bool brief)
{
    if (t->photos == 0)
        return;
    if (brief) {
        printf("%-14s found %3d/%3d  wrong grids %d  points %7.3f%%  perfect %5.1f%%  no confident "
               "error %5.1f%%  unsure %.1f\n",
               source, t->found, t->photos, t->wrong_grids, percent(t->right, t->points),
               percent(t->perfect, t->found), percent(t->honest, t->found),
               (double)t->unsure / (t->found ? t->found : 1));
        fflush(stdout);
        return;
    }
    qsort(t->ms, (size_t)t->photos, sizeof t->ms[0], by_value);
    printf("see_%s_boards_found\t%d\t0\tof %d (%.1f%%)\n", source, t->found, t->photos,
           percent(t->found, t->photos));
    printf("see_%s_wrong_grids\t%d\t0\tboards\n", source, t->wrong_grids);
    printf("see_%s_points_right\t%.3f\t0\t%% of %d\n", source, percent(t->right, t->points),
           t->points);
    printf("see_%s_boards_perfect\t%.1f\t0\t%% of found\n", source, percent(t->perfect, t->found));
    printf("see_%s_no_confident_error\t%.1f\t0\t%% of found\n", source,
           percent(t->honest, t->found));
    printf("see_%s_unsure\t%.2f\t0\tpoints a board\n", source,
           (double)t->unsure / (t->found ? t->found : 1));
    printf("see_%s_photo\t%.0f\t%.0f\tms\n", source, t->ms[t->photos / 2],
           t->ms[t->photos * 9 / 10] - t->ms[t->photos / 10]);
}

void see_add(struct see_tally *sum, const struct see_tally *t)
{
    for (int k = 0; k < t->photos && sum->photos < SEE_PHOTOS_MAX; k++)
        sum->ms[sum->photos++] = t->ms[k];
    sum->found += t->found;
    sum->wrong_grids += t->wrong_grids;
    sum->points += t->points;
    sum->right += t->right;
    sum->perfect += t->perfect;
    sum->honest += t->honest;
    sum->unsure += t->unsure;
}

double see_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}
