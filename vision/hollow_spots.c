// Round things of any size by the votes of the gradients around them.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vision/hollows.h"

enum { HALF_FROM = 5 }; // sizes large enough for half the picture's resolution

static const float RADIUS_LEAST = 4.5F, RADIUS_STEP = 1.17F; // pixels; from size to size
static const float EDGE_LEAST = 0.02F;                       // log units a pixel
static const float EDGE_FULL = 0.06F;                        // more counts as much
static const float VOTES_LEAST = 0.25F;
static const float STEP_FULL = 0.12F;  // log units across a rim; more counts as much
static const float SPOT_LEAST = 0.15F; // strength

struct votes {
    int width, height;
    int edges;
    struct edge {
        uint16_t x, y;
        float dx, dy, weight; // direction, unit
    } * edge;
    float *map[3]; // of three sizes in turn
    float *pass;
    float *sums; // one a column
};

static void collect_edges(struct votes *v, const float *px, float shrunk)
{
    const int w = v->width;
    v->edges = 0;
    for (int y = 1; y < v->height - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            const float *at = px + (size_t)y * (size_t)w + x;
            const float dx = 0.5F * (at[1] - at[-1]), dy = 0.5F * (at[w] - at[-w]);
            const float length = sqrtf(dx * dx + dy * dy);
            if (length < EDGE_LEAST)
                continue;
            v->edge[v->edges++] = (struct edge){(uint16_t)x, (uint16_t)y, dx / length, dy / length,
                                                fminf(length / shrunk, EDGE_FULL) / EDGE_FULL};
        }
}

// Running sums over `half` to both sides along each row.
static void sum_rows(const float *from, float *to, int w, int h, int half)
{
    for (int y = 0; y < h; y++) {
        const float *in = from + (size_t)y * (size_t)w;
        float *out = to + (size_t)y * (size_t)w, sum = 0;
        for (int k = 0; k < half && k < w; k++)
            sum += in[k];
        for (int k = 0; k < w; k++) {
            if (k + half < w)
                sum += in[k + half];
            if (k - half > 0)
                sum -= in[k - half - 1];
            out[k] = sum;
        }
    }
}

// The same along the columns, all of them at once: memory is walked through row by row.
static void sum_columns(const float *from, float *to, int w, int h, int half, float *sum)
{
    memset(sum, 0, (size_t)w * sizeof *sum);
    for (int y = -half; y < h; y++) {
        if (y + half < h) {
            const float *in = from + (size_t)(y + half) * (size_t)w;
            for (int x = 0; x < w; x++)
                sum[x] += in[x];
        }
        if (y - half > 0) {
            const float *in = from + (size_t)(y - half - 1) * (size_t)w;
            for (int x = 0; x < w; x++)
                sum[x] -= in[x];
        }
        if (y >= 0)
            memcpy(to + (size_t)y * (size_t)w, sum, (size_t)w * sizeof *sum);
    }
}

// The votes for things of that radius, gathered from within `half` pixels and over the rim's
// length.
static void vote(struct votes *v, float radius, float *map)
{
    const int w = v->width, h = v->height;
    memset(map, 0, (size_t)w * (size_t)h * sizeof *map);
    for (int k = 0; k < v->edges; k++) {
        const struct edge *e = &v->edge[k];
        for (int side = -1; side <= 1; side += 2) {
            const int x = (int)((float)e->x + (float)side * radius * e->dx + 0.5F);
            const int y = (int)((float)e->y + (float)side * radius * e->dy + 0.5F);
            if (x >= 0 && y >= 0 && x < w && y < h)
                map[(size_t)y * (size_t)w + (size_t)x] += e->weight;
        }
    }
    const int half = (int)fmaxf(1, 0.15F * radius + 0.5F);
    // Twice along both axes: a tent, whose peak is where most votes meet.
    sum_rows(map, v->pass, w, h, half);
    sum_columns(v->pass, map, w, h, half, v->sums);
    const float window = (float)(2 * half + 1);
    sum_rows(map, v->pass, w, h, 1);
    sum_columns(v->pass, map, w, h, 1, v->sums);
    // A rim of one pixel's width all around, all of whose votes meet, is worth 1.
    const float scale = 1 / (9 * 2 * (float)M_PI * radius) * fminf(1, 5 / window);
    for (size_t k = 0; k < (size_t)w * (size_t)h; k++)
        map[k] *= scale;
}

static float parabola(float before, float at, float after)
{
    const float bend = before - 2 * at + after;
    return bend < 0 ? fmaxf(-0.5F, fminf(0.5F, 0.5F * (before - after) / bend)) : 0;
}

