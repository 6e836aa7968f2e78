// Brown-Conrady lens as OpenCV's, on a pinhole.
#include "controller/sim/view.h"

#include <math.h>
#include <string.h>

enum { UNDISTORT_STEPS = 8 };

static void cross(const double a[3], const double b[3], double ret[3])
{
    ret[0] = a[1] * b[2] - a[2] * b[1];
    ret[1] = a[2] * b[0] - a[0] * b[2];
    ret[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalise(double v[3])
{
    const double n = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int a = 0; a < 3; a++)
        v[a] /= n;
}

void view_set(struct view *view, const struct setup_camera *camera, const double eye[3],
              const double target[3], double roll_deg)
{
    memcpy(view->eye, eye, sizeof view->eye);
    view->lens = camera->lens;
    view->width = camera->width;
    view->height = camera->height;
    double forward[3], right[3], down[3];
    for (int a = 0; a < 3; a++)
        forward[a] = target[a] - eye[a];
    normalise(forward);
    // Up in the picture is away from the person, also when it looks straight down.
    cross(forward, (const double[3]){0, 1, 1}, right);
    normalise(right);
    cross(forward, right, down);
    const double c = cos(roll_deg * M_PI / 180), s = sin(roll_deg * M_PI / 180);
    for (int a = 0; a < 3; a++) {
        view->axis[0][a] = c * right[a] + s * down[a];
        view->axis[1][a] = -s * right[a] + c * down[a];
        view->axis[2][a] = forward[a];
    }
}

static void distort(const struct setup_lens *l, double x, double y, double ret[2])
{
    const double r2 = x * x + y * y;
    const double radial = 1 + r2 * (l->k1 + r2 * l->k2);
    ret[0] = x * radial + 2 * l->p1 * x * y + l->p2 * (r2 + 2 * x * x);
    ret[1] = y * radial + l->p1 * (r2 + 2 * y * y) + 2 * l->p2 * x * y;
}

bool view_project(const struct view *view, double x, double y, double z, double ret[2])
{
    const double d[3] = {x - view->eye[0], y - view->eye[1], z - view->eye[2]};
    double c[3];
    for (int i = 0; i < 3; i++)
        c[i] = view->axis[i][0] * d[0] + view->axis[i][1] * d[1] + view->axis[i][2] * d[2];
    if (c[2] <= 1)
        return false;
    double bent[2];
    distort(&view->lens, c[0] / c[2], c[1] / c[2], bent);
    ret[0] = view->lens.f * bent[0] + view->lens.cx;
    ret[1] = view->lens.f * bent[1] + view->lens.cy;
    return true;
}

void view_ray(const struct view *view, double u, double v, double ret[3])
{
    const double xd = (u - view->lens.cx) / view->lens.f, yd = (v - view->lens.cy) / view->lens.f;
    double x = xd, y = yd;
    for (int i = 0; i < UNDISTORT_STEPS; i++) {
        double bent[2];
        distort(&view->lens, x, y, bent);
        x += xd - bent[0];
        y += yd - bent[1];
    }
    for (int a = 0; a < 3; a++)
        ret[a] = view->axis[0][a] * x + view->axis[1][a] * y + view->axis[2][a];
}
