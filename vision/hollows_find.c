// A Pentago board without lines: found in a picture, and followed.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vision/hollows.h"

static const double SCORE_LEAST = 0.80;  // share of the points that show a rim
static const double MARGIN_LEAST = 0.06; // to the next best place
static const double FOLLOW = 0.34;       // cells a board may have moved to be followed
static const double SEEN_LEAST = 0.55;   // then: share of the points that show a rim

// In pixels of the whole picture, as the lens shows them.
static void point_of(const struct hollow_spots *spots, int spot, double scale, double ret[2])
{
    ret[0] = ((double)spots->spot[spot].x + 0.5) * scale - 0.5;
    ret[1] = ((double)spots->spot[spot].y + 0.5) * scale - 0.5;
}

double hollows_cell_px(const struct geometry *g)
{
    const double far = HOLLOWS_SIDE - 2; // clear of the seams
    return sqrt(geometry_cell_px(g, 1, 1) * geometry_cell_px(g, far, far));
}

// Fits g's homography to the spots matched. Returns the rms residual in cells, < 0: none.
static double fit_geometry(struct geometry *g, const struct hollow_spots *spots,
                           const int spot[HOLLOWS_POINTS], double scale)
{
    double src[HOLLOWS_POINTS][2], dst[HOLLOWS_POINTS][2], seen[HOLLOWS_POINTS][2], sum = 0;
    int count = 0;
    for (int n = 0; n < HOLLOWS_POINTS; n++) {
        if (spot[n] < 0)
            continue;
        hollows_plane(g->seam_u, n, src[count]);
        point_of(spots, spot[n], scale, seen[count]);
        lens_undistort(&g->lens, seen[count][0], seen[count][1], &dst[count][0], &dst[count][1]);
        count++;
    }
    if (count < HOLLOWS_POINTS / 2 ||
        !homography_fit((const double(*)[2])src, (const double(*)[2])dst, count, g->homography))
        return -1;
    for (int k = 0; k < count; k++) {
        double x, y;
        homography_apply(g->homography, src[k][0], src[k][1], &x, &y);
        sum += (x - dst[k][0]) * (x - dst[k][0]) + (y - dst[k][1]) * (y - dst[k][1]);
    }
    g->samples = count;
    g->rms_px = sqrt(sum / count);
    memset(g->mesh_x, 0, sizeof g->mesh_x);
    memset(g->mesh_y, 0, sizeof g->mesh_y);
    return g->rms_px / geometry_cell_px(g, 1, 1);
}

static struct geometry geometry_for(const struct hollows_request *request, int width, int height)
{
    struct geometry g = {.columns = HOLLOWS_SIDE,
                         .rows = HOLLOWS_SIDE,
                         .pitch_x = 1,
                         .pitch_y = 1,
                         .seam_u = request->seam,
                         .seam_v = request->seam,
                         .image_width = width,
                         .image_height = height};
    g.lens = request->lens.fx > 0 ? request->lens : lens_ideal(width, height);
    return g;
}

static bool told_apart(const struct hollows_places *places)
{
    return places->best.score >= SCORE_LEAST &&
           places->best.score - places->next.score >= MARGIN_LEAST;
}

// What the search found in the whole picture's pixels, if it is to be believed.
static int conclude(const struct hollows_places *straight, const struct hollows_places *any,
                    const struct hollow_spots spots[HOLLOW_SIZES], const struct grid_image *image,
                    const struct hollows_request *request, int width, int height,
                    struct grid_result *ret, const char **ret_why)
{
    const bool turned = told_apart(any) || !told_apart(straight);
    const struct hollows_placing *best = turned ? &any->best : &straight->best;
    struct grid_result found = {.score = best->score,
                                .geometry = geometry_for(request, width, height)};
    if (best->score < SCORE_LEAST) {
        *ret_why = "not all of its hollows were seen; is it in the picture, and free of hands?";
        return -ENOENT;
    }
    *ret_why = "which of the rows of round things are the board's can't be told";
    if (!told_apart(turned ? any : straight))
        return -ENOENT;
    found.rms_cells =
        fit_geometry(&found.geometry, &spots[best->size], best->spot, (double)width / image->width);
    if (found.rms_cells < 0)
        return -ENOENT;
    grid_turn_upright(&found.geometry);
    *ret = found;
    return 0;
}

static int find_in(const struct grid_image *image, struct hollow_sizes sizes,
                   const struct hollows_request *request, int width, int height,
                   struct hollow_spots spots[HOLLOW_SIZES], struct grid_result *ret,
                   const char **ret_why)
{
    struct hollows_places straight, any;
    const int r = hollow_spots_find(image, sizes, spots);
    if (r != 0)
        return r;
    hollows_place(spots, request->seam, request->marble, &straight, &any);
    return conclude(&straight, &any, spots, image, request, width, height, ret, ret_why);
}

int hollows_find(const uint8_t *luma, int width, int height, const struct hollows_request *request,
                 struct grid_result *ret, const char **ret_why)
{
    struct grid_image image;
    int r = grid_image_make(luma, width, height, false, &image);
    if (r != 0) {
        *ret_why = "the picture is too small to show a board";
        return r == -EINVAL ? -ENOENT : r;
    }
    struct hollow_spots *spots = calloc(HOLLOW_SIZES, sizeof *spots);
    r = spots ? -ENOENT : -ENOMEM;
    // A board that was pushed has kept its size; a camera that was may have come nearer.
    if (spots && request->cell > 0) {
        const double marble = request->marble * request->cell * image.width / width;
        r = find_in(&image, hollow_sizes_near(marble / 2), request, width, height, spots, ret,
                    ret_why);
    }
    if (r == -ENOENT)
        r = find_in(&image, HOLLOW_SIZES_ALL, request, width, height, spots, ret, ret_why);
    free(spots);
    free(image.px);
    return r;
}

