// The gantry: an aluminium beam over the table, a carriage, a slide that goes up and down with the
// tube and its cup.
#include <math.h>

#include "controller/sim/render_private.h"

// mm; y relative to the tool, z above the table
#define BEAM_LEFT   -205.0
#define BEAM_RIGHT  640.0
#define BEAM_NEAR   30.0
#define BEAM_FAR    60.0
#define BEAM_BOTTOM 66.0
#define BEAM_TOP    96.0
#define CARRIAGE_HALF 26.0
#define CARRIAGE_NEAR -4.0
#define CARRIAGE_BOTTOM 62.0
#define CARRIAGE_TOP 104.0
#define SLIDE_HALF  11.0
#define SLIDE_BOTTOM 32.0 // above the cup's lip
#define SLIDE_TOP   92.0
#define TUBE_RADIUS 3.4
#define CUP_RADIUS  4.2
#define CUP_HEIGHT  9.0

enum part { BEAM, CARRIAGE, SLIDE, PARTS };

struct box {
    double low[3], high[3];
};

static struct box part_box(enum part part, const double t[3])
{
    switch (part) {
    case BEAM:
        return (struct box){{BEAM_LEFT, t[1] + BEAM_NEAR, BEAM_BOTTOM},
                            {BEAM_RIGHT, t[1] + BEAM_FAR, BEAM_TOP}};
    case CARRIAGE:
        return (struct box){{t[0] - CARRIAGE_HALF, t[1] + CARRIAGE_NEAR + 10, CARRIAGE_BOTTOM},
                            {t[0] + CARRIAGE_HALF, t[1] + BEAM_FAR + 6, CARRIAGE_TOP}};
    default:
        return (struct box){{t[0] - SLIDE_HALF, t[1] - 9, t[2] + SLIDE_BOTTOM},
                            {t[0] + SLIDE_HALF, t[1] + 9, t[2] + SLIDE_TOP}};
    }
}

// --- shadow ---

static float side_inside(double v, double low, double high, double soft)
{
    return smoothf((float)-soft, (float)soft, (float)(v - low)) *
           smoothf((float)-soft, (float)soft, (float)(high - v));
}

// How much of the lamp a part hides from the table point (x, y).
static float hidden(const struct light *l, const struct box *b, double x, double y)
{
    const double z = (b->low[2] + b->high[2]) / 2, t = z / l->lamp[2];
    const double px = x + (l->lamp[0] - x) * t, py = y + (l->lamp[1] - y) * t;
    const double soft = 2 + l->size / 2 * t;
    // The box's own height widens its shadow away from the lamp.
    const double wide = (b->high[2] - b->low[2]) / 2 / l->lamp[2];
    const double wx = fabs(l->lamp[0] - x) * wide, wy = fabs(l->lamp[1] - y) * wide;
    return side_inside(px, b->low[0] - wx, b->high[0] + wx, soft) *
           side_inside(py, b->low[1] - wy, b->high[1] + wy, soft);
}

static struct rect shadow_area(const struct render *r, const struct box *b)
{
    const struct light *l = &r->light;
    double low[3] = {1e9, 1e9, 0}, high[3] = {-1e9, -1e9, 0};
    for (int i = 0; i < 8; i++) {
        const double z = i & 4 ? b->high[2] : b->low[2], f = z / (l->lamp[2] - z);
        const double x = i & 1 ? b->high[0] : b->low[0], y = i & 2 ? b->high[1] : b->low[1];
        low[0] = fmin(low[0], x + (x - l->lamp[0]) * f);
        high[0] = fmax(high[0], x + (x - l->lamp[0]) * f);
        low[1] = fmin(low[1], y + (y - l->lamp[1]) * f);
        high[1] = fmax(high[1], y + (y - l->lamp[1]) * f);
    }
    const double soft = 4 + l->size * b->high[2] / l->lamp[2];
    low[0] = fmax(low[0] - soft, -2000), low[1] -= soft;
    high[0] = fmin(high[0] + soft, 2000), high[1] += soft;
    return rect_of_box(r, low, high);
}