static bool is_peak(const float *map, int w, int h, int x, int y, int reach)
{
    const float at = map[(size_t)y * (size_t)w + (size_t)x];
    for (int b = -reach; b <= reach; b++)
        for (int a = -reach; a <= reach; a++) {
            const int i = x + a, j = y + b;
            if (i < 0 || j < 0 || i >= w || j >= h || (a == 0 && b == 0))
                continue;
            const float other = map[(size_t)j * (size_t)w + (size_t)i];
            if (other > at || (other == at && (b < 0 || (b == 0 && a < 0))))
                return false;
        }
    return true;
}

// Keeps the strongest.
static void keep(struct hollow_spots *s, struct cvshim_spot spot)
{
    int at = s->count < HOLLOW_SPOTS_MAX ? s->count++ : HOLLOW_SPOTS_MAX;
    for (; at > 0 && s->spot[at - 1].strength < spot.strength; at--)
        if (at < HOLLOW_SPOTS_MAX)
            s->spot[at] = s->spot[at - 1];
    if (at < HOLLOW_SPOTS_MAX)
        s->spot[at] = spot;
}

// How much a rim of that radius shows around (x, y), 0 … 1. What is inside of it differs from what
// is outside, all around the same way (a marble) or the one way on the lamp's side and the other
// opposite (a hollow): the steps around are a constant and one wave. Grain and edges are not.
static float rim_strength(const struct grid_image *image, float x, float y, float radius)
{
    enum { AROUND = 16 };
    float step[AROUND], mean = 0, c1 = 0, s1 = 0, square = 0;
    for (int k = 0; k < AROUND; k++) {
        const double c = cos(2 * M_PI * k / AROUND), s = sin(2 * M_PI * k / AROUND);
        const double in = 0.72 * (double)radius, out = 1.28 * (double)radius;
        step[k] = grid_image_at(image, (double)x + in * c, (double)y + in * s) -
                  grid_image_at(image, (double)x + out * c, (double)y + out * s);
        mean += step[k] / AROUND;
        c1 += 2 * step[k] * (float)c / AROUND;
        s1 += 2 * step[k] * (float)s / AROUND;
        square += step[k] * step[k] / AROUND;
    }
    const float explained = mean * mean + 0.5F * (c1 * c1 + s1 * s1);
    const float share = square > 0 ? explained / square : 0; // 3 of 16 by chance
    return share * share * fminf(1, sqrtf(explained) / STEP_FULL);
}

static void find_peaks(const struct votes *v, const struct grid_image *image, const float *map,
                       float radius, struct hollow_spots *ret)
{
    const int w = v->width, h = v->height, reach = (int)(0.9F * radius);
    ret->radius = radius;
    ret->count = 0;
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            const float *at = map + (size_t)y * (size_t)w + x;
            if (*at < VOTES_LEAST || at[-1] > *at || at[1] > *at || at[-w] > *at || at[w] > *at ||
                !is_peak(map, w, h, x, y, reach))
                continue;
            const float px = (float)x + parabola(at[-1], *at, at[1]);
            const float py = (float)y + parabola(at[-w], *at, at[w]);
            const float strength = rim_strength(image, px, py, radius);
            if (strength > SPOT_LEAST)
                keep(ret, (struct cvshim_spot){px, py, strength});
        }
}

// The spots of some sizes in a picture `shrunk` times smaller.
// A size is looked at together with the next smaller and larger: perspective and marbles that do
// not fill their hollows make a board's spots that different.
static void find_sizes(struct votes *v, const struct grid_image *image, float shrunk,
                       struct hollow_sizes sizes, struct hollow_spots ret[HOLLOW_SIZES])
{
    const size_t pixels = (size_t)v->width * (size_t)v->height;
    float radius = RADIUS_LEAST / shrunk;
    for (int k = 0; k < sizes.from; k++)
        radius *= RADIUS_STEP;
    vote(v, radius / RADIUS_STEP, v->map[0]);
    vote(v, radius, v->map[1]);
    for (int k = 0; k < sizes.to - sizes.from; k++, radius *= RADIUS_STEP) {
        float *smaller = v->map[k % 3], *own = v->map[(k + 1) % 3], *larger = v->map[(k + 2) % 3];
        struct hollow_spots *spots = &ret[sizes.from + k];
        vote(v, radius * RADIUS_STEP, larger);
        for (size_t n = 0; n < pixels; n++)
            v->pass[n] = fmaxf(own[n], fmaxf(smaller[n], larger[n]));
        find_peaks(v, image, v->pass, radius, spots);
        spots->radius *= shrunk;
        for (int n = 0; n < spots->count; n++) {
            spots->spot[n].x = (spots->spot[n].x + 0.5F) * shrunk - 0.5F;
            spots->spot[n].y = (spots->spot[n].y + 0.5F) * shrunk - 0.5F;
        }
    }
}

