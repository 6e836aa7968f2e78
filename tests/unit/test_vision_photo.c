// Reading photographs: rendered ones at several slants, and real ones where they are to be had.
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/base/io.h"
#include "test_vision_render.h"
#include "tests/data_folder.h"
#include "vision/photo.h"

static struct photo_result result;

static void render_position(double tilt, bool sloppy, struct render *r, uint8_t **jpeg,
                            size_t *size)
{
    const uint8_t black[3] = {30, 30, 34}, white[3] = {236, 236, 230}, wood[3] = {206, 160, 100};
    render_default(r, 1600, 1200, tilt);
    memcpy(r->colour[0], black, 3);
    memcpy(r->colour[1], white, 3);
    memcpy(r->vinyl, wood, 3);
    r->stone_radius = 0.46;
    srand(7);
    for (int k = 0; k < 140; k++) {
        const int n = rand() % 361;
        r->board[n] = (uint8_t)(1 + k % 2);
        r->offset[n][0] = sloppy ? (rand() % 100 - 50) / 400.0 : 0;
        r->offset[n][1] = sloppy ? (rand() % 100 - 50) / 400.0 : 0;
    }
    render_jpeg(r, jpeg, size);
}

static int count_wrong(const struct render *r)
{
    int wrong = 0;
    for (int row = 0; row < 19; row++)
        for (int c = 0; c < 19; c++)
            wrong += result.row[row][c] != ".BW"[r->board[(18 - row) * 19 + c]];
    return wrong;
}

static void reads_boards_at_a_slant(void **state)
{
    (void)state;
    const double tilt[] = {0, 25, 45};
    for (int k = 0; k < 3; k++) {
        struct render r;
        struct error err = {0};
        uint8_t *jpeg;
        size_t size;
        const struct photo_settings settings = photo_settings_default();
        render_position(tilt[k], k < 2, &r, &jpeg, &size);
        assert_int_equal(photo_read(&settings, jpeg, size, &result, &err), 0);
        assert_true(result.found);
        assert_int_equal(count_wrong(&r), 0);
        assert_true(result.unsure_count < 12);
        double x, y;
        geometry_board_to_image(&r.geometry, 0, 18, &x, &y);
        assert_true(hypot(x - result.corner[0][0], y - result.corner[0][1]) < 4);
        render_free(jpeg);
        render_release(&r);
    }
}

static void finds_out_the_size(void **state)
{
    (void)state;
    struct render r;
    struct error err = {0};
    uint8_t *jpeg;
    size_t size;
    struct photo_settings settings = photo_settings_default();
    settings.size = 0;
    render_position(20, true, &r, &jpeg, &size);
    assert_int_equal(photo_read(&settings, jpeg, size, &result, &err), 0);
    assert_true(result.found);
    assert_int_equal(result.size, 19);
    assert_false(result.geometry.light_lines);
    render_free(jpeg);
    // The same board in the other scheme of printing.
    settings.size = 19;
    static const uint8_t GREEN[3] = {84, 140, 106}, PALE[3] = {226, 234, 220};
    memcpy(r.vinyl, GREEN, sizeof GREEN);
    memcpy(r.line, PALE, sizeof PALE);
    render_jpeg(&r, &jpeg, &size);
    assert_int_equal(photo_read(&settings, jpeg, size, &result, &err), 0);
    assert_true(result.found);
    assert_int_equal(result.size, 19);
    assert_true(result.geometry.light_lines);
    render_free(jpeg);
    render_release(&r);
}

