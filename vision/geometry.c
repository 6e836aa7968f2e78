#include "vision/geometry.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "config/base/spacing.h"
#include "vision/linear.h"

struct lens lens_ideal(int width, int height)
{
    const double f = width > height ? width : height;
    return (struct lens){.fx = f, .fy = f, .cx = (width - 1) / 2.0, .cy = (height - 1) / 2.0};
}

static bool lens_is_straight(const struct lens *l)
{
    return l->k1 == 0 && l->k2 == 0 && l->p1 == 0 && l->p2 == 0 && l->k3 == 0;
}

// Brown-Conrady in normalised coordinates, in OpenCV's convention.
static void distort_normalised(const struct lens *l, double x, double y, double *ret_x,
                               double *ret_y)
{
    const double r2 = x * x + y * y;
    const double radial = 1 + r2 * (l->k1 + r2 * (l->k2 + r2 * l->k3));
    *ret_x = x * radial + 2 * l->p1 * x * y + l->p2 * (r2 + 2 * x * x);
    *ret_y = y * radial + l->p1 * (r2 + 2 * y * y) + 2 * l->p2 * x * y;
}

void lens_distort(const struct lens *lens, double x, double y, double *ret_x, double *ret_y)
{
    if (lens_is_straight(lens)) {
        *ret_x = x;
        *ret_y = y;
        return;
    }
    double dx, dy;
    distort_normalised(lens, (x - lens->cx) / lens->fx, (y - lens->cy) / lens->fy, &dx, &dy);
    *ret_x = dx * lens->fx + lens->cx;
    *ret_y = dy * lens->fy + lens->cy;
}

void lens_undistort(const struct lens *lens, double x, double y, double *ret_x, double *ret_y)
{
    if (lens_is_straight(lens)) {
        *ret_x = x;
        *ret_y = y;
        return;
    }
    const double tx = (x - lens->cx) / lens->fx, ty = (y - lens->cy) / lens->fy;
    double ux = tx, uy = ty;
    // Fixed point: the distortion is a small, smooth shift, so a few rounds reach 1e-9.
    for (int i = 0; i < 12; i++) {
        double dx, dy;
        distort_normalised(lens, ux, uy, &dx, &dy);
        ux += tx - dx;
        uy += ty - dy;
    }
    *ret_x = ux * lens->fx + lens->cx;
    *ret_y = uy * lens->fy + lens->cy;
}

void homography_apply(const double h[9], double x, double y, double *ret_x, double *ret_y)
{
    const double w = h[6] * x + h[7] * y + h[8];
    const double rx = (h[0] * x + h[1] * y + h[2]) / w;
    *ret_y = (h[3] * x + h[4] * y + h[5]) / w;
    *ret_x = rx;
}

bool homography_invert(const double h[9], double ret[9])
{
    const double c0 = h[4] * h[8] - h[5] * h[7];
    const double c1 = h[5] * h[6] - h[3] * h[8];
    const double c2 = h[3] * h[7] - h[4] * h[6];
    const double det = h[0] * c0 + h[1] * c1 + h[2] * c2;
    if (!(fabs(det) > 1e-30))
        return false;
    const double r[9] = {
        c0 / det, (h[2] * h[7] - h[1] * h[8]) / det, (h[1] * h[5] - h[2] * h[4]) / det,
        c1 / det, (h[0] * h[8] - h[2] * h[6]) / det, (h[2] * h[3] - h[0] * h[5]) / det,
        c2 / det, (h[1] * h[6] - h[0] * h[7]) / det, (h[0] * h[4] - h[1] * h[3]) / det};
    memcpy(ret, r, sizeof r);
    return true;
}

// The similarity that moves points to mean 0 and mean distance 1 (Hartley's normalisation).
static bool normaliser(const double (*p)[2], int count, double ret[3])
{
    double mx = 0, my = 0, spread = 0;
    for (int i = 0; i < count; i++) {
        mx += p[i][0] / count;
        my += p[i][1] / count;
    }
    for (int i = 0; i < count; i++)
        spread += hypot(p[i][0] - mx, p[i][1] - my) / count;
    if (!(spread > 1e-12))
        return false;
    ret[0] = mx;
    ret[1] = my;
    ret[2] = 1 / spread;
    return true;
}