struct rect gantry_shadow(struct render *r, const double tool[3])
{
    struct box box[PARTS];
    struct rect all = {0};
    for (int i = 0; i < PARTS; i++) {
        box[i] = part_box((enum part)i, tool);
        all = rect_join(all, shadow_area(r, &box[i]));
    }
    const float lamp = r->light.lamp_share;
    for (int y = all.y0; y < all.y1; y++) {
        for (int x = all.x0; x < all.x1; x++) {
            const size_t i = pixel_at(r, x, y);
            float light = 1;
            for (int k = 0; k < PARTS; k++)
                light *= 1 - hidden(&r->light, &box[k], r->ground_x[i], r->ground_y[i]);
            if (light > 0.995f)
                continue;
            const uint8_t *shade = r->shade[(int)((1 - lamp * (1 - light)) * SHADES + 0.5f)];
            uint8_t *pixel = r->work + 3 * i;
            pixel[0] = shade[pixel[0]];
            pixel[1] = shade[pixel[1]];
            pixel[2] = shade[pixel[2]];
        }
    }
    return all;
}

// --- boxes ---

struct hit {
    double at[3], normal[3];
    float cover; // of the pixel
};

// The pixel's ray against a box.
static bool meet_box(const struct render *r, const struct box *b, size_t i, struct hit *ret)
{
    const double g[3] = {r->ground_x[i], r->ground_y[i], 0};
    double in = 0, out = 1;
    int face = 2;
    for (int a = 0; a < 3; a++) {
        const double from = r->view.eye[a], way = g[a] - from;
        if (fabs(way) < 1e-9)
            continue;
        double t0 = (b->low[a] - from) / way, t1 = (b->high[a] - from) / way;
        if (t0 > t1) {
            const double t = t0;
            t0 = t1;
            t1 = t;
        }
        if (t0 > in) {
            in = t0;
            face = a;
        }
        out = fmin(out, t1);
    }
    if (in >= out)
        return false;
    double length = 0;
    for (int a = 0; a < 3; a++) {
        const double way = g[a] - r->view.eye[a];
        ret->at[a] = r->view.eye[a] + in * way;
        ret->normal[a] = a == face ? (way > 0 ? -1 : 1) : 0;
        length += way * way;
    }
    // Near an edge the way through the box becomes short: that is how much is covered.
    ret->cover = clampf((float)((out - in) * sqrt(length)) * 0.55f, 0, 1);
    return true;
}

static struct rgb beam_paint(const struct hit *h, const double tool[3])
{
    // Brushed, with the T-slots of extruded aluminium.
    const float across = h->normal[2] > 0.5 ? (float)(h->at[1] - tool[1] - BEAM_NEAR) / 30
                                            : (float)(h->at[2] - BEAM_BOTTOM) / 30;
    const float slot = smoothf(0.16f, 0.13f, fabsf(across - 0.5f));
    const float lip = smoothf(0.05f, 0.0f, fabsf(fabsf(across - 0.5f) - 0.19f));
    const float brushed = 0.94f + 0.12f * texture_noise((float)h->at[0] * 0.02f, across * 90);
    struct rgb c = scale_rgb((struct rgb){0.50f, 0.51f, 0.53f}, brushed);
    c = mix_rgb(c, (struct rgb){0.05f, 0.05f, 0.055f}, slot);
    return scale_rgb(c, 1 + 0.25f * lip);
}

static struct rgb carriage_paint(const struct hit *h, const double tool[3])
{
    struct rgb c = {0.055f, 0.058f, 0.065f};
    c = scale_rgb(c, 0.9f + 0.2f * texture_noise((float)h->at[0] * 0.9f, (float)h->at[2] * 6));
    const float x = (float)(h->at[0] - tool[0]), y = (float)(h->at[1] - tool[1] - 30);
    if (h->normal[2] > 0.5) { // four screws on top
        const float dx = fabsf(x) - 19, dy = fabsf(y) - 17;
        c = mix_rgb(c, (struct rgb){0.4f, 0.4f, 0.42f}, smoothf(3.0f, 2.3f, sqrtf(dx * dx + dy * dy)));
    } else if (h->normal[1] < -0.5) { // an orange stripe on the front
        const float z = (float)h->at[2] - 83;
        c = mix_rgb(c, (struct rgb){0.75f, 0.20f, 0.03f}, smoothf(3.4f, 2.7f, fabsf(z)));
    }
    return c;
}

