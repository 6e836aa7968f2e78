// AprilTags beside the corners: they tell A1, and where a board is that is nearly full. The tags
// are painted over rendered pictures.
#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/test_vision_render.h"
#include "vision/picture.h"
#include "vision/reader.h"
#include "vision/tags.h"

enum { WIDTH = 1280, HEIGHT = 720, LINES = 19, TAG_PIXELS = 10, PAPER = 235 };

#define TAG_SIDE 2.2 // cells, with its white border

struct tagged {
    struct render render;
    struct picture picture;
    uint8_t *yuyv;
};

static void tag_middle(int tag, int turns, double margin, double *u, double *v)
{
    // Which corner the tag lies at when the board is turned under it.
    const int corner = (tag + turns) % 4;
    *u = corner == 1 || corner == 2 ? LINES - 1 + margin : -margin;
    *v = corner >= 2 ? LINES - 1 + margin : -margin;
}

static void paint_tags(struct tagged *t, int turns, double margin, unsigned which)
{
    apriltag_family_t *family = tag36h11_create();
    for (int tag = 0; tag < TAGS; tag++) {
        image_u8_t *drawn = apriltag_to_image(family, tag);
        double u0, v0;
        tag_middle(tag, turns, margin, &u0, &v0);
        assert_int_equal(drawn->width, TAG_PIXELS);
        for (int y = 0; y < HEIGHT && which & 1u << tag; y++)
            for (int x = 0; x < WIDTH; x++) {
                double u, v;
                if (!geometry_image_to_board(&t->render.geometry, x, y, &u, &v))
                    continue;
                const double a = ((u - u0) / TAG_SIDE + 0.5) * TAG_PIXELS;
                const double b = (0.5 - (v - v0) / TAG_SIDE) * TAG_PIXELS;
                if (a < 0 || b < 0 || a >= TAG_PIXELS || b >= TAG_PIXELS)
                    continue;
                const uint8_t bit = drawn->buf[(int)b * drawn->stride + (int)a];
                t->picture.luma[y * t->picture.width + x] = bit ? PAPER : 20;
            }
        free(drawn->buf); // image_u8_destroy() is not exported
        free(drawn);
    }
    tag36h11_destroy(family);
}

static struct frame frame_of(struct tagged *t)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            t->yuyv[2 * (y * WIDTH + x)] = t->picture.luma[y * t->picture.width + x];
            t->yuyv[2 * (y * WIDTH + x) + 1] = 128;
        }
    return (struct frame){.format = FRAME_YUYV,
                          .width = WIDTH,
                          .height = HEIGHT,
                          .data = t->yuyv,
                          .size = (size_t)WIDTH * HEIGHT * 2};
}

// The picture of the board as `prepare` leaves it.
static struct tagged *take_picture(void (*prepare)(struct render *r))
{
    struct tagged *t = calloc(1, sizeof *t);
    struct picture_decoder *decoder;
    uint8_t *jpeg;
    size_t size;
    assert_non_null(t);
    t->yuyv = malloc((size_t)WIDTH * HEIGHT * 2);
    assert_non_null(t->yuyv);
    render_default(&t->render, WIDTH, HEIGHT, 20);
    // Room for the tags around the board.
    for (int k = 0; k < 6; k++) {
        const double middle = k < 3 ? WIDTH / 2.0 : HEIGHT / 2.0;
        t->render.geometry.homography[k] = 0.8 * t->render.geometry.homography[k] +
                                           0.2 * middle * t->render.geometry.homography[6 + k % 3];
    }
    if (prepare)
        prepare(&t->render);
    render_jpeg(&t->render, &jpeg, &size);
    assert_int_equal(picture_decoder_new(&decoder), 0);
    const struct frame frame = {.format = FRAME_JPEG, .data = jpeg, .size = size};
    assert_int_equal(picture_from_frame(decoder, &frame, &t->picture, NULL), 0);
    picture_decoder_free(decoder);
    render_free(jpeg);
    return t;
}

static void put_away(struct tagged *t)
{
    picture_release(&t->picture);
    render_release(&t->render);
    free(t->yuyv);
    free(t);
}

static int locate(struct tagged *t, bool tags, struct geometry *ret)
{
    struct vision_settings settings = vision_settings_default();
    struct vision *vision;
    const struct frame frame = frame_of(t);
    settings.tags = tags;
    assert_int_equal(vision_new(&settings, &vision, NULL), 0);
    const int r = vision_locate(vision, &frame, ret, NULL);
    vision_free(vision);
    return r;
}

