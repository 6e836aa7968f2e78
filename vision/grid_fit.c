// Robust fits of a board's geometry to points seen on its lines.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vision/grid.h"
#include "vision/linear.h"

enum { ROUNDS = 12 };

// Tukey's weight: nothing beyond the tolerance counts.
static double tukey(double residual, double tolerance)
{
    const double r = residual / tolerance;
    const double w = 1 - r * r;
    return fabs(r) < 1 ? w * w : 0;
}

// Signed distance in cells of a sample from its line; false behind the horizon.
static bool residual_of(const struct geometry *g, const struct grid_sample *s, double *ret)
{
    double u, v;
    if (!geometry_image_to_board(g, (double)s->x, (double)s->y, &u, &v))
        return false;
    *ret = (s->vertical ? u : v) - (double)s->line;
    return isfinite(*ret);
}

static double rms_of(const struct geometry *g, const struct grid_sample *sample, int count,
                     double tolerance)
{
    double sum = 0, weight = 0;
    for (int i = 0; i < count; i++) {
        double r;
        if (!residual_of(g, &sample[i], &r) || fabs(r) > tolerance)
            continue;
        sum += (double)sample[i].weight * r * r;
        weight += (double)sample[i].weight;
    }
    return weight > 0 ? sqrt(sum / weight) : -1;
}

// A sample where a lens without distortion would show it: the same in every round.
struct ideal {
    double x, y;
};

static struct ideal *straighten(const struct lens *lens, const struct grid_sample *sample,
                                int count)
{
    struct ideal *ideal = malloc((size_t)count * sizeof *ideal);
    for (int i = 0; ideal && i < count; i++)
        lens_undistort(lens, (double)sample[i].x, (double)sample[i].y, &ideal[i].x, &ideal[i].y);
    return ideal;
}

// The image->board homography in normalised ideal pixels: u = (a0 x + a1 y + a2) / (c0 x + c1 y +
// 1). Multiplied out every sample is linear in its eight unknowns; dividing by the old denominator
// makes the residual cells again.
static bool fit_round(struct geometry *g, const struct grid_sample *sample,
                      const struct ideal *ideal, int count, double tolerance)
{
    const double scale = (double)(g->image_width + g->image_height) / 4;
    const double x0 = g->image_width / 2.0, y0 = g->image_height / 2.0;
    double inverse[9];
    if (!homography_invert(g->homography, inverse))
        return false;
    // Denominator of the present inverse, so that residuals are in cells.
    struct normal_equations ne;
    normal_clear(&ne, 8);
    const double at_centre = inverse[6] * x0 + inverse[7] * y0 + inverse[8];
    if (!(fabs(at_centre) > 1e-15))
        return false;
    for (int i = 0; i < count; i++) {
        const struct grid_sample *s = &sample[i];
        const double px = ideal[i].x, py = ideal[i].y;
        const double den = (inverse[6] * px + inverse[7] * py + inverse[8]) / at_centre;
        if (!(den > 0)) // behind the horizon
            continue;
        const double *row = s->vertical ? inverse : inverse + 3;
        const double r = (row[0] * px + row[1] * py + row[2]) / (den * at_centre) - (double)s->line;
        const double w = tukey(r, tolerance) * (double)s->weight;
        if (w <= 0)
            continue;
        const double x = (px - x0) / scale, y = (py - y0) / scale, line = (double)s->line;
        double j[8] = {0};
        double *half = s->vertical ? j : j + 3;
        half[0] = x;
        half[1] = y;
        half[2] = 1;
        j[6] = -line * x;
        j[7] = -line * y;
        normal_add(&ne, j, line, w / (den * den));
    }
    double a[8];
    if (!normal_solve(&ne, 1e-12, a))
        return false;
    // Back from normalised pixels: x = (px - x0) / scale.
    const double n[9] = {a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], 1};
    double m[9];
    for (int r = 0; r < 3; r++) {
        m[3 * r] = n[3 * r] / scale;
        m[3 * r + 1] = n[3 * r + 1] / scale;
        m[3 * r + 2] = n[3 * r + 2] - (n[3 * r] * x0 + n[3 * r + 1] * y0) / scale;
    }
    return homography_invert(m, g->homography);
}

static bool fit_rounds(struct geometry *fit, const struct grid_sample *sample,
                       const struct ideal *ideal, int count, double tolerance)
{
    for (int round = 0; round < ROUNDS; round++) {
        // Wide at first, so that a bad start can be pulled in.
        const double width = tolerance * (round < 4 ? 2.0 - 0.25 * round : 1.0);
        struct geometry before = *fit;
        if (!fit_round(fit, sample, ideal, count, width))
            return false;
        double moved = 0;
        for (int k = 0; k < 9; k++)
            moved += fabs(fit->homography[k] / fit->homography[8] -
                          before.homography[k] / before.homography[8]);
        if (round >= 4 && moved < 1e-6)
            break;
    }
    return true;
}

