// rim: the centre of a stone by its outline alone. Internal to the reader.
#pragma once

#include "vision/sampler.h"

// Moves (*a, *b), samples of a patch, to where a circle of the stone's radius best parts what
// differs from the bare surface (map: 0..1 per sample, row by row) from what does not. Looks within
// `reach` samples. The bright spot and the shadow of a glass stone lie on one side of it and pull
// its centre of gravity that way; its rim goes all round. false, and nothing moved: there is no
// rim.
bool rim_centre(const float map[PATCH * PATCH], float radius_a, float radius_b, float reach,
                float *a, float *b);
