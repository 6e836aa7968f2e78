// Glass stones: flat below, domed above. Each pixel's ray meets a half ellipsoid; part of the light
// is mirrored (lamp, window, ceiling), the rest is bent into the glass, coloured on its way and
// shows what the sheet below looks like, lit by what the stone lets through and gathers.
#include <math.h>
#include <string.h>

#include "controller/sim/render_private.h"

#define GLASS_INDEX   1.5f
#define LAMP_RADIANCE 38.0f // of the lamp's mirror image, relative to a lit white sheet
#define SOLID_ALPHA   0.96f

struct material {
    struct rgb absorb; // per mm
    struct rgb body;   // what the glass itself scatters back
    struct rgb glow;   // light that goes through and lands beside
    float opaque;      // 0 = clear glass, 1 = a pebble
};

static const struct material MATERIALS[STONE_COLOUR_COUNT] = {
    [STONE_CLEAR] = {{0.020f, 0.010f, 0.014f}, {0.05f, 0.06f, 0.06f}, {0.95f, 1.0f, 0.98f}, 0},
    [STONE_WHITE] = {{0.2f, 0.2f, 0.2f}, {0.86f, 0.85f, 0.80f}, {0.3f, 0.3f, 0.28f}, 0.93f},
    [STONE_BLACK] = {{0.9f, 0.9f, 0.9f}, {0.016f, 0.016f, 0.018f}, {0, 0, 0}, 1},
    [STONE_RED] = {{0.035f, 0.40f, 0.36f}, {0.095f, 0.004f, 0.006f}, {1.0f, 0.10f, 0.08f}, 0.08f},
    [STONE_BLUE] = {{0.34f, 0.17f, 0.030f}, {0.004f, 0.012f, 0.085f}, {0.08f, 0.26f, 1.0f}, 0.08f},
    [STONE_GREEN] = {{0.30f, 0.050f, 0.23f},
                     {0.004f, 0.050f, 0.013f},
                     {0.10f, 0.85f, 0.22f},
                     0.06f},
    [STONE_AMBER] = {{0.022f, 0.105f, 0.40f}, {0.12f, 0.048f, 0.004f}, {1.0f, 0.58f, 0.07f}, 0.05f},
};

// What is the same for all pixels of a stone.
struct gem {
    const struct scene_stone *s;
    const struct material *m;
    struct rgb lamp, ambient; // on a level surface here
    float slope_x, slope_y;   // towards the lamp, mm a mm of height
    float to_lamp[3];         // unit
    float lamp_cosine;        // of the lamp's radius as seen from here
    float window[3];          // unit, towards the window
    float jacobian[4];        // pixels per table mm: du/dx du/dy dv/dx dv/dy
    float centre[2];          // pixel of the base's centre
};

