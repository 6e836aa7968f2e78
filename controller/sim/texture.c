// Noise for surfaces, and rectangles of pixels.
#include <math.h>

#include "controller/sim/render_private.h"

enum { BOX_SAMPLES = 9 };

float texture_hash(int32_t x, int32_t y)
{
    uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u;
    h = (h ^ (h >> 13)) * 0xcb1ab31fu;
    h = (h ^ (h >> 16)) * 0x165667b1u;
    h ^= h >> 15;
    return (float)(h >> 8) * (1.0f / 16777216.0f);
}

float texture_noise(float x, float y)
{
    const float fx = floor_to(x), fy = floor_to(y);
    const int32_t ix = (int32_t)fx, iy = (int32_t)fy;
    float u = x - fx, v = y - fy;
    u = u * u * (3 - 2 * u);
    v = v * v * (3 - 2 * v);
    const float top = mixf(texture_hash(ix, iy), texture_hash(ix + 1, iy), u);
    const float bottom = mixf(texture_hash(ix, iy + 1), texture_hash(ix + 1, iy + 1), u);
    return mixf(top, bottom, v);
}

float texture_fractal(float x, float y, int octaves)
{
    float sum = 0, weight = 0.5f;
    for (int i = 0; i < octaves; i++) {
        sum += weight * texture_noise(x, y);
        x = x * 2.03f + 17.1f;
        y = y * 2.01f + 9.7f;
        weight /= 2;
    }
    return sum / (1 - 2 * weight);
}

bool rect_empty(struct rect rect)
{
    return rect.x0 >= rect.x1 || rect.y0 >= rect.y1;
}

struct rect rect_clip(const struct render *r, struct rect rect)
{
    rect.x0 = rect.x0 < 0 ? 0 : rect.x0;
    rect.y0 = rect.y0 < 0 ? 0 : rect.y0;
    rect.x1 = rect.x1 > r->width ? r->width : rect.x1;
    rect.y1 = rect.y1 > r->height ? r->height : rect.y1;
    return rect;
}

struct rect rect_join(struct rect a, struct rect b)
{
    if (rect_empty(a))
        return b;
    if (rect_empty(b))
        return a;
    return (struct rect){a.x0 < b.x0 ? a.x0 : b.x0, a.y0 < b.y0 ? a.y0 : b.y0,
                         a.x1 > b.x1 ? a.x1 : b.x1, a.y1 > b.y1 ? a.y1 : b.y1};
}

struct rect rect_of_box(const struct render *r, const double low[3], const double high[3])
{
    double x0 = 1e9, y0 = 1e9, x1 = -1e9, y1 = -1e9;
    // More samples along x for long things, because the lens bends their edges.
    const int samples = high[0] - low[0] > 100 ? BOX_SAMPLES : 2;
    for (int i = 0; i < 4 * samples; i++) {
        const int k = i / 4;
        const double x = low[0] + (high[0] - low[0]) * k / (samples - 1);
        double at[2];
        if (!view_project(&r->view, x, i & 1 ? high[1] : low[1], i & 2 ? high[2] : low[2], at))
            return (struct rect){0};
        x0 = fmin(x0, at[0]);
        y0 = fmin(y0, at[1]);
        x1 = fmax(x1, at[0]);
        y1 = fmax(y1, at[1]);
    }
    const double spare = 2 + 0.001 * (x1 - x0);
    // Far outside of the picture the lens formula folds over.
    x0 = fmax(x0, -2000), y0 = fmax(y0, -2000), x1 = fmin(x1, 5000), y1 = fmin(y1, 5000);
    return rect_clip(r, (struct rect){(int)floor(x0 - spare), (int)floor(y0 - spare),
                                      (int)ceil(x1 + spare) + 1, (int)ceil(y1 + spare) + 1});
}
