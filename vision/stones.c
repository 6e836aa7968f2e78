#include "vision/stones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REACH = 5, LOG_TABLE = 256 };

static const float STEP = (float)PATCH_REACH / PATCH_HALF; // cells between samples
static const float DISC_MIN = 0.42F;   // score from which something round is there
static const float CENTRE_MAX = 0.47F; // cells a stone may lie off its point

// Difference of a patch from the bare surface, per sample: signed in light, length in tint.
struct difference {
    float luma[PATCH * PATCH];
    float cb[CHROMA_PATCH * CHROMA_PATCH], cr[CHROMA_PATCH * CHROMA_PATCH];
    float full_cb[PATCH * PATCH], full_cr[PATCH * PATCH]; // tint at every sample
    float any[PATCH * PATCH];                             // 0 = bare, 1 = surely something else
};

static const float *log_table(void)
{
    static const float TABLE[LOG_TABLE] = {
#include "vision/log_table.inc"
    };
    return TABLE;
}

void stones_default_models(const struct vision_settings *settings, struct vision_models *ret)
{
    // Against light vinyl; glass and resin stones of the shops' usual shades.
    static const struct vision_colour_model NAMED[STONE_COLOUR_COUNT] = {
        [STONE_CLEAR] = {{-0.15F, 0.00F, 0.00F}, {0.25F, 0.05F, 0.05F}, 0},
        [STONE_WHITE] = {{0.15F, 0.02F, -0.02F}, {0.20F, 0.06F, 0.06F}, 0},
        [STONE_BLACK] = {{-1.80F, 0.00F, 0.00F}, {0.60F, 0.15F, 0.15F}, 0},
        [STONE_RED] = {{-0.95F, -0.15F, 0.65F}, {0.50F, 0.20F, 0.35F}, 0},
        [STONE_BLUE] = {{-1.05F, 0.65F, -0.20F}, {0.50F, 0.40F, 0.20F}, 0},
        [STONE_GREEN] = {{-0.80F, -0.10F, -0.35F}, {0.50F, 0.20F, 0.20F}, 0},
        [STONE_AMBER] = {{-0.35F, -0.40F, 0.25F}, {0.35F, 0.25F, 0.20F}, 0},
    };
    *ret = (struct vision_models){.version = VISION_MODEL_VERSION, .colours = settings->colours};
    for (int k = 0; k < settings->colours; k++)
        ret->colour[k] = NAMED[settings->colour[k]];
}

// Tint was sampled at every odd row and column; between, it is interpolated (taking the nearest
// would shift it by half a sample, and with it every stone's centre).
static void spread_tint(const float *tint, float *full)
{
    for (int b = 0; b < PATCH; b++)
        for (int a = 0; a < PATCH; a++) {
            const int last = CHROMA_PATCH - 1;
            const int b1 = b / 2 > last ? last : b / 2, a1 = a / 2 > last ? last : a / 2;
            const int b0 = b % 2 || b1 == 0 || b / 2 > last ? b1 : b1 - 1;
            const int a0 = a % 2 || a1 == 0 || a / 2 > last ? a1 : a1 - 1;
            full[b * PATCH + a] =
                0.25F * (tint[b0 * CHROMA_PATCH + a0] + tint[b0 * CHROMA_PATCH + a1] +
                         tint[b1 * CHROMA_PATCH + a0] + tint[b1 * CHROMA_PATCH + a1]);
        }
}

static void measure_difference(const struct sampler *s, const struct picture *p, int n,
                               const float around[3], struct difference *d)
{
    const float *log_of = log_table();
    for (int k = 0; k < PATCH * PATCH; k++)
        d->luma[k] = log_of[p->luma[s->patch_luma[n][k]]] - around[0];
    for (int k = 0; k < CHROMA_PATCH * CHROMA_PATCH; k++) {
        const int row = 2 * (k / CHROMA_PATCH) + 1, column = 2 * (k % CHROMA_PATCH) + 1;
        const float luma = (float)p->luma[s->patch_luma[n][row * PATCH + column]] + 16;
        const int32_t at = s->patch_chroma[n][k];
        d->cb[k] = (p->cb ? ((float)p->cb[at] - 128) / luma : 0) - around[1];
        d->cr[k] = (p->cr ? ((float)p->cr[at] - 128) / luma : 0) - around[2];
    }
    spread_tint(d->cb, d->full_cb);
    spread_tint(d->cr, d->full_cr);
    for (int k = 0; k < PATCH * PATCH; k++) {
        const float tint = fabsf(d->full_cb[k]) + fabsf(d->full_cr[k]);
        // Noise of a bare surface stays well below half of either scale.
        const float sum = fabsf(d->luma[k]) * 2.2F + tint * 7.0F - 0.15F;
        d->any[k] = sum < 0 ? 0 : sum > 1 ? 1 : sum;
    }
}

