// Inside of the renderer: what its source files share.
//
// Pictures are 8-bit sRGB, three bytes a pixel. Light is computed in linear floats where 1 is what
// the exposure maps to white; `tone` turns it into 8 bits, `linear` back.
#pragma once

#include <turbojpeg.h>

#include "controller/sim/render.h"
#include "controller/sim/view.h"

enum {
    TONE_STEPS = 4096,
    SHADES = 64, // steps of a shadow
    NOISE_TILE = 1 << 17,
    CACHED_MAX = 8, // compressed frames kept while nothing changes
    HAND_WIDTH = 330,
    HAND_LENGTH = 1000, // sprite pixels, half a millimetre each
    HAND_POSES = 2,
};

#define TONE_TOP 4.0f // brightest linear value told apart

struct rect {
    int x0, y0, x1, y1; // x1, y1 are outside
};

struct rgb {
    float r, g, b;
};

// A hand seen from above, lit; plus the soft outline that its shadow has.
struct hand_sprite {
    uint8_t *rgba;   // HAND_WIDTH * HAND_LENGTH * 4
    uint8_t *shadow; // HAND_WIDTH * HAND_LENGTH
};

struct light {
    double lamp[3];
    struct rgb lamp_colour, ambient_colour; // at the board's centre, exposure included
    double lamp_distance2, lamp_cosine;
    double size;
    double window, window_x, window_y;
    double centre_x, centre_y;
    double gloss;
    float lamp_share; // of the light at the board's centre
};

struct cached {
    uint32_t key;
    bool valid;
    unsigned char *data;
    unsigned long size;
};

struct render {
    struct table_setup setup;
    struct view view;
    double eye[3], target[3], roll_deg; // that the layers were made for
    bool has_pose;
    double block[WORLD_BLOCKS]; // as drawn
    struct light light;
    int width, height;

    float *ground_x, *ground_y; // table point (z = 0) behind each pixel
    uint8_t *empty;             // the table without stones
    uint8_t *still;             // with the stones at rest
    uint8_t *work;              // with everything
    uint8_t *out;               // with the sensor's faults

    int drawn_count;
    struct scene_stone drawn[SCENE_STONES_MAX];
    struct hand_sprite hand[HAND_POSES]; // made when a hand is first seen
    float to_machine[6];                 // machine x, y = (0, 1, 2), (3, 4, 5) · table (x, y, 1)

    uint8_t tone[TONE_STEPS];
    float linear[256];
    uint8_t shade[SHADES + 1][256]; // what a pixel becomes in partial shadow
    int8_t *noise;

    tjhandle jpeg;
    unsigned char *jpeg_data;
    unsigned long jpeg_size;
    struct cached cached[CACHED_MAX];
};

// --- small things ---

// Without the C library's care for NaN, which costs a call each; there are none here.
static inline float minf(float a, float b)
{
    return a < b ? a : b;
}

static inline float maxf(float a, float b)
{
    return a > b ? a : b;
}

static inline float floor_to(float v)
{
    const float whole = (float)(int32_t)v; // towards zero; textures are far smaller than 2^31
    return whole - (whole > v);
}

static inline float clampf(float v, float low, float high)
{
    return v < low ? low : v > high ? high : v;
}

static inline float smoothf(float from, float to, float v)
{
    const float t = clampf((v - from) / (to - from), 0, 1);
    return t * t * (3 - 2 * t);
}

static inline float mixf(float a, float b, float t)
{
    return a + (b - a) * t;
}

static inline struct rgb mix_rgb(struct rgb a, struct rgb b, float t)
{
    return (struct rgb){mixf(a.r, b.r, t), mixf(a.g, b.g, t), mixf(a.b, b.b, t)};
}

static inline struct rgb scale_rgb(struct rgb a, float s)
{
    return (struct rgb){a.r * s, a.g * s, a.b * s};
}

static inline struct rgb mul_rgb(struct rgb a, struct rgb b)
{
    return (struct rgb){a.r * b.r, a.g * b.g, a.b * b.b};
}

static inline struct rgb add_rgb(struct rgb a, struct rgb b)
{
    return (struct rgb){a.r + b.r, a.g + b.g, a.b + b.b};
}

static inline uint8_t tone8(const struct render *r, float v)
{
    const int i = (int)(v * ((float)TONE_STEPS / TONE_TOP));
    return r->tone[i < 0 ? 0 : i >= TONE_STEPS ? TONE_STEPS - 1 : i];
}

static inline void put_rgb(const struct render *r, uint8_t *pixel, struct rgb c)
{
    pixel[0] = tone8(r, c.r);
    pixel[1] = tone8(r, c.g);
    pixel[2] = tone8(r, c.b);
}

static inline struct rgb get_rgb(const struct render *r, const uint8_t *pixel)
{
    return (struct rgb){r->linear[pixel[0]], r->linear[pixel[1]], r->linear[pixel[2]]};
}

static inline size_t pixel_at(const struct render *r, int x, int y)
{
    return (size_t)y * (size_t)r->width + (size_t)x;
}

// rect.c
struct rect rect_clip(const struct render *r, struct rect rect); // to the picture
bool rect_empty(struct rect rect);
struct rect rect_join(struct rect a, struct rect b); // an empty one does not count
// Around the pictures of a box in the table frame; empty when it is behind the camera.
struct rect rect_of_box(const struct render *r, const double low[3], const double high[3]);
// Widens [low, high] to hold `at`. Comparisons and not fmin(): gcc 12 for arm64 (a Raspberry Pi
// with Debian 12) fails with an internal error when it vectorizes fmin() over the corners of a box.
static inline void range_include(double *low, double *high, double at)
{
    if (at < *low)
        *low = at;
    if (at > *high)
        *high = at;
}

// noise of textures: repeatable, no state
float texture_hash(int32_t x, int32_t y);             // 0 … 1
float texture_noise(float x, float y);                // smooth, 0 … 1
float texture_fractal(float x, float y, int octaves); // 0 … 1

// light.c
void light_set(struct render *r);
void tone_set(struct render *r);
// Light on a level surface at (x, y, z): the lamp's, and the rest.
void light_at(const struct light *light, double x, double y, double z, struct rgb *ret_lamp,
              struct rgb *ret_ambient);
// Light on a surface with this normal.
struct rgb light_on(const struct light *light, const double at[3], const double normal[3]);
float vignette(const struct render *r, int x, int y);
// Adds a lamp's mirror image to the picture being made.
void light_glare(struct render *r, const struct scene_glare *glare);

// background.c
void background_draw(struct render *r);
// The board alone, from the same place: its blocks have turned.
void background_draw_board(struct render *r);
struct rgb stone_paint(enum stone_colour colour); // what signs of that colour are painted with

// stones.c
// Draws the scene's stones at rest where they differ from those drawn (all = redraw all).
void stones_draw(struct render *r, const struct scene *scene, bool all);
// Draws one stone over `pixels` within clip, its shadow first. Returns what it covers.
struct rect stone_draw(struct render *r, uint8_t *pixels, const struct scene_stone *stone,
                       struct rect clip);

// gantry.c: shadow first, then the thing itself. Each returns what it covers.
struct rect gantry_shadow(struct render *r, const double tool[3]);
struct rect gantry_draw(struct render *r, const double tool[3]);

// hand.c, hand_sprite.c
// Makes both poses if that has not been done. -ENOMEM.
int hand_sprites_make(struct render *r);
struct rect hand_shadow(struct render *r, const struct world_hand *hand);
struct rect hand_draw(struct render *r, const struct world_hand *hand);
