#include "vision/tags.h"

#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>
#include <errno.h>
#include <math.h>

#include "vision/grid.h"

enum { DETAILED_SIDE = 1000 }; // pictures up to this size are searched in full

static void collect(zarray_t *detections, struct tags *ret)
{
    *ret = (struct tags){0};
    for (int i = 0; i < zarray_size(detections); i++) {
        apriltag_detection_t *d;
        zarray_get(detections, i, &d);
        // A corrected bit more than two is likelier to be a pattern of the table.
        if (d->id < 0 || d->id >= TAGS || d->hamming > 2 || ret->seen[d->id])
            continue;
        ret->seen[d->id] = true;
        ret->at[d->id][0] = d->c[0];
        ret->at[d->id][1] = d->c[1];
        ret->count++;
    }
}

int tags_find(const uint8_t *luma, int width, int height, struct tags *ret)
{
    apriltag_family_t *family = tag36h11_create();
    apriltag_detector_t *detector = apriltag_detector_create();
    int r = family && detector ? 0 : -ENOMEM;
    if (r == 0) {
        // The library reads the picture only, though its type does not say so.
        image_u8_t image = {
            .width = width, .height = height, .stride = width, .buf = (uint8_t *)(uintptr_t)luma};
        apriltag_detector_add_family(detector, family);
        detector->nthreads = 1;
        detector->quad_decimate = width <= DETAILED_SIDE ? 1 : 2;
        zarray_t *detections = apriltag_detector_detect(detector, &image);
        collect(detections, ret);
        apriltag_detections_destroy(detections);
    }
    if (detector)
        apriltag_detector_destroy(detector);
    if (family)
        tag36h11_destroy(family);
    return r;
}

static void corner_of(const struct geometry *g, int tag, double *ret_u, double *ret_v)
{
    *ret_u = tag == 1 || tag == 2 ? g->columns - 1 : 0;
    *ret_v = tag >= 2 ? g->rows - 1 : 0;
}

static bool lies_within(const struct geometry *g, const double at[2])
{
    static const double EDGE = 0.3; // cells
    double u, v;
    return geometry_image_to_board(g, at[0], at[1], &u, &v) && u > EDGE && v > EDGE &&
           u < g->columns - 1 - EDGE && v < g->rows - 1 - EDGE;
}

int tags_turns(const struct tags *tags, const struct geometry *g, int *ret)
{
    double best = INFINITY;
    if (tags->count < 2)
        return -ENOENT;
    for (int k = 0; k < 4; k++) {
        struct geometry turned = *g;
        double sum = 0;
        geometry_turn(&turned, k);
        if (turned.columns != g->columns)
            continue;
        for (int tag = 0; tag < TAGS; tag++) {
            double u, v, x, y;
            if (!tags->seen[tag])
                continue;
            if (lies_within(g, tags->at[tag]))
                return -EINVAL;
            corner_of(&turned, tag, &u, &v);
            geometry_board_to_image(&turned, u, v, &x, &y);
            sum += hypot(x - tags->at[tag][0], y - tags->at[tag][1]);
        }
        if (sum < best) {
            best = sum;
            *ret = k;
        }
    }
    return 0;
}

// The corners of a board whose tags lie `margin` cells outside of it both ways.
static bool corners_within(const struct tags *tags, int columns, int rows, double margin,
                           double ret[4][2])
{
    const double u1 = columns - 1, v1 = rows - 1, m = margin;
    const double cell[4][2] = {{-m, -m}, {u1 + m, -m}, {u1 + m, v1 + m}, {-m, v1 + m}};
    const double corner[4][2] = {{0, 0}, {u1, 0}, {u1, v1}, {0, v1}};
    double h[9];
    if (!homography_fit(cell, tags->at, 4, h))
        return false;
    for (int k = 0; k < 4; k++)
        homography_apply(h, corner[k][0], corner[k][1], &ret[k][0], &ret[k][1]);
    return true;
}

int tags_seed(const struct tags *tags, const uint8_t *luma, int width, int height, int columns,
              int rows, struct geometry *ret)
{
    // Refining finds lines up to a third of a cell away. A wrong margin may also find some, but
    // hardly all of them.
    static const double NEAR = 0.4, FAR = 4, STEP = 0.4; // cells
    double best = 0.85;
    int result = -ENOENT;
    for (double margin = NEAR; tags->count == TAGS && margin <= FAR; margin += STEP) {
        double corners[4][2];
        struct geometry g;
        struct grid_result found;
        if (!corners_within(tags, columns, rows, margin, corners) ||
            geometry_from_corners((const double(*)[2])corners, columns, rows, width, height, &g) !=
                0)
            continue;
        for (int light = 0; light < 2; light++) {
            struct geometry lines = g;
            lines.light_lines = light == 1;
            const int r = grid_refine(luma, width, height, false, &lines, &found);
            if (r != 0 && r != -ENOENT)
                return r;
            if (r == 0 && found.score > best) {
                best = found.score;
                *ret = lines;
                result = 0;
            }
        }
    }
    return result;
}