static void votes_clear(struct votes *v)
{
    for (int k = 0; k < 3; k++)
        free(v->map[k]);
    free(v->pass);
    free(v->sums);
    free(v->edge);
}

static int votes_set(struct votes *v, const struct grid_image *image, float shrunk)
{
    const size_t pixels = (size_t)image->width * (size_t)image->height;
    *v = (struct votes){.width = image->width, .height = image->height};
    v->edge = malloc(pixels * sizeof *v->edge);
    v->pass = malloc(pixels * sizeof *v->pass);
    v->sums = malloc((size_t)image->width * sizeof *v->sums);
    bool good = v->edge && v->pass && v->sums;
    for (int k = 0; k < 3; k++) {
        v->map[k] = malloc(pixels * sizeof *v->map[k]);
        good = good && v->map[k];
    }
    if (good)
        collect_edges(v, image->px, shrunk);
    else
        votes_clear(v);
    return good ? 0 : -ENOMEM;
}

// Half as wide and high: means of four.
static int halve(const struct grid_image *image, struct grid_image *ret)
{
    *ret = (struct grid_image){.width = image->width / 2, .height = image->height / 2};
    ret->px = malloc((size_t)ret->width * (size_t)ret->height * sizeof *ret->px);
    if (!ret->px)
        return -ENOMEM;
    for (int y = 0; y < ret->height; y++)
        for (int x = 0; x < ret->width; x++) {
            const float *at = image->px + (size_t)(2 * y) * (size_t)image->width + 2 * x;
            ret->px[(size_t)y * (size_t)ret->width + (size_t)x] =
                0.25F * (at[0] + at[1] + at[image->width] + at[image->width + 1]);
        }
    return 0;
}

struct hollow_sizes hollow_sizes_near(double marble_radius)
{
    // Hollows are a little larger than marbles; and the board may be tilted, or have come nearer.
    static const double LEAST = 0.8, MOST = 1.45;
    const double step = log((double)RADIUS_STEP);
    const double from = log(LEAST * marble_radius / (double)RADIUS_LEAST) / step;
    const double to = log(MOST * marble_radius / (double)RADIUS_LEAST) / step;
    return (struct hollow_sizes){(int)fmin(fmax(floor(from), 0), HOLLOW_SIZES - 1),
                                 (int)fmin(fmax(ceil(to), 0), HOLLOW_SIZES - 1) + 1};
}

// At half the resolution, which is enough for large ones.
static int find_large(const struct grid_image *image, struct hollow_sizes sizes,
                      struct hollow_spots *ret)
{
    struct grid_image half;
    struct votes v;
    int r = halve(image, &half);
    if (r != 0)
        return r;
    r = votes_set(&v, &half, 2);
    if (r == 0) {
        find_sizes(&v, &half, 2, sizes, ret);
        votes_clear(&v);
    }
    free(half.px);
    return r;
}

int hollow_spots_find(const struct grid_image *image, struct hollow_sizes sizes,
                      struct hollow_spots ret[HOLLOW_SIZES])
{
    const struct hollow_sizes small = {sizes.from, sizes.to < HALF_FROM ? sizes.to : HALF_FROM};
    const struct hollow_sizes large = {sizes.from > HALF_FROM ? sizes.from : HALF_FROM, sizes.to};
    struct votes v;
    int r = 0;
    for (int k = 0; k < HOLLOW_SIZES; k++)
        ret[k].count = 0;
    if (small.from < small.to) {
        r = votes_set(&v, image, 1);
        if (r == 0) {
            find_sizes(&v, image, 1, small, ret);
            votes_clear(&v);
        }
    }
    if (r == 0 && large.from < large.to)
        r = find_large(image, large, ret);
    return r;
}

int hollow_spots_fine(const struct grid_image *image, int size,
                      struct hollow_spots ret[HOLLOW_SIZES])
{
    struct votes v;
    int r = votes_set(&v, image, 1);
    if (r != 0)
        return r;
    find_sizes(&v, image, 1, (struct hollow_sizes){size, size + 1}, ret);
    votes_clear(&v);
    return 0;
}
