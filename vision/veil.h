// veil: light of a lamp that the board's sheet mirrors towards the camera. Internal to the reader.
//
// It is added to the light that comes from what lies there, by about the same amount in red, green
// and blue: colours pale, but lines and stones still show through. So it is told from a hand, and
// what shows through it can be seen as it would be without.
//
// Method: pixels are taken as the square roots of light (cameras encode nearly so, and a square
// root is the same with every compiler), where adding is what mirrors do.
#pragma once

#include <stdbool.h>

// One pixel: luma 0..255, and chroma over (luma + 16), as the surface and the stones keep it.
struct veil_pixel {
    float luma, cb, cr;
};

// What must be added to the light of `bare` to get `seen`: red, green, blue, 1 = white. True when
// that is about the same of each, so that a mirror may have done it.
bool veil_between(struct veil_pixel bare, struct veil_pixel seen, float ret[3]);

// `seen` without the veil; what would be darker than black is black.
struct veil_pixel veil_lift(struct veil_pixel seen, const float veil[3]);

// How many times this veil there may be before `seen`, which it is part of.
float veil_most(struct veil_pixel seen, const float veil[3]);
