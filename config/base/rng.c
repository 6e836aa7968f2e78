#include "config/base/rng.h"

void rng_seed(struct rng *rng, uint64_t seed)
{
    uint64_t z = seed + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    rng->state = z ? z : 1; // 0 is the one state it cannot leave
}

uint64_t rng_next(struct rng *rng)
{
    uint64_t x = rng->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    rng->state = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

uint32_t rng_below(struct rng *rng, uint32_t bound)
{
    // Lemire's multiplication; the few low products that would favour some results are redrawn.
    uint32_t reject = -bound % bound;
    for (;;) {
        uint64_t product = (rng_next(rng) >> 32) * bound;
        if ((uint32_t)product >= reject)
            return (uint32_t)(product >> 32);
    }
}

double rng_double(struct rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

double rng_range(struct rng *rng, double low, double high)
{
    return low + (high - low) * rng_double(rng);
}

double rng_gaussian(struct rng *rng)
{
    // 64 coins give a binomial of variance 16 on whole numbers; the difference of two uniforms
    // (variance 1/6) fills the gaps between them.
    int heads = __builtin_popcountll(rng_next(rng));
    uint64_t bits = rng_next(rng);
    double fill = ((double)(bits >> 32) - (double)(uint32_t)bits) * 0x1p-32;
    static const double deviation = 4.020779360604941; // sqrt(16 + 1/6)
    return (heads - 32 + fill) / deviation;
}
