#include "vision/grid_field.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROW_ROUNDS = 60 };

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

// Mean over a disc of `radius` cells.
float field_disc_mean(const struct field *f, double u, double v, double radius)
{
    static const double AT[9][2] = {{0, 0},     {1, 0},      {-1, 0},     {0, 1},      {0, -1},
                                    {0.7, 0.7}, {0.7, -0.7}, {-0.7, 0.7}, {-0.7, -0.7}};
    float sum = 0;
    for (int k = 0; k < 9; k++) {
        double x, y;
        geometry_board_to_image(&f->g, u + radius * AT[k][0], v + radius * AT[k][1], &x, &y);
        sum += grid_image_at(f->image, x, y);
    }
    return sum / 9;
}

// How far a crossing differs from the bare surface around it, which shows at the cells' centres
// between four stones even on a full board. A place that is merely between light and dark - the
// edge of the board, a shadow's - differs from none.
static void measure_stone(const struct field *f, double u, double v, struct field_node *node)
{
    float around[4];
    for (int k = 0; k < 4; k++)
        around[k] = field_disc_mean(f, u + (k & 1 ? 0.5 : -0.5), v + (k & 2 ? 0.5 : -0.5), 0.08);
    qsort(around, 4, sizeof around[0], compare_floats);
    const float here = field_disc_mean(f, u, v, 0.22);
    node->around = 0.5F * (around[1] + around[2]);
    if (here >= around[3])
        node->stone = here - 0.5F * (around[2] + around[3]);
    else if (here <= around[0])
        node->stone = here - 0.5F * (around[0] + around[1]);
    else if (here > around[2]) // one of four may lie in a reflection ...
        node->stone = 0.5F * (here - around[2]);
    else if (here < around[1]) // ... or in a shadow
        node->stone = 0.5F * (here - around[1]);
    else
        node->stone = 0;
}

void field_forget(struct field *f)
{
    for (int j = 0; j < FIELD_SPAN; j++)
        for (int i = 0; i < FIELD_SPAN; i++)
            f->node[j][i].measured = false;
}

static void measure_node(struct field *f, int i, int j, double search)
{
    struct field_node *node = field_at(f, i, j);
    double x, y;
    geometry_board_to_image(&f->g, i, j, &x, &y);
    node->inside = x >= -1 && y >= -1 && x <= f->image->width && y <= f->image->height;
    for (int d = 0; d < 4; d++)
        grid_measure_arm(f->image, &f->g, i, j, (enum grid_direction)d, search, &node->arm[d]);
    measure_stone(f, i, j, node);
    node->measured = true;
}

// The lines seen: typical contrast is the median of those with any. The surface: what lies about
// the crossings of lines.
static void set_levels(struct field *f)
{
    static const float FAINTEST = 0.012F;
    float value[GRID_BOX_MAX * GRID_BOX_MAX * 4];
    int count = 0;
    for (int j = f->j0; j <= f->j1; j++)
        for (int i = f->i0; i <= f->i1; i++)
            for (int d = 0; d < 4; d++) {
                const struct grid_arm *arm = &field_at(f, i, j)->arm[d];
                if (arm->inside && arm->contrast > FAINTEST)
                    value[count++] = arm->contrast;
            }
    f->typical = median(value, count);
    f->threshold = fmaxf(FAINTEST, 0.4F * f->typical);
    count = 0;
    for (int j = f->j0; j <= f->j1; j++)
        for (int i = f->i0; i <= f->i1; i++)
            if (field_arms_seen(f, i, j) >= 3)
                value[count++] = field_at(f, i, j)->around;
    f->have_surface = count >= 8;
    f->surface = median(value, count);
}

void field_measure(struct field *f, double search)
{
    for (int j = f->j0; j <= f->j1; j++)
        for (int i = f->i0; i <= f->i1; i++)
            if (!field_at(f, i, j)->measured)
                measure_node(f, i, j, search);
    set_levels(f);
}

static void add_sample(struct field *f, double x, double y, bool vertical, int line, float weight)
{
    if (f->samples < FIELD_SAMPLES_MAX)
        f->sample[f->samples++] = (struct grid_sample){.x = (float)x,
                                                       .y = (float)y,
                                                       .vertical = vertical,
                                                       .line = (float)line,
                                                       .weight = weight};
}

