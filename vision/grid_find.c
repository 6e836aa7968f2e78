// Grows lattices into boards, finds their borders, refines and scores them.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vision/cvshim.h"
#include "vision/grid.h"

enum {
    CANDIDATES = 6,
    SAMPLES_MAX = GRID_BOX_MAX * GRID_BOX_MAX * 4,
    GROW_ROUNDS = 40,
};

static const double SMOOTH = 0.8;       // pixels of the working picture
static const double SCORE_FOUND = 0.72; // of the points must look like a board's
static const double TOLERANCE = 0.16;   // cells, of line samples about the fit

// A lattice while it is measured: arms and stones of every crossing in the box.
struct field {
    const struct grid_image *image;
    struct geometry g;
    int i0, i1, j0, j1; // the box, both ends within
    struct grid_arm arm[GRID_BOX_MAX][GRID_BOX_MAX][4];
    float stone[GRID_BOX_MAX][GRID_BOX_MAX]; // difference of the crossing from its surface
    bool inside[GRID_BOX_MAX][GRID_BOX_MAX];
    float threshold; // contrast of a line that counts as seen
    float typical;   // median contrast of the lines seen
    struct grid_sample sample[SAMPLES_MAX];
    int samples;
};

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
static float disc_mean(const struct field *f, double u, double v, double radius)
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
// between four stones even on a full board. The middle two of four: one may lie in a shadow.
static float stone_difference(const struct field *f, double u, double v)
{
    float around[4];
    for (int k = 0; k < 4; k++)
        around[k] = disc_mean(f, u + (k & 1 ? 0.5 : -0.5), v + (k & 2 ? 0.5 : -0.5), 0.08);
    qsort(around, 4, sizeof around[0], compare_floats);
    return disc_mean(f, u, v, 0.22) - 0.5F * (around[1] + around[2]);
}

static void measure(struct field *f, double search)
{
    for (int j = f->j0; j <= f->j1; j++)
        for (int i = f->i0; i <= f->i1; i++) {
            double x, y;
            const int a = i - f->i0, b = j - f->j0;
            geometry_board_to_image(&f->g, i, j, &x, &y);
            f->inside[b][a] = x >= -1 && y >= -1 && x <= f->image->width && y <= f->image->height;
            for (int d = 0; d < 4; d++)
                grid_measure_arm(f->image, &f->g, i, j, (enum grid_direction)d, search,
                                 &f->arm[b][a][d]);
            f->stone[b][a] = stone_difference(f, i, j);
        }
}

// The lines seen: typical contrast is the median of the upper half, because up to half the arms may
// lie under stones.
static void set_threshold(struct field *f)
{
    static const float FAINTEST = 0.012F;
    float value[SAMPLES_MAX];
    int count = 0;
    for (int j = f->j0; j <= f->j1; j++)
        for (int i = f->i0; i <= f->i1; i++)
            for (int d = 0; d < 4; d++) {
                const struct grid_arm *arm = &f->arm[j - f->j0][i - f->i0][d];
                if (arm->inside && arm->contrast > FAINTEST)
                    value[count++] = arm->contrast;
            }
    f->typical = median(value, count);
    f->threshold = fmaxf(FAINTEST, 0.4F * f->typical);
}

static void collect(struct field *f)
{
    f->samples = 0;
    for (int j = f->j0; j <= f->j1; j++)
        for (int i = f->i0; i <= f->i1; i++)
            for (int d = 0; d < 4; d++) {
                const struct grid_arm *arm = &f->arm[j - f->j0][i - f->i0][d];
                if (!arm->inside || arm->contrast < f->threshold)
                    continue;
                const bool vertical = d == GRID_NORTH || d == GRID_SOUTH;
                f->sample[f->samples++] =
                    (struct grid_sample){.x = arm->x,
                                         .y = arm->y,
                                         .vertical = vertical,
                                         .line = (float)(vertical ? i : j),
                                         .weight = fminf(1, arm->contrast / (2 * f->threshold))};
            }
}

static int start(struct field *f, const struct grid_image *image,
                 const struct grid_lattice *lattice)
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
    f->image = image;
    f->g = (struct geometry){.columns = i1 - i0 + 1,
                             .rows = j1 - j0 + 1,
                             .pitch_x = 1,
                             .pitch_y = 1,
                             .image_width = image->width,
                             .image_height = image->height,
                             .lens = lens_ideal(image->width, image->height)};
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
    return fine ? 0 : -EINVAL;
}

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