// Mean of the difference inside a stone's outline at (ca, cb) minus part of that around it.
static float disc_score(const struct stone_settings *t, const struct difference *d, float ca,
                        float cb)
{
    float in = 0, out = 0;
    int n_in = 0, n_out = 0;
    for (int b = 0; b < PATCH; b++)
        for (int a = 0; a < PATCH; a++) {
            const float du = ((float)a - ca) * STEP / t->radius_u;
            const float dv = ((float)b - cb) * STEP / t->radius_v;
            const float r2 = du * du + dv * dv;
            if (r2 <= 0.92F) {
                in += d->any[b * PATCH + a];
                n_in++;
            } else if (r2 > 1.35F && r2 < 2.2F) {
                out += d->any[b * PATCH + a];
                n_out++;
            }
        }
    if (n_in < 12)
        return 0;
    return in / (float)n_in - (n_out ? 0.3F * out / (float)n_out : 0);
}

// Best centre, coarse then fine; coordinates in samples.
static float find_disc(const struct stone_settings *t, const struct difference *d, float *ret_a,
                       float *ret_b)
{
    float best = -1, best_a = PATCH_HALF, best_b = PATCH_HALF;
    for (int pass = 0; pass < 3; pass++) {
        const float step = pass == 0 ? 2.0F : pass == 1 ? 1.0F : 0.5F;
        const int reach = pass == 0 ? 2 : 1;
        const float from_a = best_a, from_b = best_b;
        for (int b = -reach; b <= reach; b++)
            for (int a = -reach; a <= reach; a++) {
                const float ca = from_a + (float)a * step, cb = from_b + (float)b * step;
                const float du = (ca - PATCH_HALF) * STEP, dv = (cb - PATCH_HALF) * STEP;
                if (du * du + dv * dv > CENTRE_MAX * CENTRE_MAX)
                    continue;
                // A slight preference for the point itself keeps full patches from wandering.
                const float score = disc_score(t, d, ca, cb) - 0.03F * (du * du + dv * dv);
                if (score > best) {
                    best = score;
                    best_a = ca;
                    best_b = cb;
                }
            }
    }
    *ret_a = best_a;
    *ret_b = best_b;
    return best;
}

// Mean light (of the middle half of the samples, so that a highlight or a line does not count) and
// tint inside `share` of a stone's outline.
static void disc_features(const struct stone_settings *t, const struct difference *d, float ca,
                          float cb, float share, float feature[VISION_FEATURES])
{
    float luma[PATCH * PATCH], sum = 0, tint_b = 0, tint_r = 0;
    int count = 0, tints = 0;
    for (int b = 0; b < PATCH; b++)
        for (int a = 0; a < PATCH; a++) {
            const float du = ((float)a - ca) * STEP / (t->radius_u * share);
            const float dv = ((float)b - cb) * STEP / (t->radius_v * share);
            if (du * du + dv * dv > 1)
                continue;
            const float value = d->luma[b * PATCH + a];
            int at = count++;
            for (; at > 0 && luma[at - 1] > value; at--)
                luma[at] = luma[at - 1];
            luma[at] = value;
            if (a % 2 == 1 && b % 2 == 1) {
                const int c = b / 2 * CHROMA_PATCH + a / 2;
                tint_b += d->cb[c];
                tint_r += d->cr[c];
                tints++;
            }
        }
    const int from = count / 4, to = count - count / 4;
    for (int k = from; k < to; k++)
        sum += luma[k];
    feature[0] = to > from ? sum / (float)(to - from) : 0;
    feature[1] = tints ? tint_b / (float)tints : 0;
    feature[2] = tints ? tint_r / (float)tints : 0;
}

// How much each sample is like the stone rather than like the bare surface: its place on the way
// from the one to the other. A shadow lies early on that way, even where it is dark.
static void likeness(const struct difference *d, const float feature[VISION_FEATURES],
                     float ret[PATCH * PATCH])
{
    // Light and tint in units in which stones of all colours are about equally far from the
    // surface.
    static const float LIGHT = 1.0F, TINT = 2.5F;
    const float l = LIGHT * feature[0], b = TINT * feature[1], r = TINT * feature[2];
    const float length = l * l + b * b + r * r;
    for (int k = 0; k < PATCH * PATCH; k++) {
        const float along =
            l * LIGHT * d->luma[k] + b * TINT * d->full_cb[k] + r * TINT * d->full_cr[k];
        const float w = 2 * along / length - 0.6F;
        ret[k] = w < 0 ? 0 : w > 1 ? 1 : w;
    }
    // Clear stones hardly differ at all: whatever does, counts.
    if (length < 0.1F)
        memcpy(ret, d->any, sizeof d->any);
}

