// A right hand with its sleeve, seen from above: a height field blended from tapered capsules,
// lit once. Sprite rows run from beyond the finger tips to the elbow, columns from left to right.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "controller/sim/render_private.h"

#define MM_PIXEL    0.5f
#define TIP_ROW     60.0f  // mm from the first row to the finger tips
#define CUFF        128.0f // mm from the finger tips to the sleeve
#define BLEND       5.0f   // mm over which parts melt into each other
#define SHADOW_BLUR 14

// From one end to the other: along the arm (u, towards the elbow), across (v, to the right), height
// of the axis, radius; mm.
struct capsule {
    float u0, v0, z0, r0, u1, v1, z1, r1;
};

struct part_list {
    const struct capsule *part;
    int count;
};

// Thumb and index finger hold a stone, the others are bent under.
static const struct capsule PINCH[] = {
    {3, 5, 6, 6.6f, 20, 6, 24, 7.6f},        {20, 6, 24, 7.8f, 42, 2, 36, 8.6f},
    {42, 2, 36, 8.8f, 70, -4, 34, 11},       {6, -6, 5, 7.4f, 26, -17, 12, 8.8f},
    {26, -17, 12, 9.0f, 52, -27, 18, 11.5f}, {52, -27, 18, 12, 88, -22, 20, 17},
    {14, 23, 10, 6.8f, 32, 22, 27, 7.9f},    {32, 22, 27, 8.1f, 70, 12, 35, 11.5f},
    {26, 38, 10, 6.4f, 41, 35, 24, 7.5f},    {41, 35, 24, 7.7f, 74, 26, 32, 11},
    {42, 50, 9, 5.6f, 54, 46, 19, 6.6f},     {54, 46, 19, 6.8f, 80, 37, 27, 10},
    {76, -6, 27, 15, 112, 2, 24, 19},        {76, 12, 28, 15, 112, 8, 25, 20},
    {80, 28, 24, 13, 112, 15, 23, 18},       {108, 8, 24, 22, 160, 12, 26, 27},
};

// Open: it reaches, rests or goes away.
static const struct capsule OPEN[] = {
    {2, -3, 6, 6.0f, 22, -3, 14, 7.2f},      {22, -3, 14, 7.4f, 44, -4, 24, 8.4f},
    {44, -4, 24, 8.6f, 74, -6, 27, 11},      {30, -44, 6, 7.2f, 50, -37, 12, 8.8f},
    {50, -37, 12, 9.0f, 72, -29, 17, 11.5f}, {72, -29, 17, 12, 96, -20, 19, 17},
    {-9, 17, 6, 6.2f, 14, 16, 15, 7.4f},     {14, 16, 15, 7.6f, 38, 13, 26, 8.6f},
    {38, 13, 26, 8.8f, 72, 10, 28, 11.5f},   {-1, 35, 6, 6.0f, 20, 32, 14, 7.2f},
    {20, 32, 14, 7.4f, 42, 28, 24, 8.4f},    {42, 28, 24, 8.6f, 74, 24, 26, 11},
    {22, 52, 5, 5.2f, 38, 48, 11, 6.2f},     {38, 48, 11, 6.4f, 54, 43, 18, 7.2f},
    {54, 43, 18, 7.4f, 80, 36, 22, 10},      {78, -6, 23, 15, 112, 2, 23, 19},
    {76, 12, 24, 15, 112, 8, 24, 20},        {80, 28, 21, 13, 112, 15, 22, 18},
    {108, 8, 23, 22, 160, 12, 26, 27},
};

static const struct capsule SLEEVE[] = {
    {CUFF, 10, 25, 31, CUFF + 34, 12, 27, 34},
    {CUFF + 34, 12, 27, 34, 300, 22, 34, 43},
    {300, 22, 34, 43, 470, 36, 42, 52},
};

static const struct rgb SKINS[] = {
    {0.58f, 0.33f, 0.23f}, {0.40f, 0.21f, 0.13f}, {0.66f, 0.42f, 0.31f}, {0.17f, 0.085f, 0.05f}};

static const struct rgb SLEEVES[] = {
    {0.045f, 0.075f, 0.145f}, {0.30f, 0.05f, 0.05f}, {0.42f, 0.42f, 0.40f}, {0.05f, 0.10f, 0.06f}};

// Height over the base plane at (u, v); < 0 = outside, then about minus the distance.
static float capsule_height(const struct capsule *c, float u, float v)
{
    const float du = c->u1 - c->u0, dv = c->v1 - c->v0;
    const float t = clampf(((u - c->u0) * du + (v - c->v0) * dv) / (du * du + dv * dv), 0, 1);
    const float pu = u - c->u0 - t * du, pv = v - c->v0 - t * dv;
    const float r = mixf(c->r0, c->r1, t), d2 = pu * pu + pv * pv;
    if (d2 >= r * r)
        return r - sqrtf(d2) - 0.001f;
    return mixf(c->z0, c->z1, t) + sqrtf(r * r - d2);
}

// Largest of two heights, rounded where they meet (I. Quilez, polynomial smooth maximum).
static float melt(float a, float b, float k)
{
    const float h = maxf(k - fabsf(a - b), 0) / k;
    return maxf(a, b) + h * h * k * 0.25f;
}