static double fit_homography(struct geometry *g, const struct grid_sample *sample, int count,
                             double tolerance)
{
    struct geometry fit = *g;
    memset(fit.mesh_x, 0, sizeof fit.mesh_x);
    memset(fit.mesh_y, 0, sizeof fit.mesh_y);
    int vertical = 0;
    for (int i = 0; i < count; i++)
        vertical += sample[i].vertical;
    if (vertical < 4 || count - vertical < 4)
        return -1;
    struct ideal *ideal = straighten(&g->lens, sample, count);
    const bool fits = ideal && fit_rounds(&fit, sample, ideal, count, tolerance);
    free(ideal);
    if (!fits)
        return -1;
    for (int k = 0; k < 8; k++)
        fit.homography[k] /= fit.homography[8];
    fit.homography[8] = 1;
    const double rms = rms_of(&fit, sample, count, tolerance);
    if (rms >= 0)
        *g = fit;
    return rms;
}

double grid_fit_lines(struct geometry *g, const struct grid_sample *sample, int count,
                      double tolerance)
{
    return fit_homography(g, sample, count, tolerance);
}

// A one-dimensional search over k1 with the homography solved inside: the two hardly interact
// otherwise than through the fit, and a line search can't run away.
double grid_fit_lens(struct geometry *g, const struct grid_sample *sample, int count,
                     double tolerance)
{
    struct geometry best = *g;
    double best_rms = fit_homography(&best, sample, count, tolerance);
    if (best_rms < 0)
        return best_rms;
    double step = 0.08;
    for (int round = 0; round < 14; round++) {
        bool better = false;
        for (int sign = -1; sign <= 1; sign += 2) {
            struct geometry trial = best;
            trial.lens.k1 += sign * step;
            if (fabs(trial.lens.k1) > 0.6)
                continue;
            const double rms = fit_homography(&trial, sample, count, tolerance);
            if (rms >= 0 && rms < best_rms * 0.9999) {
                best_rms = rms;
                best = trial;
                better = true;
                break;
            }
        }
        if (!better)
            step /= 2;
    }
    *g = best;
    return best_rms;
}

// Each knot moves by the weighted mean of the residuals around it, pulled to zero where few lines
// were seen; three rounds of that converge, as the knots overlap only with their neighbours.
double grid_fit_mesh(struct geometry *g, const struct grid_sample *sample, int count,
                     double tolerance)
{
    enum { PRIOR = 6 };
    struct geometry fit = *g;
    for (int round = 0; round < 4; round++) {
        double move[GEOMETRY_MESH][GEOMETRY_MESH][2] = {{{0}}};
        double weight[GEOMETRY_MESH][GEOMETRY_MESH][2] = {{{0}}};
        for (int i = 0; i < count; i++) {
            const struct grid_sample *s = &sample[i];
            double u, v;
            if (!geometry_image_to_board(&fit, (double)s->x, (double)s->y, &u, &v))
                continue;
            const double r = (s->vertical ? u : v) - (double)s->line;
            const double w = tukey(r, tolerance) * (double)s->weight;
            const double gx = u * (GEOMETRY_MESH - 1) / (fit.columns - 1);
            const double gy = v * (GEOMETRY_MESH - 1) / (fit.rows - 1);
            for (int b = 0; b < GEOMETRY_MESH; b++)
                for (int a = 0; a < GEOMETRY_MESH; a++) {
                    const double near = fmax(0, 1 - fabs(gx - a)) * fmax(0, 1 - fabs(gy - b));
                    const int axis = s->vertical ? 0 : 1;
                    move[b][a][axis] += w * near * r;
                    weight[b][a][axis] += w * near;
                }
        }
        for (int b = 0; b < GEOMETRY_MESH; b++)
            for (int a = 0; a < GEOMETRY_MESH; a++) {
                const double u = a * (fit.columns - 1.0) / (GEOMETRY_MESH - 1);
                const double v = b * (fit.rows - 1.0) / (GEOMETRY_MESH - 1);
                double xe, ye, xn, yn, x, y;
                homography_apply(fit.homography, u, v, &x, &y);
                homography_apply(fit.homography, u + 0.5, v, &xe, &ye);
                homography_apply(fit.homography, u, v + 0.5, &xn, &yn);
                const double ru = move[b][a][0] / (weight[b][a][0] + PRIOR);
                const double rv = move[b][a][1] / (weight[b][a][1] + PRIOR);
                fit.mesh_x[b][a] += (float)(2 * (ru * (xe - x) + rv * (xn - x)));
                fit.mesh_y[b][a] += (float)(2 * (ru * (ye - y) + rv * (yn - y)));
            }
    }
    const double rms = rms_of(&fit, sample, count, tolerance);
    if (rms >= 0)
        *g = fit;
    return rms;
}