// Opening: the least, then the greatest value of every 3x3 samples. Takes away what is thinner than
// that (grid lines, which are as dark as many stones) and leaves round things as they are.
static void open_thin(float map[PATCH * PATCH])
{
    float pass[PATCH * PATCH];
    for (int round = 0; round < 2; round++) {
        memcpy(pass, map, sizeof pass);
        for (int y = 1; y < PATCH - 1; y++)
            for (int x = 1; x < PATCH - 1; x++) {
                float value = pass[y * PATCH + x];
                for (int k = 0; k < 9; k++) {
                    const float near = pass[(y + k / 3 - 1) * PATCH + x + k % 3 - 1];
                    value = round == 0 ? fminf(value, near) : fmaxf(value, near);
                }
                map[y * PATCH + x] = value;
            }
    }
}

// The centre of gravity of the stone, which is finer than the search's steps.
static void refine_centre(const struct stone_settings *t, const struct difference *d, float *a,
                          float *b)
{
    float feature[VISION_FEATURES], like[PATCH * PATCH];
    disc_features(t, d, *a, *b, 0.7F, feature);
    likeness(d, feature, like);
    open_thin(like);
    for (int round = 0; round < 3; round++) {
        float sum = 0, sum_a = 0, sum_b = 0;
        for (int y = 0; y < PATCH; y++)
            for (int x = 0; x < PATCH; x++) {
                const float du = ((float)x - *a) * STEP / t->radius_u;
                const float dv = ((float)y - *b) * STEP / t->radius_v;
                if (du * du + dv * dv > 1.5F)
                    continue;
                const float w = like[y * PATCH + x];
                sum += w;
                sum_a += w * ((float)x - *a);
                sum_b += w * ((float)y - *b);
            }
        if (sum < 8)
            return;
        *a += fmaxf(-0.6F, fminf(0.6F, sum_a / sum));
        *b += fmaxf(-0.6F, fminf(0.6F, sum_b / sum));
    }
}

static float arm_contrast(const struct sampler *s, const struct picture *p, int n, int d)
{
    const float *log_of = log_table();
    const bool light = s->geometry.light_lines;
    float contrast = 0;
    for (int k = 0; k < ARM_SAMPLES; k++) {
        const int32_t *at = s->arm_luma[n][d][k];
        const float a = log_of[p->luma[at[0]]], b = log_of[p->luma[at[1]]];
        const float c = log_of[p->luma[at[2]]];
        const float line = light ? fmaxf(a, fmaxf(b, c)) : fminf(a, fminf(b, c));
        const float beside = 0.5F * (log_of[p->luma[at[3]]] + log_of[p->luma[at[4]]]);
        contrast += light ? line - beside : beside - line;
    }
    return contrast / ARM_SAMPLES;
}

