#include "vision/sampler.h"

#include <math.h>

// A glass bead is a dome on a flat base: its outline is the base on the near side and the dome's
// flank on the far side. The outline's middle lies as if at this share of the height (exactly
// r (1/cos t - 1) / 2 for a hemisphere seen t off the vertical, which this meets at 20 to 40
// degrees).
static const double OUTLINE_HEIGHT = 0.12;
static const double BARE_HEIGHT = 0.5; // see build_cell

const float SAMPLER_LOG[256] = {
#include "vision/log_table.inc"
};

static int32_t offset_in(double x, double y, int width, int height)
{
    int ix = (int)lround(x), iy = (int)lround(y);
    ix = ix < 0 ? 0 : ix >= width ? width - 1 : ix;
    iy = iy < 0 ? 0 : iy >= height ? height - 1 : iy;
    return iy * width + ix;
}

static int32_t luma_offset(const struct sampler *s, double u, double v, bool *inside)
{
    double x, y;
    geometry_board_to_image(&s->geometry, u, v, &x, &y);
    if (!(x >= 0 && y >= 0 && x <= s->width - 1 && y <= s->height - 1)) {
        *inside = false;
        x = isfinite(x) ? fmin(fmax(x, 0), s->width - 1) : 0;
        y = isfinite(y) ? fmin(fmax(y, 0), s->height - 1) : 0;
    }
    return offset_in(x, y, s->width, s->height);
}

static int32_t chroma_offset(const struct sampler *s, double u, double v)
{
    if (s->chroma_width == 0)
        return 0;
    double x, y;
    geometry_board_to_image(&s->geometry, u, v, &x, &y);
    x = isfinite(x) ? fmin(fmax(x, 0), s->width - 1) : 0;
    y = isfinite(y) ? fmin(fmax(y, 0), s->height - 1) : 0;
    // A chroma sample stands for a block of luma pixels.
    return offset_in((x + 0.5) * s->chroma_width / s->width - 0.5,
                     (y + 0.5) * s->chroma_height / s->height - 0.5, s->chroma_width,
                     s->chroma_height);
}

// Between four stones the bare board is seen behind the two near ones, whose tops hide what lies
// beyond them, and before the feet of the far ones: half a stone's parallax behind the middle.
// Outside the border there are no such four, and perhaps no more of the sheet.
// A board of hollows is bare beside its seams and just within its edge, not on them.
static double off_seams(double place, int count)
{
    static const double BESIDE = 0.17, WITHIN = 0.40; // cells
    const double middle = (count - 1) / 2.0;
    if (fabs(place - middle) < 0.1)
        return middle - BESIDE;
    return fmin(fmax(place, -WITHIN), count - 1 + WITHIN);
}

static void build_cell(struct sampler *s, int i, int j, double stone_height)
{
    static const double AT[CELL_SAMPLES][2] = {{0, 0}, {0.1, 0}, {-0.1, 0}, {0, 0.1}, {0, -0.1}};
    const int c = j * (s->columns + 1) + i;
    double u = i - 0.5, v = j - 0.5, du, dv;
    s->cell_outside[c] = i == 0 || j == 0 || i == s->columns || j == s->rows;
    if (s->hollows) {
        u = off_seams(u, s->columns);
        v = off_seams(v, s->rows);
    }
    pose_parallax(&s->pose, &s->geometry, u, v, BARE_HEIGHT * stone_height, &du, &dv);
    if (!s->cell_outside[c]) {
        u += du;
        v += dv;
    }
    s->cell_inside[c] = true;
    const double spread = s->hollows ? 0.6 : 1;
    for (int k = 0; k < CELL_SAMPLES; k++)
        s->cell_luma[c][k] =
            luma_offset(s, u + spread * AT[k][0], v + spread * AT[k][1], &s->cell_inside[c]);
    s->cell_chroma[c] = chroma_offset(s, u, v);
}

static void build_arms(struct sampler *s, int i, int j)
{
    static const int DU[4] = {1, 0, -1, 0}, DV[4] = {0, 1, 0, -1};
    const int n = j * s->columns + i;
    const double pixel = 1 / geometry_cell_px(&s->geometry, i, j);
    bool ignored = true;
    for (int d = 0; d < 4; d++)
        for (int k = 0; k < ARM_SAMPLES; k++) {
            const double t = 0.15 + 0.08 * k;
            // On the line and a pixel beside it (registration is good to about that), and on both
            // sides well clear of it.
            const double side[5] = {0, pixel, -pixel, 0.17, -0.17};
            for (int m = 0; m < 5; m++)
                s->arm_luma[n][d][k][m] = luma_offset(s, i + t * DU[d] - side[m] * DV[d],
                                                      j + t * DV[d] + side[m] * DU[d], &ignored);
        }
}

static void build_point(struct sampler *s, int i, int j, double stone_height)
{
    const int n = j * s->columns + i;
    double du, dv;
    pose_parallax(&s->pose, &s->geometry, i, j, OUTLINE_HEIGHT * stone_height, &du, &dv);
    s->parallax[n][0] = (float)du;
    s->parallax[n][1] = (float)dv;
    s->point_inside[n] = true;
    bool patch_inside = true;
    for (int b = 0; b < PATCH; b++)
        for (int a = 0; a < PATCH; a++) {
            const double u = i + du + PATCH_REACH * (a - PATCH_HALF) / PATCH_HALF;
            const double v = j + dv + PATCH_REACH * (b - PATCH_HALF) / PATCH_HALF;
            s->patch_luma[n][b * PATCH + a] = luma_offset(s, u, v, &patch_inside);
            if (a % 2 == 1 && b % 2 == 1)
                s->patch_chroma[n][b / 2 * CHROMA_PATCH + a / 2] = chroma_offset(s, u, v);
        }
    luma_offset(s, i, j, &s->point_inside[n]);
    build_arms(s, i, j);
}

void sampler_build(struct sampler *s, const struct geometry *g, bool hollows, bool lens_known,
                   double stone_height, const struct picture *p)
{
    s->hollows = hollows;
    s->geometry = *g;
    s->columns = g->columns;
    s->rows = g->rows;
    s->width = p->width;
    s->height = p->height;
    s->chroma_width = p->chroma_width;
    s->chroma_height = p->chroma_height;
    s->cell_px = geometry_cell_px(g, (g->columns - 1) / 2.0, (g->rows - 1) / 2.0);
    if (!pose_from_geometry(g, lens_known, &s->pose))
        s->pose = (struct pose){.z = 1e9};
    for (int j = 0; j <= s->rows; j++)
        for (int i = 0; i <= s->columns; i++)
            build_cell(s, i, j, stone_height);
    for (int j = 0; j < s->rows; j++)
        for (int i = 0; i < s->columns; i++)
            build_point(s, i, j, stone_height);
}

float sampler_arm_contrast(const struct sampler *s, const struct picture *p, int n, int d)
{
    const bool light = s->geometry.light_lines;
    float contrast = 0;
    for (int k = 0; k < ARM_SAMPLES; k++) {
        const int32_t *at = s->arm_luma[n][d][k];
        const float a = SAMPLER_LOG[p->luma[at[0]]], b = SAMPLER_LOG[p->luma[at[1]]];
        const float c = SAMPLER_LOG[p->luma[at[2]]];
        const float line = light ? fmaxf(a, fmaxf(b, c)) : fminf(a, fminf(b, c));
        const float beside = 0.5F * (SAMPLER_LOG[p->luma[at[3]]] + SAMPLER_LOG[p->luma[at[4]]]);
        contrast += light ? line - beside : beside - line;
    }
    return contrast / ARM_SAMPLES;
}
