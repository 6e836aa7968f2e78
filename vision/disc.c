#include "vision/disc.h"

#include <math.h>

static const float STEP = (float)PATCH_REACH / PATCH_HALF;   // cells between samples
static const float INSIDE = 0.92F, NEAR = 1.35F, FAR = 2.2F; // radii, squared

void disc_map_build(struct disc_map *map, float radius_u, float radius_v,
                    const float value[PATCH * PATCH])
{
    map->radius_u = radius_u;
    map->radius_v = radius_v;
    for (int b = 0; b < PATCH; b++) {
        float sum = 0;
        for (int a = 0; a < PATCH; a++) {
            map->sum[b][a] = sum;
            sum += value[b * PATCH + a];
        }
        map->sum[b][PATCH] = sum;
    }
}

struct span {
    float sum;
    int count;
};

// The samples of a row of which the square of the distance, in radii, is at most `limit`, when
// `rows_off` of it is across the rows.
static struct span within(const struct disc_map *map, int row, float a, float rows_off, float limit)
{
    if (rows_off > limit)
        return (struct span){0};
    const float half = sqrtf(limit - rows_off) * map->radius_u / STEP;
    // Whole numbers by casts from above zero: floorf() and ceilf() are calls.
    int from = PATCH - (int)((float)PATCH - (a - half)), end = (int)(a + half) + 1;
    from = from < 0 ? 0 : from;
    end = end > PATCH ? PATCH : end;
    if (end <= from)
        return (struct span){0};
    return (struct span){map->sum[row][end] - map->sum[row][from], end - from};
}

float disc_score(const struct disc_map *map, float a, float b)
{
    float in = 0, out = 0;
    int in_count = 0, out_count = 0;
    for (int row = 0; row < PATCH; row++) {
        const float dv = ((float)row - b) * STEP / map->radius_v;
        const struct span inside = within(map, row, a, dv * dv, INSIDE);
        const struct span near = within(map, row, a, dv * dv, NEAR);
        const struct span far = within(map, row, a, dv * dv, FAR);
        in += inside.sum;
        in_count += inside.count;
        out += far.sum - near.sum;
        out_count += far.count - near.count;
    }
    if (in_count < 12)
        return 0;
    return in / (float)in_count - (out_count ? 0.3F * out / (float)out_count : 0);
}

float disc_find(const struct disc_map *map, float most, float *ret_a, float *ret_b)
{
    float best = -1, best_a = PATCH_HALF, best_b = PATCH_HALF;
    for (int pass = 0; pass < 3; pass++) { // coarse, then fine
        const float step = pass == 0 ? 2.0F : pass == 1 ? 1.0F : 0.5F;
        const int reach = pass == 0 ? 2 : 1;
        const float from_a = best_a, from_b = best_b;
        for (int b = -reach; b <= reach; b++)
            for (int a = -reach; a <= reach; a++) {
                const float at_a = from_a + (float)a * step, at_b = from_b + (float)b * step;
                const float du = (at_a - PATCH_HALF) * STEP, dv = (at_b - PATCH_HALF) * STEP;
                if (du * du + dv * dv > most * most)
                    continue;
                // A slight preference for the point itself keeps full patches from wandering.
                const float score = disc_score(map, at_a, at_b) - 0.03F * (du * du + dv * dv);
                if (score > best) {
                    best = score;
                    best_a = at_a;
                    best_b = at_b;
                }
            }
    }
    *ret_a = best_a;
    *ret_b = best_b;
    return best;
}
