#include "vision/veil.h"

#include <math.h>

static const float LEAST = 0.02F;    // of white: less is no mirror
static const float UNEVEN = 0.40F;   // between the colours, as a share of the veil (lamps are warm)
static const float ROUNDING = 0.02F; // and what compression may make of an even veil

static float light_of(float value)
{
    const float v = fmaxf(0, fminf(255, value)) / 255;
    return v * v;
}

static void to_light(struct veil_pixel p, float ret[3])
{
    const float cb = p.cb * (p.luma + 16), cr = p.cr * (p.luma + 16);
    ret[0] = light_of(p.luma + 1.402F * cr);
    ret[1] = light_of(p.luma - 0.344F * cb - 0.714F * cr);
    ret[2] = light_of(p.luma + 1.772F * cb);
}

static struct veil_pixel from_light(const float light[3])
{
    const float r = 255 * sqrtf(light[0]), g = 255 * sqrtf(light[1]), b = 255 * sqrtf(light[2]);
    const float luma = 0.299F * r + 0.587F * g + 0.114F * b;
    return (struct veil_pixel){luma, 0.564F * (b - luma) / (luma + 16),
                               0.713F * (r - luma) / (luma + 16)};
}

bool veil_between(struct veil_pixel bare, struct veil_pixel seen, float ret[3])
{
    float from[3], to[3], least = 1, most = -1, sum = 0;
    to_light(bare, from);
    to_light(seen, to);
    for (int k = 0; k < 3; k++) {
        ret[k] = to[k] - from[k];
        sum += ret[k];
        // A channel at full scale may have got any amount more.
        if (to[k] > 0.97F)
            continue;
        least = fminf(least, ret[k]);
        most = fmaxf(most, ret[k]);
    }
    return sum > 3 * LEAST && most - least <= UNEVEN * sum / 3 + ROUNDING;
}

struct veil_pixel veil_lift(struct veil_pixel seen, const float veil[3])
{
    static const float BLACK = 0.0004F;
    float light[3];
    to_light(seen, light);
    for (int k = 0; k < 3; k++)
        light[k] = fmaxf(BLACK, light[k] - veil[k]);
    return from_light(light);
}

float veil_most(struct veil_pixel seen, const float veil[3])
{
    float light[3], most = 1e3F;
    to_light(seen, light);
    for (int k = 0; k < 3; k++)
        if (veil[k] > 0)
            most = fminf(most, light[k] / veil[k]);
    return most;
}
