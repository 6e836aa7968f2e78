// Measures grid lines: the dark profile across a half segment, averaged along it.
#include "vision/grid.h"

#include <math.h>

enum { PROFILE_HALF = 24, CHUNKS = 3, CHUNK = 3, ALONG = CHUNKS * CHUNK };

// The arm runs from NEAR to FAR cells from its crossing: clear of the crossing itself and of what
// covers the next point.
static const double NEAR = 0.14, FAR = 0.48;
// Both sides of the line are looked at between these distances, cells.
static const double SIDE_FROM = 0.11, SIDE_TO = 0.24;

float grid_image_at(const struct grid_image *image, double x, double y)
{
    // Millions of times a second: fmin() and fmax() are calls.
    const double right = image->width - 1.001, bottom = image->height - 1.001;
    x = x > 0 ? x : 0;
    y = y > 0 ? y : 0;
    x = x < right ? x : right;
    y = y < bottom ? y : bottom;
    const int x0 = (int)x, y0 = (int)y;
    const float fx = (float)(x - x0), fy = (float)(y - y0);
    const float *a = image->px + (long)y0 * image->width + x0;
    const float *b = a + image->width;
    return (1 - fy) * ((1 - fx) * a[0] + fx * a[1]) + fy * ((1 - fx) * b[0] + fx * b[1]);
}

// Profiles across the line, one for each third of the arm: profile[chunk][0..2*half].
static void sample_profiles(const struct grid_image *image, const double from[2],
                            const double to[2], const double across[2], double step, int half,
                            float profile[CHUNKS][2 * PROFILE_HALF + 1])
{
    for (int c = 0; c < CHUNKS; c++)
        for (int k = -half; k <= half; k++) {
            float sum = 0;
            for (int s = 0; s < CHUNK; s++) {
                const double t = (c * CHUNK + s + 0.5) / ALONG;
                const double x = from[0] + t * (to[0] - from[0]) + k * step * across[0];
                const double y = from[1] + t * (to[1] - from[1]) + k * step * across[1];
                sum += grid_image_at(image, x, y);
            }
            profile[c][k + half] = sum / CHUNK;
        }
}

static float mean_range(const float *p, int from, int to)
{
    float sum = 0;
    for (int k = from; k <= to; k++)
        sum += p[k];
    return sum / (float)(to - from + 1);
}

// Ridge at index k: the lighter... the darker of both sides minus the line. A step in brightness
// has one side as dark as itself and scores nothing.
static float ridge_at(const float *p, int k, int near, int far)
{
    const float left = mean_range(p, k - far, k - near), right = mean_range(p, k + near, k + far);
    const float centre = mean_range(p, k - 1, k + 1) * 0.5F + p[k] * 0.5F;
    return fminf(left, right) - centre;
}

static bool inside(const struct grid_image *image, double x, double y)
{
    return x >= 0 && y >= 0 && x <= image->width - 1 && y <= image->height - 1;
}

void grid_measure_arm(const struct grid_image *image, const struct geometry *g, double u, double v,
                      enum grid_direction direction, double search, struct grid_arm *ret)
{
    static const int DU[4] = {1, 0, -1, 0}, DV[4] = {0, 1, 0, -1};
    const double du = DU[direction], dv = DV[direction];
    double from[2], to[2], left[2];
    *ret = (struct grid_arm){0};
    geometry_board_to_image(g, u + NEAR * du, v + NEAR * dv, &from[0], &from[1]);
    geometry_board_to_image(g, u + FAR * du, v + FAR * dv, &to[0], &to[1]);
    const double mu = u + 0.5 * (NEAR + FAR) * du, mv = v + 0.5 * (NEAR + FAR) * dv;
    geometry_board_to_image(g, mu - 0.25 * dv, mv + 0.25 * du, &left[0], &left[1]);
    const double mid[2] = {(from[0] + to[0]) / 2, (from[1] + to[1]) / 2};
    // Pixels of one cell across the line.
    double across[2] = {4 * (left[0] - mid[0]), 4 * (left[1] - mid[1])};
    const double cell = hypot(across[0], across[1]);
    if (!(cell > 4) || !(cell < 1e4) || !inside(image, from[0], from[1]) ||
        !inside(image, to[0], to[1]))
        return;
    ret->inside = true;
    across[0] /= cell;
    across[1] /= cell;
    const double reach = search + SIDE_TO;
    double step = 0.75;
    int half = (int)ceil(reach * cell / step);
    if (half > PROFILE_HALF) {
        half = PROFILE_HALF;
        step = reach * cell / half;
    }
    float profile[CHUNKS][2 * PROFILE_HALF + 1], sum[2 * PROFILE_HALF + 1];
    sample_profiles(image, from, to, across, step, half, profile);
    for (int k = 0; k <= 2 * half; k++)
        sum[k] = (profile[0][k] + profile[1][k] + profile[2][k]) / 3;
    int near = (int)lround(SIDE_FROM * cell / step), far = (int)lround(SIDE_TO * cell / step);
    near = near < 2 ? 2 : near;
    far = far < near + 1 ? near + 1 : far;
    const int margin = half - far;
    int best = -1;
    float strongest = 0;
    for (int k = half - (margin > 0 ? margin : 0); k <= half + (margin > 0 ? margin : 0); k++) {
        if (k - far < 0 || k + far > 2 * half)
            continue;
        const float r = ridge_at(sum, k, near, far);
        if (best < 0 || r > strongest) {
            best = k;
            strongest = r;
        }
    }
    if (best < 0)
        return;
    // A line is there all along; the gap between two stones is not.
    float weakest = strongest;
    for (int c = 0; c < CHUNKS; c++)
        weakest = fminf(weakest, ridge_at(profile[c], best, near, far));
    double shift = 0;
    if (best > far && best < 2 * half - far) {
        const double a = (double)ridge_at(sum, best - 1, near, far), b = (double)strongest;
        const double c = (double)ridge_at(sum, best + 1, near, far), bend = a - 2 * b + c;
        if (bend < 0)
            shift = fmin(fmax(0.5 * (a - c) / bend, -0.5), 0.5);
    }
    const double offset = (best - half + shift) * step;
    ret->contrast = 0.5F * (strongest + weakest);
    ret->offset = (float)(offset / cell);
    ret->x = (float)(mid[0] + offset * across[0]);
    ret->y = (float)(mid[1] + offset * across[1]);
}
