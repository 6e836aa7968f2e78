#include "vision/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vision/linear.h"
#include "vision/veil.h"

// A cell is foreign when its tint or its darkness can't come from shade.
static const float TINT_MAX = 0.055F;  // of chroma over luma
static const float CHROMA_STEP = 6;    // levels a JPEG may round chroma by: much on a dark board
static const float SHADE_MAX = 0.75F;  // log units a shadow may darken
static const float BRIGHT_MAX = 0.30F; // log units more light

// A lamp that the board mirrors is added light through which the lines still show.
static const float VEIL_MIN = 0.08F;    // log units more light, below which it does not matter
static const float VEIL_LINES = 0.06F;  // contrast of a line that shows through
static const float PALER = 0.5F;        // share of its tint that a sheen may take
static const float SHEEN_BRIGHT = 0.5F; // log units that it may add there
static const float SHEEN_MOST = 0.12F;  // of white, on blocks without lines
enum { VEIL_ARMS = 2 };                 // of the pieces of line around a cell: how many must show

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static float median_of(const float *value, const bool *use, int count)
{
    float sorted[CELLS_MAX];
    int n = 0;
    for (int k = 0; k < count; k++)
        if (use[k])
            sorted[n++] = value[k];
    if (n == 0)
        return 0;
    qsort(sorted, (size_t)n, sizeof sorted[0], compare_floats);
    return sorted[n / 2];
}

static void order(uint8_t *a, uint8_t *b)
{
    const uint8_t low = *a < *b ? *a : *b;
    *b = *a < *b ? *b : *a;
    *a = low;
}

// The exchanges that leave the median of nine in the middle: this is done for each cell of each
// picture.
static uint8_t median_of_nine(uint8_t v[9])
{
    static const uint8_t EXCHANGE[][2] = {{1, 2}, {4, 5}, {7, 8}, {0, 1}, {3, 4}, {6, 7}, {1, 2},
                                          {4, 5}, {7, 8}, {0, 3}, {5, 8}, {4, 7}, {3, 6}, {1, 4},
                                          {2, 5}, {4, 7}, {4, 2}, {6, 4}, {4, 2}};
#pragma GCC unroll 19
    for (size_t k = 0; k < sizeof EXCHANGE / sizeof EXCHANGE[0]; k++)
        order(&v[EXCHANGE[k][0]], &v[EXCHANGE[k][1]]);
    return v[4];
}

// Median of a plane of chroma over 3x3 samples: compression rounds a single one by many levels, and
// beyond the border the sheet may end near by. At the picture's edge the sample itself.
static float chroma_around(const struct picture *p, const uint8_t *plane, int32_t at)
{
    const int x = at % p->chroma_width, y = at / p->chroma_width;
    if (x < 1 || y < 1 || x + 1 >= p->chroma_width || y + 1 >= p->chroma_height)
        return (float)plane[at] - 128;
    const uint8_t *above = plane + at - p->chroma_width - 1;
    const uint8_t *here = above + p->chroma_width, *below = here + p->chroma_width;
    uint8_t around[9] = {above[0], above[1], above[2], here[0], here[1],
                         here[2],  below[0], below[1], below[2]};
    return (float)median_of_nine(around) - 128;
}

static void read_cells(struct surface *f, const struct sampler *s, const struct picture *p)
{
    int full = 0, inside = 0;
    for (int c = 0; c < f->cells; c++) {
        int sum = 0;
        for (int k = 0; k < CELL_SAMPLES; k++)
            sum += p->luma[s->cell_luma[c][k]];
        const float luma = (float)sum / CELL_SAMPLES;
        f->luma[c] = luma;
        f->log_luma[c] = logf(luma + 4);
        f->cb[c] = p->cb ? chroma_around(p, p->cb, s->cell_chroma[c]) / (luma + 16) : 0;
        f->cr[c] = p->cr ? chroma_around(p, p->cr, s->cell_chroma[c]) / (luma + 16) : 0;
        inside += s->cell_inside[c];
        full += s->cell_inside[c] && luma >= 250;
    }
    const float before = f->brightness;
    f->brightness = median_of(f->luma, s->cell_inside, f->cells);
    f->overexposed = inside ? (float)full / (float)inside : 0;
    f->light_change = before > 0 ? (f->brightness + 4) / (before + 4) - 1 : 0;
}