static bool arm_exists(const struct sampler *s, int column, int row, int d)
{
    const bool there[4] = {column<s->columns - 1, row<s->rows - 1, column> 0, row> 0};
    return there[d];
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

float stones_line_contrast(const struct sampler *s, const struct picture *p)
{
    static const float LEAST = 0.05F;
    float value[BOARD_POINTS_MAX * 4];
    int count = 0;
    for (int row = 0; row < s->rows; row++)
        for (int column = 0; column < s->columns; column++)
            for (int d = 0; d < 4; d++)
                if (arm_exists(s, column, row, d))
                    value[count++] = arm_contrast(s, p, row * s->columns + column, d);
    qsort(value, (size_t)count, sizeof value[0], compare_floats);
    // Up to half of the arms may lie under stones: the middle of the upper half is bare.
    return fmaxf(LEAST, value[count * 3 / 4]);
}

// Contrast of the four arms against what a bare line shows: their mean, and the second least. A
// neighbour's stone may hide one arm; a stone on the point hides several.
static void line_share(const struct stone_settings *t, const struct sampler *s,
                       const struct picture *p, int column, int row, struct stone_reading *ret)
{
    float sum = 0, least = 2, second = 2;
    int arms = 0;
    for (int d = 0; d < 4; d++) {
        if (!arm_exists(s, column, row, d))
            continue;
        float share = arm_contrast(s, p, row * s->columns + column, d) / t->line_contrast;
        share = share < 0 ? 0 : share > 1.2F ? 1.2F : share;
        sum += share;
        arms++;
        second = fminf(second, fmaxf(least, share));
        least = fminf(least, share);
    }
    ret->lines = sum / (float)arms;
    ret->second_line = second;
}

void stones_measure(const struct stone_settings *settings, const struct sampler *s,
                    const struct surface *surface, const struct picture *p, int column, int row,
                    struct stone_reading *ret)
{
    const int n = row * s->columns + column;
    float around[3];
    *ret = (struct stone_reading){0};
    const int bare = surface_around(surface, s, column, row, &around[0], &around[1], &around[2]);
    ret->blocked = bare < 2 || !s->point_inside[n];
    struct difference d;
    measure_difference(s, p, n, around, &d);
    line_share(settings, s, p, column, row, ret);
    // The point itself lies off the patch's middle by the parallax of a stone's height.
    const float point_a = PATCH_HALF - s->parallax[n][0] / STEP;
    const float point_b = PATCH_HALF - s->parallax[n][1] / STEP;
    disc_features(settings, &d, point_a, point_b, 0.7F, ret->bare_feature);
    ret->bare_score = disc_score(settings, &d, PATCH_HALF, PATCH_HALF);
    float mean = 0, a, b;
    for (int k = 0; k < PATCH * PATCH; k++)
        mean += d.any[k];
    memcpy(ret->feature, ret->bare_feature, sizeof ret->feature);
    ret->score = ret->bare_score;
    if (mean / (PATCH * PATCH) < 0.12F)
        return; // nothing but lines
    ret->score = find_disc(settings, &d, &a, &b);
    ret->disc = ret->score > DISC_MIN;
    if (!ret->disc)
        return;
    refine_centre(settings, &d, &a, &b);
    disc_features(settings, &d, a, b, 0.7F, ret->feature);
    ret->offset_u = (a - PATCH_HALF) * STEP;
    ret->offset_v = (b - PATCH_HALF) * STEP;
}

// The stone belongs to the neighbour or to no point, and no second one fits beside it: what was
// seen here that is not bare is explained.
static void give_up_disc(struct stone_reading *r)
{
    r->disc = false;
    r->score = 0;
    r->lines = r->second_line = fmaxf(r->lines, 0.7F);
    memset(r->feature, 0, sizeof r->feature);
    r->offset_u = r->offset_v = 0;
}

// Beyond the border no neighbour claims what lies more than half a cell from every point. (Where
// the patch ends the centre can't be followed farther than a little more than that.)
static bool beside_board(const struct sampler *s, int column, int row,
                         const struct stone_reading *r)
{
    static const float HALF = 0.54F; // cells, with the error of a centre so far out
    return (column == 0 && r->offset_u < -HALF) ||
           (column == s->columns - 1 && r->offset_u > HALF) || (row == 0 && r->offset_v < -HALF) ||
           (row == s->rows - 1 && r->offset_v > HALF);
}

void stones_resolve(const struct stone_settings *settings, const struct sampler *s,
                    struct stone_reading *reading)
{
    for (int row = 0; row < s->rows; row++)
        for (int column = 0; column < s->columns; column++) {
            struct stone_reading *r = &reading[row * s->columns + column];
            if (r->disc && beside_board(s, column, row, r))
                give_up_disc(r);
        }
    // Two stones' centres are never nearer than a diameter; allow for a fifth of it in errors.
    const float near_u = 1.6F * settings->radius_u, near_v = 1.6F * settings->radius_v;
    for (int row = 0; row < s->rows; row++)
        for (int column = 0; column < s->columns; column++)
            for (int k = 0; k < 4; k++) {
                static const int DC[4] = {1, 0, 1, -1}, DR[4] = {0, 1, 1, 1};
                const int c2 = column + DC[k], r2 = row + DR[k];
                if (c2 < 0 || c2 >= s->columns || r2 >= s->rows)
                    continue;
                struct stone_reading *a = &reading[row * s->columns + column];
                struct stone_reading *b = &reading[r2 * s->columns + c2];
                if (!a->disc || !b->disc)
                    continue;
                const float du = (float)(c2 - column) + b->offset_u - a->offset_u;
                const float dv = (float)(r2 - row) + b->offset_v - a->offset_v;
                if ((du / near_u) * (du / near_u) + (dv / near_v) * (dv / near_v) > 1)
                    continue;
                const float from_a = hypotf(a->offset_u, a->offset_v);
                const float from_b = hypotf(b->offset_u, b->offset_v);
                give_up_disc(a->score - 0.5F * from_a < b->score - 0.5F * from_b ? a : b);
            }
}

// Log density of a feature under a Gaussian with long tails, against a fixed unit.
static float log_density(float x, float mean, float deviation, float unit)
{
    const float z = (x - mean) / deviation;
    const float q = 0.5F * z * z;
    // Beyond four deviations the density falls like a power: one bad feature never decides alone.
    const float tail = q < 8 ? q : 8 + 2.5F * logf(q / 8);
    return -tail - logf(deviation / unit);
}

static float colour_density(const struct vision_colour_model *m, const float *feature)
{
    static const float UNIT[VISION_FEATURES] = {0.10F, 0.03F, 0.03F};
    float sum = 0;
    for (int k = 0; k < VISION_FEATURES; k++)
        sum += log_density(feature[k], m->mean[k], m->deviation[k], UNIT[k]);
    return sum;
}

static float penalty(float excess, float deviation, float most)
{
    if (excess <= 0)
        return 0;
    const float z = excess / deviation;
    return -fminf(0.5F * z * z, most);
}

static float empty_likelihood(const struct stone_reading *r)
{
    static const struct vision_colour_model BARE = {{-0.03F, 0, 0}, {0.10F, 0.03F, 0.03F}, 0};
    // A stone's shadow darkens a bare point without tinting it; its lines stay visible.
    static const struct vision_colour_model SHADED = {{-0.35F, 0, 0}, {0.30F, 0.05F, 0.05F}, 0};
    const float bare = colour_density(&BARE, r->feature);
    const float shaded = colour_density(&SHADED, r->feature) - 1.0F;
    return fmaxf(bare, shaded) + penalty(0.6F - r->second_line, 0.13F, 9) +
           penalty(r->score - 0.35F, 0.12F, 8);
}

static void soft_max(const struct stone_settings *t, struct observation_point *p)
{
    float best = -1e30F, sum = 0;
    for (int k = 0; k < OBSERVATION_CLASSES; k++) {
        if (k > t->colours && k != OBSERVATION_UNKNOWN)
            continue;
        if (p->log_likelihood[k] > best) {
            best = p->log_likelihood[k];
            p->best = (uint8_t)k;
        }
    }
    for (int k = 0; k < OBSERVATION_CLASSES; k++)
        if (k <= t->colours || k == OBSERVATION_UNKNOWN)
            sum += expf(p->log_likelihood[k] - best);
    p->confidence = 1 / sum;
}

void stones_judge(const struct stone_settings *settings, const struct vision_models *models,
                  const struct geometry *g, const struct stone_reading *reading,
                  struct observation_point *ret)
{
    static const float UNKNOWN = -17, IMPOSSIBLE = -60;
    const struct stone_reading *r = reading;
    *ret = (struct observation_point){0};
    for (int k = 0; k < OBSERVATION_CLASSES; k++)
        ret->log_likelihood[k] = IMPOSSIBLE;
    if (r->blocked) {
        // Nothing was seen: every class explains that equally well, "covered" best.
        for (int k = 0; k <= settings->colours; k++)
            ret->log_likelihood[k] = -5;
        ret->log_likelihood[OBSERVATION_UNKNOWN] = 0;
        soft_max(settings, ret);
        return;
    }
    ret->log_likelihood[0] = empty_likelihood(r);
    const float shape = penalty(0.72F - r->score, 0.13F, 10) + penalty(r->lines - 0.35F, 0.2F, 6);
    for (int k = 0; k < settings->colours; k++)
        ret->log_likelihood[k + 1] = colour_density(&models->colour[k], r->feature) + shape;
    ret->log_likelihood[OBSERVATION_UNKNOWN] = UNKNOWN;
    soft_max(settings, ret);
    if (ret->best >= 1 && ret->best <= settings->colours) {
        ret->offset_u = r->offset_u;
        ret->offset_v = r->offset_v;
        ret->offset_x = (float)(g->pitch_x * (double)r->offset_u);
        ret->offset_y = (float)(g->pitch_y * (double)r->offset_v);
    }
}

void stones_learn(struct vision_models *models, int colour, const struct stone_reading *reading)
{
    static const float FLOOR[VISION_FEATURES] = {0.12F, 0.04F, 0.04F};
    static const float WEIGHT_MAX = 60;
    struct vision_colour_model *m = &models->colour[colour];
    // The name's own wide model counts as four samples.
    const float rate = 1 / (m->weight + 4);
    for (int k = 0; k < VISION_FEATURES; k++) {
        const float d = reading->feature[k] - m->mean[k];
        m->mean[k] += rate * d;
        const float variance = (1 - rate) * (m->deviation[k] * m->deviation[k] + rate * d * d);
        m->deviation[k] = fmaxf(FLOOR[k], sqrtf(variance));
    }
    m->weight = fminf(m->weight + 1, WEIGHT_MAX);
}
