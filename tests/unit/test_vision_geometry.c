// Geometry: chains of homography, mesh and lens invert, corners and turns are where they belong.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "vision/colour.h"
#include "vision/geometry.h"
#include "vision/pose.h"

static const double CORNERS[4][2] = {{300, 650}, {980, 640}, {880, 120}, {390, 130}};

static struct geometry board(void)
{
    struct geometry g;
    assert_int_equal(geometry_from_corners(CORNERS, 19, 19, 1280, 720, &g), 0);
    g.pitch_x = g.pitch_y = 22;
    return g;
}

static void corners_are_met(void **state)
{
    (void)state;
    const struct geometry g = board();
    const double at[4][2] = {{0, 0}, {18, 0}, {18, 18}, {0, 18}};
    for (int k = 0; k < 4; k++) {
        double x, y;
        geometry_board_to_image(&g, at[k][0], at[k][1], &x, &y);
        assert_true(fabs(x - CORNERS[k][0]) < 1e-6);
        assert_true(fabs(y - CORNERS[k][1]) < 1e-6);
    }
    // Cells far away look smaller.
    assert_true(geometry_cell_px(&g, 9, 17) < 0.85 * geometry_cell_px(&g, 9, 1));
}

static void crossed_corners_are_refused(void **state)
{
    (void)state;
    const double crossed[4][2] = {{0, 0}, {100, 100}, {100, 0}, {0, 100}};
    const double flat[4][2] = {{0, 0}, {50, 0}, {100, 0}, {0, 100}};
    struct geometry g = {.columns = 7};
    assert_int_equal(geometry_from_corners(crossed, 19, 19, 200, 200, &g), -22);
    assert_int_equal(geometry_from_corners(flat, 19, 19, 200, 200, &g), -22);
    assert_int_equal(g.columns, 7);
}

static void every_chain_inverts(void **state)
{
    (void)state;
    struct geometry g = board();
    g.lens.k1 = -0.12;
    g.lens.k2 = 0.03;
    g.lens.p1 = 0.001;
    g.lens.p2 = -0.002;
    for (int j = 0; j < GEOMETRY_MESH; j++)
        for (int i = 0; i < GEOMETRY_MESH; i++) {
            g.mesh_x[j][i] = (float)(3 * sin(i + 2.0 * j));
            g.mesh_y[j][i] = (float)(2 * cos(2.0 * i - j));
        }
    for (int j = 0; j < 12; j++)
        for (int i = 0; i < 15; i++) {
            const double u = 1.3 * i - 0.5, v = 1.7 * j - 0.5;
            double x, y, u2, v2;
            geometry_board_to_image(&g, u, v, &x, &y);
            assert_true(geometry_image_to_board(&g, x, y, &u2, &v2));
            assert_true(hypot(u2 - u, v2 - v) < 2e-3);
        }
}

static void nothing_lies_behind_the_horizon(void **state)
{
    (void)state;
    const struct geometry g = board();
    double u, v;
    assert_true(geometry_image_to_board(&g, 640, 400, &u, &v));
    assert_false(geometry_image_to_board(&g, 640, -3000, &u, &v));
}

static void a_turn_moves_the_origin(void **state)
{
    (void)state;
    struct geometry g = board();
    double x, y;
    g.mesh_x[0][4] = 1; // at (18, 0)
    geometry_turn(&g, 1);
    geometry_board_to_image(&g, 0, 0, &x, &y);
    assert_true(fabs(x - CORNERS[1][0] - 1) < 1e-6 && fabs(y - CORNERS[1][1]) < 1e-6);
    geometry_board_to_image(&g, 18, 0, &x, &y);
    assert_true(fabs(x - CORNERS[2][0]) < 1e-6);
    geometry_turn(&g, 3);
    geometry_board_to_image(&g, 0, 0, &x, &y);
    assert_true(fabs(x - CORNERS[0][0]) < 1e-6);
}

static void the_camera_is_found_from_the_board(void **state)
{
    (void)state;
    // A pinhole of f = 1000 px, 600 mm over the board's near side, looking at its middle.
    const double f = 1000, tilt = 0.5, distance = 700;
    double corner[4][2];
    const double at[4][2] = {{-198, -198}, {198, -198}, {198, 198}, {-198, 198}};
    for (int k = 0; k < 4; k++) {
        const double depth = distance + at[k][1] * sin(tilt);
        corner[k][0] = 639.5 + f * at[k][0] / depth;
        corner[k][1] = 359.5 - f * at[k][1] * cos(tilt) / depth;
    }
    struct geometry g;
    struct pose pose;
    assert_int_equal(geometry_from_corners((const double(*)[2])corner, 19, 19, 1280, 720, &g), 0);
    g.pitch_x = g.pitch_y = 22;
    assert_true(pose_from_geometry(&g, false, &pose));
    assert_true(fabs(pose.focal_px - f) < 2);
    assert_true(fabs(pose.x - 198) < 1);
    assert_true(fabs(pose.y - (198 - distance * sin(tilt))) < 2);
    assert_true(fabs(pose.z - distance * cos(tilt)) < 2);
    double du, dv;
    pose_parallax(&pose, &g, 9, 18, 8, &du, &dv);
    assert_true(fabs(du) < 0.01);
    assert_true(dv > 0.2 && dv < 0.5); // away from the camera
}

static void colours_have_names(void **state)
{
    (void)state;
    for (int k = 0; k < STONE_COLOUR_COUNT; k++)
        assert_int_equal(stone_colour_parse(stone_colour_name((enum stone_colour)k)), k);
    assert_int_equal(stone_colour_parse("mauve"), -22);
    assert_null(stone_colour_name(STONE_COLOUR_COUNT));
    assert_int_equal(stone_colour_letter(STONE_BLUE), 'U');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_are_met),
        cmocka_unit_test(crossed_corners_are_refused),
        cmocka_unit_test(every_chain_inverts),
        cmocka_unit_test(nothing_lies_behind_the_horizon),
        cmocka_unit_test(a_turn_moves_the_origin),
        cmocka_unit_test(the_camera_is_found_from_the_board),
        cmocka_unit_test(colours_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
