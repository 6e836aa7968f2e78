#include "vision/pose.h"

#include <math.h>

// Columns of the homography from millimetres to pixels about the principal point.
static void centred_columns(const struct geometry *g, double a[3], double b[3], double c[3])
{
    const double *h = g->homography;
    for (int k = 0; k < 3; k++) {
        a[k] = h[3 * k] / g->pitch_x;
        b[k] = h[3 * k + 1] / g->pitch_y;
        c[k] = h[3 * k + 2];
    }
    double *column[3] = {a, b, c};
    for (int k = 0; k < 3; k++) {
        column[k][0] -= g->lens.cx * column[k][2];
        column[k][1] -= g->lens.cy * column[k][2];
    }
}

// The images of the board's two directions must be orthogonal and of equal length in space; either
// condition gives the focal length (Zhang, "A flexible new technique for camera calibration",
// 2000).
static double focal_from_perspective(const double a[3], const double b[3], double fallback)
{
    const double d1 = a[2] * b[2], d2 = a[2] * a[2] - b[2] * b[2];
    const double n1 = -(a[0] * b[0] + a[1] * b[1]);
    const double n2 = b[0] * b[0] + b[1] * b[1] - a[0] * a[0] - a[1] * a[1];
    // Both conditions together, weighted by how strongly they bind.
    const double square = (n1 * d1 + 0.25 * n2 * d2) / (d1 * d1 + 0.25 * d2 * d2 + 1e-300);
    if (!(square > 0))
        return fallback;
    const double f = sqrt(square);
    return f > 0.45 * fallback && f < 4 * fallback ? f : fallback;
}

bool pose_from_geometry(const struct geometry *g, bool lens_known, struct pose *ret)
{
    double a[3], b[3], c[3];
    centred_columns(g, a, b, c);
    const double longer = g->image_width > g->image_height ? g->image_width : g->image_height;
    const double f = lens_known ? g->lens.fx : focal_from_perspective(a, b, longer);
    for (int k = 0; k < 2; k++) {
        a[k] /= f;
        b[k] /= f;
        c[k] /= f;
    }
    const double la = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    const double lb = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    if (!(la > 0) || !(lb > 0))
        return false;
    // In front of the camera: the origin's depth is positive.
    const double scale = (c[2] > 0 ? 2 : -2) / (la + lb);
    double r1[3], r2[3], r3[3], t[3];
    for (int k = 0; k < 3; k++) {
        r1[k] = a[k] * scale;
        r2[k] = b[k] * scale;
        t[k] = c[k] * scale;
    }
    r3[0] = r1[1] * r2[2] - r1[2] * r2[1];
    r3[1] = r1[2] * r2[0] - r1[0] * r2[2];
    r3[2] = r1[0] * r2[1] - r1[1] * r2[0];
    double x = 0, y = 0, z = 0;
    for (int k = 0; k < 3; k++) {
        x -= r1[k] * t[k];
        y -= r2[k] * t[k];
        z -= r3[k] * t[k];
    }
    // The picture's y points down, so that a board seen from above has its normal away from it.
    ret->x = x;
    ret->y = y;
    ret->z = fabs(z);
    ret->focal_px = f;
    return isfinite(x) && isfinite(y) && fabs(z) > 1e-6;
}

void pose_parallax(const struct pose *pose, const struct geometry *g, double u, double v,
                   double height_mm, double *ret_du, double *ret_dv)
{
    const double k = pose->z > 2 * height_mm ? height_mm / (pose->z - height_mm) : 0;
    double at[2];
    geometry_board_mm(g, u, v, at);
    *ret_du = (at[0] - pose->x) * k / g->pitch_x;
    *ret_dv = (at[1] - pose->y) * k / g->pitch_y;
}
