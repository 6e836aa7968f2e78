// disc: how well a map of a point's patch (0 = bare, 1 = surely something else) is filled by a
// stone's outline, and where such an outline lies. Internal to the reader.
//
// The map is summed along its rows once, so that an outline anywhere costs two looks a row.
#pragma once

#include "vision/sampler.h"

struct disc_map {
    float radius_u, radius_v;    // of a stone, cells
    float sum[PATCH][PATCH + 1]; // of a row's samples before this one
};

void disc_map_build(struct disc_map *map, float radius_u, float radius_v,
                    const float value[PATCH * PATCH]);

// Mean inside the outline at (a, b), coordinates in samples, less a share of that around it; 0
// where hardly any of it lies in the patch.
float disc_score(const struct disc_map *map, float a, float b);

// The best score at most `most` cells from the patch's middle, and where it is; half a sample is as
// fine as it looks.
float disc_find(const struct disc_map *map, float most, float *ret_a, float *ret_b);
