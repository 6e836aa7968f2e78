// The live reader on rendered frames: finds the board, reads every point, notices what disturbs.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test_vision_render.h"
#include "vision/reader.h"

enum { W = 1280, H = 720 };

struct table {
    struct render render;
    struct vision *vision;
    struct observation seen;
    int64_t time_ns;
    uint32_t sequence;
};

static void show(struct table *t)
{
    struct frame frame = {.format = FRAME_JPEG, .time_ns = t->time_ns, .sequence = t->sequence};
    uint8_t *jpeg;
    struct error err = {0};
    t->render.seed = t->sequence + 1;
    render_jpeg(&t->render, &jpeg, &frame.size);
    frame.data = jpeg;
    assert_int_equal(vision_observe(t->vision, &frame, &t->seen, &err), 0);
    render_free(jpeg);
    t->time_ns += 100000000;
    t->sequence++;
}

static void show_times(struct table *t, int times)
{
    for (int k = 0; k < times; k++)
        show(t);
}

static int set_up(void **state)
{
    struct table *t = calloc(1, sizeof *t);
    struct vision_settings settings = vision_settings_default();
    settings.colours = 4;
    struct error err = {0};
    assert_non_null(t);
    assert_int_equal(vision_new(&settings, &t->vision, &err), 0);
    render_default(&t->render, W, H, 25);
    *state = t;
    return 0;
}

static int tear_down(void **state)
{
    struct table *t = *state;
    vision_free(t->vision);
    render_release(&t->render);
    free(t);
    return 0;
}

static void scatter(struct table *t, int count, int colours, double offset, unsigned seed)
{
    srand(seed);
    for (int k = 0; k < count; k++) {
        const int n = rand() % 361;
        const double angle = rand() % 628 / 100.0;
        t->render.board[n] = (uint8_t)(1 + rand() % colours);
        t->render.offset[n][0] = offset * cos(angle);
        t->render.offset[n][1] = offset * sin(angle);
    }
}

static int count_wrong(const struct table *t)
{
    int wrong = 0;
    for (int n = 0; n < 361; n++)
        if (t->seen.point[n].best != t->render.board[n]) {
            const struct observation_point *p = &t->seen.point[n];
            print_message("point %d,%d: %d on the board, read %d (%.2f):", n % 19, n / 19,
                          t->render.board[n], p->best, (double)p->confidence);
            for (int k = 0; k < OBSERVATION_CLASSES; k++)
                print_message(" %.1f", (double)p->log_likelihood[k]);
            print_message(" offset %.2f %.2f\n", t->render.offset[n][0], t->render.offset[n][1]);
            wrong++;
        }
    return wrong;
}

static void finds_an_empty_board(void **state)
{
    struct table *t = *state;
    struct geometry g;
    show_times(t, 6);
    assert_int_equal(t->seen.scene.state, SCENE_STILL);
    assert_true(t->seen.scene.still_ns > 0);
    assert_true(vision_geometry(t->vision, &g));
    for (int k = 0; k < 4; k++) {
        const double u = k & 1 ? 18 : 0, v = k & 2 ? 18 : 0;
        double x0, y0, x1, y1;
        geometry_board_to_image(&t->render.geometry, u, v, &x0, &y0);
        geometry_board_to_image(&g, u, v, &x1, &y1);
        assert_true(hypot(x1 - x0, y1 - y0) < 1.5);
    }
    assert_true(t->seen.rms_px < 1);
    assert_int_equal(count_wrong(t), 0);
}

static void reads_four_colours(void **state)
{
    struct table *t = *state;
    show_times(t, 4);
    scatter(t, 120, 4, 0.1, 3);
    show_times(t, 8);
    assert_int_equal(t->seen.scene.state, SCENE_STILL);
    assert_int_equal(count_wrong(t), 0);
}

static void starts_on_a_full_board(void **state)
{
    struct table *t = *state;
    scatter(t, 200, 2, 0.08, 5);
    show_times(t, 6);
    assert_int_equal(count_wrong(t), 0);
}

