// What lies on each point, given this photograph's models.
#include <math.h>
#include <string.h>

#include "vision/photo_reading.h"

static float pixel_density(const struct reading *r, const struct point *t, int pixel, int k)
{
    const struct kind *kind = &r->kind[k];
    float sum = 0;
    for (int c = 0; c < 3; c++) {
        const float z = (channel_of(t, pixel, k, c) - kind->mean[c]) / kind->deviation[c];
        sum -= fminf(0.5F * z * z, 10) + logf(kind->deviation[c]);
    }
    return sum;
}

void photo_shares(const struct reading *r, const struct point *t, float share[AREA][KINDS])
{
    for (int i = 0; i < AREA; i++) {
        float best = -INFINITY, sum = 0;
        for (int k = 0; k < r->kinds; k++) {
            share[i][k] = pixel_density(r, t, i, k);
            best = fmaxf(best, share[i][k]);
        }
        for (int k = 0; k < r->kinds; k++) {
            share[i][k] = expf(share[i][k] - best);
            sum += share[i][k];
        }
        for (int k = 0; k < r->kinds; k++)
            share[i][k] /= sum;
    }
}

// --- reading a point again -----------------------------------------------------------------------

void photo_disc(const struct reading *r, float share[AREA][KINDS], float cu, float cv,
                struct photo_disc *ret)
{
    static const float RADIUS = 0.40F, RIM = 0.56F, OUTSIDE = 0.74F;
    int n_in = 0, n_edge = 0;
    memset(ret, 0, sizeof *ret);
    for (int b = 0; b < SIDE; b++)
        for (int a = 0; a < SIDE; a++) {
            const float u = (float)(a - HALF) * PHOTO_STEP - cu,
                        v = (float)(b - HALF) * PHOTO_STEP - cv;
            const float d2 = u * u + v * v;
            const bool in = d2 < RADIUS * RADIUS;
            // Within 20 degrees of a diagonal.
            const float ratio = fabsf(u) > fabsf(v) ? fabsf(v) / fabsf(u) : fabsf(u) / fabsf(v);
            const bool edge = d2 > RIM * RIM && d2 < OUTSIDE * OUTSIDE && ratio > 0.47F;
            if (!(in || edge) || near_line(a, b))
                continue;
            float *to = in ? ret->in : ret->edge;
            n_in += in;
            n_edge += edge;
            for (int k = 0; k < r->kinds; k++)
                to[k] += share[b * SIDE + a][k];
        }
    for (int k = 0; k < r->kinds; k++) {
        ret->in[k] /= (float)(n_in ? n_in : 1);
        ret->edge[k] /= (float)(n_edge ? n_edge : 1);
    }
}

static float log_odds(float p)
{
    p = fminf(fmaxf(p, 0.02F), 0.98F);
    return logf(p / (1 - p));
}

// Lines seen where a stone should lie speak against it; lines not seen may only be faint.
static float line_evidence(float lines)
{
    return (lines > 0.5F ? 5.0F : 2.6F) * log_odds(0.15F + 0.7F * lines);
}

// Visibility of the arms a disc about (cu, cv) would hide; 0.5 when it hides none.
static float covered_lines(const struct point *t, float cu, float cv)
{
    static const float DU[4] = {1, 0, -1, 0}, DV[4] = {0, 1, 0, -1};
    static const float RADIUS = 0.44F;
    float seen = 0, weight = 0;
    for (int d = 0; d < 4; d++) {
        if (t->arm[d] < 0)
            continue;
        float hidden = 0;
        for (int k = 0; k < 5; k++) {
            const float at = 0.16F + 0.075F * (float)k;
            const float u = at * DU[d] - cu, v = at * DV[d] - cv;
            hidden += u * u + v * v < RADIUS * RADIUS ? 0.2F : 0;
        }
        seen += hidden * t->arm[d];
        weight += hidden;
    }
    return weight > 0.3F ? seen / weight : 0.5F;
}