static void light_terms(const struct sampler *s, int c, double ret[6])
{
    const int column = c % (s->columns + 1), row = c / (s->columns + 1);
    const double u = 2.0 * column / s->columns - 1, v = 2.0 * row / s->rows - 1;
    const double term[6] = {1, u, v, u * u, u * v, v * v};
    memcpy(ret, term, sizeof term);
}

static float tint_most(const struct surface *f, int c)
{
    return fmaxf(TINT_MAX, CHROMA_STEP / (f->luma[c] + 16));
}

// The common change of tint; and how much each cell is to count for that of light: one whose tint
// has changed otherwise is no board that is lit otherwise, but a hand, or a lamp mirrored in it.
static void fit_tint(struct surface *f, const struct sampler *s, float trust[CELLS_MAX])
{
    static const float TRUST = 0.5F; // share of the tint that makes a cell foreign
    float cb[CELLS_MAX], cr[CELLS_MAX];
    for (int c = 0; c < f->cells; c++) {
        cb[c] = f->cb[c] - f->base_cb[c];
        cr[c] = f->cr[c] - f->base_cr[c];
    }
    f->light_cb = median_of(cb, s->cell_inside, f->cells);
    f->light_cr = median_of(cr, s->cell_inside, f->cells);
    for (int c = 0; c < f->cells; c++) {
        const float tint = hypotf(cb[c] - f->light_cb, cr[c] - f->light_cr);
        const float q = tint / (TRUST * tint_most(f, c));
        trust[c] = q < 1 ? 1 - q * q : 0;
    }
}

// The light of this frame against the learned one: a quadratic surface through the cells that agree
// with it (three reweighted rounds), so that lamps and dusk cancel and a hand does not count.
static void fit_light(struct surface *f, const struct sampler *s)
{
    float ratio[CELLS_MAX], trust[CELLS_MAX];
    fit_tint(f, s, trust);
    for (int c = 0; c < f->cells; c++)
        ratio[c] = f->log_luma[c] - f->base[c];
    double light[6] = {(double)median_of(ratio, s->cell_inside, f->cells)};
    for (int round = 0; round < 3; round++) {
        const double width = round == 0 ? 0.5 : 0.2;
        struct normal_equations ne;
        normal_clear(&ne, 6);
        double term[6];
        for (int c = 0; c < f->cells; c++) {
            if (!s->cell_inside[c])
                continue;
            light_terms(s, c, term);
            double r = (double)ratio[c];
            for (int k = 0; k < 6; k++)
                r -= light[k] * term[k];
            const double w = fabs(r) < width ? 1 - (r / width) * (r / width) : 0;
            normal_add(&ne, term, (double)ratio[c], w * (double)trust[c]);
        }
        // A weak pull to an even change keeps the far terms calm when much is covered.
        for (int k = 1; k < 6; k++)
            ne.a[k][k] += 2;
        double fit[6];
        if (!normal_solve(&ne, 0, fit))
            break;
        memcpy(light, fit, sizeof light);
    }
    for (int k = 0; k < 6; k++)
        f->light[k] = (float)light[k];
}

// How many of the pieces of line around a cell can be seen: eight, fewer beyond the border.
static int lines_around(const struct sampler *s, const struct picture *p, int c)
{
    // Of the points below left, below right, above left, above right: the two that bound the cell.
    static const int ARM[4][2] = {{0, 1}, {1, 2}, {0, 3}, {2, 3}};
    const int i = c % (s->columns + 1), j = c / (s->columns + 1);
    int seen = 0;
    for (int k = 0; k < 4; k++) {
        const int column = i - 1 + (k & 1), row = j - 1 + (k >> 1);
        if (column < 0 || row < 0 || column >= s->columns || row >= s->rows)
            continue;
        for (int a = 0; a < 2; a++)
            seen += sampler_arm_contrast(s, p, row * s->columns + column, ARM[k][a]) > VEIL_LINES;
    }
    return seen;
}

// Is what the cell has more than expected the light of a lamp mirrored in it?
static bool find_veil(struct surface *f, const struct sampler *s, const struct picture *p, int c)
{
    const struct veil_pixel seen = {f->luma[c], f->cb[c], f->cr[c]};
    const struct veil_pixel bare = {expf(f->expected[c]) - 4, f->expected_cb[c], f->expected_cr[c]};
    // Beyond the border there is one piece of line on one side, and none at the corners.
    const int i = c % (s->columns + 1), j = c / (s->columns + 1);
    const bool side = i == 0 || i == s->columns, end = j == 0 || j == s->rows;
    if (s->hollows) // no lines that would show through; a sleeve would be lighter than a sheen
        return veil_between(bare, seen, f->veil[c]) &&
               f->veil[c][0] + f->veil[c][1] + f->veil[c][2] < 3 * SHEEN_MOST;
    const int enough = VEIL_ARMS - side - end;
    return veil_between(bare, seen, f->veil[c]) && lines_around(s, p, c) >= enough;
}

