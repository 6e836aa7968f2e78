// The camera: locked, sharp, well lit; and its lens, from the board's own grid.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/base/clock.h"
#include "config/calibrate/lens_views.h"
#include "config/calibrate/sharpness.h"
#include "config/calibrate/wizard.h"

enum {
    FRAMES = 3 // the middle one of so many fits counts
};

static const double LENS_LIMIT = 0.5; // px
static const double BLUR_LIMIT = 2.2; // px, σ
static const double DARK = 40;        // grey level of the board's surface
static const double BRIGHT = 235;
static const double OVEREXPOSED = 0.05; // share of the board

static int by_rms(const void *a, const void *b)
{
    double x = ((const struct geometry *)a)->rms_px;
    double y = ((const struct geometry *)b)->rms_px;
    return (x > y) - (x < y);
}

// The grid in several frames; the one of middling error is kept.
static int fit_frames(struct bench *b, struct geometry *ret, double *ret_blur, struct error *err)
{
    struct geometry fits[FRAMES];
    double blur = 0;
    for (int i = 0; i < FRAMES; i++) {
        struct frame frame;
        bench_new_vision(b);
        struct vision *vision = bench_vision(b, err);
        int r = vision ? bench_frame(b, &frame, err) : -EINVAL;
        if (r == 0)
            r = vision_locate(vision, &frame, &fits[i], err);
        double sigma = 0;
        if (r == 0)
            r = sharpness_of(&frame, &fits[i],
                             bench_settings(b)->board.points == SETTINGS_POINTS_HOLLOWS, &sigma,
                             err);
        if (r < 0)
            return r;
        blur += sigma / FRAMES;
    }
    qsort(fits, FRAMES, sizeof *fits, by_rms);
    *ret = fits[FRAMES / 2];
    *ret_blur = blur;
    return 0;
}

static const char *light_fault(const struct observation *o)
{
    if ((double)o->scene.brightness < DARK || o->scene.state == SCENE_TOO_DARK)
        return "it is too dark: more light, or a longer exposure";
    if ((double)o->scene.brightness > BRIGHT || (double)o->scene.overexposed > OVEREXPOSED ||
        o->scene.state == SCENE_OVEREXPOSED)
        return "it is too bright, parts of the board are white: less light, or no lamp that "
               "mirrors "
               "in the board";
    return NULL;
}

// More views than the one that is there, as long as a person holds the board another way.
static int more_views(struct bench *b, struct lens_views *views, struct error *err)
{
    while (views->count < LENS_VIEWS_MAX && !bench_asks_nobody(b)) {
        double blur;
        if (!bench_ask(b, "For a better lens, tilt the board (a book under one side) or turn it a "
                          "little. Does it lie still, another way than before? n = that is enough"))
            break;
        int r = fit_frames(b, &views->view[views->count], &blur, err);
        if (r == -ENOENT)
            bench_say(b, "The whole grid must be seen; this view does not count.");
        else if (r < 0)
            return r;
        else
            views->count++;
    }
    if (views->count > 1 && !bench_ask(b, "Thank you. Does the board lie flat in its place again?"))
        return error_set(err, -ECANCELED, "stopped");
    return 0;
}

static void say_verdict(const struct calibration *c, double blur, const char *light,
                        struct wizard_result *ret)
{
    ret->passed = ret->figure <= LENS_LIMIT && blur <= BLUR_LIMIT && !light;
    if (blur > BLUR_LIMIT)
        (void)snprintf(ret->words, sizeof ret->words,
                       "the picture is blurred by %.1f px (limit %.1f): turn the lens until the "
                       "board is sharp, clean it, then lock the focus",
                       blur, BLUR_LIMIT);
    else if (light)
        (void)snprintf(ret->words, sizeof ret->words, "%s", light);
    else if (!ret->passed)
        (void)snprintf(ret->words, sizeof ret->words,
                       "the grid does not fit the lens: lay the board flat");
    else
        (void)snprintf(ret->words, sizeof ret->words,
                       "blur %.1f px, board at grey level %.0f, focal length %.0f px", blur,
                       c->camera.light, c->lens.lens.fx);
}

static int measure(struct bench *b, struct observation *o, struct wizard_result *ret,
                   struct error *err)
{
    struct calibration *c = bench_calibration(b);
    struct lens_views views = {.count = 1};
    double blur = 0;
    double rms = 0;
    int r = fit_frames(b, &views.view[0], &blur, err);
    if (r == 0)
        r = bench_look(b, o, err);
    const char *light = r == 0 ? light_fault(o) : NULL;
    if (r == -ETIMEDOUT && blur > BLUR_LIMIT)
        r = 0; // that it is blurred is why it cannot be read
    if (r == 0)
        r = more_views(b, &views, err);
    if (r == 0)
        r = lens_views_fit(&views, &c->lens.lens, &rms, err);
    if (r < 0)
        return r;
    c->camera.light = (double)o->scene.brightness;
    c->lens.width = views.view[0].image_width;
    c->lens.height = views.view[0].image_height;
    c->lens.views = views.count;
    ret->figure = rms;
    say_verdict(c, blur, light, ret);
    c->lens.verdict =
        (struct calibration_verdict){ret->passed, clock_realtime_ns() / NS_PER_S, rms, LENS_LIMIT};
    bench_new_vision(b); // with the lens that is known now
    return 0;
}

int wizard_camera(struct bench *b, struct wizard_result *ret, struct error *err)
{
    struct calibration *c = bench_calibration(b);
    c->lens.verdict.valid = c->board.verdict.valid = false; // they hold for another lens
    ret->what = "px RMS of the lens";
    ret->limit = LENS_LIMIT;
    bench_say(b, "The camera looks at the empty board. Nothing moves.");
    struct observation *o = calloc(1, sizeof *o);
    int r = o ? measure(b, o, ret, err) : error_set(err, -ENOMEM, "out of memory");
    free(o);
    return r;
}
