#include "vision/photo.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vision/grid.h"
#include "vision/overlay.h"
#include "vision/photo_points.h"
#include "vision/picture.h"
#include "vision/png_write.h"

enum { DECODE_SIDE = 2400 }; // pixels: larger photographs are shrunk while they are decoded

static const float SURE = 0.95F;

struct photo_settings photo_settings_default(void)
{
    return (struct photo_settings){
        .size = 19, .colours = 2, .colour = {STONE_BLACK, STONE_WHITE, STONE_RED, STONE_BLUE}};
}

static int check_settings(const struct photo_settings *t, struct error *err)
{
    if (t->size != 0 && (t->size < BOARD_LINES_MIN || t->size > BOARD_LINES_MAX))
        return error_set(err, -EINVAL, "a board of %d lines can't be read; 6 to 19 can", t->size);
    if (t->have_corners && t->size == 0)
        return error_set(err, -EINVAL, "with given corners the board's size must be given too");
    if (t->colours < 1 || t->colours > PHOTO_COLOURS_MAX)
        return error_set(err, -EINVAL, "1 to %d stone colours can be told apart, not %d",
                         PHOTO_COLOURS_MAX, t->colours);
    for (int k = 0; k < t->colours; k++)
        for (int j = 0; j <= k; j++)
            if (!stone_colour_name(t->colour[k]) || (j < k && t->colour[j] == t->colour[k]))
                return error_set(err, -EINVAL, "stone colour %d is unknown or named twice", k + 1);
    return 0;
}

// Grid from the corners a person gave, refined where the lines allow it.
static int grid_from_corners(const struct photo_settings *t, const struct picture *p, double scale,
                             struct grid_result *ret, struct error *err)
{
    // Given TL TR BR BL; the grid starts at the bottom left.
    static const int ORDER[4] = {3, 2, 1, 0};
    double corner[4][2];
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 2; c++)
            corner[k][c] = (t->corner[ORDER[k]][c] + 0.5) * scale - 0.5;
    *ret = (struct grid_result){0};
    if (geometry_from_corners((const double(*)[2])corner, t->size, t->size, p->width, p->height,
                              &ret->geometry) != 0)
        return error_set(err, -EINVAL,
                         "the given corners make no four-sided board; they go top left, top right, "
                         "bottom right, bottom left");
    struct geometry refined = ret->geometry;
    struct grid_result better;
    if (grid_refine(p->luma, p->width, p->height, false, &refined, &better) == 0)
        *ret = better;
    return 0;
}

static int find_grid(const struct photo_settings *t, const struct picture *p, double scale,
                     struct grid_result *grid, struct photo_result *ret, struct error *err)
{
    if (t->have_corners) {
        ret->found = true;
        return grid_from_corners(t, p, scale, grid, err);
    }
    const struct grid_request request = {.columns = t->size, .rows = t->size};
    const char *why = "";
    const int r = grid_find(p->luma, p->width, p->height, &request, grid, &why);
    if (r == -ENOENT) {
        snprintf(
            ret->why, sizeof ret->why,
            "no board found: %s. Take the picture from higher up with the whole board in it, or "
            "give the corners.",
            why);
        return 0;
    }
    if (r != 0)
        return error_set(err, r, "the search for the board failed");
    ret->found = true;
    return 0;
}

static void fill_points(const struct photo_settings *t, const struct photo_points *points,
                        struct photo_result *ret)
{
    const int size = ret->size;
    for (int r = 0; r < size; r++)
        for (int c = 0; c < size; c++) {
            const int n = (size - 1 - r) * size + c;
            const int best = points->best[n];
            ret->row[r][c] = best ? stone_colour_letter(t->colour[best - 1]) : '.';
            ret->confidence[r][c] = points->confidence[n];
            ret->unsure[r][c] = points->confidence[n] < SURE;
            ret->unsure_count += ret->unsure[r][c];
        }
}