// How far A1 and its three fellows are from where the tags have them, cells.
static double farthest_corner(const struct tagged *t, int turns, const struct geometry *g)
{
    double most = 0;
    for (int tag = 0; tag < TAGS; tag++) {
        double u, v, x0, y0, x1, y1;
        tag_middle(tag, turns, 0, &u, &v);
        geometry_board_to_image(&t->render.geometry, u, v, &x0, &y0);
        tag_middle(tag, 0, 0, &u, &v);
        geometry_board_to_image(g, u, v, &x1, &y1);
        most = fmax(most, hypot(x1 - x0, y1 - y0) / geometry_cell_px(g, 9, 9));
    }
    return most;
}

static void tags_tell_which_corner_is_a1(void **state)
{
    (void)state;
    for (int turns = 0; turns < 4; turns++) {
        struct tagged *t = take_picture(NULL);
        struct geometry g;
        paint_tags(t, turns, 2.2, 0xf);
        assert_int_equal(locate(t, true, &g), 0);
        assert_true(farthest_corner(t, turns, &g) < 0.1);
        put_away(t);
    }
}

static void without_the_setting_a1_is_where_it_was_told(void **state)
{
    (void)state;
    struct tagged *t = take_picture(NULL);
    struct geometry g;
    paint_tags(t, 1, 2.2, 0xf);
    assert_int_equal(locate(t, false, &g), 0);
    assert_true(farthest_corner(t, 0, &g) < 0.1);
    put_away(t);
}

static void two_tags_are_enough_and_one_is_not(void **state)
{
    (void)state;
    struct tagged *t = take_picture(NULL);
    struct geometry g;
    paint_tags(t, 2, 2.2, 0xa);
    assert_int_equal(locate(t, true, &g), 0);
    assert_true(farthest_corner(t, 2, &g) < 0.1);
    put_away(t);
    t = take_picture(NULL);
    paint_tags(t, 2, 2.2, 0x1);
    assert_int_equal(locate(t, true, &g), 0);
    assert_true(farthest_corner(t, 0, &g) < 0.1);
    put_away(t);
}

// Light lines, and hardly a point without a stone.
static void fill_dark_board(struct render *r)
{
    const uint8_t vinyl[3] = {40, 60, 45}, line[3] = {190, 190, 180};
    memcpy(r->vinyl, vinyl, 3);
    memcpy(r->line, line, 3);
    for (int n = 0; n < LINES * LINES; n++)
        r->board[n] = (uint8_t)(n % 7 == 0 ? 0 : 1 + n % 2);
}

static void tags_find_a_board_whose_lines_are_hidden(void **state)
{
    (void)state;
    static const double MARGIN[] = {1.8, 2.5};
    for (int k = 0; k < 2; k++) {
        struct tagged *t = take_picture(fill_dark_board);
        struct geometry g;
        paint_tags(t, 1, MARGIN[k], 0xf);
        assert_int_not_equal(locate(t, false, &g), 0);
        assert_int_equal(locate(t, true, &g), 0);
        assert_true(farthest_corner(t, 1, &g) < 0.25);
        put_away(t);
    }
}

static void a_grid_around_a_tag_is_no_board(void **state)
{
    (void)state;
    struct tagged *t = take_picture(NULL);
    struct tags tags;
    int turns = 0;
    paint_tags(t, 0, 2.2, 0xf);
    assert_int_equal(tags_find(t->picture.luma, t->picture.width, t->picture.height, &tags), 0);
    assert_int_equal(tags.count, TAGS);
    assert_int_equal(tags_turns(&tags, &t->render.geometry, &turns), 0);
    tags.at[2][0] = WIDTH / 2.0;
    tags.at[2][1] = HEIGHT / 2.0;
    assert_int_equal(tags_turns(&tags, &t->render.geometry, &turns), -EINVAL);
    put_away(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_tell_which_corner_is_a1),
        cmocka_unit_test(without_the_setting_a1_is_where_it_was_told),
        cmocka_unit_test(two_tags_are_enough_and_one_is_not),
        cmocka_unit_test(tags_find_a_board_whose_lines_are_hidden),
        cmocka_unit_test(a_grid_around_a_tag_is_no_board),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
