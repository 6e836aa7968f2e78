#include "vision/rim.h"

#include <math.h>

enum {
    ANGLES = 48,
    HALVINGS = 5,   // of the reach: to a fiftieth of a radius
    MAP_HALF = 32,  // samples from the middle of the map to its edge
    MAP_RADIUS = 16 // … and in a stone's radius
};

#define MAP (2 * MAP_HALF + 1)

static const double TURN_COSINE = 0.99144486137381041, TURN_SINE = 0.13052619222005159; // 7.5°

static const double INSIDE = 0.95, OUTSIDE = 1.05; // of the outline
static const double REACH = 0.5;                   // radii
static const float FULL = 0.8F;                    // a step that is as clear as can be
static const float LEAST = 0.1F;                   // of FULL, on the average of the outline
static const double LINE = 1.2;                    // mm from the middle of a grid line, with blur

// What is like the stone and what is like the surface: 1 and 0, on a grid about the start.
struct rim_map {
    double step;   // mm
    double per_mm; // steps
    double at[2];  // mm from the grid point to the map's middle
    double end[2]; // mm from the grid point to the middle of the next lines
    float like[MAP * MAP];
};

struct outline {
    double edge[ANGLES][2]; // mm from the base's centre
};

static float likeness(const struct rim_look *look, float log_luma)
{
    static const float NOISE = 0.05F, CLEAR = 0.4F; // log units
    const float d = log_luma - look->surface;
    // A shadow lies early on the way from the surface to the stone, even where it is dark.
    const float w =
        look->stone == 0 ? (fabsf(d) - NOISE) / (CLEAR - NOISE) : 2 * d / look->stone - 0.6F;
    return w < 0 ? 0 : w > 1 ? 1 : w;
}

// From 0 to the limit. Thousands of times for a stone: fmin() and fmax() are calls.
static double within(double value, double limit)
{
    value = value > 0 ? value : 0;
    return value < limit ? value : limit;
}

static float log_luma_at(const struct picture *p, double x, double y)
{
    x = within(x, p->width - 1.001);
    y = within(y, p->height - 1.001);
    const int left = (int)x, top = (int)y;
    const float fx = (float)(x - left), fy = (float)(y - top);
    const uint8_t *at = p->luma + (long)top * p->width + left;
    const uint8_t *below = at + p->width;
    return (1 - fy) * ((1 - fx) * SAMPLER_LOG[at[0]] + fx * SAMPLER_LOG[at[1]]) +
           fy * ((1 - fx) * SAMPLER_LOG[below[0]] + fx * SAMPLER_LOG[below[1]]);
}

// Over so small a part of the picture cells go over into pixels by an affine map.
static void sample(const struct sampler *s, const struct picture *p, const struct rim_look *look,
                   struct rim_map *map)
{
    static const double NEAR = 0.4; // cells
    const struct geometry *g = &s->geometry;
    const double u = look->column + map->at[0] / g->pitch_x;
    const double v = look->row + map->at[1] / g->pitch_y;
    double at[2], east[2], west[2], north[2], south[2];
    geometry_board_to_image(g, u, v, &at[0], &at[1]);
    geometry_board_to_image(g, u + NEAR, v, &east[0], &east[1]);
    geometry_board_to_image(g, u - NEAR, v, &west[0], &west[1]);
    geometry_board_to_image(g, u, v + NEAR, &north[0], &north[1]);
    geometry_board_to_image(g, u, v - NEAR, &south[0], &south[1]);
    const double kx = map->step / (2 * NEAR * g->pitch_x), ky = map->step / (2 * NEAR * g->pitch_y);
    for (int b = 0; b < MAP; b++)
        for (int a = 0; a < MAP; a++) {
            const double x = kx * (a - MAP_HALF), y = ky * (b - MAP_HALF);
            const float log_luma =
                log_luma_at(p, at[0] + x * (east[0] - west[0]) + y * (north[0] - south[0]),
                            at[1] + x * (east[1] - west[1]) + y * (north[1] - south[1]));
            map->like[b * MAP + a] = likeness(look, log_luma);
        }
}

