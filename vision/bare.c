#include "vision/bare.h"

#include <math.h>
#include <string.h>

static const float NOISE = 0.05F; // log units two looks at the same point may differ by
static const float FULL = 0.16F;  // from here on it is something else
static const float RATE = 0.4F;

void bare_forget(struct bare *bare)
{
    memset(bare->known, 0, sizeof bare->known);
}

static float stored(const struct bare *bare, int n, int k)
{
    return (float)bare->look[n][k] / BARE_SCALE;
}

void bare_learn(struct bare *bare, int n, const float luma[PATCH * PATCH])
{
    for (int k = 0; k < PATCH * PATCH; k++) {
        const float old = bare->known[n] ? stored(bare, n, k) : luma[k];
        // Rounded away from the old value, or small steps would be lost.
        const float step = RATE * (luma[k] - old) * BARE_SCALE;
        const float value = old * BARE_SCALE + (step > 0 ? ceilf(step) : floorf(step));
        bare->look[n][k] = (int8_t)lroundf(fmaxf(-127, fminf(127, value)));
    }
    bare->known[n] = true;
}

bool bare_compare(const struct bare *bare, int n, const float luma[PATCH * PATCH],
                  float ret[PATCH * PATCH])
{
    if (!bare->known[n])
        return false;
    for (int k = 0; k < PATCH * PATCH; k++) {
        const float change = (fabsf(luma[k] - stored(bare, n, k)) - NOISE) / (FULL - NOISE);
        ret[k] = fmaxf(0, fminf(1, change));
    }
    return true;
}
