// Where the arm parks, for cameras whose place is known.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "config/calibration.h"
#include "controller/devices.h"
#include "controller/park_place.h"
#include "tests/sim/sim_settings.h"

enum { LINES = 19 };
static const double PITCH = 22, FOCAL = 1100;

static void cross(const double a[3], const double b[3], double ret[3])
{
    for (int i = 0; i < 3; i++)
        ret[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void unit(double v[3])
{
    double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++)
        v[i] /= size;
}

// A camera at `eye` (board mm) that looks at the middle of the board, `up` of the picture towards
// the far side.
static struct geometry camera_at(double x, double y, double z)
{
    struct geometry g = {.columns = LINES, .rows = LINES, .pitch_x = PITCH, .pitch_y = PITCH};
    const double middle = 9 * PITCH, eye[3] = {x, y, z}, far[3] = {0, 1, 0};
    double ahead[3] = {middle - x, middle - y, -z}, right[3], down[3];
    unit(ahead);
    cross(ahead, far, right);
    unit(right);
    cross(ahead, right, down);
    g.image_width = 1280;
    g.image_height = 720;
    g.lens = lens_ideal(1280, 720);
    g.lens.fx = g.lens.fy = FOCAL;
    const double *axis[3] = {right, down, ahead};
    for (int k = 0; k < 3; k++) {
        double ray[3] = {0}; // of board x, board y, the eye
        for (int i = 0; i < 3; i++)
            ray[i] = k < 2 ? axis[i][k] * PITCH
                           : -(axis[i][0] * eye[0] + axis[i][1] * eye[1] + axis[i][2] * eye[2]);
        g.homography[k] = FOCAL * ray[0] + g.lens.cx * ray[2];
        g.homography[3 + k] = FOCAL * ray[1] + g.lens.cy * ray[2];
        g.homography[6 + k] = ray[2];
    }
    return g;
}

static struct park_question question(const struct geometry *g, const struct board_map *map)
{
    return (struct park_question){
        .geometry = g,
        .map = map,
        .stone_radius = 8,
        .reach = 25,
        .travel = {600, 540},
        .margin = 1,
        .limits = {.speed = {200, 200, 50}, .acceleration = {1000, 1000, 300}}};
}

static void test_camera(void **state)
{
    (void)state;
    const double places[][3] = {
        {198, -220, 560}, {30, -400, 700}, {198, 199, 800}, {350, 620, 500}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct geometry g = camera_at(places[i][0], places[i][1], places[i][2]);
        double eye[3];
        for (int sign = -1; sign <= 1; sign += 2) { // a homography has no scale, nor a sign
            for (int k = 0; k < 9; k++)
                g.homography[k] *= 0.37 * sign;
            assert_true(park_camera(&g, eye));
            for (int a = 0; a < 3; a++)
                assert_true(fabs(eye[a] - places[i][a]) < 0.01);
        }
    }
    struct geometry none = camera_at(0, 0, 500);
    memset(none.homography, 0, sizeof none.homography);
    double eye[3];
    assert_false(park_camera(&none, eye));
}

static void test_place(void **state)
{
    (void)state;
    struct board_map map = board_map_from_pose(-498, -468, 0, 1);
    struct geometry g = camera_at(198, -220, 560);
    struct park_question q = question(&g, &map);
    double at[2] = {0, 0};
    assert_true(park_place(&q, at));
    // Row 19 lies at y -72; its stones reach to -64. In x it hardly matters, but the middle is
    // best.
    assert_true(fabs(at[1] - (-64 + 25)) < 0.01);
    assert_true(fabs(at[0] - -300) <= 60);
    double store[1][2] = {{-560, -300}};
    q.store = store;
    q.stores = 1;
    double nearer[2];
    assert_true(park_place(&q, nearer));
    assert_true(nearer[0] < at[0]);
    // A board that lies askew reaches farther.
    map = board_map_from_pose(-498, -468, 2, 1);
    assert_true(park_place(&q, nearer));
    assert_true(nearer[1] > at[1] + 10);
}

static void test_no_place(void **state)
{
    (void)state;
    struct board_map map = board_map_from_pose(-498, -468, 0, 1);
    struct geometry above = camera_at(198, 199, 800), behind = camera_at(198, 620, 560);
    struct park_question q = question(&above, &map);
    double at[2] = {7, 7};
    assert_true(park_place(&q, at));
    // Looking through the arm from the far side; no room beyond the board.
    at[0] = at[1] = 7;
    q.geometry = &behind;
    assert_false(park_place(&q, at));
    q.geometry = &above;
    q.reach = 70;
    assert_false(park_place(&q, at));
    assert_true(at[0] == 7 && at[1] == 7);
}

static double parks_at_y(const struct calibration *calibration, const char *setting)
{
    static struct settings settings;
    static struct devices devices;
    const char *const more[] = {setting, NULL};
    struct error err;
    assert_int_equal(0, sim_settings_load("/nowhere", more, &settings, &err));
    assert_int_equal(0, devices_configure(NULL, &settings, calibration, &devices, &err));
    return devices.arm.park[1];
}

// Only where both the board in the picture and the board in the machine have been measured.
static void test_used_once_calibrated(void **state)
{
    (void)state;
    static struct calibration c;
    calibration_init(&c, "tessera");
    assert_true(parks_at_y(NULL, NULL) == -5);
    c.board.geometry = camera_at(198, -220, 560);
    c.board.verdict.valid = true;
    assert_true(parks_at_y(&c, NULL) == -5);
    c.arm.map = board_map_from_pose(-498, -468, 0, 1);
    c.arm.board_z[0] = -50;
    c.arm.verdict.valid = true;
    assert_true(fabs(parks_at_y(&c, NULL) - -39) < 0.01);
    assert_true(fabs(parks_at_y(&c, "machine.reach=30 mm") - -34) < 0.01);
    assert_true(parks_at_y(&c, "machine.park_auto=false") == -5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_camera),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_no_place),
        cmocka_unit_test(test_used_once_calibrated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