static float field_height(const struct part_list *list, float u, float v, float k)
{
    float h = -100;
    for (int i = 0; i < list->count; i++) {
        const float c = capsule_height(&list->part[i], u, v);
        // Outside heights only tell distance: they must not melt into the inside ones.
        h = h > 0 && c > 0 ? melt(h, c, k) : maxf(h, c);
    }
    return h;
}

struct field {
    float height[HAND_LENGTH][HAND_WIDTH];
    bool cloth[HAND_LENGTH][HAND_WIDTH];
};

static void fill_field(struct field *f, const struct part_list *hand)
{
    const struct part_list sleeve = {SLEEVE, sizeof SLEEVE / sizeof SLEEVE[0]};
    for (int row = 0; row < HAND_LENGTH; row++) {
        const float u = (float)row * MM_PIXEL - TIP_ROW;
        for (int col = 0; col < HAND_WIDTH; col++) {
            const float v = ((float)col - HAND_WIDTH / 2.0f) * MM_PIXEL;
            float h = u < CUFF + 30 ? field_height(hand, u, v, BLEND) : -100;
            float s = u >= CUFF ? field_height(&sleeve, u, v, 1) : -100;
            if (s > 0) {
                // Folds run round the arm, deeper near the cuff; the cuff has a hem.
                const float fold = texture_fractal(u * 0.05f + v * 0.022f, v * 0.02f, 3) - 0.5f;
                s += 13 * fold + 1.6f * sinf(u * 0.20f + 5 * fold) * expf(-(u - CUFF) / 110);
                s = maxf(s + (u < CUFF + 6 ? 2.0f : 0), 0.1f);
            }
            f->cloth[row][col] = s > h;
            f->height[row][col] = maxf(h, s);
        }
    }
}

static float height_at(const struct field *f, int row, int col)
{
    row = row < 0 ? 0 : row >= HAND_LENGTH ? HAND_LENGTH - 1 : row;
    col = col < 0 ? 0 : col >= HAND_WIDTH ? HAND_WIDTH - 1 : col;
    return f->height[row][col];
}

// How much lower it is than what is around: creases are dark.
static float hollow(const struct field *f, int row, int col)
{
    float sum = 0;
    for (int i = 0; i < 8; i++) {
        static const int AT[8][2] = {{-12, 0}, {12, 0}, {0, -12}, {0, 12},
                                     {-8, -8}, {8, 8},  {-8, 8},  {8, -8}};
        sum += clampf(height_at(f, row + AT[i][0], col + AT[i][1]) - f->height[row][col], 0, 16);
    }
    return clampf(sum / 8 / 7, 0, 1);
}

static struct rgb skin_at(const struct render *r, float u, float v, float crease)
{
    struct rgb c = SKINS[(unsigned)r->setup.person.skin % 4];
    const float blotch = texture_fractal(u * 0.06f, v * 0.06f, 3) - 0.5f;
    c = mix_rgb(c, (struct rgb){c.r * 1.05f, c.g * 0.72f, c.b * 0.68f},
                clampf(0.45f + 1.2f * blotch + 0.6f * smoothf(40, 0, u), 0, 1));
    c = scale_rgb(c, 0.96f + 0.08f * texture_noise(u * 1.1f, v * 1.1f));
    return scale_rgb(c, 1 - 0.55f * crease);
}

static bool on_nail(const struct part_list *list, float u, float v)
{
    // The far end of every finger's first part.
    for (int i = 0; i < list->count; i++) {
        const struct capsule *c = &list->part[i];
        if (c->r0 > 7.6f || c->z0 > 11)
            continue;
        const float du = c->u1 - c->u0, dv = c->v1 - c->v0, n = sqrtf(du * du + dv * dv);
        const float along = ((u - c->u0) * du + (v - c->v0) * dv) / n;
        const float across = ((u - c->u0) * dv - (v - c->v0) * du) / n;
        const float a = (along - 1.5f) / (c->r0 * 0.92f), b = across / (c->r0 * 0.62f);
        if (a * a * a * a + b * b * b * b < 1)
            return true;
    }
    return false;
}

static struct rgb paint_at(const struct render *r, const struct part_list *hand,
                           const struct field *f, int row, int col, float *ret_shine)
{
    const float u = (float)row * MM_PIXEL - TIP_ROW;
    const float v = ((float)col - HAND_WIDTH / 2.0f) * MM_PIXEL;
    *ret_shine = 0.05f;
    if (f->cloth[row][col]) {
        struct rgb c = SLEEVES[(unsigned)r->setup.person.sleeve % 4];
        const float knit = 0.5f + 0.5f * sinf(v * 2.6f + sinf(u * 1.3f));
        c = scale_rgb(c, 0.80f + 0.30f * knit * texture_noise(u * 1.7f, v * 1.7f));
        *ret_shine = 0;
        return scale_rgb(c, 1 - 0.5f * hollow(f, row, col));
    }
    struct rgb c = skin_at(r, u, v, hollow(f, row, col));
    if (on_nail(hand, u, v)) {
        c = mix_rgb(c, (struct rgb){c.r * 1.18f + 0.05f, c.g * 1.12f + 0.03f, c.b * 1.12f + 0.03f},
                    0.8f);
        *ret_shine = 0.35f;
    }
    return c;
}

