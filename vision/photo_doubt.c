// What speaks against trusting a point's reading although it is the likeliest.
#include <math.h>

#include "vision/photo_reading.h"

// How far a stone leans out over the border, cells. People lay stones on the board; a lamp's
// reflection on its rim does not know where the lines end.
static float leans_out(const struct reading *r, int n, int k)
{
    const int column = n % r->columns, row = n / r->columns;
    const struct point *t = &r->point[n];
    const float u = t->centre[k][0] - t->parallax[0], v = t->centre[k][1] - t->parallax[1];
    float most = 0;
    most = fmaxf(most, column == 0 ? -u : column == r->columns - 1 ? u : 0);
    return fmaxf(most, row == 0 ? -v : row == r->rows - 1 ? v : 0);
}

// How well a stone fits that nobody claims, between an empty point and its neighbours: 0..1.
static float unclaimed_stone(const struct reading *r, int n, float share[AREA][KINDS])
{
    enum { STEPS = 4 };
    static const float STEP = 0.14F; // cells
    static const float WORTH = 0.2F; // share of the patch that is stone
    const struct point *t = &r->point[n];
    float stone = 0, most = 0;
    for (int i = 0; i < AREA; i++)
        stone += (1 - share[i][0]) / AREA;
    if (stone < WORTH)
        return 0;
    for (int v = -STEPS; v <= STEPS; v++)
        for (int u = -STEPS; u <= STEPS; u++) {
            const float du = (float)u * STEP, dv = (float)v * STEP;
            const float cu = t->parallax[0] + du, cv = t->parallax[1] + dv;
            if (hypotf(du, dv) > STEP * STEPS || !photo_fits_beside(r, n, cu, cv))
                continue;
            struct photo_disc disc;
            photo_disc(r, share, cu, cv, &disc);
            for (int k = 1; k < r->kinds; k++)
                if (disc.edge[k] < 0.5F)
                    most = fmaxf(most, disc.in[k]);
        }
    return most;
}

static float doubt_of(const struct reading *r, int n)
{
    const struct point *t = &r->point[n];
    const int best = r->label[n];
    float share[AREA][KINDS];
    photo_shares(r, t, share);
    // A lamp's reflection, or a surface that could only be guessed between many pale stones.
    float doubt = 0.3F * fmaxf(0, t->unevenness - 0.25F) + 0.35F * fmaxf(0, t->pallor - 0.5F);
    if (best > 0) {
        doubt += fmaxf(0, t->covered[best] - 0.4F);     // lines where it lies
        doubt += fmaxf(0, 0.75F - t->part[best]);       // not all of it is of its colour
        doubt += fmaxf(0, t->edge[best] - 0.42F);       // no clear end
        doubt += 0.4F * fmaxf(0, 0.35F - t->rim[best]); // no surface around it
        doubt += fmaxf(0, leans_out(r, n, best) - 0.15F);
    } else {
        doubt += fmaxf(0, 0.6F - t->part[0]);      // not like the surface
        doubt += 0.5F * fmaxf(0, 0.4F - t->lines); // no lines
        // A stone that lies too far off to be this point's, and is no other's.
        doubt += fmaxf(0, unclaimed_stone(r, n, share) - 0.62F);
    }
    return doubt;
}

void photo_doubt(struct reading *r)
{
    for (int n = 0; n < r->columns * r->rows; n++) {
        struct point *t = &r->point[n];
        float sum = 0;
        for (int k = 0; k < r->kinds; k++)
            sum += expf(t->score[k] - t->score[r->label[n]]);
        t->confidence = (1 / sum) * (1 - fminf(0.9F, doubt_of(r, n)));
    }
}
