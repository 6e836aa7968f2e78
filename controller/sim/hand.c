// The hand in the picture: its sprite lies on a plane that rises from the finger tips to the elbow.
#include <math.h>

#include "controller/sim/render_private.h"

#define PIXELS_MM 2.0
#define TIP_MM    60.0 // from the sprite's first row to the finger tips
#define RISE      0.16 // of the plane, mm a mm
#define PALM      16.0 // mm: the plane lies so much over the finger tips

// The plane: z = base + RISE * (way from the tips towards the elbow).
struct plane {
    double x, y;   // finger tips
    double ux, uy; // towards the elbow
    double base;
};

static struct plane plane_of(const struct world_hand *h)
{
    return (struct plane){.x = h->x,
                          .y = h->y,
                          .ux = -sin(h->angle),
                          .uy = -cos(h->angle),
                          .base = h->z + PALM * 0.5};
}

// Where the line from table point g towards `from` (eye or lamp) meets the plane, in sprite pixels.
static bool meet_plane(const struct plane *p, double gx, double gy, const double from[3],
                       float *ret_row, float *ret_col)
{
    const double ex = (from[0] - gx) / from[2], ey = (from[1] - gy) / from[2];
    const double qx = gx - p->x, qy = gy - p->y;
    const double slope = 1 - RISE * (ex * p->ux + ey * p->uy);
    if (slope < 0.1)
        return false;
    const double z = (p->base + RISE * (qx * p->ux + qy * p->uy)) / slope;
    const double px = qx + z * ex, py = qy + z * ey;
    const double u = px * p->ux + py * p->uy, v = -px * p->uy + py * p->ux;
    *ret_row = (float)((u + TIP_MM) * PIXELS_MM);
    *ret_col = (float)(v * PIXELS_MM + HAND_WIDTH / 2.0);
    return *ret_row >= 0 && *ret_row < HAND_LENGTH - 1 && *ret_col >= 0 &&
           *ret_col < HAND_WIDTH - 1;
}

// The sprite's corners on the plane; z returned too.
static void corner_of(const struct plane *p, int i, double ret[3])
{
    const double u = (i & 1 ? HAND_LENGTH : 0) / PIXELS_MM - TIP_MM;
    const double v = (i & 2 ? 0.5 : -0.5) * HAND_WIDTH / PIXELS_MM;
    ret[0] = p->x + u * p->ux - v * p->uy;
    ret[1] = p->y + u * p->uy + v * p->ux;
    ret[2] = p->base + RISE * u;
}

static struct rect area_of(const struct render *r, const struct plane *p, bool shadow)
{
    struct rect all = {0};
    // In slices: the elbow is often behind the camera, where nothing can be projected.
    for (int i = 0; i < 8; i++) {
        double low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
        for (int k = 0; k < 4; k++) {
            double a[3], b[3], at[3];
            corner_of(p, k & 2, a);
            corner_of(p, (k & 2) | 1, b);
            const double t = (i + (k & 1)) / 8.0;
            for (int c = 0; c < 3; c++)
                at[c] = a[c] + (b[c] - a[c]) * t;
            if (shadow) {
                const double f = at[2] / (r->light.lamp[2] - at[2]);
                at[0] += (at[0] - r->light.lamp[0]) * f;
                at[1] += (at[1] - r->light.lamp[1]) * f;
                at[2] = 0;
            }
            for (int c = 0; c < 3; c++)
                range_include(&low[c], &high[c], at[c]);
        }
        all = rect_join(all, rect_of_box(r, low, high));
    }
    return all;
}

struct rect hand_shadow(struct render *r, const struct world_hand *hand)
{
    const struct plane p = plane_of(hand);
    const struct rect area = area_of(r, &p, true);
    const uint8_t *alpha = r->hand[hand->pinching].shadow;
    const float lamp = r->light.lamp_share;
    for (int y = area.y0; y < area.y1; y++) {
        for (int x = area.x0; x < area.x1; x++) {
            float row, col;
            const size_t i = pixel_at(r, x, y);
            if (!meet_plane(&p, r->ground_x[i], r->ground_y[i], r->light.lamp, &row, &col))
                continue;
            const int a = alpha[(size_t)row * HAND_WIDTH + (size_t)col];
            if (a < 2)
                continue;
            const uint8_t *shade =
                r->shade[(int)((1 - 0.97f * lamp * (float)a / 255) * SHADES + 0.5f)];
            uint8_t *pixel = r->work + 3 * i;
            for (int c = 0; c < 3; c++)
                pixel[c] = shade[pixel[c]];
        }
    }
    return area;
}

struct rect hand_draw(struct render *r, const struct world_hand *hand)
{
    const struct plane p = plane_of(hand);
    const struct rect area = area_of(r, &p, false);
    const uint8_t *rgba = r->hand[hand->pinching].rgba;
    for (int y = area.y0; y < area.y1; y++) {
        for (int x = area.x0; x < area.x1; x++) {
            float row, col;
            const size_t i = pixel_at(r, x, y);
            if (!meet_plane(&p, r->ground_x[i], r->ground_y[i], r->view.eye, &row, &col))
                continue;
            const int ir = (int)row, ic = (int)col;
            const int fr = (int)((row - (float)ir) * 16), fc = (int)((col - (float)ic) * 16);
            const uint8_t *s = rgba + 4 * ((size_t)ir * HAND_WIDTH + (size_t)ic);
            const uint8_t *below = s + 4 * HAND_WIDTH;
            if (!(s[3] | s[7] | below[3] | below[7]))
                continue;
            const int w[4] = {(16 - fr) * (16 - fc) * s[3], (16 - fr) * fc * s[7],
                              fr * (16 - fc) * below[3], fr * fc * below[7]};
            const int alpha = w[0] + w[1] + w[2] + w[3]; // of 255 * 256
            if (alpha == 0)
                continue;
            uint8_t *pixel = r->work + 3 * i;
            for (int c = 0; c < 3; c++) {
                const int v =
                    (w[0] * s[c] + w[1] * s[4 + c] + w[2] * below[c] + w[3] * below[4 + c]) / alpha;
                pixel[c] = (uint8_t)(pixel[c] + (v - pixel[c]) * (alpha >> 8) / 255);
            }
        }
    }
    return area;
}