static void mark_foreign(struct surface *f, const struct sampler *s, const struct picture *p)
{
    f->foreign_count = 0;
    for (int c = 0; c < f->cells; c++) {
        double term[6], light = 0;
        light_terms(s, c, term);
        for (int k = 0; k < 6; k++)
            light += (double)f->light[k] * term[k];
        f->expected[c] = f->base[c] + (float)light;
        f->expected_cb[c] = f->base_cb[c] + f->light_cb;
        f->expected_cr[c] = f->base_cr[c] + f->light_cr;
        const float d = f->log_luma[c] - f->expected[c];
        const float tint = hypotf(f->cb[c] - f->expected_cb[c], f->cr[c] - f->expected_cr[c]);
        // Before anything was learned nobody knows what lies outside.
        const bool known = f->learned || !s->cell_outside[c];
        float tint_max = tint_most(f, c);
        float bright_max = BRIGHT_MAX;
        // A sheen takes tint away, from strongly coloured blocks much; once learned it is known.
        if (s->hollows && !f->learned && d > 0) {
            tint_max = fmaxf(tint_max, PALER * hypotf(f->expected_cb[c], f->expected_cr[c]));
            bright_max = SHEEN_BRIGHT;
        }
        f->foreign[c] =
            s->cell_inside[c] && known && (d < -SHADE_MAX || d > bright_max || tint > tint_max);
        f->veiled[c] = s->cell_inside[c] && known && d > VEIL_MIN && find_veil(f, s, p, c);
        f->foreign[c] &= !f->veiled[c];
        f->foreign_count += f->foreign[c];
    }
}

// Largest 4-connected foreign area, by an explicit stack.
static void measure_foreign(struct surface *f, const struct sampler *s)
{
    bool done[CELLS_MAX] = {false};
    int stack[CELLS_MAX];
    const int width = s->columns + 1;
    f->foreign_largest = 0;
    for (int c = 0; c < f->cells; c++) {
        if (!f->foreign[c] || done[c])
            continue;
        int size = 0, top = 0;
        stack[top++] = c;
        done[c] = true;
        while (top > 0) {
            const int at = stack[--top], i = at % width;
            size++;
            const int next[4] = {i > 0 ? at - 1 : -1, i < width - 1 ? at + 1 : -1, at - width,
                                 at + width};
            for (int k = 0; k < 4; k++)
                if (next[k] >= 0 && next[k] < f->cells && f->foreign[next[k]] && !done[next[k]]) {
                    done[next[k]] = true;
                    stack[top++] = next[k];
                }
        }
        f->foreign_largest = size > f->foreign_largest ? size : f->foreign_largest;
    }
}

void surface_usual(const struct surface *surface, const struct sampler *s, float ret[3])
{
    ret[0] = median_of(surface->log_luma, s->cell_inside, surface->cells);
    ret[1] = median_of(surface->cb, s->cell_inside, surface->cells);
    ret[2] = median_of(surface->cr, s->cell_inside, surface->cells);
}

// Before anything was learned: what most cells look like is the board.
static void assume_even(struct surface *f, const struct sampler *s)
{
    float usual[3];
    surface_usual(f, s, usual);
    for (int c = 0; c < f->cells; c++) {
        f->base[c] = usual[0];
        f->base_cb[c] = usual[1];
        f->base_cr[c] = usual[2];
    }
}

void surface_read(struct surface *surface, const struct sampler *s, const struct picture *p)
{
    surface->cells = (s->columns + 1) * (s->rows + 1);
    read_cells(surface, s, p);
    if (!surface->learned)
        assume_even(surface, s);
    fit_light(surface, s);
    mark_foreign(surface, s, p);
    measure_foreign(surface, s);
}