bool homography_fit(const double (*src)[2], const double (*dst)[2], int count, double ret[9])
{
    double s[3], d[3];
    if (count < 4 || !normaliser(src, count, s) || !normaliser(dst, count, d))
        return false;
    struct normal_equations ne;
    normal_clear(&ne, 8);
    for (int i = 0; i < count; i++) {
        const double x = (src[i][0] - s[0]) * s[2], y = (src[i][1] - s[1]) * s[2];
        const double u = (dst[i][0] - d[0]) * d[2], v = (dst[i][1] - d[1]) * d[2];
        const double ju[8] = {x, y, 1, 0, 0, 0, -u * x, -u * y};
        const double jv[8] = {0, 0, 0, x, y, 1, -v * x, -v * y};
        normal_add(&ne, ju, u, 1);
        normal_add(&ne, jv, v, 1);
    }
    double g[9];
    if (!normal_solve(&ne, 0, g))
        return false;
    g[8] = 1;
    // dst = D^-1 g S: undo both normalisations.
    double m[9];
    for (int r = 0; r < 3; r++) {
        const double a = g[3 * r] * s[2], b = g[3 * r + 1] * s[2];
        m[3 * r] = a;
        m[3 * r + 1] = b;
        m[3 * r + 2] = g[3 * r + 2] - a * s[0] - b * s[1];
    }
    for (int c = 0; c < 3; c++) {
        ret[c] = m[c] / d[2] + d[0] * m[6 + c];
        ret[3 + c] = m[3 + c] / d[2] + d[1] * m[6 + c];
        ret[6 + c] = m[6 + c];
    }
    return isfinite(ret[0]) && isfinite(ret[8]);
}

// Bilinear in the 5x5 knots; `mesh` is row major.
static double mesh_at(const float *mesh, double gx, double gy)
{
    const double top = GEOMETRY_MESH - 1;
    gx = fmin(fmax(gx, 0), top);
    gy = fmin(fmax(gy, 0), top);
    const int i = gx >= top ? GEOMETRY_MESH - 2 : (int)gx;
    const int j = gy >= top ? GEOMETRY_MESH - 2 : (int)gy;
    const double fx = gx - i, fy = gy - j;
    const float *knot = mesh + (size_t)j * GEOMETRY_MESH + i;
    return (1 - fy) * ((1 - fx) * (double)knot[0] + fx * (double)knot[1]) +
           fy * ((1 - fx) * (double)knot[GEOMETRY_MESH] + fx * (double)knot[GEOMETRY_MESH + 1]);
}

static void mesh_offset(const struct geometry *g, double u, double v, double *ret_x, double *ret_y)
{
    const double gx = u * (GEOMETRY_MESH - 1) / (g->columns - 1);
    const double gy = v * (GEOMETRY_MESH - 1) / (g->rows - 1);
    *ret_x = mesh_at(&g->mesh_x[0][0], gx, gy);
    *ret_y = mesh_at(&g->mesh_y[0][0], gx, gy);
}

// From places to cells with the seam let out, and back.
static double let_out(int count, double seam, double place)
{
    return seam > 0 ? spacing_at(&(struct spacing){count, 1, seam}, place) : place;
}

static double take_in(int count, double seam, double length)
{
    return seam > 0 ? spacing_place(&(struct spacing){count, 1, seam}, length) : length;
}

void geometry_board_mm(const struct geometry *g, double u, double v, double ret[2])
{
    ret[0] = g->pitch_x * let_out(g->columns, g->seam_u, u);
    ret[1] = g->pitch_y * let_out(g->rows, g->seam_v, v);
}

void geometry_board_to_image(const struct geometry *g, double u, double v, double *ret_x,
                             double *ret_y)
{
    double x, y, mx, my;
    homography_apply(g->homography, let_out(g->columns, g->seam_u, u),
                     let_out(g->rows, g->seam_v, v), &x, &y);
    mesh_offset(g, u, v, &mx, &my);
    lens_distort(&g->lens, x + mx, y + my, ret_x, ret_y);
}