// Lines seen along one row or column of the box.
static int seen_on_line(const struct field *f, bool column, int line)
{
    const int from = column ? f->j0 : f->i0, to = column ? f->j1 : f->i1;
    int seen = 0;
    for (int k = from; k <= to; k++) {
        const struct grid_arm *arm =
            column ? f->arm[k - f->j0][line - f->i0] : f->arm[line - f->j0][k - f->i0];
        for (int d = 0; d < 4; d++)
            seen += arm[d].inside && arm[d].contrast >= f->threshold;
    }
    return seen;
}

// Widens the box by a line on each side that still has lines near it. False: nothing to widen.
static bool widen(struct field *f, int limit)
{
    bool grown = false;
    const int i0 = f->i0, i1 = f->i1, j0 = f->j0, j1 = f->j1;
    const bool west = seen_on_line(f, true, i0) + seen_on_line(f, true, i0 + 1) > 1;
    const bool east = seen_on_line(f, true, i1) + seen_on_line(f, true, i1 - 1) > 1;
    const bool south = seen_on_line(f, false, j0) + seen_on_line(f, false, j0 + 1) > 1;
    const bool north = seen_on_line(f, false, j1) + seen_on_line(f, false, j1 - 1) > 1;
    if (west && f->i1 - f->i0 + 1 < limit && line_in_picture(f, true, i0 - 1)) {
        f->i0--;
        grown = true;
    }
    if (east && f->i1 - f->i0 + 1 < limit && line_in_picture(f, true, i1 + 1)) {
        f->i1++;
        grown = true;
    }
    if (south && f->j1 - f->j0 + 1 < limit && line_in_picture(f, false, j0 - 1)) {
        f->j0--;
        grown = true;
    }
    if (north && f->j1 - f->j0 + 1 < limit && line_in_picture(f, false, j1 + 1)) {
        f->j1++;
        grown = true;
    }
    return grown;
}

