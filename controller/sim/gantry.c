// The gantry: an aluminium beam over the table, a carriage, a slide that goes up and down with the
// tube and its cup.
#include <math.h>

#include "controller/sim/render_private.h"

// mm; y relative to the tool, z above the table
#define BEAM_LEFT       (-400.0)
#define BEAM_RIGHT      800.0
#define BEAM_NEAR       30.0
#define BEAM_FAR        60.0
#define BEAM_BOTTOM     66.0
#define BEAM_TOP        96.0
#define CARRIAGE_HALF   26.0
#define CARRIAGE_NEAR   (-4.0)
#define CARRIAGE_BOTTOM 62.0
#define CARRIAGE_TOP    104.0
#define SLIDE_HALF      11.0
#define SLIDE_BOTTOM    32.0 // above the cup's lip
#define SLIDE_TOP       92.0
#define TUBE_RADIUS     3.4
#define CUP_RADIUS      4.2
#define CUP_HEIGHT      9.0

enum { LIGHT_SAMPLES = 9 };

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

static float side_inside(float v, float low, float high, float soft)
{
    return smoothf(-soft, soft, v - low) * smoothf(-soft, soft, high - v);
}

// The shadow of a box as seen from the lamp: a rectangle at the box's middle height.
struct shade {
    float to_lamp;        // of the way from the table to the lamp
    float lamp_x, lamp_y; // mm
    float low_x, high_x, low_y, high_y, soft;
    struct rect area;
};

// How much of the lamp is hidden from the table point (x, y).
static float hidden(const struct shade *s, float x, float y)
{
    const float px = x + (s->lamp_x - x) * s->to_lamp, py = y + (s->lamp_y - y) * s->to_lamp;
    if (px < s->low_x - s->soft || px > s->high_x + s->soft || py < s->low_y - s->soft ||
        py > s->high_y + s->soft)
        return 0;
    return side_inside(px, s->low_x, s->high_x, s->soft) *
           side_inside(py, s->low_y, s->high_y, s->soft);
}

static struct rect shadow_area(const struct render *r, const struct box *b)
{
    const struct light *l = &r->light;
    double low[3] = {1e9, 1e9, 0}, high[3] = {-1e9, -1e9, 0};
    for (int i = 0; i < 8; i++) {
        const double z = i & 4 ? b->high[2] : b->low[2], f = z / (l->lamp[2] - z);
        const double x = i & 1 ? b->high[0] : b->low[0], y = i & 2 ? b->high[1] : b->low[1];
        range_include(&low[0], &high[0], x + (x - l->lamp[0]) * f);
        range_include(&low[1], &high[1], y + (y - l->lamp[1]) * f);
    }
    const double soft = 4 + l->size * b->high[2] / l->lamp[2];
    low[0] = fmax(low[0] - soft, -2000), low[1] -= soft;
    high[0] = fmin(high[0] + soft, 2000), high[1] += soft;
    return rect_of_box(r, low, high);
}

static struct shade shade_of(const struct render *r, const struct box *b)
{
    const struct light *l = &r->light;
    const double z = (b->low[2] + b->high[2]) / 2, t = z / l->lamp[2];
    // The box's own height widens its shadow away from the lamp.
    const double wide = (b->high[2] - b->low[2]) / 2 / l->lamp[2];
    const double wx = fabs(l->lamp[0] - (b->low[0] + b->high[0]) / 2) * wide;
    const double wy = fabs(l->lamp[1] - (b->low[1] + b->high[1]) / 2) * wide;
    return (struct shade){.to_lamp = (float)t,
                          .lamp_x = (float)l->lamp[0],
                          .lamp_y = (float)l->lamp[1],
                          .low_x = (float)(b->low[0] - wx),
                          .high_x = (float)(b->high[0] + wx),
                          .low_y = (float)(b->low[1] - wy),
                          .high_y = (float)(b->high[1] + wy),
                          .soft = (float)(2 + l->size / 2 * t),
                          .area = shadow_area(r, b)};
}

