#include "tests/bench/see_hard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>

#include "vision/picture.h"

// One way of making a photograph harder; what is 0 stays as it is.
struct hard_kind {
    const char *name;
    double turn;      // degrees
    double tilt, yaw; // of the plane against the camera, degrees
    double side;      // longer side of the result, pixels; 0: as it was
    double margin;    // crop to this many cells about the board
    double gain;      // of the light
    double contrast;  // about the middle grey
    double warm;      // red up, blue down by this share
    double shade;     // one half of the picture is darker by this share
    double blur;      // sigma, pixels
    double noise;     // sigma, levels
    int quality;      // of the JPEG
    bool mirror;
};

static const struct hard_kind KIND[] = {
    {.name = "as_is"},
    {.name = "mirrored", .mirror = true},
    {.name = "turn_12", .turn = 12},
    {.name = "turn_40", .turn = 40},
    {.name = "turn_90", .turn = 90},
    {.name = "turn_180", .turn = 180},
    {.name = "cropped", .margin = 1.1},
    {.name = "tilt_35", .tilt = 35, .side = 900},
    {.name = "tilt_50", .tilt = 50, .yaw = 10, .side = 1280},
    {.name = "tilt_60", .tilt = 60, .side = 1600},
    {.name = "dark", .gain = 0.3},
    {.name = "bright", .gain = 1.35},
    {.name = "low_contrast", .contrast = 0.45},
    {.name = "warm", .warm = 0.25},
    {.name = "cold", .warm = -0.25},
    {.name = "half_shade", .shade = 0.45},
    {.name = "blurred", .blur = 1.3},
    {.name = "noisy", .noise = 14},
    {.name = "jpeg_25", .quality = 25},
    {.name = "small_480", .side = 480},
    {.name = "large_12mpx", .side = 4000},
};

int see_hard_kinds(void)
{
    return (int)(sizeof KIND / sizeof KIND[0]);
}

const char *see_hard_name(int kind)
{
    return KIND[kind].name;
}

struct canvas {
    int width, height;
    float *rgb; // 3 a pixel
};

static bool canvas_make(struct canvas *c, int width, int height)
{
    c->width = width;
    c->height = height;
    c->rgb = calloc((size_t)width * (size_t)height * 3, sizeof *c->rgb);
    return c->rgb != NULL;
}

static bool decode(const uint8_t *jpeg, size_t size, struct canvas *ret)
{
    struct picture_decoder *decoder = NULL;
    struct picture p = {0};
    double scale;
    bool fine = picture_decoder_new(&decoder) == 0 &&
                picture_from_photo(decoder, jpeg, size, 0, &p, &scale, NULL) == 0 &&
                canvas_make(ret, p.width, p.height);
    uint8_t *rgb = fine ? malloc((size_t)p.width * (size_t)p.height * 3) : NULL;
    if (rgb) {
        picture_to_rgb(&p, rgb);
        for (size_t k = 0; k < (size_t)p.width * (size_t)p.height * 3; k++)
            ret->rgb[k] = rgb[k];
    }
    fine = rgb != NULL;
    free(rgb);
    picture_release(&p);
    picture_decoder_free(decoder);
    return fine;
}

// --- where things go -----------------------------------------------------------------------------

static void multiply(const double a[9], const double b[9], double ret[9])
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            ret[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
}

// The view of the photograph, as a plane at a camera's distance, turned about its middle.
static void view_of(const struct hard_kind *k, const struct canvas *c, double ret[9])
{
    const double f = 1.3 * (c->width > c->height ? c->width : c->height);
    const double a = k->turn * M_PI / 180, t = k->tilt * M_PI / 180, y = k->yaw * M_PI / 180;
    const double mirror = k->mirror ? -1 : 1;
    const double centre[9] = {
        mirror, 0, -mirror * (c->width - 1) / 2.0, 0, 1, -(c->height - 1) / 2.0, 0, 0, 1};
    const double turn[9] = {cos(a), -sin(a), 0, sin(a), cos(a), 0, 0, 0, 1};
    const double yawed[9] = {cos(y), 0, 0, 0, 1, 0, sin(y) / f, 0, 1};
    const double tilted[9] = {1, 0, 0, 0, cos(t), 0, 0, -sin(t) / f, 1};
    double m[9];
    multiply(turn, centre, m);
    multiply(yawed, m, ret);
    multiply(tilted, ret, m);
    memcpy(ret, m, sizeof m);
}

