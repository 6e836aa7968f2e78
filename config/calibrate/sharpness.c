#include "config/calibrate/sharpness.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "vision/picture.h"

enum {
    REACH = 7,     // px to each side
    PER_PIXEL = 4, // samples
    SAMPLES = 2 * REACH * PER_PIXEL + 1,
    SEAM_PIECES = 4, // looked at in a cell's length of seam
};

static const double SEAM_CORNER = 0.4; // cells
static const double LEAST_DEEP = 4;    // grey levels: a crack is there
static const double LEAST = 12;        // grey levels times px: a line is there

struct profile {
    bool dark; // only what is darker than its sides; else light lines, too
    double sum[SAMPLES];
    int pieces;
};

// The darkness across the line at (x, y), in direction (nx, ny), above what is on both sides.
static bool sample(const struct picture *picture, double x, double y, double nx, double ny,
                   bool dark_only, double ret[SAMPLES])
{
    for (int i = 0; i < SAMPLES; i++) {
        double d = (double)(i - REACH * PER_PIXEL) / PER_PIXEL;
        ret[i] = picture_luma_at(picture, x + d * nx, y + d * ny);
    }
    double side = 0;
    for (int i = 0; i < PER_PIXEL; i++)
        side += (ret[i] + ret[SAMPLES - 1 - i]) / (2 * PER_PIXEL);
    double dark = 0;
    for (int i = 0; i < SAMPLES; i++) {
        ret[i] = side - ret[i];
        dark += ret[i];
    }
    if (dark_only) {
        // A crack between blocks, whose rounded edges may shine beside it.
        double deepest = 0;
        for (int i = SAMPLES / 4; i < SAMPLES - SAMPLES / 4; i++)
            deepest = fmax(deepest, ret[i]);
        return deepest > LEAST_DEEP;
    }
    if (dark < 0) // light lines on a dark board
        for (int i = 0; i < SAMPLES; i++)
            ret[i] = -ret[i];
    return fabs(dark) / PER_PIXEL > LEAST;
}

// Where the middle of the line is, in samples.
static double middle(const double profile[SAMPLES])
{
    double weight = 0;
    double moment = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double w = fmax(0, profile[i]);
        w *= w; // the peak counts, not the noise beside it
        weight += w;
        moment += w * i;
    }
    return weight > 0 ? moment / weight : REACH * PER_PIXEL;
}

static void add(struct profile *profile, const double one[SAMPLES])
{
    double shift = middle(one) - REACH * PER_PIXEL;
    if (fabs(shift) > REACH * PER_PIXEL / 2.0)
        return;
    for (int i = 0; i < SAMPLES; i++) {
        double at = i + shift;
        int low = (int)floor(at);
        if (low < 0 || low + 1 >= SAMPLES)
            continue;
        profile->sum[i] += one[low] + (at - low) * (one[low + 1] - one[low]);
    }
    profile->pieces++;
}

// The piece of line halfway between (u, v) and its neighbour in direction (du, dv).
static void add_piece(struct profile *profile, const struct picture *picture,
                      const struct geometry *g, double u, double v, double du, double dv)
{
    double x0;
    double y0;
    double x1;
    double y1;
    geometry_board_to_image(g, u + 0.4 * du, v + 0.4 * dv, &x0, &y0);
    geometry_board_to_image(g, u + 0.6 * du, v + 0.6 * dv, &x1, &y1);
    double length = hypot(x1 - x0, y1 - y0);
    double one[SAMPLES];
    if (length < 1 || geometry_cell_px(g, u, v) < 2.2 * REACH)
        return;
    if (sample(picture, (x0 + x1) / 2, (y0 + y1) / 2, -(y1 - y0) / length, (x1 - x0) / length,
               profile->dark, one))
        add(profile, one);
}

static void add_lines(struct profile *profile, const struct picture *picture,
                      const struct geometry *g)
{
    for (int v = 0; v < g->rows; v++)
        for (int u = 0; u < g->columns; u++) {
            if (u + 1 < g->columns)
                add_piece(profile, picture, g, u, v, 1, 0);
            if (v + 1 < g->rows)
                add_piece(profile, picture, g, u, v, 0, 1);
        }
}

// The cracks between blocks of hollows, but not where they meet and the blocks' corners are round.
static void add_seams(struct profile *profile, const struct picture *picture,
                      const struct geometry *g)
{
    const double middle_u = (g->columns - 1) / 2.0;
    const double middle_v = (g->rows - 1) / 2.0;
    for (int k = -3; k < SEAM_PIECES * (g->columns - 1); k++) {
        double u = (double)k / SEAM_PIECES;
        if (fabs(u + 0.5 - middle_u) > SEAM_CORNER)
            add_piece(profile, picture, g, u, middle_v, 1, 0);
    }
    for (int k = -3; k < SEAM_PIECES * (g->rows - 1); k++) {
        double v = (double)k / SEAM_PIECES;
        if (fabs(v + 0.5 - middle_v) > SEAM_CORNER)
            add_piece(profile, picture, g, middle_u, v, 0, 1);
    }
}

// σ of the bell over its own floor, from its width at half height: tails are noise.
static double width(const struct profile *profile)
{
    int left = REACH * PER_PIXEL;
    for (int i = 0; i < SAMPLES; i++)
        left = profile->sum[i] > profile->sum[left] ? i : left;
    double peak = profile->sum[left];
    int right = left;
    while (left > 0 && profile->sum[left] > peak / 2)
        left--;
    while (right < SAMPLES - 1 && profile->sum[right] > peak / 2)
        right++;
    return (double)(right - left) / PER_PIXEL / 2.3548;
}

int sharpness_of(const struct frame *frame, const struct geometry *g, bool hollows,
                 double *ret_sigma, struct error *err)
{
    struct picture_decoder *decoder;
    struct picture picture = {0};
    int r = picture_decoder_new(&decoder);
    if (r < 0)
        return error_set(err, r, "out of memory");
    r = picture_from_frame(decoder, frame, &picture, err);
    if (r == 0) {
        struct profile profile = {.dark = hollows};
        if (hollows)
            add_seams(&profile, &picture, g);
        else
            add_lines(&profile, &picture, g);
        if (profile.pieces < 20)
            r = error_set(err, -ENODATA,
                          hollows ? "too few clean pieces of the seams between the blocks are seen "
                                    "to judge the sharpness: is the lens far out of focus, are "
                                    "all marbles off the board?"
                                  : "too few clean pieces of grid line are seen to judge the "
                                    "sharpness; take stones off the board");
        else
            *ret_sigma = width(&profile);
    }
    picture_release(&picture);
    picture_decoder_free(decoder);
    return r;
}
