#include "vision/stones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vision/disc.h"
#include "vision/rim.h"
#include "vision/veil.h"

static const float STEP = (float)PATCH_REACH / PATCH_HALF; // cells between samples
static const float DISC_MIN = 0.42F;   // score from which something round is there
static const float CENTRE_MAX = 0.47F; // cells a stone may lie off its point
static const float NEAR_MAX = 0.25F;   // cells that most do
static const float FULL_SCALE = 235;   // luma near which the sensor hides how bright it is

// Difference of a patch from the bare surface, per sample: signed in light, length in tint.
struct difference {
    float luma[PATCH * PATCH];
    float cb[CHROMA_PATCH * CHROMA_PATCH], cr[CHROMA_PATCH * CHROMA_PATCH];
    float full_cb[PATCH * PATCH], full_cr[PATCH * PATCH]; // tint at every sample
    float any[PATCH * PATCH];                             // 0 = bare, 1 = surely something else
};

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

// The surface around a point: at the point, and how it changes from there, per cell.
struct around {
    float at[3]; // log luma, cb, cr
    float tilt[3][2];
    int cells; // that show it, of four
};

static struct around look_around(const struct surface *surface, const struct sampler *s, int column,
                                 int row)
{
    struct around a;
    a.cells = surface_around(surface, s, column, row, &a.at[0], &a.at[1], &a.at[2]);
    surface_tilt(surface, s, column, row, a.tilt);
    return a;
}

static float around_at(const struct around *r, int feature, int a, int b)
{
    return r->at[feature] + STEP * (r->tilt[feature][0] * (float)(a - PATCH_HALF) +
                                    r->tilt[feature][1] * (float)(b - PATCH_HALF));
}

// Mean luma of the pixels that a sample of chroma stands for: against that of a thin dark line
// alone, the chroma of the board beside it would look like a strong tint.
static float luma_below(const struct picture *p, int32_t chroma_at)
{
    const int across = (p->width + p->chroma_width - 1) / p->chroma_width;
    const int down = (p->height + p->chroma_height - 1) / p->chroma_height;
    const int x = chroma_at % p->chroma_width * across, y = chroma_at / p->chroma_width * down;
    int sum = 0, count = 0;
    for (int j = y; j < y + down && j < p->height; j++)
        for (int i = x; i < x + across && i < p->width; i++, count++)
            sum += p->luma[(long)j * p->width + i];
    return (float)sum / (float)(count > 0 ? count : 1);
}