static void shade_row(struct render *r, const struct shade *shade, struct rect all, int y)
{
    const float lamp = r->light.lamp_share;
    for (int x = all.x0; x < all.x1; x++) {
        const size_t i = pixel_at(r, x, y);
        float light = 1;
        for (int k = 0; k < PARTS; k++) {
            const struct rect *a = &shade[k].area;
            if (x >= a->x0 && x < a->x1 && y >= a->y0 && y < a->y1)
                light *= 1 - hidden(&shade[k], r->ground_x[i], r->ground_y[i]);
        }
        if (light > 0.995f)
            continue;
        const uint8_t *map = r->shade[(int)((1 - lamp * (1 - light)) * SHADES + 0.5f)];
        uint8_t *pixel = r->work + 3 * i;
        pixel[0] = map[pixel[0]];
        pixel[1] = map[pixel[1]];
        pixel[2] = map[pixel[2]];
    }
}

struct rect gantry_shadow(struct render *r, const double tool[3])
{
    struct shade shade[PARTS];
    struct rect all = {0};
    for (int i = 0; i < PARTS; i++) {
        const struct box box = part_box((enum part)i, tool);
        shade[i] = shade_of(r, &box);
        all = rect_join(all, shade[i].area);
    }
    for (int y = all.y0; y < all.y1; y++)
        shade_row(r, shade, all, y);
    return all;
}

// --- boxes ---

struct hit {
    float at[3];
    int face;    // axis of the normal
    float sign;  // its direction
    float cover; // of the pixel
};