static float dot3(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void unit3(float v[3])
{
    const float n = 1 / sqrtf(dot3(v, v));
    v[0] *= n;
    v[1] *= n;
    v[2] *= n;
}

static bool gem_set(const struct render *r, const struct scene_stone *s, struct gem *g)
{
    const struct light *l = &r->light;
    double at[2], dx[2], dy[2];
    if (!view_project(&r->view, s->x, s->y, s->z, at) ||
        !view_project(&r->view, s->x + 1, s->y, s->z, dx) ||
        !view_project(&r->view, s->x, s->y + 1, s->z, dy))
        return false;
    *g = (struct gem){.s = s, .m = &MATERIALS[s->colour]};
    light_at(l, s->x, s->y, s->z, &g->lamp, &g->ambient);
    g->to_lamp[0] = (float)l->lamp[0] - s->x;
    g->to_lamp[1] = (float)l->lamp[1] - s->y;
    g->to_lamp[2] = (float)l->lamp[2] - s->z;
    const float d = sqrtf(dot3(g->to_lamp, g->to_lamp));
    g->slope_x = g->to_lamp[0] / g->to_lamp[2];
    g->slope_y = g->to_lamp[1] / g->to_lamp[2];
    unit3(g->to_lamp);
    g->lamp_cosine = cosf(atanf((float)l->size / 2 / d));
    g->window[0] = (float)l->window_x;
    g->window[1] = (float)l->window_y;
    g->window[2] = 0.62f;
    unit3(g->window);
    g->centre[0] = (float)at[0];
    g->centre[1] = (float)at[1];
    g->jacobian[0] = (float)(dx[0] - at[0]);
    g->jacobian[1] = (float)(dy[0] - at[0]);
    g->jacobian[2] = (float)(dx[1] - at[1]);
    g->jacobian[3] = (float)(dy[1] - at[1]);
    return true;
}

// --- shadow and glow on what is below ---

static void shadow_pixel(const struct render *r, uint8_t *pixel, const struct gem *g, float x,
                         float y)
{
    const struct scene_stone *s = g->s;
    const float qx = x - s->x, qy = y - s->y, r2 = s->radius * s->radius;
    const float slope2 = g->slope_x * g->slope_x + g->slope_y * g->slope_y;
    // Where the ray towards the lamp comes nearest to the stone.
    const float a = slope2 / r2 + 1 / (s->height * s->height);
    const float b = (qx * g->slope_x + qy * g->slope_y) / r2;
    const float z = maxf(0, -b / a);
    const float px = qx + z * g->slope_x, py = qy + z * g->slope_y;
    const float metric = sqrtf((px * px + py * py) / r2 + z * z / (s->height * s->height));
    const float soft = 0.10f + 0.035f * z;
    const float shadow = 1 - smoothf(1 - soft, 1 + soft, metric);
    const float d = sqrtf(qx * qx + qy * qy) - s->radius;
    const float contact = 0.42f * expf(-maxf(d, 0) / 1.7f);
    if (shadow <= 0 && contact < 0.01f)
        return;
    const float lamp = r->light.lamp_share;
    // The light that goes through gathers in a spot away from the lamp.
    const float gx = qx + g->slope_x * s->height * 0.9f + 0.55f * s->radius * g->to_lamp[0];
    const float gy = qy + g->slope_y * s->height * 0.9f + 0.55f * s->radius * g->to_lamp[1];
    const float spot = expf(-(gx * gx + gy * gy) / (0.30f * r2));
    const float through = (1 - g->m->opaque) * (0.16f + 1.0f * spot);
    const struct rgb old = get_rgb(r, pixel);
    const float dark = 1 - (1 - lamp) * contact;
    const struct rgb k = {dark - lamp * shadow * (1 - g->m->glow.r * through),
                          dark - lamp * shadow * (1 - g->m->glow.g * through),
                          dark - lamp * shadow * (1 - g->m->glow.b * through)};
    put_rgb(r, pixel, mul_rgb(old, k));
}

// --- the stone itself ---

// Where the pixel's ray meets the dome: its height above the base, < 0 = not at all. (gx, gy) is
// the table point behind the pixel, (ex, ey) the ray's way in x and y for one mm of height.
static float meet_dome(const struct scene_stone *s, float gx, float gy, float ex, float ey)
{
    const float qx = gx + ex * s->z - s->x, qy = gy + ey * s->z - s->y;
    const float r2 = s->radius * s->radius;
    const float a = (ex * ex + ey * ey) / r2 + 1 / (s->height * s->height);
    const float b = 2 * (qx * ex + qy * ey) / r2;
    const float c = (qx * qx + qy * qy) / r2 - 1;
    const float disc = b * b - 4 * a * c;
    return disc < 0 ? -1 : (-b + sqrtf(disc)) / (2 * a);
}

// The sheet as it shows at a table point near the stone.
static struct rgb below(const struct render *r, const struct gem *g, float dx, float dy)
{
    const float u = g->centre[0] + g->jacobian[0] * dx + g->jacobian[1] * dy;
    const float v = g->centre[1] + g->jacobian[2] * dx + g->jacobian[3] * dy;
    const int x = (int)clampf(u, 0, (float)(r->width - 2));
    const int y = (int)clampf(v, 0, (float)(r->height - 2));
    const float fx = clampf(u - (float)x, 0, 1), fy = clampf(v - (float)y, 0, 1);
    const uint8_t *p = r->empty + 3 * pixel_at(r, x, y);
    const uint8_t *q = p + 3 * r->width;
    const struct rgb top = mix_rgb(get_rgb(r, p), get_rgb(r, p + 3), fx);
    return mix_rgb(top, mix_rgb(get_rgb(r, q), get_rgb(r, q + 3), fx), fy);
}

static float fresnel(float cosine)
{
    const float k = 1 - cosine;
    return 0.04f + 0.96f * k * k * k * k * k;
}

// What is mirrored in direction `d`: the lamp, a window with its bars, the ceiling.
static struct rgb mirrored(const struct render *r, const struct gem *g, const float d[3])
{
    const float lamp = dot3(d, g->to_lamp);
    const float rim = (1 - g->lamp_cosine);
    float light =
        LAMP_RADIANCE * smoothf(g->lamp_cosine - 1.2f * rim, g->lamp_cosine + 0.3f * rim, lamp);
    light += 1.3f * powf(maxf(0, lamp), 140); // the shade around the lamp
    const float ahead = dot3(d, g->window);
    if (ahead > 0.6f && r->light.window > 0) {
        const float side = d[0] * -g->window[1] + d[1] * g->window[0];
        const float up = d[2] - 0.52f * ahead;
        const float pane = smoothf(0.30f, 0.27f, fabsf(side)) * smoothf(0.20f, 0.17f, fabsf(up)) *
                           smoothf(0.012f, 0.028f, fabsf(side)) *
                           smoothf(0.008f, 0.020f, fabsf(up));
        light += 9.0f * (float)r->light.window * pane;
    }
    const float room = 0.25f + 0.45f * maxf(0, d[2]);
    return add_rgb(scale_rgb(g->lamp, light), scale_rgb(g->ambient, room + 0.3f));
}

// Colour of the light that comes up through the glass along `t` (unit, downwards) from `p`.
static struct rgb transmitted(const struct render *r, const struct gem *g, const float p[3],
                              const float t[3], const float n[3])
{
    const struct scene_stone *s = g->s;
    const struct material *m = g->m;
    const float way = p[2] / maxf(0.2f, -t[2]);
    float bx = p[0] + t[0] * way, by = p[1] + t[1] * way;
    const float far = sqrtf(bx * bx + by * by) / s->radius;
    if (far > 0.97f) { // total reflection at the foot: the ray stays inside
        bx *= 0.97f / far;
        by *= 0.97f / far;
    }
    const struct rgb sheet = below(r, g, bx, by);
    // The dome gathers the lamp's light into a bright patch opposite to the lamp.
    const float cx = bx + g->to_lamp[0] * 0.62f * s->radius,
                cy = by + g->to_lamp[1] * 0.62f * s->radius;
    const float spot = expf(-(cx * cx + cy * cy) / (0.26f * s->radius * s->radius));
    const float lamp = r->light.lamp_share;
    const float lit = lamp * (0.20f + 2.5f * spot) + (1 - lamp) * 0.62f;
    const float path = way + 0.75f * s->height;
    struct rgb c = {sheet.r * lit * expf(-m->absorb.r * path),
                    sheet.g * lit * expf(-m->absorb.g * path),
                    sheet.b * lit * expf(-m->absorb.b * path)};
    const float wrap = 0.45f + 0.55f * maxf(0, dot3(n, g->to_lamp));
    const float haze = wrap * (0.45f + 1.9f * spot);
    const struct rgb body = {m->body.r * (g->lamp.r * haze + 0.5f * g->ambient.r),
                             m->body.g * (g->lamp.g * haze + 0.5f * g->ambient.g),
                             m->body.b * (g->lamp.b * haze + 0.5f * g->ambient.b)};
    return add_rgb(c, body);
}

static struct rgb solid(const struct gem *g, const float n[3])
{
    const float face = maxf(0, dot3(n, g->to_lamp)) / maxf(0.3f, g->to_lamp[2]);
    const float sky = 0.55f + 0.45f * n[2];
    return mul_rgb(g->m->body, add_rgb(scale_rgb(g->lamp, face), scale_rgb(g->ambient, sky)));
}

static struct rgb shade_gem(const struct render *r, const struct gem *g, float x, float y, float z)
{
    const struct scene_stone *s = g->s;
    const float p[3] = {x - s->x, y - s->y, z};
    float n[3] = {p[0] / (s->radius * s->radius), p[1] / (s->radius * s->radius),
                  p[2] / (s->height * s->height)};
    unit3(n);
    float v[3] = {(float)r->view.eye[0] - x, (float)r->view.eye[1] - y,
                  (float)r->view.eye[2] - s->z - z};
    unit3(v);
    const float cosine = maxf(0.02f, dot3(n, v));
    float mirror[3], bent[3];
    const float inner = 1 - (1 - cosine * cosine) / (GLASS_INDEX * GLASS_INDEX);
    for (int a = 0; a < 3; a++) {
        mirror[a] = 2 * cosine * n[a] - v[a];
        bent[a] = (-v[a] + cosine * n[a]) / GLASS_INDEX - n[a] * sqrtf(inner);
    }
    struct rgb in = transmitted(r, g, p, bent, n);
    if (g->m->opaque > 0)
        in = mix_rgb(in, solid(g, n), g->m->opaque);
    // The foot is ground glass: a darker edge all round.
    const float foot = 0.50f + 0.50f * smoothf(0, 0.34f, z / s->height);
    const float f = fresnel(cosine);
    return add_rgb(scale_rgb(in, (1 - f) * foot), scale_rgb(mirrored(r, g, mirror), f));
}

// Share of the pixel that the stone covers, by four samples, and its colour.
static void gem_pixel(const struct render *r, uint8_t *pixels, const struct gem *g, int x, int y)
{
    static const float SAMPLES[4][2] = {
        {-0.125f, -0.375f}, {0.375f, -0.125f}, {0.125f, 0.375f}, {-0.375f, 0.125f}};
    const size_t i = pixel_at(r, x, y);
    const size_t right = x + 1 < r->width ? i + 1 : i - 1;
    const size_t down = y + 1 < r->height ? i + (size_t)r->width : i - (size_t)r->width;
    const float gx = r->ground_x[i], gy = r->ground_y[i];
    const float xu = (r->ground_x[right] - gx) * (x + 1 < r->width ? 1.0f : -1.0f);
    const float yu = (r->ground_y[right] - gy) * (x + 1 < r->width ? 1.0f : -1.0f);
    const float xv = (r->ground_x[down] - gx) * (y + 1 < r->height ? 1.0f : -1.0f);
    const float yv = (r->ground_y[down] - gy) * (y + 1 < r->height ? 1.0f : -1.0f);
    const float up = 1 / (float)r->view.eye[2];
    int hits = 0;
    struct rgb sum = {0};
    for (int k = 0; k < 4; k++) {
        const float sx = gx + xu * SAMPLES[k][0] + xv * SAMPLES[k][1];
        const float sy = gy + yu * SAMPLES[k][0] + yv * SAMPLES[k][1];
        const float ex = ((float)r->view.eye[0] - sx) * up;
        const float ey = ((float)r->view.eye[1] - sy) * up;
        const float z = meet_dome(g->s, sx, sy, ex, ey);
        if (z < 0)
            continue;
        hits++;
        const float h = g->s->z + z;
        const struct rgb c = shade_gem(r, g, sx + ex * h, sy + ey * h, z);
        // A sample may be a hundred times white; the sensor clips each.
        sum = add_rgb(sum, (struct rgb){minf(c.r, 1.6f), minf(c.g, 1.6f), minf(c.b, 1.6f)});
    }
    if (!hits)
        return;
    uint8_t *pixel = pixels + 3 * i;
    const struct rgb c = scale_rgb(sum, vignette(r, x, y) / (float)hits);
    put_rgb(r, pixel, mix_rgb(get_rgb(r, pixel), c, (float)hits / 4));
}

static struct rect stone_rect(const struct render *r, const struct scene_stone *s)
{
    const double reach = s->radius + 0.5;
    const double low[3] = {s->x - reach, s->y - reach, s->z};
    const double high[3] = {s->x + reach, s->y + reach, s->z + s->height};
    return rect_of_box(r, low, high);
}

static struct rect shadow_rect(const struct render *r, const struct scene_stone *s)
{
    const struct light *l = &r->light;
    const double top = s->z + s->height, f = top / (l->lamp[2] - top);
    const double sx = (s->x - l->lamp[0]) * f, sy = (s->y - l->lamp[1]) * f;
    const double reach = s->radius + 4;
    const double low[3] = {s->x - reach + fmin(0, sx), s->y - reach + fmin(0, sy), 0};
    const double high[3] = {s->x + reach + fmax(0, sx), s->y + reach + fmax(0, sy), 0};
    return rect_of_box(r, low, high);
}

static struct rect both_rects(const struct render *r, const struct scene_stone *s)
{
    return rect_join(stone_rect(r, s), shadow_rect(r, s));
}

static struct rect overlap(struct rect a, struct rect b)
{
    return (struct rect){a.x0 > b.x0 ? a.x0 : b.x0, a.y0 > b.y0 ? a.y0 : b.y0,
                         a.x1 < b.x1 ? a.x1 : b.x1, a.y1 < b.y1 ? a.y1 : b.y1};
}

static void draw_shadow(const struct render *r, uint8_t *pixels, const struct gem *g,
                        struct rect clip)
{
    const struct rect a = overlap(shadow_rect(r, g->s), clip);
    // The shadow lies where the lamp's rays through the stone meet the table.
    const float dx = -g->slope_x * g->s->z, dy = -g->slope_y * g->s->z;
    struct gem moved = *g;
    struct scene_stone s = *g->s;
    s.x += dx;
    s.y += dy;
    moved.s = &s;
    for (int y = a.y0; y < a.y1; y++)
        for (int x = a.x0; x < a.x1; x++)
            shadow_pixel(r, pixels + 3 * pixel_at(r, x, y), &moved, r->ground_x[pixel_at(r, x, y)],
                         r->ground_y[pixel_at(r, x, y)]);
}

static void draw_gem(const struct render *r, uint8_t *pixels, const struct gem *g, struct rect clip)
{
    const struct rect a = overlap(stone_rect(r, g->s), clip);
    for (int y = a.y0; y < a.y1; y++)
        for (int x = a.x0; x < a.x1; x++)
            gem_pixel(r, pixels, g, x, y);
}

struct rect stone_draw(struct render *r, uint8_t *pixels, const struct scene_stone *stone,
                       struct rect clip)
{
    struct gem g;
    if (!gem_set(r, stone, &g))
        return (struct rect){0};
    draw_shadow(r, pixels, &g, clip);
    draw_gem(r, pixels, &g, clip);
    return overlap(both_rects(r, stone), clip);
}

// --- the layer of stones at rest ---

// Everything within `clip` anew: table, then shadows, then stones, far ones first.
static void redraw(struct render *r, const struct scene *scene, struct rect clip)
{
    if (rect_empty(clip))
        return;
    const size_t bytes = (size_t)(clip.x1 - clip.x0) * 3;
    for (int y = clip.y0; y < clip.y1; y++) {
        const size_t at = 3 * pixel_at(r, clip.x0, y);
        memcpy(r->still + at, r->empty + at, bytes);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < scene->stones; i++) {
            struct gem g;
            if (rect_empty(overlap(both_rects(r, &scene->stone[i]), clip)) ||
                !gem_set(r, &scene->stone[i], &g))
                continue;
            if (pass == 0)
                draw_shadow(r, r->still, &g, clip);
            else
                draw_gem(r, r->still, &g, clip);
        }
    }
}

