#include "test_vision_render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>

static const double PI = 3.14159265358979323846;

void render_default(struct render *r, int width, int height, double tilt)
{
    memset(r, 0, sizeof *r);
    r->width = width;
    r->height = height;
    r->stone_radius = 16.0 / 2 / 22;
    r->light = 1;
    r->gradient = 0.25;
    r->noise = 2;
    r->seed = 1;
    const uint8_t colours[4][3] = {{40, 60, 170}, {170, 30, 45}, {205, 215, 215}, {190, 120, 30}};
    memcpy(r->colour, colours, sizeof colours);
    const uint8_t vinyl[3] = {214, 208, 190}, line[3] = {40, 40, 45}, table[3] = {90, 70, 55};
    memcpy(r->vinyl, vinyl, 3);
    memcpy(r->line, line, 3);
    memcpy(r->table, table, 3);
    // A pinhole looking at the board's middle, lifted so that the board fills the height.
    const double f = width, a = tilt * PI / 180, distance = f * 21.5 / height;
    double corners[4][2];
    const double at[4][2] = {{-9, -9}, {9, -9}, {9, 9}, {-9, 9}};
    for (int k = 0; k < 4; k++) {
        const double y = at[k][1], depth = distance + y * sin(a);
        corners[k][0] = (width - 1) / 2.0 + f * at[k][0] / depth;
        corners[k][1] = (height - 1) / 2.0 - f * y * cos(a) / depth;
    }
    geometry_from_corners((const double(*)[2])corners, 19, 19, width, height, &r->geometry);
    r->geometry.pitch_x = r->geometry.pitch_y = 22;
    r->geometry.lens.k1 = -0.04;
    r->camera[0] = 9;
    r->camera[1] = 9 - distance * sin(a);
    r->camera[2] = distance * cos(a);
}

static double clamp01(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static void blend(double rgb[3], const uint8_t with[3], double share, double light)
{
    for (int k = 0; k < 3; k++)
        rgb[k] += share * (with[k] * light - rgb[k]);
}

static void draw_stone(const struct render *r, double du, double dv, int colour, double px,
                       double rgb[3])
{
    const double d = hypot(du, dv), cover = clamp01((r->stone_radius - d) / px + 0.5);
    if (cover <= 0)
        return;
    const double shape = 1 - 0.35 * (d / r->stone_radius) * (d / r->stone_radius);
    blend(rgb, r->colour[colour - 1], cover, shape);
    const uint8_t white[3] = {255, 255, 255};
    const double glint = hypot(du + 0.1, dv - 0.12);
    blend(rgb, white, 0.8 * clamp01((0.05 - glint) / px + 0.5), 1);
}

// The middle of a dome's outline lies a little above its base.
static void stone_centre(const struct render *r, int i, int j, double *ret_u, double *ret_v)
{
    const double h = 1.0 / 22, k = h / (r->camera[2] - h);
    const double u = i + r->offset[j * 19 + i][0], v = j + r->offset[j * 19 + i][1];
    *ret_u = u + (u - r->camera[0]) * k;
    *ret_v = v + (v - r->camera[1]) * k;
}

static void shade_pixel(const struct render *r, const float at[3], double rgb[3])
{
    const uint8_t skin[3] = {196, 140, 112};
    const double u = (double)at[0], v = (double)at[1], px = (double)at[2];
    for (int k = 0; k < 3; k++)
        rgb[k] = r->table[k];
    if (px <= 0)
        return;
    if (u > -1.2 && v > -1.2 && u < 19.2 && v < 19.2) {
        for (int k = 0; k < 3; k++)
            rgb[k] = r->vinyl[k];
        const double half = 0.03; // of a line's width, cells
        const double nu = fabs(u - floor(u + 0.5)), nv = fabs(v - floor(v + 0.5));
        double line = 0;
        if (v > -half && v < 18 + half && u > -0.5 && u < 18.5)
            line = fmax(line, clamp01((half - nu) / px + 0.5));
        if (u > -half && u < 18 + half && v > -0.5 && v < 18.5)
            line = fmax(line, clamp01((half - nv) / px + 0.5));
        blend(rgb, r->line, line, 1);
        const int cu = (int)floor(u + 0.5), cv = (int)floor(v + 0.5);
        for (int j = cv - 1; j <= cv + 1; j++)
            for (int i = cu - 1; i <= cu + 1; i++)
                if (i >= 0 && j >= 0 && i < 19 && j < 19 && r->board[j * 19 + i]) {
                    double su, sv;
                    stone_centre(r, i, j, &su, &sv);
                    draw_stone(r, u - su, v - sv, r->board[j * 19 + i], px, rgb);
                }
    }
    if (r->hand && v < r->hand_v && fabs(u - r->hand_u) < 1.8)
        blend(rgb, skin, clamp01((r->hand_v - v) / px), 1);
}

// Noise from a table of 4096 normal deviates.
static const double *deviates(void)
{
    static double table[4096];
    uint64_t state = 1;
    if (table[0] != 0)
        return table;
    for (int n = 0; n < 4096; n++)
        for (int k = 0; k < 12; k++) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            table[n] += (double)(state >> 40) / (double)(1U << 24) - 0.5;
        }
    return table;
}