// The size whose spots lie best on the points of a geometry that is nearly right.
static double match_size(const struct geometry *g, const struct hollow_spots *spots, double scale,
                         double near, int spot[HOLLOWS_POINTS])
{
    double sum = 0;
    for (int n = 0; n < HOLLOWS_POINTS; n++) {
        double x, y;
        const int row = n / HOLLOWS_SIDE;
        const double u = n % HOLLOWS_SIDE, v = row;
        geometry_board_to_image(g, u, v, &x, &y);
        spot[n] = hollow_spots_nearest(spots, (x + 0.5) / scale - 0.5, (y + 0.5) / scale - 0.5,
                                       near * geometry_cell_px(g, u, v) / scale);
        if (spot[n] >= 0)
            sum += hollow_spots_strength(spots, spot[n]);
    }
    return sum / HOLLOWS_POINTS;
}

// The size whose spots show most of the points. < 0: none shows enough.
static int usual_size(const struct geometry *g, const struct hollow_spots spots[HOLLOW_SIZES],
                      double scale)
{
    double best = SEEN_LEAST;
    int size = -ENOENT, spot[HOLLOWS_POINTS];
    for (int k = 0; k < HOLLOW_SIZES; k++) {
        const double score = match_size(g, &spots[k], scale, FOLLOW, spot);
        if (score > best) {
            best = score;
            size = k;
        }
    }
    return size;
}

static int refine_in(const struct grid_image *image, int width, double marble, struct geometry *g,
                     struct hollow_spots spots[HOLLOW_SIZES], struct grid_result *ret)
{
    const double scale = (double)width / image->width;
    const double radius = marble / 2 * hollows_cell_px(g) / scale;
    int spot[HOLLOWS_POINTS];
    int r = hollow_spots_find(image, hollow_sizes_near(radius), spots);
    const int size = r == 0 ? usual_size(g, spots, scale) : r;
    r = size < 0 ? size : hollow_spots_fine(image, size, spots);
    for (int round = 0; r == 0 && round < 2; round++) {
        const double near = round == 0 ? FOLLOW : HOLLOWS_MATCHED;
        ret->score = match_size(g, &spots[size], scale, near, spot);
        ret->rms_cells = fit_geometry(g, &spots[size], spot, scale);
        if (ret->rms_cells < 0 || ret->score < SEEN_LEAST)
            r = -ENOENT;
    }
    return r;
}

int hollows_refine(const uint8_t *luma, int width, int height, double marble, struct geometry *g,
                   struct grid_result *ret)
{
    struct grid_image image;
    int r = grid_image_make(luma, width, height, false, &image);
    if (r != 0)
        return r == -EINVAL ? -ENOENT : r;
    struct hollow_spots *spots = calloc(HOLLOW_SIZES, sizeof *spots);
    struct grid_result now = {.geometry = *g};
    r = spots ? refine_in(&image, width, marble, &now.geometry, spots, &now) : -ENOMEM;
    if (r == 0) {
        *g = now.geometry;
        *ret = now;
    }
    free(spots);
    free(image.px);
    return r;
}

// Where a lens without distortion would show the spots.
static void flatten(const struct geometry *g, double scale, struct hollow_spots *spots)
{
    for (int k = 0; k < spots->count; k++) {
        double seen[2], x, y;
        point_of(spots, k, scale, seen);
        lens_undistort(&g->lens, seen[0], seen[1], &x, &y);
        spots->spot[k].x = (float)x;
        spots->spot[k].y = (float)y;
    }
}

static int tell_turned(const struct geometry *g, const struct hollow_spots *spots, int *ret_block)
{
    static const double SHOWS = 6, CLEARLY = 3; // of the rim's eight
    int straight = 0, rim[HOLLOWS_RIM];
    for (int block = 0; block < HOLLOWS_BLOCKS; block++) {
        const double as_it_should = hollows_rim_straight(spots, g->homography, g->seam_u, block);
        const double at_an_angle = hollows_rim_turned(spots, g->homography, g->seam_u, block, rim);
        straight += as_it_should >= SHOWS;
        if (at_an_angle < SHOWS || at_an_angle < as_it_should + CLEARLY)
            continue;
        *ret_block = block;
        return 0;
    }
    if (straight < HOLLOWS_BLOCKS)
        return -EAGAIN;
    *ret_block = -1;
    return 0;
}

int hollows_half_turned(const uint8_t *luma, int width, int height, double marble,
                        const struct geometry *g, int *ret_block)
{
    struct grid_image image;
    int r = grid_image_make(luma, width, height, false, &image);
    if (r != 0)
        return r == -EINVAL ? -EAGAIN : r;
    struct hollow_spots *spots = calloc(HOLLOW_SIZES, sizeof *spots);
    const double scale = (double)width / image.width;
    const struct hollow_sizes sizes = hollow_sizes_near(marble / 2 * hollows_cell_px(g) / scale);
    r = spots ? hollow_spots_find(&image, sizes, spots) : -ENOMEM;
    const int size = r == 0 ? usual_size(g, spots, scale) : r;
    if (size >= 0) {
        flatten(g, scale, &spots[size]);
        r = tell_turned(g, &spots[size], ret_block);
    } else if (r == 0) {
        r = -EAGAIN;
    }
    free(spots);
    free(image.px);
    return r;
}