void field_collect(struct field *f)
{
    static const float STONE_WEIGHT = 0.15F; // people are less exact than printers
    f->samples = 0;
    for (int j = f->j0; j <= f->j1; j++)
        for (int i = f->i0; i <= f->i1; i++)
            for (int d = 0; d < 4; d++) {
                const struct grid_arm *arm = &field_at(f, i, j)->arm[d];
                if (!arm->inside || arm->contrast < f->threshold)
                    continue;
                const bool vertical = d == GRID_NORTH || d == GRID_SOUTH;
                add_sample(f, (double)arm->x, (double)arm->y, vertical, vertical ? i : j,
                           fminf(1, arm->contrast / (2 * f->threshold)));
            }
    for (int k = 0; k < f->discs; k++) {
        const double x = (double)f->disc[k].x, y = (double)f->disc[k].y;
        double u, v;
        if (!geometry_image_to_board(&f->g, x, y, &u, &v))
            continue;
        const int i = (int)lround(u), j = (int)lround(v);
        if (i < f->i0 || i > f->i1 || j < f->j0 || j > f->j1 || hypot(u - i, v - j) > 0.3)
            continue;
        add_sample(f, x, y, true, i, STONE_WEIGHT);
        add_sample(f, x, y, false, j, STONE_WEIGHT);
    }
}

// Steps of a lattice along i and j in pixels: the mean of those between neighbouring nodes.
static bool mean_steps(const struct grid_lattice *lattice, double ret[2][2])
{
    int count[2] = {0, 0};
    ret[0][0] = ret[0][1] = ret[1][0] = ret[1][1] = 0;
    for (int a = 0; a < lattice->count; a++)
        for (int b = 0; b < lattice->count; b++) {
            const struct grid_node *m = &lattice->node[a], *n = &lattice->node[b];
            const int axis = n->j == m->j && n->i == m->i + 1   ? 0
                             : n->i == m->i && n->j == m->j + 1 ? 1
                                                                : -1;
            if (axis < 0)
                continue;
            ret[axis][0] += (double)(n->x - m->x);
            ret[axis][1] += (double)(n->y - m->y);
            count[axis]++;
        }
    for (int axis = 0; axis < 2; axis++)
        for (int k = 0; k < 2 && count[axis]; k++)
            ret[axis][k] /= count[axis];
    return count[0] > 0 && count[1] > 0;
}

bool field_unshear(struct grid_lattice *lattice)
{
    double step[2][2];
    if (!mean_steps(lattice, step))
        return false;
    bool changed = false;
    for (int round = 0; round < 4; round++) {
        // Gauss: take from the longer step as many of the shorter as make it shortest.
        const double length[2] = {hypot(step[0][0], step[0][1]), hypot(step[1][0], step[1][1])};
        const int longer = length[1] > length[0], shorter = !longer;
        const double along = step[0][0] * step[1][0] + step[0][1] * step[1][1];
        const int times = (int)lround(along / (length[shorter] * length[shorter]));
        if (times == 0 || abs(times) > 3)
            break;
        for (int k = 0; k < 2; k++)
            step[longer][k] -= times * step[shorter][k];
        // A point i a + j b = i (a - t b) + (j + t i) b.
        for (int n = 0; n < lattice->count; n++) {
            struct grid_node *node = &lattice->node[n];
            if (longer == 0)
                node->j += times * node->i;
            else
                node->i += times * node->j;
        }
        changed = true;
    }
    return changed;
}

int field_start(struct field *f, const struct grid_lattice *lattice)
{
    double(*src)[2] = malloc(sizeof(double[GRID_NODES_MAX][2]));
    double(*dst)[2] = malloc(sizeof(double[GRID_NODES_MAX][2]));
    int i0 = lattice->node[0].i, j0 = lattice->node[0].j, i1 = i0, j1 = j0;
    for (int k = 0; k < lattice->count; k++) {
        const struct grid_node *n = &lattice->node[k];
        i0 = n->i < i0 ? n->i : i0;
        j0 = n->j < j0 ? n->j : j0;
        i1 = n->i > i1 ? n->i : i1;
        j1 = n->j > j1 ? n->j : j1;
    }
    bool fine =
        src && dst && i1 > i0 && j1 > j0 && i1 - i0 < GRID_BOX_MAX && j1 - j0 < GRID_BOX_MAX;
    f->g = (struct geometry){.columns = i1 - i0 + 1,
                             .rows = j1 - j0 + 1,
                             .pitch_x = 1,
                             .pitch_y = 1,
                             .image_width = f->image->width,
                             .image_height = f->image->height,
                             .lens = lens_ideal(f->image->width, f->image->height)};
    f->i0 = f->j0 = 0;
    f->i1 = i1 - i0;
    f->j1 = j1 - j0;
    for (int k = 0; fine && k < lattice->count; k++) {
        src[k][0] = lattice->node[k].i - i0;
        src[k][1] = lattice->node[k].j - j0;
        dst[k][0] = (double)lattice->node[k].x;
        dst[k][1] = (double)lattice->node[k].y;
    }
    fine = fine && homography_fit((const double(*)[2])src, (const double(*)[2])dst, lattice->count,
                                  f->g.homography);
    free(src);
    free(dst);
    field_forget(f);
    return fine ? 0 : -EINVAL;
}

// --- growing -------------------------------------------------------------------------------------