// Line pieces seen that run along column (or row) lines of even and odd number.
static void count_parity(const struct field *f, bool columns, int ret[2])
{
    ret[0] = ret[1] = 0;
    for (int j = f->j0; j <= f->j1; j++)
        for (int i = f->i0; i <= f->i1; i++) {
            const struct grid_arm *arm = f->arm[j - f->j0][i - f->i0];
            const int d = columns ? GRID_NORTH : GRID_EAST;
            for (int k = d; k < 4; k += 2)
                ret[(columns ? i : j) & 1] += arm[k].inside && arm[k].contrast >= f->threshold;
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
        if (count[!keep] * 5 > count[keep])
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
    return dropped && f->i1 > f->i0 && f->j1 > f->j0;
}

static int grow(struct field *f)
{
    measure(f, 0.25);
    set_threshold(f);
    for (int round = 0; round < GROW_ROUNDS; round++) {
        collect(f);
        if (grid_fit_lines(&f->g, f->sample, f->samples, TOLERANCE) < 0)
            return round == 0 ? -EINVAL : 0;
        bool grown = widen(f, GRID_BOX_MAX);
        measure(f, 0.25);
        set_threshold(f);
        if ((round == 0 || !grown) && drop_phantoms(f)) {
            measure(f, 0.25);
            set_threshold(f);
            grown = true;
        }
        if (!grown)
            break;
    }
    return 0;
}

// --- where the board ends ------------------------------------------------------------------------

static float seen(const struct field *f, const struct grid_arm *arm)
{
    if (!arm->inside || fabsf(arm->offset) > 0.2F)
        return 0;
    const float x = arm->contrast / f->threshold;
    return x < 0.7F ? 0 : x > 1.3F ? 1 : (x - 0.7F) / 0.6F;
}

static int arms_seen(const struct field *f, int a, int b)
{
    int count = 0;
    for (int d = 0; d < 4; d++)
        count += seen(f, &f->arm[b][a][d]) > 0.5F;
    return count;
}

static bool looks_like_stone(const struct field *f, int a, int b)
{
    const float d = fabsf(f->stone[b][a]);
    return arms_seen(f, a, b) <= 1 && d > 0.08F;
}

// What speaks for the window of columns x rows lines whose lower left corner is box cell (a0, b0).
static double window_score(const struct field *f, int a0, int b0, int columns, int rows)
{
    double score = 0;
    const int width = f->i1 - f->i0 + 1, height = f->j1 - f->j0 + 1;
    for (int b = 0; b < height; b++)
        for (int a = 0; a < width; a++) {
            const bool in = a >= a0 && b >= b0 && a < a0 + columns && b < b0 + rows;
            const bool edge[4] = {a == a0 + columns - 1, b == b0 + rows - 1, a == a0, b == b0};
            for (int d = 0; d < 4; d++) {
                const double s = (double)seen(f, &f->arm[b][a][d]);
                score += in && !edge[d] ? s : -s;
            }
            if (looks_like_stone(f, a, b))
                score += in ? 1.5 : 0;
            else if (in && arms_seen(f, a, b) == 0)
                score -= 1.5; // a bare place without lines
            if (in && !f->inside[b][a])
                score -= 6;
        }
    return score;
}

static double choose_window(const struct field *f, int columns, int rows, int *ret_a, int *ret_b)
{
    const int width = f->i1 - f->i0 + 1, height = f->j1 - f->j0 + 1;
    double best = -1e9;
    for (int b = 0; b + rows <= height; b++)
        for (int a = 0; a + columns <= width; a++) {
            const double s = window_score(f, a, b, columns, rows);
            if (s > best) {
                best = s;
                *ret_a = a;
                *ret_b = b;
            }
        }
    return best;
}

// Makes the window's lower left corner (0,0) and the box the window.
static void shift_origin(struct field *f, int du, int dv, int columns, int rows)
{
    double *h = f->g.homography;
    for (int r = 0; r < 3; r++)
        h[3 * r + 2] += h[3 * r] * du + h[3 * r + 1] * dv;
    for (int k = 0; k < 9; k++)
        h[k] /= k == 8 ? 1 : h[8];
    h[8] = 1;
    f->g.columns = columns;
    f->g.rows = rows;
    f->i0 = f->j0 = 0;
    f->i1 = columns - 1;
    f->j1 = rows - 1;
}

// A board whose last lines lie under stones stopped growing early: give the window room.
static void ensure_room(struct field *f, int columns, int rows)
{
    while (f->i1 - f->i0 + 1 < GRID_BOX_MAX && f->i1 - f->i0 + 1 < columns + 4) {
        f->i0--;
        if (f->i1 - f->i0 + 1 < GRID_BOX_MAX)
            f->i1++;
    }
    while (f->j1 - f->j0 + 1 < GRID_BOX_MAX && f->j1 - f->j0 + 1 < rows + 4) {
        f->j0--;
        if (f->j1 - f->j0 + 1 < GRID_BOX_MAX)
            f->j1++;
    }
    measure(f, 0.25);
}

static bool select_board(struct field *f, const struct grid_request *request)
{
    static const int SIZE[4] = {19, 15, 13, 9};
    const int choices = request->columns ? 1 : 4;
    double best = -1e9;
    int best_a = 0, best_b = 0, best_columns = 0, best_rows = 0;
    for (int c = 0; c < choices; c++) {
        const int columns = request->columns ? request->columns : SIZE[c];
        const int rows = request->columns ? request->rows : SIZE[c];
        // Largest first: the box only ever gets wider.
        if (c == 0)
            ensure_room(f, columns, rows);
        int a = -1, b = -1;
        const double s = choose_window(f, columns, rows, &a, &b);
        if (a >= 0 && s > best) {
            best = s;
            best_a = a;
            best_b = b;
            best_columns = columns;
            best_rows = rows;
        }
    }
    if (best_columns == 0)
        return false;
    shift_origin(f, f->i0 + best_a, f->j0 + best_b, best_columns, best_rows);
    return true;
}

// --- refinement and score ------------------------------------------------------------------------

// Arms that point out of the board are no lines of it.
static void collect_window(struct field *f)
{
    for (int j = f->j0; j <= f->j1; j++) {
        f->arm[j][f->i1][GRID_EAST].contrast = 0;
        f->arm[j][0][GRID_WEST].contrast = 0;
    }
    for (int i = f->i0; i <= f->i1; i++) {
        f->arm[f->j1][i][GRID_NORTH].contrast = 0;
        f->arm[0][i][GRID_SOUTH].contrast = 0;
    }
    collect(f);
}

static double refine_window(struct field *f, bool fit_lens, double search)
{
    double rms = -1;
    for (int round = 0; round < 3; round++) {
        measure(f, round == 0 ? search : 0.16);
        set_threshold(f);
        collect_window(f);
        rms = grid_fit_lines(&f->g, f->sample, f->samples, TOLERANCE);
        if (rms < 0)
            return rms;
    }
    const int spots = f->g.columns * f->g.rows;
    if (fit_lens && f->samples > spots)
        rms = grid_fit_lens(&f->g, f->sample, f->samples, TOLERANCE);
    const double meshed = grid_fit_mesh(&f->g, f->sample, f->samples, TOLERANCE);
    measure(f, 0.16);
    set_threshold(f);
    return meshed >= 0 ? meshed : rms;
}

// Lines of both directions must be seen at a point: along one real line every point of a wrong
// lattice shows two arms.
static bool crossing_seen(const struct field *f, int a, int b)
{
    const struct grid_arm *arm = f->arm[b][a];
    return seen(f, &arm[GRID_EAST]) + seen(f, &arm[GRID_WEST]) > 0.5F &&
           seen(f, &arm[GRID_NORTH]) + seen(f, &arm[GRID_SOUTH]) > 0.5F;
}

static double board_score(const struct field *f)
{
    int explained = 0;
    for (int j = 0; j < f->g.rows; j++)
        for (int i = 0; i < f->g.columns; i++)
            explained += crossing_seen(f, i, j) || looks_like_stone(f, i, j);
    return (double)explained / (f->g.rows * f->g.columns);
}

// Turns the grid so that u points right and v points up in the picture.
static void turn_upright(struct geometry *g)
{
    for (int k = 0; k < 4; k++) {
        double x0, y0, x1, y1;
        geometry_board_to_image(g, 0, (g->rows - 1) / 2.0, &x0, &y0);
        geometry_board_to_image(g, g->columns - 1, (g->rows - 1) / 2.0, &x1, &y1);
        if (x1 - x0 > fabs(y1 - y0))
            return;
        geometry_turn(g, 1);
    }
}

// From pixels of the working picture to pixels of the whole one.
static void scale_up(struct geometry *g, double sx, double sy, int width, int height)
{
    for (int k = 0; k < 3; k++) {
        g->homography[k] = sx * g->homography[k] + (sx - 1) / 2 * g->homography[6 + k];
        g->homography[3 + k] = sy * g->homography[3 + k] + (sy - 1) / 2 * g->homography[6 + k];
    }
    for (int j = 0; j < GEOMETRY_MESH; j++)
        for (int i = 0; i < GEOMETRY_MESH; i++) {
            g->mesh_x[j][i] *= (float)sx;
            g->mesh_y[j][i] *= (float)sy;
        }
    g->lens.fx *= sx;
    g->lens.fy *= sy;
    g->lens.cx = sx * g->lens.cx + (sx - 1) / 2;
    g->lens.cy = sy * g->lens.cy + (sy - 1) / 2;
    g->image_width = width;
    g->image_height = height;
}

static int make_image(const uint8_t *luma, int width, int height, struct grid_image *ret)
{
    const double scale = fmin(1, (double)GRID_WORK_SIDE / (width > height ? width : height));
    ret->width = (int)lround(width * scale);
    ret->height = (int)lround(height * scale);
    if (ret->width < 32 || ret->height < 32)
        return -EINVAL;
    const size_t pixels = (size_t)ret->width * (size_t)ret->height;
    uint8_t *small = malloc(pixels);
    ret->px = malloc(pixels * sizeof *ret->px);
    int r = small && ret->px ? 0 : -ENOMEM;
    if (r == 0)
        r = cvshim_shrink(luma, width, height, small, ret->width, ret->height);
    if (r == 0)
        r = cvshim_log_luma(small, ret->width, ret->height, SMOOTH, ret->px);
    free(small);
    if (r != 0) {
        free(ret->px);
        ret->px = NULL;
    }
    return r;
}

static void fill_result(const struct field *f, double rms, double score, struct grid_result *ret)
{
    ret->geometry = f->g;
    ret->geometry.samples = f->samples;
    ret->rms_cells = rms;
    ret->score = score;
    ret->line_contrast = f->typical;
    ret->line_threshold = f->threshold;
}

static bool try_lattice(struct field *f, const struct grid_image *image,
                        const struct grid_lattice *lattice, const struct grid_request *request,
                        struct grid_result *best)
{
    if (start(f, image, lattice) != 0 || grow(f) != 0 || !select_board(f, request))
        return false;
    const double rms = refine_window(f, false, 0.22);
    const double score = rms < 0 ? 0 : board_score(f);
    if (score > best->score)
        fill_result(f, rms, score, best);
    return score > 0.97;
}

static void finish(struct grid_result *r, int width, int height, const struct grid_image *image)
{
    const double sx = (double)width / image->width, sy = (double)height / image->height;
    scale_up(&r->geometry, sx, sy, width, height);
    turn_upright(&r->geometry);
    const struct geometry *g = &r->geometry;
    r->geometry.rms_px =
        r->rms_cells * geometry_cell_px(g, (g->columns - 1) / 2.0, (g->rows - 1) / 2.0);
}

int grid_find(const uint8_t *luma, int width, int height, const struct grid_request *request,
              struct grid_result *ret, const char **ret_why)
{
    struct grid_image image;
    struct grid_result best = {.score = 0};
    int r = make_image(luma, width, height, &image);
    if (r != 0) {
        *ret_why = "the picture is too small to show a board";
        return r == -EINVAL ? -ENOENT : r;
    }
    struct grid_lattice *lattice = malloc(CANDIDATES * sizeof *lattice);
    struct field *field = calloc(1, sizeof *field);
    int count = -ENOMEM;
    if (lattice && field)
        count = grid_seed_crossings(&image, lattice, CANDIDATES);
    for (int k = 0; k < count; k++)
        if (try_lattice(field, &image, &lattice[k], request, &best))
            break;
    free(lattice);
    free(field);
    if (count < 0) {
        free(image.px);
        return -ENOMEM;
    }
    if (best.score < SCORE_FOUND) {
        *ret_why = count == 0 ? "no crossing lines were seen"
                              : "lines were seen, but not a whole grid of them";
        r = -ENOENT;
    } else {
        finish(&best, width, height, &image);
        *ret = best;
    }
    free(image.px);
    return r;
}

int grid_refine(const uint8_t *luma, int width, int height, bool fit_lens, struct geometry *g,
                struct grid_result *ret)
{
    struct grid_image image;
    int r = make_image(luma, width, height, &image);
    if (r != 0)
        return r == -EINVAL ? -ENOENT : r;
    struct field *f = calloc(1, sizeof *f);
    if (f) {
        f->image = &image;
        f->g = *g;
        scale_up(&f->g, (double)image.width / width, (double)image.height / height, image.width,
                 image.height);
        f->i1 = g->columns - 1;
        f->j1 = g->rows - 1;
        const double rms = refine_window(f, fit_lens, 0.34);
        const double score = rms < 0 ? 0 : board_score(f);
        r = score < SCORE_FOUND ? -ENOENT : 0;
        if (r == 0) {
            fill_result(f, rms, score, ret);
            scale_up(&ret->geometry, (double)width / image.width, (double)height / image.height,
                     width, height);
            ret->geometry.rms_px = rms * geometry_cell_px(g, g->columns / 2.0, g->rows / 2.0);
            ret->geometry.pitch_x = g->pitch_x;
            ret->geometry.pitch_y = g->pitch_y;
            *g = ret->geometry;
        }
        free(f);
    } else {
        r = -ENOMEM;
    }
    free(image.px);
    return r;
}

int grid_measure_board(const uint8_t *luma, int width, int height, const struct geometry *g,
                       struct grid_arm (*ret_arm)[4], float *ret_threshold, float *ret_typical)
{
    struct grid_image image;
    int r = make_image(luma, width, height, &image);
    if (r != 0)
        return r == -EINVAL ? -ENOENT : r;
    struct field *f = calloc(1, sizeof *f);
    if (f) {
        f->image = &image;
        f->g = *g;
        scale_up(&f->g, (double)image.width / width, (double)image.height / height, image.width,
                 image.height);
        f->i1 = g->columns - 1;
        f->j1 = g->rows - 1;
        measure(f, 0.16);
        set_threshold(f);
        for (int j = 0; j < g->rows; j++)
            for (int i = 0; i < g->columns; i++)
                memcpy(ret_arm[j * g->columns + i], f->arm[j][i], sizeof f->arm[j][i]);
        *ret_threshold = f->threshold;
        *ret_typical = f->typical;
        free(f);
    } else {
        r = -ENOMEM;
    }
    free(image.px);
    return r;
}
