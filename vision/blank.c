#include "vision/blank.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <turbojpeg.h>

enum { BLOCK = 8, COEFFICIENTS = 64 };

struct blanker {
    tjhandle handle;
    unsigned char *jpeg;
    const struct geometry *geometries;
    int count, width, height;
    double margin;
};

int blanker_new(struct blanker **ret)
{
    struct blanker *b = calloc(1, sizeof *b);
    if (!b)
        return -ENOMEM;
    b->handle = tjInitTransform();
    if (!b->handle) {
        free(b);
        return -ENOMEM;
    }
    *ret = b;
    return 0;
}

struct blanker *blanker_free(struct blanker *blanker)
{
    if (blanker) {
        tjFree(blanker->jpeg);
        tjDestroy(blanker->handle);
    }
    free(blanker);
    return NULL;
}

static bool is_kept(const struct blanker *b, double x, double y)
{
    for (int k = 0; k < b->count; k++) {
        const struct geometry *g = &b->geometries[k];
        double u, v;
        if (geometry_image_to_board(g, x, y, &u, &v) && u > -b->margin && v > -b->margin &&
            u < g->columns - 1 + b->margin && v < g->rows - 1 + b->margin)
            return true;
    }
    return false;
}

// Called for some rows of one component's blocks. A component may have fewer samples than pixels.
static int filter(short *coefficients, tjregion region, tjregion plane, int component,
                  int transform, struct tjtransform *t)
{
    (void)component, (void)transform;
    const struct blanker *b = t->data;
    const int across = region.w / BLOCK, down = region.h / BLOCK;
    const double scale_x = (double)b->width / plane.w, scale_y = (double)b->height / plane.h;
    for (int k = 0; k < across * down; k++) {
        const int column = k % across, row = k / across;
        const double x = region.x + (column + 0.5) * BLOCK;
        const double y = region.y + (row + 0.5) * BLOCK;
        if (!is_kept(b, x * scale_x, y * scale_y))
            memset(coefficients + (size_t)k * COEFFICIENTS, 0, COEFFICIENTS * sizeof *coefficients);
    }
    return 0;
}

int blanker_run(struct blanker *blanker, const struct geometry *geometries, int count,
                double margin, const uint8_t *jpeg, size_t size, const uint8_t **ret_jpeg,
                size_t *ret_size, struct error *err)
{
    struct blanker *b = blanker;
    int subsampling, colours;
    unsigned long length = 0;
    if (tjDecompressHeader3(b->handle, jpeg, (unsigned long)size, &b->width, &b->height,
                            &subsampling, &colours) != 0)
        return error_set(err, -EBADMSG, "a picture is no JPEG: %s", tjGetErrorStr2(b->handle));
    b->geometries = geometries;
    b->count = count;
    b->margin = margin;
    tjtransform transform = {
        .op = TJXOP_NONE, .options = TJXOPT_COPYNONE, .data = b, .customFilter = filter};
    tjFree(b->jpeg);
    b->jpeg = NULL;
    if (tjTransform(b->handle, jpeg, (unsigned long)size, 1, &b->jpeg, &length, &transform, 0) != 0)
        return error_set(err, -EBADMSG, "a picture can't be blanked: %s",
                         tjGetErrorStr2(b->handle));
    *ret_jpeg = b->jpeg;
    *ret_size = length;
    return 0;
}
