#include "vision/rim.h"

#include <math.h>

enum {
    ANGLES = 32,
    HALVINGS = 5, // of the reach: to a tenth of a sample with the stones' own
};

static const float TURN_COSINE = 0.98078528F, TURN_SINE = 0.19509032F; // of 360/32 degrees

static const float INSIDE = 0.88F, OUTSIDE = 1.12F; // radii
static const float FULL = 0.35F;                    // a step that is as clear as can be
static const float LEAST = 0.2F;                    // of FULL, on the average of the circle

static float map_at(const float map[PATCH * PATCH], float a, float b)
{
    a = fminf(fmaxf(a, 0), PATCH - 1.001F);
    b = fminf(fmaxf(b, 0), PATCH - 1.001F);
    const int x = (int)a, y = (int)b;
    const float fx = a - (float)x, fy = b - (float)y;
    const float *m = map + (long)y * PATCH + x;
    return (1 - fy) * ((1 - fx) * m[0] + fx * m[1]) +
           fy * ((1 - fx) * m[PATCH] + fx * m[PATCH + 1]);
}

struct circle {
    float radius_a, radius_b;
    float cosine[ANGLES], sine[ANGLES];
};

// Each direction counts for itself and up to a limit, so that one without a step - a shadow lies
// there, or another stone - does not outweigh the others.
static float score(const struct circle *c, const float map[PATCH * PATCH], float a, float b)
{
    float sum = 0;
    for (int k = 0; k < ANGLES; k++) {
        const float da = c->radius_a * c->cosine[k], db = c->radius_b * c->sine[k];
        const float step = map_at(map, a + INSIDE * da, b + INSIDE * db) -
                           map_at(map, a + OUTSIDE * da, b + OUTSIDE * db);
        sum += fminf(fmaxf(step, -FULL), FULL);
    }
    return sum / (ANGLES * FULL);
}

bool rim_centre(const float map[PATCH * PATCH], float radius_a, float radius_b, float reach,
                float *a, float *b)
{
    struct circle c = {.radius_a = radius_a, .radius_b = radius_b};
    c.cosine[0] = 1;
    for (int k = 1; k < ANGLES; k++) { // so, and not by cosf(), every libm reads the same board
        c.cosine[k] = TURN_COSINE * c.cosine[k - 1] - TURN_SINE * c.sine[k - 1];
        c.sine[k] = TURN_SINE * c.cosine[k - 1] + TURN_COSINE * c.sine[k - 1];
    }
    float best = -1, best_a = *a, best_b = *b;
    float step = reach;
    for (int halving = 0; halving < HALVINGS; halving++) {
        step /= 2;
        const float from_a = best_a, from_b = best_b;
        for (int y = -2; y <= 2; y++)
            for (int x = -2; x <= 2; x++) {
                const float at_a = from_a + step * (float)x, at_b = from_b + step * (float)y;
                const float s = score(&c, map, at_a, at_b);
                if (s > best) {
                    best = s;
                    best_a = at_a;
                    best_b = at_b;
                }
            }
    }
    if (best < LEAST)
        return false;
    *a = best_a;
    *b = best_b;
    return true;
}