// The rectangle that the result shows: all of the photograph, or the board and a margin.
static void frame_of(const struct hard_kind *k, const struct canvas *c, const double view[9],
                     const struct see_truth *truth, double ret[4])
{
    double corner[4][2] = {
        {0, 0}, {c->width - 1.0, 0}, {c->width - 1.0, c->height - 1.0}, {0, c->height - 1.0}};
    double cell = 0;
    if (k->margin > 0) {
        memcpy(corner, truth->corner, sizeof corner);
        cell = hypot(corner[1][0] - corner[0][0], corner[1][1] - corner[0][1]) / (truth->size - 1);
    }
    ret[0] = ret[1] = INFINITY;
    ret[2] = ret[3] = -INFINITY;
    for (int i = 0; i < 4; i++) {
        double x, y;
        homography_apply(view, corner[i][0], corner[i][1], &x, &y);
        ret[0] = fmin(ret[0], x - k->margin * cell);
        ret[1] = fmin(ret[1], y - k->margin * cell);
        ret[2] = fmax(ret[2], x + k->margin * cell);
        ret[3] = fmax(ret[3], y + k->margin * cell);
    }
}

static void sample(const struct canvas *c, double x, double y, float ret[3])
{
    if (x < 0 || y < 0 || x > c->width - 1 || y > c->height - 1) {
        ret[0] = 92; // a table
        ret[1] = 84;
        ret[2] = 76;
        return;
    }
    const int x0 = (int)fmin(x, c->width - 2), y0 = (int)fmin(y, c->height - 2);
    const float fx = (float)(x - x0), fy = (float)(y - y0);
    const float *a = c->rgb + 3 * ((long)y0 * c->width + x0), *b = a + 3 * (long)c->width;
    for (int k = 0; k < 3; k++)
        ret[k] =
            (1 - fy) * ((1 - fx) * a[k] + fx * a[3 + k]) + fy * ((1 - fx) * b[k] + fx * b[3 + k]);
}

// Each pixel is the mean of 3x3 places in the photograph.
static bool warp(const struct hard_kind *k, const struct canvas *in, struct see_truth *truth,
                 struct canvas *out)
{
    double view[9], rect[4], inverse[9];
    view_of(k, in, view);
    frame_of(k, in, view, truth, rect);
    const double longer = fmax(rect[2] - rect[0], rect[3] - rect[1]);
    const double scale = k->side > 0 ? k->side / longer : 1;
    const double fit[9] = {scale, 0, -scale * rect[0], 0, scale, -scale * rect[1], 0, 0, 1};
    double all[9];
    multiply(fit, view, all);
    if (!homography_invert(all, inverse) ||
        !canvas_make(out, (int)ceil((rect[2] - rect[0]) * scale) + 1,
                     (int)ceil((rect[3] - rect[1]) * scale) + 1))
        return false;
    for (int y = 0; y < out->height; y++)
        for (int x = 0; x < out->width; x++) {
            float *to = out->rgb + 3 * ((long)y * out->width + x);
            for (int s = 0; s < 9; s++) {
                const int column = s % 3, row = s / 3; // of the nine samples in this pixel
                double sx, sy;
                float rgb[3];
                homography_apply(inverse, x + (column - 1) / 3.0, y + (row - 1) / 3.0, &sx, &sy);
                sample(in, sx, sy, rgb);
                for (int c = 0; c < 3; c++)
                    to[c] += rgb[c] / 9;
            }
        }
    for (int i = 0; i < 4; i++)
        homography_apply(all, truth->corner[i][0], truth->corner[i][1], &truth->corner[i][0],
                         &truth->corner[i][1]);
    return true;
}

static void mirror_truth(struct see_truth *t)
{
    for (int r = 0; r < t->size; r++)
        for (int a = 0, b = t->size - 1; a < b; a++, b--) {
            const char swap = t->row[r][a];
            t->row[r][a] = t->row[r][b];
            t->row[r][b] = swap;
        }
    for (int k = 0; k < 4; k += 2) { // TL with TR, BR with BL
        double swap[2];
        memcpy(swap, t->corner[k], sizeof swap);
        memcpy(t->corner[k], t->corner[k + 1], sizeof swap);
        memcpy(t->corner[k + 1], swap, sizeof swap);
    }
}