void surface_learn(struct surface *surface, const struct sampler *s, float rate)
{
    struct surface *f = surface;
    for (int c = 0; c < f->cells; c++) {
        if (!s->cell_inside[c])
            continue;
        // What is foreign keeps what was assumed of it, under the present light; but nobody knows
        // what a board with a narrow margin lies on.
        const bool passing = (f->foreign[c] || (f->veiled[c] && f->learned)) && !s->cell_outside[c];
        const float r = passing ? 0 : rate;
        f->base[c] = f->expected[c] + r * (f->log_luma[c] - f->expected[c]);
        f->base_cb[c] = f->expected_cb[c] + r * (f->cb[c] - f->expected_cb[c]);
        f->base_cr[c] = f->expected_cr[c] + r * (f->cr[c] - f->expected_cr[c]);
    }
    f->learned = true;
}

void surface_forget(struct surface *surface)
{
    memset(surface, 0, sizeof *surface);
}

// Middle of up to four values: the mean of the inner two of four.
static float middle(float value[4], int count)
{
    qsort(value, (size_t)count, sizeof value[0], compare_floats);
    return 0.5F * (value[(count - 1) / 2] + value[count / 2]);
}

int surface_around(const struct surface *surface, const struct sampler *s, int column, int row,
                   float *ret_log_luma, float *ret_cb, float *ret_cr)
{
    // Differences from what is expected, so that one cell half under a stone is outvoted even where
    // the surface itself is uneven.
    float luma[4], cb[4], cr[4], mean_luma = 0, mean_cb = 0, mean_cr = 0;
    int count = 0;
    for (int k = 0; k < 4; k++) {
        const int c = (row + (k >> 1)) * (s->columns + 1) + column + (k & 1);
        mean_luma += surface->expected[c] / 4;
        mean_cb += surface->expected_cb[c] / 4;
        mean_cr += surface->expected_cr[c] / 4;
        if (surface->foreign[c] || !s->cell_inside[c])
            continue;
        luma[count] = surface->log_luma[c] - surface->expected[c];
        cb[count] = surface->cb[c] - surface->expected_cb[c];
        cr[count] = surface->cr[c] - surface->expected_cr[c];
        count++;
    }
    *ret_log_luma = mean_luma + (count ? middle(luma, count) : 0);
    *ret_cb = mean_cb + (count ? middle(cb, count) : 0);
    *ret_cr = mean_cr + (count ? middle(cr, count) : 0);
    return count;
}

int surface_veil(const struct surface *surface, const struct sampler *s, int column, int row,
                 float ret[3])
{
    float sum[3] = {0};
    int count = 0;
    for (int k = 0; k < 4; k++) {
        const int c = (row + (k >> 1)) * (s->columns + 1) + column + (k & 1);
        if (!surface->veiled[c])
            continue;
        for (int rgb = 0; rgb < 3; rgb++)
            sum[rgb] += surface->veil[c][rgb];
        count++;
    }
    for (int rgb = 0; rgb < 3; rgb++)
        ret[rgb] = count ? sum[rgb] / (float)count : 0;
    return count;
}

void surface_unveiled(const struct surface *surface, const struct sampler *s, int column, int row,
                      float *ret_log_luma, float *ret_cb, float *ret_cr)
{
    *ret_log_luma = *ret_cb = *ret_cr = 0;
    for (int k = 0; k < 4; k++) {
        const int c = (row + (k >> 1)) * (s->columns + 1) + column + (k & 1);
        *ret_log_luma += surface->expected[c] / 4;
        *ret_cb += surface->expected_cb[c] / 4;
        *ret_cr += surface->expected_cr[c] / 4;
    }
}

void surface_tilt(const struct surface *surface, const struct sampler *s, int column, int row,
                  float ret[3][2])
{
    const int c = row * (s->columns + 1) + column, up = s->columns + 1;
    const int cell[4] = {c, c + 1, c + up, c + up + 1};
    bool veiled = false, bare = true;
    for (int k = 0; k < 4; k++) {
        veiled |= surface->veiled[cell[k]];
        bare &= s->cell_inside[cell[k]] && !surface->foreign[cell[k]];
    }
    const float *value[3] = {surface->log_luma, surface->cb, surface->cr};
    for (int k = 0; k < 3; k++) {
        const float *x = value[k];
        ret[k][0] = veiled && bare ? (x[c + 1] + x[c + up + 1] - x[c] - x[c + up]) / 2 : 0;
        ret[k][1] = veiled && bare ? (x[c + up] + x[c + up + 1] - x[c] - x[c + 1]) / 2 : 0;
    }
}
