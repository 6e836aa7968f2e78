#include "config/calibrate/lens_views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vision/cvshim.h"

struct points {
    float board[LENS_VIEWS_MAX * BOARD_POINTS_MAX][2]; // mm
    float image[LENS_VIEWS_MAX * BOARD_POINTS_MAX][2]; // px
    int counts[LENS_VIEWS_MAX];
};

static int add_view(struct points *points, int at, const struct geometry *g)
{
    for (int row = 0; row < g->rows; row++) {
        for (int column = 0; column < g->columns; column++, at++) {
            double x;
            double y;
            geometry_board_to_image(g, column, row, &x, &y);
            double mm[2];
            geometry_board_mm(g, column, row, mm);
            points->board[at][0] = (float)mm[0];
            points->board[at][1] = (float)mm[1];
            points->image[at][0] = (float)x;
            points->image[at][1] = (float)y;
        }
    }
    return at;
}

int lens_views_fit(const struct lens_views *views, struct lens *ret, double *ret_rms,
                   struct error *err)
{
    struct points *points = calloc(1, sizeof *points);
    if (!points)
        return error_set(err, -ENOMEM, "out of memory");
    int at = 0;
    for (int v = 0; v < views->count; v++) {
        int end = add_view(points, at, &views->view[v]);
        points->counts[v] = end - at;
        at = end;
    }
    double lens[9];
    const struct geometry *first = &views->view[0];
    int r = cvshim_calibrate_lens((const float(*)[2])points->board,
                                  (const float(*)[2])points->image, points->counts, views->count,
                                  first->image_width, first->image_height, lens, ret_rms);
    free(points);
    if (r < 0)
        return error_set(err, r, "the lens cannot be fitted to what was seen: %s", strerror(-r));
    *ret = (struct lens){lens[0], lens[1], lens[2], lens[3], lens[4],
                         lens[5], lens[6], lens[7], lens[8]};
    return 0;
}
