// Grows lattices into boards, refines and scores them, and takes the best.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vision/cvshim.h"
#include "vision/grid.h"
#include "vision/grid_field.h"

enum { CANDIDATES = 4 };

static const double SMOOTH = 0.8;       // pixels of the working picture
static const double SCORE_FOUND = 0.51; // see field_score()
static const double SCORE_SMALL = 0.70; // the same of a small board: chance explains few points
static const double SCORE_SURE = 0.85;  // no need to try another candidate
// The least margin that was seen on photographs is 3 per line, on simulated tables 1.8; where a
// border can't be told it is less than 0.7.
static const double MARGIN_LEAST = 1.2;

// Arms that point out of the board are no lines of it.
static void collect_window(struct field *f)
{
    for (int j = f->j0; j <= f->j1; j++) {
        field_at(f, f->i1, j)->arm[GRID_EAST].contrast = 0;
        field_at(f, 0, j)->arm[GRID_WEST].contrast = 0;
    }
    for (int i = f->i0; i <= f->i1; i++) {
        field_at(f, i, f->j1)->arm[GRID_NORTH].contrast = 0;
        field_at(f, i, 0)->arm[GRID_SOUTH].contrast = 0;
    }
    field_collect(f);
}

static void measure_again(struct field *f, double search)
{
    field_forget(f);
    field_measure(f, search);
}

static double refine_window(struct field *f, bool fit_lens, double search)
{
    double rms = -1;
    for (int round = 0; round < 2; round++) {
        measure_again(f, round == 0 ? search : 0.16);
        collect_window(f);
        rms = grid_fit_lines(&f->g, f->sample, f->samples, FIELD_TOLERANCE);
        if (rms < 0)
            return rms;
    }
    if (fit_lens && f->samples > f->g.columns * f->g.rows)
        rms = grid_fit_lens(&f->g, f->sample, f->samples, FIELD_TOLERANCE);
    const double meshed = grid_fit_mesh(&f->g, f->sample, f->samples, FIELD_TOLERANCE);
    measure_again(f, 0.16);
    return meshed >= 0 ? meshed : rms;
}

void grid_turn_upright(struct geometry *g)
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

int grid_image_make(const uint8_t *luma, int width, int height, bool negative,
                    struct grid_image *ret)
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
    for (size_t k = 0; r == 0 && negative && k < pixels; k++)
        ret->px[k] = -ret->px[k];
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

static bool is_small(const struct grid_request *request)
{
    enum { SMALL = 8 }; // lines
    return request->columns && request->columns <= SMALL && request->rows <= SMALL;
}

static double score_found(const struct grid_request *request)
{
    return is_small(request) ? SCORE_SMALL : SCORE_FOUND;
}

static bool try_lattice(struct field *f, const struct grid_lattice *lattice,
                        const struct grid_request *request, struct grid_result *best)
{
    const int largest = request->columns == 0              ? BOARD_LINES_MAX
                        : request->columns > request->rows ? request->columns
                                                           : request->rows;
    const int limit = largest + 6 < GRID_BOX_MAX ? largest + 6 : GRID_BOX_MAX;
    if (field_start(f, lattice) != 0 || field_grow(f, limit) != 0 ||
        !field_select_board(f, request))
        return false;
    const double rms = refine_window(f, false, 0.22);
    const double score = field_score(f, rms);
    if (f->margin < MARGIN_LEAST) {
        best->unclear |= score >= score_found(request);
        return false;
    }
    if (score > best->score)
        fill_result(f, rms, score, best);
    return score > SCORE_SURE;
}

// Lattices in turn, each as it is, then without the shear it may have. true: one will do.
static bool try_lattices(struct field *f, struct grid_lattice *lattice, int count,
                         const struct grid_request *request, struct grid_result *best)
{
    for (int k = 0; k < count; k++)
        if (try_lattice(f, &lattice[k], request, best) ||
            (field_unshear(&lattice[k]) && try_lattice(f, &lattice[k], request, best)))
            return true;
    return false;
}

static void finish(struct grid_result *r, int width, int height, const struct grid_image *image)
{
    const double sx = (double)width / image->width, sy = (double)height / image->height;
    scale_up(&r->geometry, sx, sy, width, height);
    grid_turn_upright(&r->geometry);
    const struct geometry *g = &r->geometry;
    r->geometry.rms_px =
        r->rms_cells * geometry_cell_px(g, (g->columns - 1) / 2.0, (g->rows - 1) / 2.0);
}

// What the search needs besides the picture; large, so on the heap.
struct search {
    struct field field;
    struct grid_lattice lattice[CANDIDATES];
    struct cvshim_spot disc[FIELD_DISCS_MAX];
};

// Lattices of stones alone (`both`: of crossings as well). Returns how many, or a negative errno.
static int try_stones(struct search *s, const struct grid_image *image, bool both,
                      const struct grid_request *request, struct grid_result *best)
{
    const int found = (both ? grid_find_studs : grid_find_discs)(image, s->disc, FIELD_DISCS_MAX);
    if (found < 0)
        return found;
    const int count =
        (both ? grid_seed_both : grid_seed_discs)(image, s->disc, found, s->lattice, CANDIDATES);
    s->field.disc = s->disc;
    s->field.discs = found;
    if (count > 0)
        try_lattices(&s->field, s->lattice, count, request, best);
    return count;
}