static struct rgb slide_paint(const struct hit *h, const double tool[3])
{
    struct rgb c = {0.30f, 0.31f, 0.33f};
    const float x = (float)(h->at[0] - tool[0]);
    if (h->normal[1] < -0.5) // a rail in the middle
        c = scale_rgb(c, 1 - 0.6f * smoothf(3.2f, 2.6f, fabsf(x)));
    return c;
}

static struct rect draw_box(struct render *r, enum part part, const double tool[3])
{
    const struct box box = part_box(part, tool);
    const struct rect area = rect_of_box(r, box.low, box.high);
    for (int y = area.y0; y < area.y1; y++) {
        for (int x = area.x0; x < area.x1; x++) {
            struct hit h;
            const size_t i = pixel_at(r, x, y);
            if (!meet_box(r, &box, i, &h))
                continue;
            const struct rgb paint = part == BEAM       ? beam_paint(&h, tool)
                                     : part == CARRIAGE ? carriage_paint(&h, tool)
                                                        : slide_paint(&h, tool);
            const struct rgb light = light_on(&r->light, h.at, h.normal);
            const struct rgb c = scale_rgb(mul_rgb(paint, light), vignette(r, x, y));
            uint8_t *pixel = r->work + 3 * i;
            put_rgb(r, pixel, mix_rgb(get_rgb(r, pixel), c, h.cover));
        }
    }
    return area;
}

// --- tube and cup ---

// An upright cylinder from z0 to z1.
static struct rect draw_cylinder(struct render *r, double cx, double cy, double z0, double z1,
                                 double radius, struct rgb paint)
{
    const double low[3] = {cx - radius, cy - radius, z0}, high[3] = {cx + radius, cy + radius, z1};
    const struct rect area = rect_of_box(r, low, high);
    for (int y = area.y0; y < area.y1; y++) {
        for (int x = area.x0; x < area.x1; x++) {
            const size_t i = pixel_at(r, x, y);
            const double gx = r->ground_x[i], gy = r->ground_y[i];
            const double ex = (r->view.eye[0] - gx) / r->view.eye[2];
            const double ey = (r->view.eye[1] - gy) / r->view.eye[2];
            const double qx = gx - cx, qy = gy - cy;
            const double a = ex * ex + ey * ey, b = qx * ex + qy * ey;
            const double disc = b * b - a * (qx * qx + qy * qy - radius * radius);
            if (disc <= 0 || a < 1e-9)
                continue;
            const double z = fmin((-b + sqrt(disc)) / a, z1), z_in = (-b - sqrt(disc)) / a;
            if (z < z0 || z_in > z1)
                continue;
            const double at[3] = {gx + ex * z, gy + ey * z, z};
            double normal[3] = {(at[0] - cx) / radius, (at[1] - cy) / radius, 0};
            if (z >= z1)
                normal[0] = normal[1] = 0, normal[2] = 1;
            struct rgb c = mul_rgb(paint, light_on(&r->light, at, normal));
            // A bright line along round steel.
            const double shine = fmax(0, -normal[1] * 0.8 - normal[0] * 0.6);
            c = add_rgb(c, scale_rgb(r->light.ambient_colour,
                                     0.5f * paint.r * (float)pow(shine, 12)));
            const float cover = clampf((float)sqrt(disc / a) * 0.5f, 0, 1);
            uint8_t *pixel = r->work + 3 * i;
            put_rgb(r, pixel, mix_rgb(get_rgb(r, pixel), c, cover));
        }
    }
    return area;
}

struct rect gantry_draw(struct render *r, const double tool[3])
{
    const struct rgb steel = {0.42f, 0.43f, 0.45f}, rubber = {0.045f, 0.04f, 0.04f};
    struct rect all = draw_box(r, BEAM, tool);
    all = rect_join(all, draw_cylinder(r, tool[0], tool[1], tool[2], tool[2] + CUP_HEIGHT,
                                       CUP_RADIUS, rubber));
    all = rect_join(all, draw_cylinder(r, tool[0], tool[1], tool[2] + CUP_HEIGHT,
                                       tool[2] + SLIDE_BOTTOM, TUBE_RADIUS, steel));
    all = rect_join(all, draw_box(r, CARRIAGE, tool));
    return rect_join(all, draw_box(r, SLIDE, tool));
}