static void uses_given_corners_and_draws(void **state)
{
    (void)state;
    struct render r;
    struct error err = {0};
    uint8_t *jpeg, *png;
    size_t size, png_size;
    struct photo_settings settings = photo_settings_default();
    render_position(30, true, &r, &jpeg, &size);
    settings.have_corners = true;
    const double at[4][2] = {{0, 18}, {18, 18}, {18, 0}, {0, 0}};
    for (int k = 0; k < 4; k++) {
        geometry_board_to_image(&r.geometry, at[k][0], at[k][1], &settings.corner[k][0],
                                &settings.corner[k][1]);
        settings.corner[k][0] += 5; // as exact as people point
    }
    assert_int_equal(photo_read(&settings, jpeg, size, &result, &err), 0);
    assert_int_equal(count_wrong(&r), 0);
    assert_int_equal(photo_annotate(&result, jpeg, size, &png, &png_size, &err), 0);
    assert_memory_equal(png, "\x89PNG", 4);
    free(png);
    const double swap = settings.corner[0][0];
    settings.corner[0][0] = settings.corner[1][0];
    settings.corner[1][0] = swap;
    assert_int_equal(photo_read(&settings, jpeg, size, &result, &err), -EINVAL);
    render_free(jpeg);
    render_release(&r);
}

static void says_when_there_is_no_board(void **state)
{
    (void)state;
    struct render r;
    struct error err = {0};
    uint8_t *jpeg;
    size_t size;
    const struct photo_settings settings = photo_settings_default();
    render_default(&r, 800, 600, 20);
    memcpy(r.line, r.vinyl, 3);
    render_jpeg(&r, &jpeg, &size);
    assert_int_equal(photo_read(&settings, jpeg, size, &result, &err), 0);
    assert_false(result.found);
    assert_true(strlen(result.why) > 20);
    assert_int_equal(photo_read(&settings, jpeg, size / 2, &result, &err), -EBADMSG);
    assert_int_equal(photo_read(&settings, jpeg, 0, &result, &err), -ENODATA);
    struct photo_settings odd = settings;
    odd.colours = 9;
    assert_int_equal(photo_read(&odd, jpeg, size, &result, &err), -EINVAL);
    render_free(jpeg);
    render_release(&r);
}

static int wrong_on_photo(const char *data, const char *name, int size, bool told)
{
    char path[512], *jpeg, *truth;
    size_t jpeg_size, truth_size;
    struct error err = {0};
    struct photo_settings settings = photo_settings_default();
    settings.size = told ? size : 0;
    snprintf(path, sizeof path, "%s/photos/%s.jpg", data, name);
    assert_int_equal(io_read_file(NULL, path, PHOTO_BYTES_MAX, &jpeg, &jpeg_size, &err), 0);
    snprintf(path, sizeof path, "%s/photos/%s.txt", data, name);
    assert_int_equal(io_read_file(NULL, path, 4096, &truth, &truth_size, &err), 0);
    assert_int_equal(photo_read(&settings, (const uint8_t *)jpeg, jpeg_size, &result, &err), 0);
    assert_true(result.found);
    assert_int_equal(result.size, size);
    int wrong = 0;
    for (int r = 0; r < size; r++)
        for (int c = 0; c < size; c++)
            wrong += truth[r * (size + 1) + c] != result.row[r][c];
    free(jpeg);
    free(truth);
    return wrong;
}

static void reads_real_photographs(void **state)
{
    (void)state;
    const char *data = data_folder();
    if (!data) {
        print_message("skipped: the photographs are found through TESSERA_DATA\n");
        skip();
    }
    assert_int_equal(wrong_on_photo(data, "go-board-hands/clear_081", 19, true), 0);
    // Crowded: the lattice of its stones was once walked along their diagonals.
    assert_int_equal(wrong_on_photo(data, "go-board-hands/clear_058", 19, true), 0);
    assert_int_equal(wrong_on_photo(data, "stone-detection/sd_e643e1fe", 19, true), 0);
    assert_int_equal(wrong_on_photo(data, "tengen-sequences/s9_move_13_captured", 9, true), 0);
    assert_int_equal(wrong_on_photo(data, "tengen-sequences/s13_move_05", 13, false), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_boards_at_a_slant),
        cmocka_unit_test(finds_out_the_size),
        cmocka_unit_test(uses_given_corners_and_draws),
        cmocka_unit_test(says_when_there_is_no_board),
        cmocka_unit_test(reads_real_photographs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