static void box_blur(uint8_t *rgb, int width, int height, int radius)
{
    uint8_t *copy = malloc((size_t)width * (size_t)height * 3);
    for (int pass = 0; pass < 2; pass++) {
        memcpy(copy, rgb, (size_t)width * (size_t)height * 3);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                for (int k = 0; k < 3; k++) {
                    int sum = 0, n = 0;
                    for (int d = -radius; d <= radius; d++) {
                        const int sx = pass ? x : x + d, sy = pass ? y + d : y;
                        if (sx < 0 || sy < 0 || sx >= width || sy >= height)
                            continue;
                        sum += copy[((size_t)sy * (size_t)width + (size_t)sx) * 3 + (size_t)k];
                        n++;
                    }
                    rgb[((size_t)y * (size_t)width + (size_t)x) * 3 + (size_t)k] =
                        (uint8_t)(sum / (n ? n : 1));
                }
    }
    free(copy);
}

static void make_map(struct render *r)
{
    const size_t pixels = (size_t)r->width * (size_t)r->height;
    bool same = r->map != NULL;
    for (int k = 0; same && k < 9; k++)
        same = r->mapped[k] == r->geometry.homography[k];
    if (same)
        return;
    if (!r->map)
        r->map = malloc(pixels * 3 * sizeof *r->map);
    memcpy(r->mapped, r->geometry.homography, sizeof r->mapped);
    for (size_t n = 0; n < pixels; n++) {
        double u, v;
        float *at = r->map + 3 * n;
        at[2] = 0;
        const size_t px = n % (size_t)r->width, py = n / (size_t)r->width;
        if (!geometry_image_to_board(&r->geometry, (double)px, (double)py, &u, &v))
            continue;
        at[0] = (float)u;
        at[1] = (float)v;
        at[2] = (float)(1 / geometry_cell_px(&r->geometry, u, v));
    }
}

void render_release(struct render *r)
{
    free(r->map);
    free(r->clean);
    free(r->scene);
    r->map = NULL;
    r->clean = r->scene = NULL;
}

// Draws the scene without noise, unless it is the one drawn last.
static void draw_clean(struct render *r)
{
    const size_t key = offsetof(struct render, seed), pixels = (size_t)r->width * (size_t)r->height;
    make_map(r);
    if (r->clean && memcmp(r->scene, r, key) == 0)
        return;
    if (!r->clean) {
        r->clean = malloc(pixels * 3);
        r->scene = malloc(key);
    }
    memcpy(r->scene, r, key);
    for (int y = 0; y < r->height; y++)
        for (int x = 0; x < r->width; x++) {
            const size_t n = (size_t)y * (size_t)r->width + (size_t)x;
            const double light = r->light * (1 - r->gradient * (x + y) / (r->width + r->height));
            double c[3];
            shade_pixel(r, r->map + 3 * n, c);
            for (int k = 0; k < 3; k++)
                r->clean[3 * n + (size_t)k] = (uint8_t)fmin(255, c[k] * light);
        }
    if (r->blur > 0)
        box_blur(r->clean, r->width, r->height, (int)r->blur);
}

void render_jpeg(struct render *r, uint8_t **ret, size_t *ret_size)
{
    const size_t pixels = (size_t)r->width * (size_t)r->height;
    const double *noise = deviates();
    uint64_t state = r->seed;
    draw_clean(r);
    uint8_t *rgb = malloc(pixels * 3);
    for (size_t n = 0; n < pixels; n++) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const int add = (int)lround(r->noise * noise[state >> 52]);
        for (size_t k = 0; k < 3; k++) {
            const int value = r->clean[3 * n + k] + add;
            rgb[3 * n + k] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
    }
    tjhandle turbo = tjInitCompress();
    unsigned char *jpeg = NULL;
    unsigned long size = 0;
    tjCompress2(turbo, rgb, r->width, 0, r->height, TJPF_RGB, &jpeg, &size, TJSAMP_420, 85, 0);
    tjDestroy(turbo);
    free(rgb);
    *ret = jpeg;
    *ret_size = size;
}

void render_free(uint8_t *jpeg)
{
    tjFree(jpeg);
}
