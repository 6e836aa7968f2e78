// surface: the bare board as it looks between the stones: learned per cell, followed through
// changes of light, and the measure for what is foreign (a hand, the arm). Internal to the reader.
#pragma once

#include <stdbool.h>

#include "vision/sampler.h"

struct surface {
    bool learned;
    int cells;
    // Now, this frame:
    float luma[CELLS_MAX];              // mean of the cell's centre, 0..255
    float log_luma[CELLS_MAX];          // log(luma + 4)
    float cb[CELLS_MAX], cr[CELLS_MAX]; // chroma over luma, so that shade does not change it
    float expected[CELLS_MAX];          // log luma as learned, under the light of this frame
    float expected_cb[CELLS_MAX], expected_cr[CELLS_MAX];
    bool foreign[CELLS_MAX];  // something else lies over the cell
    bool veiled[CELLS_MAX];   // a lamp is mirrored in the cell: lighter, but it shows through
    float veil[CELLS_MAX][3]; // how much (see veil.h); only where veiled
    // Learned:
    float base[CELLS_MAX], base_cb[CELLS_MAX], base_cr[CELLS_MAX];
    float light[6];           // this frame's light against the learned: quadratic in u, v
    float light_cb, light_cr; // and its tint
    // Measures of this frame:
    float brightness;   // median luma, 0..255
    float overexposed;  // share of cells at full scale
    float light_change; // of the median log luma since the frame before
    int foreign_count;
    int foreign_largest; // cells of the largest connected foreign area
};

// Reads the cells of a picture and compares them with what was learned.
void surface_read(struct surface *surface, const struct sampler *s, const struct picture *p);

// The light mirrored at a point: the mean of its neighbouring cells that are veiled. Returns how
// many.
int surface_veil(const struct surface *surface, const struct sampler *s, int column, int row,
                 float ret[3]);
// How log luma, cb and cr rise per cell to the right and upwards there; 0 where nothing is veiled.
void surface_tilt(const struct surface *surface, const struct sampler *s, int column, int row,
                  float ret[3][2]);
// What would be seen of the bare surface around the point without it.
void surface_unveiled(const struct surface *surface, const struct sampler *s, int column, int row,
                      float *ret_log_luma, float *ret_cb, float *ret_cr);

// What most cells look like: log luma, cb and cr over luma.
void surface_usual(const struct surface *surface, const struct sampler *s, float ret[3]);

// Takes the cells that are not foreign as what the surface looks like; `rate` 1 = at once.
void surface_learn(struct surface *surface, const struct sampler *s, float rate);

void surface_forget(struct surface *surface);

// The surface around a point: the mean of its neighbouring cells that are bare. Returns how many.
int surface_around(const struct surface *surface, const struct sampler *s, int column, int row,
                   float *ret_log_luma, float *ret_cb, float *ret_cr);
