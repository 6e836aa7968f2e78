#include "rules/engine/level.h"

#include <math.h>

// Judged by matches between neighbours (README.md, "Levels").
static const struct level levels[ENGINE_LEVELS] = {
    {1, 300, -1, 8, 70, 0.40, 0.12, 1},  {1, 400, -1, 8, 45, 0.28, 0.05, 1},
    {2, 1500, -1, 7, 34, 0.20, 0.02, 1}, {2, 3000, -1, 6, 26, 0.14, 0.01, 2},
    {3, 6000, 2, 5, 20, 0.09, 0, 2},     {4, 12000, 2, 5, 15, 0.06, 0, 2},
    {5, 25000, 3, 4, 11, 0.04, 0, 3},    {6, 60000, 4, 4, 8, 0.02, 0, 3},
    {8, 200000, 8, 3, 5, 0, 0, 4},       {0, 0, 0, 1, 0, 0, 0, 0},
};

const struct level *level_get(int level)
{
    return &levels[level < 1 ? 0 : level > ENGINE_LEVELS ? ENGINE_LEVELS - 1 : level - 1];
}

int level_choose(const struct level *level, const int *scores, int count, struct rng *rng)
{
    if (count < 2 || !level->blur)
        return 0;
    double weight[ENGINE_LINES_MAX], sum = 0;
    if (count > ENGINE_LINES_MAX)
        count = ENGINE_LINES_MAX;
    for (int i = 0; i < count; i++)
        sum += weight[i] = exp((double)(scores[i] - scores[0]) / level->blur);
    double at = rng_double(rng) * sum;
    for (int i = 0; i < count; i++) {
        at -= weight[i];
        if (at < 0)
            return i;
    }
    return 0;
}
