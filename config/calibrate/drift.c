#include "config/calibrate/drift.h"

#include <errno.h>
#include <math.h>

#include "config/calibrate/bench.h"

static void say(void *user, const char *text)
{
    (void)user;
    (void)text;
}

static bool ask(void *user, const char *text)
{
    (void)user;
    (void)text;
    return false;
}

static bool measure(void *user, const char *text, double proposed, double *ret)
{
    (void)user;
    (void)text;
    (void)proposed;
    (void)ret;
    return false;
}

// Where a point is now, in cells of the stored grid, against where it was.
static double moved_mm(const struct geometry *then, const struct geometry *now, double column,
                       double row)
{
    double x;
    double y;
    double u;
    double v;
    geometry_board_to_image(now, column, row, &x, &y);
    geometry_image_to_board(then, x, y, &u, &v);
    return hypot((u - column) * then->pitch_x, (v - row) * then->pitch_y);
}

int drift_measure(const struct settings *settings, const struct calibration *calibration,
                  double *ret_mm, struct error *err)
{
    if (!calibration->board.verdict.valid || !calibration->lens.verdict.valid)
        return error_set(err, -ENODATA, "the board was not calibrated");
    struct calibration copy = *calibration; // the bench may write into it
    struct bench *bench = NULL;
    struct frame frame;
    struct geometry now;
    const struct geometry *then = &calibration->board.geometry;
    const struct bench_options options = {
        .settings = settings,
        .calibration = &copy,
        .people = {.say = say, .ask = ask, .measure = measure},
        .camera_only = true,
    };
    int r = bench_open(&options, &bench, err);
    if (r == 0)
        r = bench_frame(bench, &frame, err);
    struct vision *vision = r == 0 ? bench_vision(bench, err) : NULL;
    if (r == 0)
        r = vision ? vision_locate(vision, &frame, &now, err) : -EINVAL;
    if (r == 0) {
        *ret_mm = 0;
        for (int i = 0; i < 5; i++) {
            static const double AT[5][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0.5, 0.5}};
            double column = AT[i][0] * (then->columns - 1);
            double row = AT[i][1] * (then->rows - 1);
            *ret_mm = fmax(*ret_mm, moved_mm(then, &now, column, row));
        }
    }
    bench_free(bench);
    return r;
}