// The pixel's ray against a box.
static bool meet_box(const struct box *b, const float eye[3], const float ground[3],
                     struct hit *ret)
{
    float in = 0, out = 1, way[3];
    int face = 2;
    for (int a = 0; a < 3; a++) {
        way[a] = ground[a] - eye[a];
        const float inverse = 1 / (fabsf(way[a]) < 1e-6f ? 1e-6f : way[a]);
        const float t0 = ((float)b->low[a] - eye[a]) * inverse;
        const float t1 = ((float)b->high[a] - eye[a]) * inverse;
        const float near = minf(t0, t1);
        if (near > in) {
            in = near;
            face = a;
        }
        out = minf(out, maxf(t0, t1));
    }
    if (in >= out)
        return false;
    for (int a = 0; a < 3; a++)
        ret->at[a] = eye[a] + in * way[a];
    ret->face = face;
    ret->sign = way[face] > 0 ? -1 : 1;
    // Near an edge the way through the box becomes short: that is how much is covered.
    const float length = sqrtf(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    ret->cover = clampf((out - in) * length * 0.55f, 0, 1);
    return true;
}

// Light along the x axis of a box, for each of its faces towards the camera; between the samples it
// changes evenly enough.
struct box_light {
    struct rgb at[3][LIGHT_SAMPLES];
};

static void box_light_set(const struct render *r, const struct box *b, struct box_light *ret)
{
    for (int a = 0; a < 3; a++) {
        const double mid = (b->low[a] + b->high[a]) / 2;
        double normal[3] = {0};
        normal[a] = a == 2 || r->view.eye[a] > mid ? 1 : -1;
        for (int i = 0; i < LIGHT_SAMPLES; i++) {
            double at[3];
            for (int c = 0; c < 3; c++)
                at[c] = (b->low[c] + b->high[c]) / 2;
            at[0] = b->low[0] + (b->high[0] - b->low[0]) * i / (LIGHT_SAMPLES - 1);
            ret->at[a][i] = light_on(&r->light, at, normal);
        }
    }
}

static struct rgb box_light_at(const struct box_light *l, const struct box *b, const struct hit *h)
{
    const float t = (h->at[0] - (float)b->low[0]) / (float)(b->high[0] - b->low[0]);
    const float s = clampf(t, 0, 1) * (LIGHT_SAMPLES - 1);
    const int i = s >= LIGHT_SAMPLES - 1 ? LIGHT_SAMPLES - 2 : (int)s;
    return mix_rgb(l->at[h->face][i], l->at[h->face][i + 1], s - (float)i);
}

static struct rgb beam_paint(const struct hit *h, const double tool[3])
{
    // Brushed, with the T-slots of extruded aluminium.
    const float across = h->face == 2 ? (h->at[1] - (float)(tool[1] + BEAM_NEAR)) / 30
                                      : (h->at[2] - (float)BEAM_BOTTOM) / 30;
    const float slot = smoothf(0.16f, 0.13f, fabsf(across - 0.5f));
    const float lip = smoothf(0.05f, 0.0f, fabsf(fabsf(across - 0.5f) - 0.19f));
    const float brushed = 0.94f + 0.12f * texture_noise(h->at[0] * 0.02f, across * 90);
    struct rgb c = scale_rgb((struct rgb){0.50f, 0.51f, 0.53f}, brushed);
    c = mix_rgb(c, (struct rgb){0.05f, 0.05f, 0.055f}, slot);
    return scale_rgb(c, 1 + 0.25f * lip);
}

static struct rgb carriage_paint(const struct hit *h, const double tool[3])
{
    struct rgb c = {0.055f, 0.058f, 0.065f};
    c = scale_rgb(c, 0.9f + 0.2f * texture_noise(h->at[0] * 0.9f, h->at[2] * 6));
    const float x = h->at[0] - (float)tool[0], y = h->at[1] - (float)(tool[1] + 30);
    if (h->face == 2) { // four screws on top
        const float dx = fabsf(x) - 19, dy = fabsf(y) - 17;
        c = mix_rgb(c, (struct rgb){0.4f, 0.4f, 0.42f},
                    smoothf(3.0f, 2.3f, sqrtf(dx * dx + dy * dy)));
    } else if (h->face == 1) { // an orange stripe on the front
        const float z = h->at[2] - 83;
        c = mix_rgb(c, (struct rgb){0.75f, 0.20f, 0.03f}, smoothf(3.4f, 2.7f, fabsf(z)));
    }
    return c;
}

static struct rgb slide_paint(const struct hit *h, const double tool[3])
{
    struct rgb c = {0.30f, 0.31f, 0.33f};
    const float x = h->at[0] - (float)tool[0];
    if (h->face == 1) // a rail in the middle
        c = scale_rgb(c, 1 - 0.6f * smoothf(3.2f, 2.6f, fabsf(x)));
    return c;
}

static struct rect draw_box(struct render *r, enum part part, const double tool[3])
{
    const struct box box = part_box(part, tool);
    const struct rect area = rect_of_box(r, box.low, box.high);
    const float eye[3] = {(float)r->view.eye[0], (float)r->view.eye[1], (float)r->view.eye[2]};
    struct box_light along;
    box_light_set(r, &box, &along);
    for (int y = area.y0; y < area.y1; y++) {
        for (int x = area.x0; x < area.x1; x++) {
            struct hit h;
            const size_t i = pixel_at(r, x, y);
            const float ground[3] = {r->ground_x[i], r->ground_y[i], 0};
            if (!meet_box(&box, eye, ground, &h))
                continue;
            const struct rgb paint = part == BEAM       ? beam_paint(&h, tool)
                                     : part == CARRIAGE ? carriage_paint(&h, tool)
                                                        : slide_paint(&h, tool);
            struct rgb c = mul_rgb(paint, box_light_at(&along, &box, &h));
            uint8_t *pixel = r->work + 3 * i;
            c = scale_rgb(c, vignette(r, x, y));
            put_rgb(r, pixel, h.cover < 1 ? mix_rgb(get_rgb(r, pixel), c, h.cover) : c);
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
            c = add_rgb(c,
                        scale_rgb(r->light.ambient_colour, 0.5f * paint.r * (float)pow(shine, 12)));
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
    all = rect_join(
        all, draw_cylinder(r, tool[0], tool[1], tool[2], tool[2] + CUP_HEIGHT, CUP_RADIUS, rubber));
    all = rect_join(all, draw_cylinder(r, tool[0], tool[1], tool[2] + CUP_HEIGHT,
                                       tool[2] + SLIDE_BOTTOM, TUBE_RADIUS, steel));
    all = rect_join(all, draw_box(r, CARRIAGE, tool));
    return rect_join(all, draw_box(r, SLIDE, tool));
}