static void reads_stones_far_off_their_points(void **state)
{
    struct table *t = *state;
    show_times(t, 4);
    for (int k = 0; k < 25; k++) {
        const int n = (k / 5 * 4 + 1) * 19 + k % 5 * 4 + 1;
        const double angle = k * 0.7;
        t->render.board[n] = (uint8_t)(1 + k % 2);
        t->render.offset[n][0] = 0.4 * cos(angle);
        t->render.offset[n][1] = 0.4 * sin(angle);
    }
    show_times(t, 8);
    assert_int_equal(count_wrong(t), 0);
    for (int n = 0; n < 361; n++)
        if (t->render.board[n]) {
            assert_float_equal(t->seen.point[n].offset_u, t->render.offset[n][0], 0.06);
            assert_float_equal(t->seen.point[n].offset_v, t->render.offset[n][1], 0.06);
            assert_float_equal(t->seen.point[n].offset_x, t->seen.point[n].offset_u * 22, 1e-3);
        }
}

static void sees_a_hand(void **state)
{
    struct table *t = *state;
    scatter(t, 40, 2, 0.1, 9);
    show_times(t, 6);
    assert_int_equal(t->seen.scene.state, SCENE_STILL);
    t->render.hand = true;
    t->render.hand_u = 8;
    t->render.hand_v = 6;
    show_times(t, 8); // resting: it does not move, and still the board is not free
    assert_int_equal(t->seen.scene.state, SCENE_HAND);
    assert_int_equal(t->seen.point[3 * 19 + 8].best, OBSERVATION_UNKNOWN);
    assert_int_equal(t->seen.point[12 * 19 + 8].best, t->render.board[12 * 19 + 8]);
    vision_set_arm(t->vision, VISION_ARM_OVER_BOARD);
    show(t);
    assert_int_equal(t->seen.scene.state, SCENE_ARM);
    vision_set_arm(t->vision, VISION_ARM_PARKED);
    t->render.hand = false;
    show_times(t, 8);
    assert_int_equal(t->seen.scene.state, SCENE_STILL);
    assert_int_equal(count_wrong(t), 0);
}

static void follows_the_light(void **state)
{
    struct table *t = *state;
    scatter(t, 60, 2, 0.1, 11);
    show_times(t, 6);
    t->render.light = 0.65;
    show(t);
    assert_int_not_equal(t->seen.scene.state, SCENE_STILL);
    show_times(t, 6);
    assert_int_equal(t->seen.scene.state, SCENE_STILL);
    assert_int_equal(count_wrong(t), 0);
    t->render.light = 0.03;
    show_times(t, 3);
    assert_int_equal(t->seen.scene.state, SCENE_TOO_DARK);
    t->render.light = 1;
    show_times(t, 8);
    assert_int_equal(t->seen.scene.state, SCENE_STILL);
}

static void reads_light_lines_on_a_dark_board(void **state)
{
    struct table *t = *state;
    static const uint8_t GREEN[3] = {84, 140, 106}, PALE[3] = {226, 234, 220};
    memcpy(t->render.vinyl, GREEN, sizeof GREEN);
    memcpy(t->render.line, PALE, sizeof PALE);
    show_times(t, 6);
    assert_int_equal(t->seen.scene.state, SCENE_STILL);
    assert_int_equal(count_wrong(t), 0);
    struct geometry g;
    assert_true(vision_geometry(t->vision, &g));
    assert_true(g.light_lines);
    // A bump is noticed and followed by the light lines, too.
    double *h = t->render.geometry.homography;
    for (int c = 0; c < 3; c++)
        h[c] += 8 * h[6 + c];
    show(t);
    assert_int_not_equal(t->seen.scene.state, SCENE_STILL);
    show_times(t, 14);
    assert_int_equal(t->seen.scene.state, SCENE_STILL);
    assert_int_equal(count_wrong(t), 0);
    assert_true(t->seen.scene.camera_shift < 0.05F);
}