static void light_sprite(const struct render *r, const struct part_list *hand,
                         const struct field *f, uint8_t *rgba)
{
    const struct light *l = &r->light;
    const double at[3] = {l->centre_x, l->centre_y, 40};
    double lamp[3] = {l->lamp[0] - at[0], l->lamp[1] - at[1], l->lamp[2] - at[2]};
    const double n0 = sqrt(lamp[0] * lamp[0] + lamp[1] * lamp[1] + lamp[2] * lamp[2]);
    for (int row = 0; row < HAND_LENGTH; row++) {
        for (int col = 0; col < HAND_WIDTH; col++) {
            uint8_t *p = rgba + 4 * ((size_t)row * HAND_WIDTH + (size_t)col);
            const float h = f->height[row][col];
            p[3] = (uint8_t)(255 * clampf(h / MM_PIXEL + 1, 0, 1));
            if (!p[3])
                continue;
            // Rows grow towards the person: that is -y.
            const float gx =
                (height_at(f, row, col + 1) - height_at(f, row, col - 1)) / (2 * MM_PIXEL);
            const float gy =
                (height_at(f, row - 1, col) - height_at(f, row + 1, col)) / (2 * MM_PIXEL);
            const float n = 1 / sqrtf(1 + 0.8f * (gx * gx + gy * gy));
            const double normal[3] = {-gx * 0.9f * n, -gy * 0.9f * n, n};
            float shine;
            const struct rgb c = paint_at(r, hand, f, row, col, &shine);
            struct rgb light = light_on(l, at, normal);
            // Skin lets some light through: the shaded side is never quite dark, and reddish.
            light = add_rgb(light, scale_rgb(l->lamp_colour, 0.06f));
            const double half =
                (normal[0] * lamp[0] + normal[1] * lamp[1] + normal[2] * (lamp[2] + n0)) / n0 / 2;
            const float spec = shine * (float)pow(fmax(0, half), 24);
            put_rgb(r, p, add_rgb(mul_rgb(c, light), scale_rgb(l->lamp_colour, spec)));
        }
    }
}

// Blurs along rows (step 1) or columns (step HAND_WIDTH).
static void blur_line(const uint8_t *from, uint8_t *to, int n, size_t step)
{
    int sum = 0;
    for (int i = -SHADOW_BLUR; i < n + SHADOW_BLUR; i++) {
        const int enter = i + SHADOW_BLUR, leave = i - SHADOW_BLUR - 1;
        sum += enter < n ? from[(size_t)enter * step] : 0;
        sum -= leave >= 0 && leave < n ? from[(size_t)leave * step] : 0;
        if (i >= 0 && i < n)
            to[(size_t)i * step] = (uint8_t)(sum / (2 * SHADOW_BLUR + 1));
    }
}

static int make_shadow(const uint8_t *rgba, uint8_t *shadow)
{
    uint8_t *alpha = malloc((size_t)HAND_WIDTH * HAND_LENGTH);
    if (!alpha)
        return -ENOMEM;
    for (size_t i = 0; i < (size_t)HAND_WIDTH * HAND_LENGTH; i++)
        alpha[i] = rgba[4 * i + 3];
    for (int pass = 0; pass < 2; pass++) {
        for (int row = 0; row < HAND_LENGTH; row++)
            blur_line(alpha + (size_t)row * HAND_WIDTH, shadow + (size_t)row * HAND_WIDTH,
                      HAND_WIDTH, 1);
        for (int col = 0; col < HAND_WIDTH; col++)
            blur_line(shadow + col, alpha + col, HAND_LENGTH, HAND_WIDTH);
    }
    memcpy(shadow, alpha, (size_t)HAND_WIDTH * HAND_LENGTH);
    free(alpha);
    return 0;
}

int hand_sprites_make(struct render *r)
{
    static const struct part_list POSES[HAND_POSES] = {{OPEN, sizeof OPEN / sizeof OPEN[0]},
                                                       {PINCH, sizeof PINCH / sizeof PINCH[0]}};
    if (r->hand[HAND_POSES - 1].shadow)
        return 0;
    struct field *f = malloc(sizeof *f);
    int result = f ? 0 : -ENOMEM;
    for (int i = 0; i < HAND_POSES && result == 0; i++) {
        struct hand_sprite *s = &r->hand[i];
        const size_t pixels = (size_t)HAND_WIDTH * HAND_LENGTH;
        if (!s->rgba)
            s->rgba = malloc(4 * pixels);
        if (!s->shadow)
            s->shadow = malloc(pixels);
        if (!s->rgba || !s->shadow) {
            result = -ENOMEM;
            break;
        }
        memset(s->rgba, 0, 4 * pixels);
        fill_field(f, &POSES[i]);
        light_sprite(r, &POSES[i], f, s->rgba);
        result = make_shadow(s->rgba, s->shadow);
    }
    free(f);
    return result;
}