static const struct scene_stone *by_id(const struct scene_stone *list, int count, int id)
{
    for (int i = 0; i < count; i++)
        if (list[i].id == id)
            return &list[i];
    return NULL;
}

static bool same_stone(const struct scene_stone *a, const struct scene_stone *b)
{
    return a->x == b->x && a->y == b->y && a->z == b->z && a->radius == b->radius &&
           a->height == b->height && a->turn == b->turn && a->colour == b->colour;
}

// Draws anew wherever `list` has a stone that is not the same in `other`.
static void redraw_differences(struct render *r, const struct scene *scene,
                               const struct scene_stone *list, int count,
                               const struct scene_stone *other, int other_count)
{
    for (int i = 0; i < count; i++) {
        const struct scene_stone *same = by_id(other, other_count, list[i].id);
        if (!same || !same_stone(same, &list[i]))
            redraw(r, scene, both_rects(r, &list[i]));
    }
}

void stones_draw(struct render *r, const struct scene *scene, bool all)
{
    if (all) {
        redraw(r, scene, (struct rect){0, 0, r->width, r->height});
    } else {
        redraw_differences(r, scene, r->drawn, r->drawn_count, scene->stone, scene->stones);
        redraw_differences(r, scene, scene->stone, scene->stones, r->drawn, r->drawn_count);
    }
    memcpy(r->drawn, scene->stone, (size_t)scene->stones * sizeof r->drawn[0]);
    r->drawn_count = scene->stones;
}
