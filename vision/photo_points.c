#include "vision/photo_points.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vision/photo_reading.h"

static const double STONE_HEIGHT = 0.4; // typical, cells

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static float median(float *value, int count)
{
    if (count == 0)
        return 0;
    qsort(value, (size_t)count, sizeof *value, compare_floats);
    return value[count / 2];
}

static struct pixel look(const struct picture *p, double x, double y)
{
    int cb, cr;
    const float luma = (float)picture_luma_at(p, x, y);
    picture_chroma_at(p, x, y, &cb, &cr);
    return (struct pixel){.luma = logf(luma + 4),
                          .cb = (float)(cb - 128) / (luma + 16),
                          .cr = (float)(cr - 128) / (luma + 16)};
}

// --- the surface ---------------------------------------------------------------------------------

// The cells' centres show the board even between four stones. Each is replaced by the median of its
// neighbours: a stone that reaches in is outvoted, a lamp's reflection two cells wide is kept.
static void read_surface(struct reading *r)
{
    float luma[CELLS], cb[CELLS], cr[CELLS];
    const int width = r->columns + 1, height = r->rows + 1;
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++) {
            struct pixel sum = {0};
            for (int k = 0; k < 9; k++) {
                const int a = k % 3 - 1, b = k / 3 - 1;
                double x, y;
                geometry_board_to_image(r->g, i - 0.5 + 0.06 * a, j - 0.5 + 0.06 * b, &x, &y);
                const struct pixel px = look(r->p, x, y);
                sum.luma += px.luma / 9;
                sum.cb += px.cb / 9;
                sum.cr += px.cr / 9;
            }
            luma[j * width + i] = sum.luma;
            cb[j * width + i] = sum.cb;
            cr[j * width + i] = sum.cr;
        }
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++) {
            float l[9], b[9], c[9];
            int count = 0;
            for (int n = 0; n < 9; n++) {
                const int a = i + n % 3 - 1, d = j + n / 3 - 1;
                // The outermost cells may be table rather than board.
                if (a < 1 || d < 1 || a >= width - 1 || d >= height - 1)
                    continue;
                l[count] = luma[d * width + a];
                b[count] = cb[d * width + a];
                c[count++] = cr[d * width + a];
            }
            r->cell_luma[j * width + i] = median(l, count);
            r->cell_cb[j * width + i] = median(b, count);
            r->cell_cr[j * width + i] = median(c, count);
        }
}

static float surface_luma(const struct reading *r, int column, int row)
{
    const int at = row * (r->columns + 1) + column;
    return (r->cell_luma[at] + r->cell_luma[at + 1] + r->cell_luma[at + r->columns + 1] +
            r->cell_luma[at + r->columns + 2]) /
           4;
}

static void surface_tint(const struct reading *r, int column, int row, float *cb, float *cr)
{
    const int at = row * (r->columns + 1) + column, up = at + r->columns + 1;
    *cb = (r->cell_cb[at] + r->cell_cb[at + 1] + r->cell_cb[up] + r->cell_cb[up + 1]) / 4;
    *cr = (r->cell_cr[at] + r->cell_cr[at + 1] + r->cell_cr[up] + r->cell_cr[up + 1]) / 4;
}

static float surface_unevenness(const struct reading *r, int column, int row)
{
    const int at = row * (r->columns + 1) + column, up = at + r->columns + 1;
    const float a = r->cell_luma[at], b = r->cell_luma[at + 1];
    const float c = r->cell_luma[up], d = r->cell_luma[up + 1];
    return fmaxf(fmaxf(a, b), fmaxf(c, d)) - fminf(fminf(a, b), fminf(c, d));
}

// How pale the surface is at each point against most of the board.
static void measure_pallor(struct reading *r)
{
    static const float GREY = 0.05F; // a board with less tint than this has none to lose
    const int count = r->columns * r->rows;
    float cb[BOARD_POINTS_MAX], cr[BOARD_POINTS_MAX];
    for (int n = 0; n < count; n++) {
        cb[n] = r->point[n].base_cb;
        cr[n] = r->point[n].base_cr;
    }
    const float usual_cb = median(cb, count), usual_cr = median(cr, count);
    const float usual = usual_cb * usual_cb + usual_cr * usual_cr;
    for (int n = 0; n < count; n++) {
        struct point *t = &r->point[n];
        const float along = (t->base_cb * usual_cb + t->base_cr * usual_cr) / usual;
        t->pallor = usual < GREY * GREY ? 0 : fminf(1, fmaxf(0, 1 - along));
    }
}

// --- the points' patches -------------------------------------------------------------------------