// --- what they look like -------------------------------------------------------------------------

static void blur_axis(struct canvas *c, float *line, double sigma, bool down)
{
    const int reach = (int)ceil(3 * sigma), length = down ? c->height : c->width;
    const long step = down ? 3L * c->width : 3;
    for (int k = 0; k < (down ? c->width : c->height); k++)
        for (int channel = 0; channel < 3; channel++) {
            float *at = c->rgb + (down ? 3L * k : 3L * k * c->width) + channel;
            for (int i = 0; i < length; i++)
                line[i] = at[i * step];
            for (int i = 0; i < length; i++) {
                double sum = 0, weight = 0;
                for (int d = -reach; d <= reach; d++) {
                    const int j = i + d < 0 ? 0 : i + d >= length ? length - 1 : i + d;
                    const double w = exp(-0.5 * d * d / (sigma * sigma));
                    sum += w * (double)line[j];
                    weight += w;
                }
                at[i * step] = (float)(sum / weight);
            }
        }
}

static void blur(struct canvas *c, double sigma)
{
    float *line = malloc((size_t)(c->width > c->height ? c->width : c->height) * sizeof *line);
    if (line) {
        blur_axis(c, line, sigma, false);
        blur_axis(c, line, sigma, true);
    }
    free(line);
}

// A sum of four even numbers is near enough to a bell.
static float bell(uint32_t *seed)
{
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        *seed = *seed * 1664525U + 1013904223U;
        sum += (float)(*seed >> 8) / (float)(1 << 24) - 0.5F;
    }
    return sum * 1.73F;
}

static void light(const struct hard_kind *k, struct canvas *c, uint32_t seed)
{
    const double gain = k->gain > 0 ? k->gain : 1, contrast = k->contrast > 0 ? k->contrast : 1;
    const double tint[3] = {1 + k->warm, 1, 1 - k->warm};
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++) {
            // A shadow's edge a tenth of the picture wide, at a slant.
            const double across = ((double)x / c->width + 0.4 * y / c->height - 0.65) / 0.05;
            const double shade = 1 - k->shade / (1 + exp(-across));
            float *rgb = c->rgb + 3 * ((long)y * c->width + x);
            for (int i = 0; i < 3; i++) {
                double v = (double)rgb[i] * gain * tint[i] * shade;
                v = 128 + contrast * (v - 128);
                rgb[i] = (float)(v + (k->noise > 0 ? k->noise * (double)bell(&seed) : 0));
            }
        }
}

static uint8_t *encode(const struct canvas *c, int quality, size_t *ret_size)
{
    const size_t count = (size_t)c->width * (size_t)c->height * 3;
    uint8_t *rgb = malloc(count), *ret = NULL;
    unsigned char *jpeg = NULL;
    unsigned long size = 0;
    tjhandle tj = tjInitCompress();
    for (size_t k = 0; rgb && k < count; k++)
        rgb[k] = (uint8_t)fminf(255, fmaxf(0, c->rgb[k] + 0.5F));
    if (rgb && tj &&
        tjCompress2(tj, rgb, c->width, 0, c->height, TJPF_RGB, &jpeg, &size, TJSAMP_420, quality,
                    0) == 0 &&
        (ret = malloc(size)) != NULL) {
        memcpy(ret, jpeg, size);
        *ret_size = size;
    }
    tjFree(jpeg);
    if (tj)
        tjDestroy(tj);
    free(rgb);
    return ret;
}

uint8_t *see_hard_make(int kind, const uint8_t *jpeg, size_t size, uint32_t seed,
                       struct see_truth *truth, size_t *ret_size)
{
    const struct hard_kind *k = &KIND[kind];
    struct canvas in = {0}, out = {0};
    uint8_t *ret = NULL;
    if (decode(jpeg, size, &in) && warp(k, &in, truth, &out)) {
        if (k->mirror)
            mirror_truth(truth);
        if (k->blur > 0)
            blur(&out, k->blur);
        light(k, &out, seed);
        ret = encode(&out, k->quality ? k->quality : 92, ret_size);
    }
    free(in.rgb);
    free(out.rgb);
    return ret;
}