// Is the line at i (or j) worth measuring: does a fair part of it lie in the picture, in front of
// the camera, at a size at which lines can be told apart?
static bool line_in_picture(const struct field *f, bool column, int line)
{
    const int from = column ? f->j0 : f->i0, to = column ? f->j1 : f->i1;
    const double middle_u = (f->g.columns - 1) / 2.0, middle_v = (f->g.rows - 1) / 2.0;
    const double *h = f->g.homography;
    const double w0 = h[6] * middle_u + h[7] * middle_v + h[8];
    int in = 0;
    for (int k = from; k <= to; k++) {
        const double u = column ? line : k, v = column ? k : line;
        if ((h[6] * u + h[7] * v + h[8]) / w0 < 0.15)
            continue;
        double x, y;
        geometry_board_to_image(&f->g, u, v, &x, &y);
        in += x >= 0 && y >= 0 && x < f->image->width && y < f->image->height &&
              geometry_cell_px(&f->g, u, v) > 6;
    }
    return in * 3 >= to - from + 1;
}

// Pieces of line seen along one row or column of the box, and stones on it.
static int seen_on_line(struct field *f, bool column, int line)
{
    const int from = column ? f->j0 : f->i0, to = column ? f->j1 : f->i1;
    int seen = 0;
    for (int k = from; k <= to; k++) {
        const struct field_node *node = column ? field_at(f, line, k) : field_at(f, k, line);
        for (int d = 0; d < 4; d++)
            seen += node->arm[d].inside && node->arm[d].contrast >= f->threshold;
        seen += f->discs > 0 && fabsf(node->stone) > 0.25F && node->inside;
    }
    return seen;
}

static bool widen_side(struct field *f, bool column, bool upper, int limit)
{
    int *from = column ? &f->i0 : &f->j0, *to = column ? &f->i1 : &f->j1;
    const int last = upper ? *to : *from, inner = upper ? *to - 1 : *from + 1;
    const int next = upper ? *to + 1 : *from - 1;
    if (*to - *from + 1 >= limit || next < -FIELD_BASE || next >= FIELD_SPAN - FIELD_BASE)
        return false;
    if (seen_on_line(f, column, last) + seen_on_line(f, column, inner) < 2 ||
        !line_in_picture(f, column, next))
        return false;
    *(upper ? to : from) = next;
    return true;
}

// Pieces seen that run along column (or row) lines of even and odd number.
static void count_parity(struct field *f, bool columns, int ret[2])
{
    ret[0] = ret[1] = 0;
    for (int j = f->j0; j <= f->j1; j++)
        for (int i = f->i0; i <= f->i1; i++) {
            const struct grid_arm *arm = field_at(f, i, j)->arm;
            for (int d = columns ? GRID_NORTH : GRID_EAST; d < 4; d += 2)
                ret[(columns ? i : j) & 1] += arm[d].inside && arm[d].contrast >= f->threshold;
        }
}

// Marks along real lines can pass for crossings: then the lattice has a line too many between each
// two. Such lines are never seen themselves; drops them.
static bool drop_phantoms(struct field *f)
{
    bool dropped = false;
    for (int axis = 0; axis < 2; axis++) {
        const bool columns = axis == 0;
        int count[2];
        count_parity(f, columns, count);
        const int keep = count[1] > count[0];
        if (count[keep] < 6 || count[!keep] * 5 > count[keep])
            continue;
        double *h = f->g.homography;
        for (int r = 0; r < 3; r++) {
            h[3 * r + 2] += keep * h[3 * r + axis];
            h[3 * r + axis] *= 2;
        }
        int *from = columns ? &f->i0 : &f->j0, *to = columns ? &f->i1 : &f->j1;
        int *lines = columns ? &f->g.columns : &f->g.rows;
        // Both may be negative: round towards the inside.
        *from = (int)ceil((*from - keep) / 2.0);
        *to = (int)floor((*to - keep) / 2.0);
        *lines = *lines / 2 + 1;
        dropped = true;
    }
    return dropped;
}

int field_grow(struct field *f, int limit)
{
    static const double SEARCH = 0.25; // cells
    field_measure(f, SEARCH);
    for (int round = 0; round < GROW_ROUNDS; round++) {
        field_collect(f);
        if (grid_fit_lines(&f->g, f->sample, f->samples, FIELD_TOLERANCE) < 0)
            return round == 0 ? -EINVAL : 0;
        bool grown = false;
        for (int side = 0; side < 4; side++)
            grown |= widen_side(f, side & 1, side & 2, limit);
        field_measure(f, SEARCH);
        if ((round == 0 || !grown) && drop_phantoms(f)) {
            if (f->i1 <= f->i0 || f->j1 <= f->j0)
                return -EINVAL;
            field_forget(f);
            field_measure(f, SEARCH);
            grown = true;
        }
        if (!grown)
            break;
    }
    field_forget(f);
    field_measure(f, SEARCH);
    return 0;
}