static void measure_difference(const struct sampler *s, const struct picture *p, int n,
                               const struct around *around, struct difference *d)
{
    for (int k = 0; k < PATCH * PATCH; k++)
        d->luma[k] =
            SAMPLER_LOG[p->luma[s->patch_luma[n][k]]] - around_at(around, 0, k % PATCH, k / PATCH);
    for (int k = 0; k < CHROMA_PATCH * CHROMA_PATCH; k++) {
        const int row = 2 * (k / CHROMA_PATCH) + 1, column = 2 * (k % CHROMA_PATCH) + 1;
        const int32_t at = s->patch_chroma[n][k];
        const float luma = (p->cb ? luma_below(p, at) : 0) + 16;
        d->cb[k] =
            (p->cb ? ((float)p->cb[at] - 128) / luma : 0) - around_at(around, 1, column, row);
        d->cr[k] =
            (p->cr ? ((float)p->cr[at] - 128) / luma : 0) - around_at(around, 2, column, row);
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

// Without a tint of its own, where clear glass is in play: what is seen has the surface's tint, or
// less of it where the glass is hazy or mirrors the room.
static bool may_be_clear(const struct stone_settings *t, const float around[3],
                         const float feature[VISION_FEATURES])
{
    static const float TINT = 0.06F, MOST = 1.2F; // of the surface's tint
    const float cb = around[1], cr = around[2];
    const float along = (feature[1] * cb + feature[2] * cr) / fmaxf(1e-6F, cb * cb + cr * cr);
    const float share = fmaxf(-1, fminf(MOST - 1, along)); // of the surface's tint, gained
    return stones_any_transparent(t) &&
           fabsf(feature[1] - share * cb) + fabsf(feature[2] - share * cr) < TINT;
}

// The centre of gravity of the stone, which is finer than the search's steps.
static void find_gravity(const struct stone_settings *t, const struct difference *d, float *a,
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

// By the rim, where the stone is a dome and its light is not the surface's. Of clear glass the
// centre of gravity is not even a good start.
static void refine_centre(const struct stone_settings *t, const struct sampler *s,
                          const struct picture *p, const struct difference *d,
                          const float around[3], int column, int row, float *a, float *b)
{
    static const float CONTRAST = 0.25F; // log units of a stone against the surface
    static const double BALL = 0.8;      // height of a stone's diameter from which it is one
    float feature[VISION_FEATURES];
    disc_features(t, d, *a, *b, 0.7F, feature);
    const bool clear = may_be_clear(t, around, feature);
    if (!clear)
        find_gravity(t, d, a, b);
    const struct rim_look look = {.column = column,
                                  .row = row,
                                  .diameter = t->diameter,
                                  .height = t->height,
                                  .surface = around[0],
                                  .stone = clear ? 0 : feature[0]};
    float u = (*a - PATCH_HALF) * STEP, v = (*b - PATCH_HALF) * STEP;
    if (t->height < BALL * t->diameter && (clear || feature[0] < -CONTRAST) &&
        rim_centre(s, p, &look, &u, &v)) {
        *a = PATCH_HALF + u / STEP;
        *b = PATCH_HALF + v / STEP;
    } else if (clear) {
        find_gravity(t, d, a, b);
    }
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
                    value[count++] = sampler_arm_contrast(s, p, row * s->columns + column, d);
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
        float share = sampler_arm_contrast(s, p, row * s->columns + column, d) / t->line_contrast;
        share = share < 0 ? 0 : share > 1.2F ? 1.2F : share;
        sum += share;
        arms++;
        second = fminf(second, fmaxf(least, share));
        least = fminf(least, share);
    }
    ret->lines = sum / (float)arms;
    ret->second_line = second;
}

static void add_look(struct stone_reading *r, struct veil_pixel p, const float bare[3])
{
    float *look = r->look[r->looks++];
    look[0] = logf(p.luma + 4) - bare[0];
    look[1] = p.cb - bare[1];
    look[2] = p.cr - bare[2];
}

// A lamp mirrored in the sheet makes the surface lighter and paler; a stone on it may mirror the
// lamp as well, or hold it off. The cells around tell little about how bright the lamp is just
// here, and nothing when they are at full scale: more of it is thought of, up to what would leave
// nothing of the stone.
static void see_through(const struct sampler *s, const struct surface *surface, int column, int row,
                        const float around[3], struct stone_reading *ret)
{
    static const float MORE[STONE_LOOKS - 1] = {0, 0.35F, 0.65F, 0.85F, 0.97F};
    static const float UNEVEN = 2; // times what the cells around have
    float veil[3], bare[3];
    if (surface_veil(surface, s, column, row, veil) == 0)
        return;
    surface_unveiled(surface, s, column, row, &bare[0], &bare[1], &bare[2]);
    const struct veil_pixel seen = {expf(ret->feature[0] + around[0]) - 4,
                                    ret->feature[1] + around[1], ret->feature[2] + around[2]};
    const bool hidden = expf(around[0]) >= FULL_SCALE;
    const float most = fminf(veil_most(seen, veil), hidden ? INFINITY : UNEVEN);
    add_look(ret, seen, bare);
    for (int k = 0; k < STONE_LOOKS - 1; k++) {
        const float times = 1 + MORE[k] * (most - 1);
        const float lifted[3] = {times * veil[0], times * veil[1], times * veil[2]};
        add_look(ret, veil_lift(seen, lifted), bare);
        if (most <= 1)
            break;
    }
}

bool stones_any_transparent(const struct stone_settings *settings)
{
    for (int k = 0; k < settings->colours; k++)
        if (settings->transparent[k])
            return true;
    return false;
}

static float mean_of(const float map[PATCH * PATCH])
{
    float sum = 0;
    for (int k = 0; k < PATCH * PATCH; k++)
        sum += map[k];
    return sum / (PATCH * PATCH);
}

// The best disc in the patch. Where the look of the empty point is remembered, what differs from
// that may show it more clearly: its lines do not count as differences. False: nothing was there
// to look at.
static bool look_for_disc(const struct stone_settings *t, const struct bare *bare, int n,
                          struct difference *d, float *a, float *b, struct stone_reading *ret)
{
    struct disc_map map;
    static const float NOTHING = 0.12F, UNCHANGED = 0.04F; // but for lines; but for noise
    float changed[PATCH * PATCH], a2, b2;
    ret->remembered = bare_compare(bare, n, d->luma, changed);
    const bool differs = mean_of(d->any) >= NOTHING;
    disc_map_build(&map, t->radius_u, t->radius_v, d->any);
    ret->bare_score = ret->score = disc_score(&map, PATCH_HALF, PATCH_HALF);
    if (differs)
        ret->score = disc_find(&map, CENTRE_MAX, a, b);
    if (!ret->remembered || mean_of(changed) < UNCHANGED)
        return differs;
    disc_map_build(&map, t->radius_u, t->radius_v, changed);
    ret->change = disc_find(&map, CENTRE_MAX, &a2, &b2);
    if (ret->change <= ret->score)
        return true;
    ret->score = ret->change;
    *a = a2;
    *b = b2;
    memcpy(d->any, changed, sizeof d->any);
    return true;
}

// Clear glass differs so little from the surface that a neighbour's stone may outshine it.
static void look_nearer(const struct stone_settings *t, const struct sampler *s,
                        const struct picture *p, const struct difference *d, const float around[3],
                        int column, int row, struct stone_reading *ret)
{
    struct disc_map map;
    float a, b;
    if (!stones_any_transparent(t) || hypotf(ret->offset_u, ret->offset_v) <= NEAR_MAX)
        return;
    disc_map_build(&map, t->radius_u, t->radius_v, d->any);
    const float score = disc_find(&map, NEAR_MAX, &a, &b);
    if (score <= DISC_MIN)
        return;
    refine_centre(t, s, p, d, around, column, row, &a, &b);
    disc_features(t, d, a, b, 0.7F, ret->nearer.feature);
    ret->nearer.score = score;
    ret->nearer.offset_u = (a - PATCH_HALF) * STEP;
    ret->nearer.offset_v = (b - PATCH_HALF) * STEP;
}

// The brightest pixel within a stone's outline about the patch's middle. Patches are coarser than
// the picture, and a mirrored lamp is small: the pixels around each sample are looked at too.
static float brightest(const struct stone_settings *t, const struct sampler *s,
                       const struct picture *p, int n)
{
    int most = 0;
    for (int k = 0; k < PATCH * PATCH; k++) {
        const float du = (float)(k % PATCH - PATCH_HALF) * STEP / t->radius_u;
        const int row = k / PATCH;
        const float dv = (float)(row - PATCH_HALF) * STEP / t->radius_v;
        const int32_t at = s->patch_luma[n][k];
        const int x = at % s->width, y = at / s->width;
        if (du * du + dv * dv > 0.8F || x < 1 || y < 1 || x >= s->width - 1 || y >= s->height - 1)
            continue;
        for (int m = 0; m < 9; m++) {
            const int luma = p->luma[at + (m / 3 - 1) * s->width + m % 3 - 1];
            most = luma > most ? luma : most;
        }
    }
    return SAMPLER_LOG[most];
}

void stones_measure(const struct stone_settings *settings, const struct sampler *s,
                    const struct surface *surface, const struct bare *bare, const struct picture *p,
                    int column, int row, struct stone_reading *ret)
{
    const int n = row * s->columns + column;
    float a = PATCH_HALF, b = PATCH_HALF;
    const struct around around = look_around(surface, s, column, row);
    *ret = (struct stone_reading){0};
    ret->blocked = around.cells < 2 || !s->point_inside[n];
    struct difference d;
    measure_difference(s, p, n, &around, &d);
    if (settings->hollows) {
        ret->second_line = 1; // no lines are to be seen, so none is hidden
        ret->glint = brightest(settings, s, p, n) - around.at[0];
    } else {
        line_share(settings, s, p, column, row, ret);
    }
    // The point itself lies off the patch's middle by the parallax of a stone's height.
    const float point_a = PATCH_HALF - s->parallax[n][0] / STEP;
    const float point_b = PATCH_HALF - s->parallax[n][1] / STEP;
    disc_features(settings, &d, point_a, point_b, 0.7F, ret->bare_feature);
    memcpy(ret->feature, ret->bare_feature, sizeof ret->feature);
    ret->disc = look_for_disc(settings, bare, n, &d, &a, &b, ret) && ret->score > DISC_MIN;
    if (!ret->disc)
        return;
    refine_centre(settings, s, p, &d, around.at, column, row, &a, &b);
    disc_features(settings, &d, a, b, 0.7F, ret->feature);
    ret->offset_u = (a - PATCH_HALF) * STEP;
    ret->offset_v = (b - PATCH_HALF) * STEP;
    look_nearer(settings, s, p, &d, around.at, column, row, ret);
    see_through(s, surface, column, row, around.at, ret);
}

void stones_remember(const struct sampler *s, const struct surface *surface,
                     const struct picture *p, int column, int row, struct bare *bare)
{
    const int n = row * s->columns + column;
    const struct around around = look_around(surface, s, column, row);
    struct difference d;
    if (around.cells < 3)
        return;
    measure_difference(s, p, n, &around, &d);
    bare_learn(bare, n, d.luma);
}

// The stone belongs to the neighbour or to no point, and no second one fits beside it: what was
// seen here that is not bare is explained.
static void give_up_disc(struct stone_reading *r)
{
    r->disc = false;
    r->score = 0;
    r->lines = fmaxf(r->lines, 0.7F);
    r->second_line = fmaxf(r->second_line, 0.7F);
    memset(r->feature, 0, sizeof r->feature);
    r->offset_u = r->offset_v = 0;
}

static void take_nearer(struct stone_reading *r)
{
    r->score = r->nearer.score;
    r->offset_u = r->nearer.offset_u;
    r->offset_v = r->nearer.offset_v;
    memcpy(r->feature, r->nearer.feature, sizeof r->feature);
    r->nearer.score = 0;
    r->looks = 0;
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

// Do the two discs overlap more than two stones' may? (du, dv) from the one point to the other.
static bool too_near(const struct stone_settings *t, const struct stone_reading *a,
                     const struct stone_reading *b, float du, float dv)
{
    // Two stones' centres are never nearer than a diameter; allow for a fifth of it in errors.
    const float u = (du + b->offset_u - a->offset_u) / (1.6F * t->radius_u);
    const float v = (dv + b->offset_v - a->offset_v) / (1.6F * t->radius_v);
    return u * u + v * v <= 1;
}

// One of two discs that cannot both be there goes, or makes do with what is nearer to its point.
static void part(const struct stone_settings *t, struct stone_reading *a, struct stone_reading *b,
                 float du, float dv)
{
    const float from_a = hypotf(a->offset_u, a->offset_v);
    const float from_b = hypotf(b->offset_u, b->offset_v);
    struct stone_reading *loser = a->score - 0.5F * from_a < b->score - 0.5F * from_b ? a : b;
    if (loser->nearer.score > 0)
        take_nearer(loser);
    else
        give_up_disc(loser);
    if (loser->disc && too_near(t, a, b, du, dv))
        give_up_disc(loser);
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
    for (int row = 0; row < s->rows; row++)
        for (int column = 0; column < s->columns; column++)
            for (int k = 0; k < 4; k++) {
                static const int DC[4] = {1, 0, 1, -1}, DR[4] = {0, 1, 1, 1};
                const int c2 = column + DC[k], r2 = row + DR[k];
                if (c2 < 0 || c2 >= s->columns || r2 >= s->rows)
                    continue;
                struct stone_reading *a = &reading[row * s->columns + column];
                struct stone_reading *b = &reading[r2 * s->columns + c2];
                const float du = (float)(c2 - column), dv = (float)(r2 - row);
                if (a->disc && b->disc && too_near(settings, a, b, du, dv))
                    part(settings, a, b, du, dv);
            }
}