bool photo_fits_beside(const struct reading *r, int n, float cu, float cv)
{
    static const float NEAREST = 0.76F; // cells between two stones' centres
    const int column = n % r->columns, row = n / r->columns;
    for (int v = -1; v <= 1; v++)
        for (int u = -1; u <= 1; u++) {
            const int c = column + u, w = row + v, m = w * r->columns + c;
            if ((u == 0 && v == 0) || c < 0 || w < 0 || c >= r->columns || w >= r->rows)
                continue;
            const struct point *other = &r->point[m];
            const int k = r->label[m];
            if (k == 0 || other->score[k] < r->point[n].score[r->label[n]])
                continue;
            const float du = (float)u + other->centre[k][0] - cu;
            const float dv = (float)v + other->centre[k][1] - cv;
            if (du * du + dv * dv < NEAREST * NEAREST)
                return false;
        }
    return true;
}

// The best place of a disc of kind k near the point.
static void place_disc(const struct reading *r, int n, float share[AREA][KINDS], int k,
                       bool crowded)
{
    struct point *t = &r->point[n];
    float best = -INFINITY;
    for (int v = -3; v <= 3; v++)
        for (int u = -3; u <= 3; u++) {
            const float du = (float)u * 0.11F, dv = (float)v * 0.11F;
            const float cu = t->parallax[0] + du, cv = t->parallax[1] + dv;
            const float offset = sqrtf(du * du + dv * dv);
            if (offset > PHOTO_OFFSET_MAX || (crowded && !photo_fits_beside(r, n, cu, cv)))
                continue;
            struct photo_disc disc;
            photo_disc(r, share, cu, cv, &disc);
            const float value = disc.in[k] - 0.25F * offset;
            if (value <= best)
                continue;
            best = value;
            t->part[k] = disc.in[k];
            t->edge[k] = disc.edge[k];
            t->rim[k] = disc.edge[0];
            t->centre[k][0] = cu;
            t->centre[k][1] = cv;
        }
    if (best == -INFINITY) { // no room
        t->part[k] = t->edge[k] = 0;
        t->rim[k] = 1;
        t->centre[k][0] = t->centre[k][1] = 0;
    }
}

static void judge_point(const struct reading *r, int n, bool crowded, float score[KINDS])
{
    struct point *t = &r->point[n];
    float share[AREA][KINDS];
    struct photo_disc bare;
    photo_shares(r, t, share);
    photo_disc(r, share, 0, 0, &bare);
    t->part[0] = bare.in[0];
    score[0] = 0;
    for (int k = 1; k < r->kinds; k++) {
        place_disc(r, n, share, k, crowded);
        const float du = t->centre[k][0] - t->parallax[0], dv = t->centre[k][1] - t->parallax[1];
        t->covered[k] = covered_lines(t, t->centre[k][0], t->centre[k][1]);
        // A stone ends; a lamp's reflection goes on.
        const float endless = fmaxf(0, t->edge[k] - 0.45F);
        score[k] = 2.2F * (log_odds(t->part[k]) - log_odds(t->part[0])) -
                   line_evidence(t->covered[k]) - 3 * (du * du + dv * dv) - 9 * endless;
    }
}

void photo_judge(struct reading *r, bool crowded)
{
    const int count = r->columns * r->rows;
    uint8_t label[BOARD_POINTS_MAX] = {0};
    float score[BOARD_POINTS_MAX][KINDS];
    for (int n = 0; n < count; n++) {
        int best = 0;
        judge_point(r, n, crowded, score[n]);
        for (int k = 1; k < r->kinds; k++)
            if (score[n][k] > score[n][best])
                best = k;
        label[n] = (uint8_t)best;
    }
    // Taken over together, so that the order of the points does not matter.
    memcpy(r->label, label, sizeof label);
    for (int n = 0; n < count; n++)
        memcpy(r->point[n].score, score[n], sizeof score[n]);
}
