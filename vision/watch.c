#include "vision/watch.h"

#include <math.h>
#include <stdlib.h>

#include "config/base/spacing.h"

static int32_t pixel_of(const struct sampler *s, double u, double v)
{
    double x, y;
    geometry_board_to_image(&s->geometry, u, v, &x, &y);
    int ix = (int)lround(fmin(fmax(x, 0), s->width - 1));
    int iy = (int)lround(fmin(fmax(y, 0), s->height - 1));
    return iy * s->width + ix;
}

// Around (u, v); `seam` is that which a piece of seam lies in the middle of.
static void add_edge(struct watch *w, const struct sampler *s, bool vertical, double u, double v,
                     const struct spacing *seam)
{
    struct watch_edge *e = &w->edge[w->count++];
    e->vertical = vertical;
    for (int a = 0; a < EDGE_ALONG; a++)
        for (int i = 0; i < EDGE_PROFILE; i++) {
            const double along = 0.10 * (a - (EDGE_ALONG - 1) / 2.0);
            const double across = w->step * (i - EDGE_HALF);
            const double place = seam ? spacing_place(seam, spacing_length(seam) / 2 + across)
                                      : (vertical ? u : v) + across;
            e->at[a][i] = vertical ? pixel_of(s, place, v + along) : pixel_of(s, u + along, place);
        }
}

// The crack between two blocks is as dark as a line, and as narrow; places would squeeze it.
static void build_seams(struct watch *w, const struct sampler *s)
{
    static const double REACH = 0.24; // cells to each side
    const struct spacing columns = {s->columns, 1, s->geometry.seam_u};
    const struct spacing rows = {s->rows, 1, s->geometry.seam_v};
    const double middle = (s->columns - 1) / 2.0;
    w->step = REACH / EDGE_HALF;
    for (int k = 0; k <= 2 * (s->columns - 1); k++) {
        if (fabs(k / 2.0 - middle) < 0.1)
            continue; // where they cross
        add_edge(w, s, true, middle, k / 2.0, &columns);
        add_edge(w, s, false, k / 2.0, middle, &rows);
    }
}

// Pieces halfway between two points, where stones seldom reach, spread evenly over the board.
void watch_build(struct watch *w, const struct sampler *s)
{
    w->count = 0;
    w->light_lines = s->geometry.light_lines;
    w->learned = 0;
    w->home_u = w->home_v = 0;
    w->seams = s->hollows;
    if (s->hollows) {
        build_seams(w, s);
        return;
    }
    w->step = WATCH_REACH / EDGE_HALF;
    const int wanted = EDGES_MAX / 2;
    for (int vertical = 0; vertical < 2; vertical++) {
        const int columns = vertical ? s->columns : s->columns - 1;
        const int rows = vertical ? s->rows - 1 : s->rows;
        const int total = columns * rows;
        for (int k = 0; k < wanted && k < total; k++) {
            // A stride without common factors walks over rows and columns alike.
            const int index = (int)(((long)k * total + total / 2) / wanted) % total;
            const int column = index % columns, row = index / columns;
            const double u = column + (vertical ? 0 : 0.5), v = row + (vertical ? 0.5 : 0);
            add_edge(w, s, vertical, u, v, NULL);
        }
    }
}

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

// The line in one profile: contrast (as a share of the surface) and where it is, cells.
// Light lines are dark ones in the negative.
static float find_line(const struct watch *w, const struct watch_edge *e, const struct picture *p,
                       float *ret_shift)
{
    enum { SIDE = 3, WHITE = 255 * EDGE_ALONG };
    int profile[EDGE_PROFILE];
    for (int i = 0; i < EDGE_PROFILE; i++) {
        profile[i] = 0;
        for (int a = 0; a < EDGE_ALONG; a++)
            profile[i] += p->luma[e->at[a][i]];
        if (w->light_lines)
            profile[i] = WHITE - profile[i];
    }
    int best = -1, best_depth = 0;
    for (int i = SIDE; i < EDGE_PROFILE - SIDE; i++) {
        const int left = profile[i - SIDE], right = profile[i + SIDE];
        const int depth = (left < right ? left : right) - profile[i];
        if (depth > best_depth) {
            best_depth = depth;
            best = i;
        }
    }
    if (best < 0)
        return 0;
    // Centre of gravity of what is darker than the sides.
    const int level = best_depth + profile[best];
    int weight = 0, moment = 0;
    for (int i = best - 2; i <= best + 2; i++) {
        const int dark = level - profile[i];
        if (dark > 0) {
            weight += dark;
            moment += dark * (i - EDGE_HALF);
        }
    }
    *ret_shift = weight ? (float)moment / (float)weight * (float)w->step : 0;
    const int surface = w->light_lines ? WHITE - level : level;
    return (float)best_depth / (float)(surface + 4 * EDGE_ALONG);
}

void watch_read(struct watch *w, const struct picture *p)
{
    float contrast[EDGES_MAX], shift[2][EDGES_MAX], of[EDGES_MAX];
    int seen[2] = {0, 0};
    float where[EDGES_MAX];
    for (int k = 0; k < w->count; k++) {
        where[k] = 0;
        of[k] = find_line(w, &w->edge[k], p, &where[k]);
        contrast[k] = of[k];
    }
    w->contrast = median(contrast, w->count);
    // A block that stands half turned has none of its seams where they were: half of the pieces.
    if (w->seams && w->count)
        w->contrast = contrast[w->count * 3 / 4]; // median() has sorted them
    const float least = fmaxf(0.02F, 0.35F * (w->learned > 0 ? w->learned : w->contrast));
    for (int k = 0; k < w->count; k++)
        if (of[k] >= least) {
            const int axis = w->edge[k].vertical ? 0 : 1;
            shift[axis][seen[axis]++] = where[k];
        }
    w->seen = w->count ? (float)(seen[0] + seen[1]) / (float)w->count : 0;
    w->shift_u = median(shift[0], seen[0]) - w->home_u;
    w->shift_v = median(shift[1], seen[1]) - w->home_v;
}

void watch_learn(struct watch *w)
{
    w->learned = w->contrast;
    // The geometry is that of the hollows, which the lamp shades from one side, and the blocks have
    // some play: the seams between them need not be in its very middle.
    if (w->seams) {
        w->home_u += w->shift_u;
        w->home_v += w->shift_v;
        w->shift_u = w->shift_v = 0;
    }
}