static void read_patch(struct reading *r, int column, int row)
{
    struct point *t = &r->point[row * r->columns + column];
    const float base = surface_luma(r, column, row);
    surface_tint(r, column, row, &t->base_cb, &t->base_cr);
    t->unevenness = surface_unevenness(r, column, row);
    double du0, dv0;
    pose_parallax(&r->pose, r->g, column, row, STONE_HEIGHT / 2, &du0, &dv0);
    t->parallax[0] = (float)du0;
    t->parallax[1] = (float)dv0;
    float luma[AREA], cb[AREA], cr[AREA];
    int count = 0;
    for (int b = 0; b < SIDE; b++)
        for (int a = 0; a < SIDE; a++) {
            const float du = (float)(a - HALF) * PHOTO_STEP, dv = (float)(b - HALF) * PHOTO_STEP;
            double x, y;
            geometry_board_to_image(r->g, column + (double)du, row + (double)dv, &x, &y);
            struct pixel px = look(r->p, x, y);
            px.luma -= base;
            t->px[b * SIDE + a] = px;
            if (du * du + dv * dv < 0.28F * 0.28F) {
                luma[count] = px.luma;
                cb[count] = px.cb;
                cr[count++] = px.cr;
            }
        }
    t->luma = median(luma, count);
    t->cb = median(cb, count);
    t->cr = median(cr, count);
}

// How light the board is beside an arm, against the surface: a "line" in the dark of a stone is
// noise.
static float beside_arm(const struct point *t, int d)
{
    static const int DA[4] = {1, 0, -1, 0}, DB[4] = {0, 1, 0, -1};
    float sum = 0;
    for (int along = 3; along <= 6; along++)
        for (int side = -2; side <= 2; side += 4) {
            const int a = HALF + along * DA[d] - side * DB[d],
                      b = HALF + along * DB[d] + side * DA[d];
            sum += t->px[b * SIDE + a].luma;
        }
    return sum / 8;
}

static void count_lines(struct reading *r, int column, int row)
{
    const int n = row * r->columns + column;
    struct point *t = &r->point[n];
    const bool there[4] = {column<r->columns - 1, row<r->rows - 1, column> 0, row> 0};
    float seen = 0;
    int arms = 0;
    for (int d = 0; d < 4; d++) {
        const struct grid_arm *arm = &r->arm[n][d];
        t->arm[d] = -1;
        if (!there[d] || !arm->inside)
            continue;
        const float x = arm->contrast / r->threshold;
        t->arm[d] = 0;
        if (fabsf(arm->offset) < 0.14F && beside_arm(t, d) > -0.45F)
            t->arm[d] = x < 0.5F ? 0 : x > 1.5F ? 1 : x - 0.5F;
        seen += t->arm[d];
        arms++;
    }
    t->lines = arms ? seen / (float)arms : 0.5F;
}

// --- first guesses -------------------------------------------------------------------------------

struct look_of {
    float luma, cb, cr;
};

// Rough looks by name: log luma against a wooden or vinyl board, chroma over luma.
static const struct look_of NAMED[STONE_COLOUR_COUNT] = {
    [STONE_CLEAR] = {-0.1F, 0, 0},         [STONE_WHITE] = {0.35F, 0, 0},
    [STONE_BLACK] = {-1.3F, 0, 0},         [STONE_RED] = {-0.8F, -0.15F, 0.6F},
    [STONE_BLUE] = {-0.9F, 0.6F, -0.2F},   [STONE_GREEN] = {-0.7F, -0.1F, -0.35F},
    [STONE_AMBER] = {-0.3F, -0.4F, 0.25F},
};

// Light that best separates darker from lighter stones (Otsu's threshold), or a fixed one when
// there is only one kind.
static float dividing_light(const float *luma, int count)
{
    static const float FIXED = -0.45F;
    float sorted[BOARD_POINTS_MAX];
    memcpy(sorted, luma, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_floats);
    float total = 0, below = 0, best = 0, threshold = FIXED, gap = 0;
    for (int k = 0; k < count; k++)
        total += sorted[k];
    for (int k = 0; k + 1 < count; k++) {
        below += sorted[k];
        const float n0 = (float)(k + 1), n1 = (float)(count - k - 1);
        const float difference = (total - below) / n1 - below / n0;
        const float between = n0 * n1 * difference * difference;
        if (between > best) {
            best = between;
            gap = difference;
            threshold = 0.5F * (sorted[k] + sorted[k + 1]);
        }
    }
    return gap > 0.7F ? threshold : FIXED;
}

static int nearest_name(const struct reading *r, const struct point *t, float dividing)
{
    int best = 1;
    float best_distance = INFINITY;
    for (int k = 0; k < r->settings->colours; k++) {
        const enum stone_colour colour = r->settings->colour[k];
        const struct look_of *named = &NAMED[colour];
        float light = t->luma - named->luma;
        // Black and white are told apart by this photograph's own division.
        if (colour == STONE_BLACK)
            light = t->luma < dividing ? 0 : 1;
        else if (colour == STONE_WHITE)
            light = t->luma < dividing ? 1 : 0;
        const float d = light * light + 4 * (t->cb - named->cb) * (t->cb - named->cb) +
                        4 * (t->cr - named->cr) * (t->cr - named->cr);
        if (d < best_distance) {
            best_distance = d;
            best = k + 1;
        }
    }
    return best;
}

