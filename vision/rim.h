// rim: the centre of a stone by its outline alone, pixel by pixel. Internal to the reader.
//
// The bright spot and the shadow of a glass stone lie on one side of it and pull its centre of
// gravity that way. Its outline has a known size and shape and goes all round: the side towards the
// lamp alone says where the stone lies.
#pragma once

#include "vision/sampler.h"

struct rim_look {
    int column, row;         // the point
    double diameter, height; // of the stones, mm: domes on a flat base
    float surface;           // log luma of the bare surface around the point
    float stone; // log luma of the stone less that; 0 = of clear glass, which may look either way
};

// Moves (*u, *v), the stone's offset from the point in cells, to where the outline best parts what
// is like the stone from what is not. Looks within half a radius. false, and nothing moved: there
// is no rim.
bool rim_centre(const struct sampler *s, const struct picture *p, const struct rim_look *look,
                float *u, float *v);