// From pixels of the decoded picture to those of the photograph.
static void fill_geometry(const struct grid_result *grid, double scale, struct photo_result *ret)
{
    struct geometry g = grid->geometry;
    for (int k = 0; k < 3; k++) {
        g.homography[k] = (g.homography[k] + (0.5 - 0.5 * scale) * g.homography[6 + k]) / scale;
        g.homography[3 + k] =
            (g.homography[3 + k] + (0.5 - 0.5 * scale) * g.homography[6 + k]) / scale;
    }
    for (int j = 0; j < GEOMETRY_MESH; j++)
        for (int i = 0; i < GEOMETRY_MESH; i++) {
            g.mesh_x[j][i] /= (float)scale;
            g.mesh_y[j][i] /= (float)scale;
        }
    g.lens.fx /= scale;
    g.lens.fy /= scale;
    g.lens.cx = (g.lens.cx + 0.5) / scale - 0.5;
    g.lens.cy = (g.lens.cy + 0.5) / scale - 0.5;
    g.image_width = ret->width;
    g.image_height = ret->height;
    g.rms_px /= scale;
    ret->geometry = g;
    ret->size = g.columns;
    ret->rms_cells = grid->rms_cells;
    const double last = g.columns - 1;
    const double at[4][2] = {{0, last}, {last, last}, {last, 0}, {0, 0}};
    for (int k = 0; k < 4; k++)
        geometry_board_to_image(&g, at[k][0], at[k][1], &ret->corner[k][0], &ret->corner[k][1]);
}

static int read_picture(const struct photo_settings *t, const struct picture *p, double scale,
                        struct photo_result *ret, struct error *err)
{
    struct grid_result grid;
    const int r = find_grid(t, p, scale, &grid, ret, err);
    if (r != 0 || !ret->found)
        return r;
    struct photo_points *points = calloc(1, sizeof *points);
    if (!points || photo_points_read(t, p, &grid.geometry, points) != 0) {
        free(points);
        return error_set(err, -ENOMEM, "out of memory");
    }
    fill_geometry(&grid, scale, ret);
    fill_points(t, points, ret);
    free(points);
    return 0;
}

int photo_read(const struct photo_settings *settings, const uint8_t *bytes, size_t size,
               struct photo_result *ret, struct error *err)
{
    int r = check_settings(settings, err);
    if (r != 0)
        return r;
    struct picture_decoder *decoder = NULL;
    if (picture_decoder_new(&decoder) != 0)
        return error_set(err, -ENOMEM, "out of memory");
    struct picture picture = {0};
    struct photo_result *result = calloc(1, sizeof *result);
    double scale = 1;
    if (!result) {
        picture_decoder_free(decoder);
        return error_set(err, -ENOMEM, "out of memory");
    }
    if (r == 0)
        r = picture_photo_size(decoder, bytes, size, &result->width, &result->height, err);
    if (r == 0)
        r = picture_from_photo(decoder, bytes, size, DECODE_SIDE, &picture, &scale, err);
    if (r == 0)
        r = read_picture(settings, &picture, scale, result, err);
    if (r == 0)
        *ret = *result;
    free(result);
    picture_release(&picture);
    picture_decoder_free(decoder);
    return r;
}

int photo_annotate(const struct photo_result *result, const uint8_t *bytes, size_t size,
                   uint8_t **ret_png, size_t *ret_size, struct error *err)
{
    struct picture_decoder *decoder = NULL;
    if (picture_decoder_new(&decoder) != 0)
        return error_set(err, -ENOMEM, "out of memory");
    struct picture picture = {0};
    double scale = 1;
    int r = picture_from_photo(decoder, bytes, size, 0, &picture, &scale, err);
    uint8_t *rgb = NULL;
    if (r == 0) {
        rgb = malloc((size_t)picture.width * (size_t)picture.height * 3);
        r = rgb ? 0 : error_set(err, -ENOMEM, "out of memory");
    }
    if (r == 0) {
        picture_to_rgb(&picture, rgb);
        struct overlay canvas = {.width = picture.width, .height = picture.height, .rgb = rgb};
        if (result->found)
            overlay_photo(&canvas, result);
        r = png_write_memory(rgb, picture.width, picture.height, ret_png, ret_size, err);
    }
    free(rgb);
    picture_release(&picture);
    picture_decoder_free(decoder);
    return r;
}