// How far from the surface a point must be to differ from it: beyond what points do whose lines
// are in full view. White stones on a pale sheet differ by little, but by more than that.
static float least_difference(const struct reading *r, float *ret_bare)
{
    enum { FEWEST = 12 };
    static const float USUAL = 0.12F, LEAST = 0.05F;
    float value[BOARD_POINTS_MAX];
    int count = 0;
    for (int n = 0; n < r->columns * r->rows; n++)
        if (r->point[n].lines > 0.75F)
            value[count++] = r->point[n].luma;
    *ret_bare = count < FEWEST ? 0 : median(value, count);
    for (int k = 0; k < count; k++)
        value[k] = fabsf(value[k] - *ret_bare);
    return count < FEWEST ? USUAL : fmaxf(LEAST, 5 * median(value, count));
}

static void guess(struct reading *r)
{
    const int count = r->columns * r->rows;
    float luma[BOARD_POINTS_MAX], bare;
    const float least = least_difference(r, &bare);
    int stones = 0;
    for (int n = 0; n < count; n++) {
        const struct point *t = &r->point[n];
        const float tint = hypotf(t->cb - t->base_cb, t->cr - t->base_cr);
        const bool differs = fabsf(t->luma - bare) > least || tint > 0.05F;
        r->label[n] = t->lines < 0.3F && differs;
        if (r->label[n])
            luma[stones++] = t->luma;
    }
    const float dividing = dividing_light(luma, stones);
    for (int n = 0; n < count; n++)
        if (r->label[n])
            r->label[n] = (uint8_t)nearest_name(r, &r->point[n], dividing);
}

// --- this photograph's models --------------------------------------------------------------------

// Mean and spread of one channel, from medians (a few wrong labels must not count).
static void fit_channel(float *value, int count, float floor, float *ret_mean, float *ret_deviation)
{
    const float middle = median(value, count);
    for (int k = 0; k < count; k++)
        value[k] = fabsf(value[k] - middle);
    *ret_mean = middle;
    *ret_deviation = fmaxf(floor, 1.48F * median(value, count));
}

static int fit_kinds(struct reading *r)
{
    enum { SAMPLES = 60000 };
    static const float FLOOR[3] = {0.07F, 0.015F, 0.015F};
    float *value = malloc(SAMPLES * sizeof *value);
    if (!value)
        return -ENOMEM;
    for (int k = 0; k < r->kinds; k++) {
        struct kind *kind = &r->kind[k];
        for (int c = 0; c < 3; c++) {
            int count = 0;
            for (int n = 0; n < r->columns * r->rows; n++) {
                if (r->label[n] != k)
                    continue;
                for (int i = 0; i < AREA && count < SAMPLES; i++) {
                    const int a = i % SIDE, b = i / SIDE;
                    const float du = (float)(a - HALF) * PHOTO_STEP,
                                dv = (float)(b - HALF) * PHOTO_STEP;
                    const float d2 = du * du + dv * dv;
                    if (d2 > 0.3F * 0.3F || (k == 0 && near_line(a, b)))
                        continue;
                    value[count++] = channel_of(&r->point[n], i, k, c);
                }
            }
            kind->samples = count;
            fit_channel(value, count, FLOOR[c], &kind->mean[c], &kind->deviation[c]);
        }
        if (kind->samples < 40) { // none seen: its name is all that is known
            const struct look_of *named =
                k ? &NAMED[r->settings->colour[k - 1]] : &NAMED[STONE_CLEAR];
            *kind = (struct kind){{named->luma, named->cb, named->cr}, {0.3F, 0.08F, 0.08F}, 0};
        }
    }
    free(value);
    return 0;
}

static int read_all(struct reading *r, struct photo_points *ret)
{
    const int count = r->columns * r->rows;
    read_surface(r);
    for (int n = 0; n < count; n++) {
        read_patch(r, n % r->columns, n / r->columns);
        count_lines(r, n % r->columns, n / r->columns);
    }
    measure_pallor(r);
    guess(r);
    for (int round = 0; round < ROUNDS; round++) {
        const int e = fit_kinds(r);
        if (e != 0)
            return e;
        photo_judge(r, round > 0);
    }
    photo_doubt(r);
    memcpy(ret->best, r->label, sizeof ret->best);
    for (int n = 0; n < count; n++)
        ret->confidence[n] = r->point[n].confidence;
    return 0;
}

int photo_points_read(const struct photo_settings *settings, const struct picture *p,
                      const struct geometry *g, struct photo_points *ret)
{
    struct reading *r = calloc(1, sizeof *r);
    struct point *point = calloc(BOARD_POINTS_MAX, sizeof *point);
    int result = -ENOMEM;
    if (r && point) {
        r->settings = settings;
        r->p = p;
        r->g = g;
        r->columns = g->columns;
        r->rows = g->rows;
        r->kinds = 1 + settings->colours;
        r->point = point;
        if (!pose_from_geometry(g, false, &r->pose))
            r->pose = (struct pose){.z = 1e9};
        result =
            grid_measure_board(p->luma, p->width, p->height, g, r->arm, &r->threshold, &r->typical);
        if (result == 0)
            result = read_all(r, ret);
    }
    free(point);
    free(r);
    return result;
}