static void follows_a_bumped_camera(void **state)
{
    struct table *t = *state;
    scatter(t, 60, 2, 0.1, 13);
    show_times(t, 6);
    // By a third of a cell, then by more than a whole one.
    const double shift[2][2] = {{8, -5}, {-42, 21}};
    for (int k = 0; k < 2; k++) {
        double *h = t->render.geometry.homography;
        for (int c = 0; c < 3; c++) {
            h[c] += shift[k][0] * h[6 + c];
            h[3 + c] += shift[k][1] * h[6 + c];
        }
        show(t);
        assert_int_not_equal(t->seen.scene.state, SCENE_STILL);
        show_times(t, 14);
        assert_int_equal(t->seen.scene.state, SCENE_STILL);
        assert_int_equal(count_wrong(t), 0);
    }
}

static void says_when_there_is_no_board(void **state)
{
    struct table *t = *state;
    struct frame frame = {.format = FRAME_JPEG};
    struct geometry g;
    struct error err = {0};
    memcpy(t->render.line, t->render.vinyl, 3);
    show_times(t, 2);
    assert_int_equal(t->seen.scene.state, SCENE_NO_BOARD);
    assert_int_equal(t->seen.point[0].best, OBSERVATION_UNKNOWN);
    uint8_t *jpeg;
    render_jpeg(&t->render, &jpeg, &frame.size);
    frame.data = jpeg;
    assert_int_equal(vision_locate(t->vision, &frame, &g, &err), -2);
    assert_true(strlen(err.text) > 20);
    frame.size /= 2;
    assert_int_equal(vision_observe(t->vision, &frame, &t->seen, &err), -74);
    assert_non_null(strstr(err.text, "cut off"));
    render_free(jpeg);
}

static void learns_colours(void **state)
{
    struct table *t = *state;
    struct vision_models before, after;
    struct error err = {0};
    uint8_t truth[BOARD_POINTS_MAX] = {0};
    scatter(t, 30, 4, 0.05, 17);
    show_times(t, 6);
    memcpy(truth, t->render.board, sizeof truth);
    vision_models(t->vision, &before);
    assert_int_equal(vision_learn(t->vision, truth, &err), 0);
    vision_models(t->vision, &after);
    for (int k = 0; k < 4; k++)
        assert_true(after.colour[k].weight > before.colour[k].weight);
    assert_int_equal(vision_set_models(t->vision, &after, &err), 0);
    after.colour[1].deviation[0] = NAN;
    assert_int_equal(vision_set_models(t->vision, &after, &err), -22);
    show_times(t, 2);
    assert_int_equal(count_wrong(t), 0);
}

static void refuses_bad_settings(void **state)
{
    (void)state;
    struct vision *v = NULL;
    struct error err = {0};
    struct vision_settings s = vision_settings_default();
    s.columns = 40;
    assert_int_equal(vision_new(&s, &v, &err), -22);
    s = vision_settings_default();
    s.stone_diameter = 80;
    assert_int_equal(vision_new(&s, &v, &err), -22);
    s = vision_settings_default();
    s.colour[1] = s.colour[0];
    assert_int_equal(vision_new(&s, &v, &err), -22);
    assert_null(v);
}

int main(void)
{
#define ON_TABLE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        ON_TABLE(finds_an_empty_board),
        ON_TABLE(reads_four_colours),
        ON_TABLE(starts_on_a_full_board),
        ON_TABLE(reads_stones_far_off_their_points),
        ON_TABLE(sees_a_hand),
        ON_TABLE(follows_the_light),
        ON_TABLE(follows_a_bumped_camera),
        ON_TABLE(reads_light_lines_on_a_dark_board),
        ON_TABLE(says_when_there_is_no_board),
        ON_TABLE(learns_colours),
        cmocka_unit_test(refuses_bad_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