bool geometry_image_to_board(const struct geometry *g, double x, double y, double *ret_u,
                             double *ret_v)
{
    double ix, iy, inverse[9];
    if (!homography_invert(g->homography, inverse))
        return false;
    lens_undistort(&g->lens, x, y, &ix, &iy);
    // The horizon is where the homogeneous weight changes sign against the middle of the board.
    double mx, my;
    homography_apply(g->homography, (g->columns - 1 + g->seam_u) / 2, (g->rows - 1 + g->seam_v) / 2,
                     &mx, &my);
    const double here = inverse[6] * ix + inverse[7] * iy + inverse[8];
    const double middle = inverse[6] * mx + inverse[7] * my + inverse[8];
    if (!(here * middle > 0))
        return false;
    double u, v;
    homography_apply(inverse, ix, iy, &u, &v);
    for (int i = 0; i < 4; i++) {
        double ox, oy;
        mesh_offset(g, take_in(g->columns, g->seam_u, u), take_in(g->rows, g->seam_v, v), &ox, &oy);
        homography_apply(inverse, ix - ox, iy - oy, &u, &v);
    }
    *ret_u = take_in(g->columns, g->seam_u, u);
    *ret_v = take_in(g->rows, g->seam_v, v);
    return true;
}

double geometry_cell_px(const struct geometry *g, double u, double v)
{
    double x0, y0, x1, y1, x2, y2;
    geometry_board_to_image(g, u - 0.5, v - 0.5, &x0, &y0);
    geometry_board_to_image(g, u + 0.5, v - 0.5, &x1, &y1);
    geometry_board_to_image(g, u - 0.5, v + 0.5, &x2, &y2);
    return sqrt(fabs((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)));
}

int geometry_from_corners(const double corners[4][2], int columns, int rows, int image_width,
                          int image_height, struct geometry *ret)
{
    double sign = 0;
    for (int i = 0; i < 4; i++) {
        const double *a = corners[i], *b = corners[(i + 1) % 4], *c = corners[(i + 2) % 4];
        const double turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
        if (!(fabs(turn) > 1e-6) || turn * sign < 0)
            return -EINVAL;
        sign = turn;
    }
    const double grid[4][2] = {{0, 0}, {columns - 1, 0}, {columns - 1, rows - 1}, {0, rows - 1}};
    struct geometry g = {.columns = columns,
                         .rows = rows,
                         .pitch_x = 1,
                         .pitch_y = 1,
                         .image_width = image_width,
                         .image_height = image_height,
                         .lens = lens_ideal(image_width, image_height)};
    if (!homography_fit(grid, corners, 4, g.homography))
        return -EINVAL;
    *ret = g;
    return 0;
}

// So that the old (columns-1, 0) becomes (0, 0).
static void turn_once(struct geometry *g)
{
    // old u = (columns - 1) - v_new, old v = u_new; the seam is in the middle, so it only adds up.
    const double m[9] = {0, -1, g->columns - 1.0 + g->seam_u, 1, 0, 0, 0, 0, 1};
    double h[9];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            h[3 * r + c] = g->homography[3 * r] * m[c] + g->homography[3 * r + 1] * m[3 + c] +
                           g->homography[3 * r + 2] * m[6 + c];
    memcpy(g->homography, h, sizeof h);
    float mx[GEOMETRY_MESH][GEOMETRY_MESH], my[GEOMETRY_MESH][GEOMETRY_MESH];
    for (int j = 0; j < GEOMETRY_MESH; j++)
        for (int i = 0; i < GEOMETRY_MESH; i++) {
            mx[j][i] = g->mesh_x[i][GEOMETRY_MESH - 1 - j];
            my[j][i] = g->mesh_y[i][GEOMETRY_MESH - 1 - j];
        }
    memcpy(g->mesh_x, mx, sizeof mx);
    memcpy(g->mesh_y, my, sizeof my);
    const int columns = g->columns;
    g->columns = g->rows;
    g->rows = columns;
    const double pitch = g->pitch_x;
    g->pitch_x = g->pitch_y;
    g->pitch_y = pitch;
    const double seam = g->seam_u;
    g->seam_u = g->seam_v;
    g->seam_v = seam;
}

void geometry_turn(struct geometry *g, int quarter_turns)
{
    for (int i = 0; i < (quarter_turns & 3); i++)
        turn_once(g);
}
