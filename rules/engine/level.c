#include "rules/engine/level.h"

#include <math.h>

// Judged by matches between neighbours (README.md, "Levels").
static const struct level levels[ENGINE_LEVELS] = {
    // nodes, oversight, miss_four, depth, proof_moves, lines, blur, pentago_depth, delays
    {300, 0.40, 0.20, 1, -1, 16, 500, 1, 0}, {400, 0.18, 0.04, 1, -1, 10, 55, 1, 0},
    {1500, 0.10, 0.01, 1, -1, 8, 20, 1, 0},  {3000, 0.14, 0.01, 2, -1, 6, 38, 2, 0},
    {6000, 0.13, 0, 3, 2, 5, 32, 2, 1},      {12000, 0.06, 0, 4, 2, 5, 15, 2, 1},
    {25000, 0.04, 0, 5, 3, 4, 11, 3, 1},     {60000, 0.02, 0, 6, 4, 4, 8, 3, 2},
    {200000, 0, 0, 8, 8, 3, 5, 4, 2},        {0, 0, 0, 0, 0, 1, 0, 0, 3},
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