// Lattices of crossings first, those of stones when they don't do; on a small board both together,
// as neither may be enough of them. Returns how many lattices there were. Light lines are looked
// for by their crossings only unless the board is small: in the negative, too much passes for a
// stone.
static int search_all(struct search *s, const struct grid_image *image, bool light,
                      const struct grid_request *request, struct grid_result *best)
{
    s->field.image = image;
    const bool small = is_small(request);
    const int crossings = grid_seed_crossings(image, s->lattice, CANDIDATES);
    if (crossings < 0 || try_lattices(&s->field, s->lattice, crossings, request, best) ||
        (light && !small))
        return crossings;
    const int stones = try_stones(s, image, small, request, best);
    return stones < 0 ? stones : crossings + stones;
}

// Looks for a board with lines of one kind. `best` is what was found, with a score of 0 or more.
// Returns how many lattices there were, or a negative errno.
static int find_lines(const uint8_t *luma, int width, int height, bool light,
                      const struct grid_request *request, struct grid_result *best)
{
    struct grid_image image;
    *best = (struct grid_result){.score = 0};
    const int r = grid_image_make(luma, width, height, light, &image);
    if (r != 0)
        return r;
    struct search *s = calloc(1, sizeof *s);
    const int count = s ? search_all(s, &image, light, request, best) : -ENOMEM;
    free(s);
    if (best->score >= score_found(request))
        finish(best, width, height, &image);
    best->geometry.light_lines = light;
    free(image.px);
    return count;
}

int grid_find(const uint8_t *luma, int width, int height, const struct grid_request *request,
              struct grid_result *ret, const char **ret_why)
{
    struct grid_result best = {.score = 0};
    const double least = score_found(request);
    int lattices = 0;
    for (int light = 0; light < 2 && best.score < least; light++) {
        struct grid_result found;
        if (request->lines == (light ? GRID_LINES_DARK : GRID_LINES_LIGHT))
            continue;
        const int count = find_lines(luma, width, height, light == 1, request, &found);
        if (count == -EINVAL) {
            *ret_why = "the picture is too small to show a board";
            return -ENOENT;
        }
        if (count < 0)
            return count;
        const bool unclear = best.unclear || found.unclear;
        if (found.score > best.score)
            best = found;
        best.unclear = unclear;
        lattices += count;
    }
    if (best.score >= least) {
        *ret = best;
        return 0;
    }
    *ret_why = lattices == 0  ? "no crossing lines were seen"
               : best.unclear ? "a grid was seen, but which of its lines are the board's border "
                                "can't be told; clear the border, or light it evenly"
                              : "lines were seen, but not a whole grid of them";
    return -ENOENT;
}

// A field over a known geometry, in pixels of the working picture.
static struct field *field_over(const struct grid_image *image, const struct geometry *g, int width,
                                int height)
{
    struct field *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->image = image;
    f->g = *g;
    scale_up(&f->g, (double)image->width / width, (double)image->height / height, image->width,
             image->height);
    f->i1 = g->columns - 1;
    f->j1 = g->rows - 1;
    return f;
}

static int refine_lines(const uint8_t *luma, int width, int height, bool fit_lens, bool light,
                        struct geometry *g, struct grid_result *ret)
{
    struct grid_image image;
    int r = grid_image_make(luma, width, height, light, &image);
    if (r != 0)
        return r == -EINVAL ? -ENOENT : r;
    struct field *f = field_over(&image, g, width, height);
    if (f) {
        const double rms = refine_window(f, fit_lens, 0.34);
        const double score = field_score(f, rms);
        r = score < SCORE_FOUND ? -ENOENT : 0;
        if (r == 0) {
            fill_result(f, rms, score, ret);
            scale_up(&ret->geometry, (double)width / image.width, (double)height / image.height,
                     width, height);
            ret->geometry.rms_px = rms * geometry_cell_px(g, g->columns / 2.0, g->rows / 2.0);
            ret->geometry.pitch_x = g->pitch_x;
            ret->geometry.pitch_y = g->pitch_y;
            ret->geometry.light_lines = light;
            *g = ret->geometry;
        }
        free(f);
    } else {
        r = -ENOMEM;
    }
    free(image.px);
    return r;
}

int grid_refine(const uint8_t *luma, int width, int height, bool fit_lens, struct geometry *g,
                struct grid_result *ret)
{
    const int r = refine_lines(luma, width, height, fit_lens, g->light_lines, g, ret);
    return r != -ENOENT ? r : refine_lines(luma, width, height, fit_lens, !g->light_lines, g, ret);
}

int grid_measure_board(const uint8_t *luma, int width, int height, const struct geometry *g,
                       struct grid_arm (*ret_arm)[4], float *ret_threshold, float *ret_typical)
{
    struct grid_image image;
    int r = grid_image_make(luma, width, height, g->light_lines, &image);
    if (r != 0)
        return r == -EINVAL ? -ENOENT : r;
    struct field *f = field_over(&image, g, width, height);
    if (f) {
        field_measure(f, 0.16);
        for (int j = 0; j < g->rows; j++)
            for (int i = 0; i < g->columns; i++)
                memcpy(ret_arm[j * g->columns + i], field_at(f, i, j)->arm,
                       sizeof field_at(f, i, j)->arm);
        *ret_threshold = f->threshold;
        *ret_typical = f->typical;
        free(f);
    } else {
        r = -ENOMEM;
    }
    free(image.px);
    return r;
}