// The base's circle on the near side; on the far side the dome's flank, which hides it.
static void draw_outline(const struct sampler *s, const struct rim_look *look, struct outline *o)
{
    const double radius = look->diameter / 2;
    const double away[2] = {look->column * s->geometry.pitch_x - s->pose.x,
                            look->row * s->geometry.pitch_y - s->pose.y};
    const double distance = fmax(1e-9, hypot(away[0], away[1]));
    const double slope = distance / s->pose.z;
    const double far = sqrt(radius * radius + look->height * look->height * slope * slope);
    double e[2] = {1, 0};
    for (int k = 0; k < ANGLES; k++) { // so, and not by cos(), every libm reads the same board
        const double along = (e[0] * away[0] + e[1] * away[1]) / distance;
        const double more = along > 0 ? (far - radius) * along : 0;
        for (int c = 0; c < 2; c++)
            o->edge[k][c] = radius * e[c] + more * away[c] / distance;
        const double turned = TURN_COSINE * e[0] - TURN_SINE * e[1];
        e[1] = TURN_SINE * e[0] + TURN_COSINE * e[1];
        e[0] = turned;
    }
}

// On one of the grid's lines? (x, y) in mm from the map's middle.
static bool on_line(const struct rim_map *m, double x, double y)
{
    const double a = fabs(m->at[0] + x), b = fabs(m->at[1] + y);
    return a < LINE || b < LINE || a > m->end[0] - LINE || b > m->end[1] - LINE;
}

static float map_at(const struct rim_map *m, double x, double y)
{
    const double a = within(x * m->per_mm + MAP_HALF, MAP - 1.001);
    const double b = within(y * m->per_mm + MAP_HALF, MAP - 1.001);
    const int column = (int)a, row = (int)b;
    const float fx = (float)(a - column), fy = (float)(b - row);
    const float *at = m->like + (long)row * MAP + column;
    return (1 - fy) * ((1 - fx) * at[0] + fx * at[1]) +
           fy * ((1 - fx) * at[MAP] + fx * at[MAP + 1]);
}

// Each direction counts for itself and up to a limit, so that one without a step - a shadow lies
// there, or another stone - does not outweigh the others.
static float score(const struct rim_map *m, const struct outline *o, double x, double y)
{
    float sum = 0;
    int count = 0;
    for (int k = 0; k < ANGLES; k++) {
        const double *e = o->edge[k];
        const double in[2] = {x + INSIDE * e[0], y + INSIDE * e[1]};
        const double out[2] = {x + OUTSIDE * e[0], y + OUTSIDE * e[1]};
        if (on_line(m, in[0], in[1]) || on_line(m, out[0], out[1]))
            continue;
        const float step = map_at(m, in[0], in[1]) - map_at(m, out[0], out[1]);
        sum += step < -FULL ? -FULL : step > FULL ? FULL : step;
        count++;
    }
    return count >= ANGLES / 3 ? sum / ((float)count * FULL) : -1;
}

bool rim_centre(const struct sampler *s, const struct picture *p, const struct rim_look *look,
                float *u, float *v)
{
    const double pitch[2] = {s->geometry.pitch_x, s->geometry.pitch_y};
    struct rim_map map = {.step = look->diameter / 2 / MAP_RADIUS,
                          .per_mm = 2 * MAP_RADIUS / look->diameter,
                          .at = {*u * pitch[0], *v * pitch[1]},
                          .end = {pitch[0], pitch[1]}};
    struct outline outline;
    sample(s, p, look, &map);
    draw_outline(s, look, &outline);
    float best = -1;
    double best_at[2] = {0, 0}, step = REACH * look->diameter / 2;
    for (int halving = 0; halving < HALVINGS; halving++) {
        step /= 2;
        const int reach = halving < 2 ? 2 : 1; // wider at first: there is more than one summit
        const double from[2] = {best_at[0], best_at[1]};
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                const double at[2] = {from[0] + step * x, from[1] + step * y};
                const float found = score(&map, &outline, at[0], at[1]);
                if (found > best) {
                    best = found;
                    best_at[0] = at[0];
                    best_at[1] = at[1];
                }
            }
    }
    if (best < LEAST)
        return false;
    *u += (float)(best_at[0] / pitch[0]);
    *v += (float)(best_at[1] / pitch[1]);
    return true;
}
