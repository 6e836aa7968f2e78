#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "config/calibrate/bench_private.h"
#include "config/calibrate/handling.h"

static const int64_t FRAME_PATIENCE_NS = 5 * NS_PER_S;
static const int64_t LOOK_PATIENCE_NS = 25 * NS_PER_S;
static const int64_t STILL_NS = 400 * NS_PER_MS;

static int open_camera(struct bench *b, struct error *err)
{
    if (b->camera_open)
        return 0;
    int r = devices_open_camera(&b->devices, &b->camera, err);
    b->camera_open = r == 0;
    if (r == -ENOENT) // no such file; the wizards' own word for a stone that is not found
        r = err->number = -ENODEV;
    return r;
}

int bench_frame(struct bench *b, struct frame *ret, struct error *err)
{
    int r = open_camera(b, err);
    int64_t due = loop_now(b->loop) + FRAME_PATIENCE_NS;
    int64_t pause = (int64_t)((double)NS_PER_S / bench_settings(b)->camera.fps);
    while (r == 0) {
        r = b->camera.ops->read(b->camera.impl, ret, err);
        bool old = r == 0 && b->sequence != 0 && ret->sequence == b->sequence;
        if (r == 0 && !old) {
            b->sequence = ret->sequence;
            return 0;
        }
        if (r < 0 && r != -EAGAIN && r != -EBADMSG)
            return r;
        if (loop_now(b->loop) >= due)
            return error_set(err, -ETIMEDOUT,
                             "the camera sends no pictures. Look at its cable; `tessera-config "
                             "ports` lists what is there");
        r = bench_wait(b, pause);
        if (r < 0)
            return bench_wait_failed(r, err);
    }
    return r;
}

void bench_new_vision(struct bench *b)
{
    b->vision = vision_free(b->vision);
}

struct vision *bench_vision(struct bench *b, struct error *err)
{
    if (b->vision)
        return b->vision;
    const struct calibration *c = b->options.calibration;
    struct vision_settings settings = b->devices.vision;
    settings.lens = c->lens.verdict.valid ? c->lens.lens : (struct lens){0};
    if (c->board.verdict.valid) {
        settings.pitch_x = c->board.geometry.pitch_x;
        settings.pitch_y = c->board.geometry.pitch_y;
        settings.a1 = c->board.a1;
    }
    int r = vision_new(&settings, &b->vision, err);
    if (r == 0 && c->board.verdict.valid)
        r = vision_set_geometry(b->vision, &c->board.geometry, err);
    if (r == 0 && c->stones.verdict.valid)
        r = vision_set_models(b->vision, &c->stones.models, err);
    if (r < 0)
        b->vision = vision_free(b->vision);
    else
        vision_set_arm(b->vision, b->over_board ? VISION_ARM_OVER_BOARD : VISION_ARM_PARKED);
    return b->vision;
}

static bool readable(const struct observation *o)
{
    return o->scene.state == SCENE_STILL && o->scene.still_ns >= STILL_NS;
}

int bench_look(struct bench *b, struct observation *ret, struct error *err)
{
    struct vision *vision = bench_vision(b, err);
    if (!vision)
        return -EINVAL;
    int64_t due = loop_now(b->loop) + LOOK_PATIENCE_NS;
    struct observation *o = calloc(1, sizeof *o);
    if (!o)
        return error_set(err, -ENOMEM, "out of memory");
    int r = 0;
    while (r == 0) {
        struct frame frame;
        r = bench_frame(b, &frame, err);
        if (r == 0)
            r = vision_observe(vision, &frame, o, err);
        if (r == -EBADMSG)
            r = 0; // one broken picture does not matter
        else if (r == 0 && readable(o))
            break;
        if (r == 0 && loop_now(b->loop) >= due)
            r = error_set(err, -ETIMEDOUT, "the board cannot be read: %s",
                          scene_state_name(o->scene.state));
    }
    if (r == 0)
        *ret = *o;
    free(o);
    return r;
}

// Before it has learned the colours the eye takes a blemish for clear glass now and then: only what
// it is sure of counts.
static int count_stones(const struct observation *o)
{
    int count = 0;
    for (int i = 0; i < o->columns * o->rows; i++) {
        const struct observation_point *p = &o->point[i];
        count += p->best >= 1 && p->best <= o->colours &&
                 handling_sureness(p, o->colours) >= HANDLING_SURE;
    }
    return count;
}

int bench_see_empty(struct bench *b, struct observation *o, struct error *err)
{
    static const uint8_t NOTHING[BOARD_POINTS_MAX];
    struct vision *vision = bench_vision(b, err);
    if (!vision)
        return -EINVAL;
    vision_expect(vision, NOTHING);
    int r = bench_look(b, o, err);
    vision_expect(vision, NULL);
    return r;
}

int bench_need_empty(struct bench *b, struct error *err)
{
    struct observation *o = calloc(1, sizeof *o);
    if (!o)
        return error_set(err, -ENOMEM, "out of memory");
    int r = 0;
    for (int round = 0; r == 0; round++) {
        r = bench_look(b, o, err);
        int stones = r == 0 ? count_stones(o) : 0;
        if (r == 0 && stones == 0)
            r = bench_see_empty(b, o, err);
        if (r < 0 || stones == 0)
            break;
        if (round == 3 || b->options.yes ||
            !bench_ask(b, "Stones lie on the board. Are they taken off now?"))
            r = error_set(err, -ENOTEMPTY,
                          "%d stones lie on the board; take them off and begin "
                          "again",
                          stones);
    }
    free(o);
    return r;
}

// A board that cannot be read (too dark, a hand) still makes a picture.
static int draw(struct bench *b, struct observation *o, uint8_t **ret_rgb, png_image *image,
                struct error *err)
{
    int width = 0;
    int height = 0;
    int r = bench_look(b, o, err);
    if (r == -ETIMEDOUT && b->vision)
        r = 0;
    if (r == 0 && vision_overlay_size(b->vision, &width, &height) < 0)
        r = -EAGAIN;
    if (r == 0 && (width <= 0 || height <= 0))
        r = -EINVAL;
    if (r != 0)
        return r;
    *ret_rgb = malloc((size_t)width * (size_t)height * 3);
    if (!*ret_rgb)
        return -ENOMEM;
    *image = (png_image){.version = PNG_IMAGE_VERSION,
                         .width = (png_uint_32)width,
                         .height = (png_uint_32)height,
                         .format = PNG_FORMAT_RGB};
    return vision_overlay(b->vision, o, *ret_rgb);
}

int bench_picture(struct bench *b, const char *path, struct error *err)
{
    if (!path || !b->camera_open)
        return 0;
    struct observation *o = calloc(1, sizeof *o);
    uint8_t *rgb = NULL;
    png_image image = {0};
    int r = o ? draw(b, o, &rgb, &image, err) : -ENOMEM;
    if (r == 0 && !png_image_write_to_file(&image, path, 0, rgb, 0, NULL))
        r = error_set_at(err, -EIO, path, 0, 0, "cannot write the picture: %s", image.message);
    free(rgb);
    free(o);
    return r;
}

void bench_want_picture(struct bench *b, const char *path)
{
    b->picture = path;
    b->snapped = false;
}

int bench_snap(struct bench *b, struct error *err)
{
    if (b->snapped || !b->picture || !b->camera_open)
        return 0;
    int r = bench_picture(b, b->picture, err);
    b->snapped = r == 0;
    return r;
}

bool bench_snapped(const struct bench *b)
{
    return b->snapped;
}
