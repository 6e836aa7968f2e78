// Times, heights, programs: a job as steps before anything is sent.
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "config/base/rng.h"
#include "motion/board_map.h"
#include "motion/picture.h"
#include "motion/program.h"
#include "tests/unit/two_stores.h"

static const struct travel_limits limits = {{200, 200, 50}, {1000, 1000, 300}, 0};

static bool close_to(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

// ---- time --------------------------------------------------------------------------------------

static void test_trapezoid(void **state)
{
    (void)state;
    // The table of the design notes: 22 mm 0.30 s, 100 mm 0.70 s, 400 mm 2.20 s at 200 mm/s, 1
    // m/s².
    assert_true(close_to(travel_trapezoid(22, 200, 1000), 0.297, 0.001));
    assert_true(close_to(travel_trapezoid(100, 200, 1000), 0.70, 0.001));
    assert_true(close_to(travel_trapezoid(400, 200, 1000), 2.20, 0.001));
    assert_true(close_to(travel_trapezoid(20, 50, 300), 0.567, 0.001));
    assert_true(travel_trapezoid(0, 200, 1000) == 0);
    // Continuous where the triangle becomes a trapezoid.
    assert_true(
        close_to(travel_trapezoid(39.9999, 200, 1000), travel_trapezoid(40, 200, 1000), 1e-5));
}

static void test_line_is_chebyshev(void **state)
{
    (void)state;
    const double from[3] = {0, 0, 0};
    double straight = travel_line(&limits, from, (double[]){300, 0, 0}, 0);
    assert_true(close_to(travel_line(&limits, from, (double[]){300, 300, 0}, 0), straight, 1e-9));
    assert_true(close_to(travel_line(&limits, from, (double[]){-300, 120, 0}, 0), straight, 1e-9));
    // Z binds: 20 mm of Z take longer than 30 of X.
    assert_true(close_to(travel_line(&limits, from, (double[]){30, 0, -20}, 0), 0.567, 0.001));
    assert_true(travel_line(&limits, from, (double[]){300, 0, 0}, 50) > 6);
}

static void test_path(void **state)
{
    (void)state;
    struct travel_limits l = limits;
    const double from[3] = {0, 0, -42};
    const double leg[3][3] = {{0, 0, -30}, {300, 100, -30}, {300, 100, -42}};
    // Without junctions: the lines one by one.
    double sum = travel_line(&l, from, leg[0], 0) + travel_line(&l, leg[0], leg[1], 0) +
                 travel_line(&l, leg[1], leg[2], 0);
    assert_true(close_to(travel_path(&l, from, leg, NULL, 3), sum, 1e-9));
    // GRBL's corners are almost stops: a few hundredths of a second less, never more.
    l.junction = 0.01;
    double blended = travel_path(&l, from, leg, NULL, 3);
    assert_true(blended < sum && blended > sum - 0.08);
    // Cutting a straight line into pieces changes nothing; turning back is a stop.
    const double pieces[4][3] = {{50, 0, -42}, {51, 0, -42}, {200, 0, -42}, {300, 0, -42}};
    assert_true(close_to(travel_path(&l, from, pieces, NULL, 4),
                         travel_line(&l, from, pieces[3], 0), 1e-9));
    const double back[2][3] = {{100, 0, -42}, {0, 0, -42}};
    assert_true(close_to(travel_path(&l, from, back, NULL, 2), 2 * 0.7, 1e-9));
}

// ---- heights -----------------------------------------------------------------------------------

static void test_heights(void **state)
{
    (void)state;
    const struct travel_body cup = {.radius = 3, .clearance = 4, .side = 1.5};
    const struct travel_body carried = {.radius = 8, .below = 8, .clearance = 4, .side = 1.5};
    const double from[2] = {-400, -300}, to[2] = {-200, -300};
    const struct travel_obstacle in_way = {-300, -285, 8, -42}, beside = {-300, -280, 8, -42};
    assert_true(travel_height(&carried, from, to, NULL, 0, -46, -42) == -30);
    assert_true(travel_height(&cup, from, to, NULL, 0, -46, -42) == -38);
    assert_true(travel_height(&carried, from, to, &in_way, 1, -38, 0) == -30);
    assert_true(travel_height(&carried, from, to, &beside, 1, -38, 0) == -38);
    assert_true(travel_height(&cup, from, to, &in_way, 1, -46, 0) == -46);
    const double end[2] = {-310, -300};
    const struct travel_obstacle behind = {-285, -300, 8, -42};
    assert_true(travel_height(&carried, from, end, &behind, 1, -38, 0) == -38);
    assert_true(
        close_to(travel_segment_distance((double[]){0, 5}, from, to), hypot(200, 305), 1e-9));
}

// ---- programs ----------------------------------------------------------------------------------

static const double travel_mm[3] = {600, 540, 60};

static struct arm_scene scene_of(const struct arm_config *config, const struct stores *stores)
{
    return (struct arm_scene){.config = config,
                              .stores = stores,
                              .limits = &limits,
                              .travel = travel_mm,
                              .at = {-590, -5, -5}};
}

// Nothing the cup or its stone sweeps through is occupied, and only legs move sideways when high.
static void assert_safe(const struct arm_program *p, const double at0[3], double carried_below)
{
    double at[3];
    bool holding = false;
    memcpy(at, at0, sizeof at);
    for (int i = 0; i < p->count; i++) {
        const struct arm_step *s = &p->step[i];
        if (s->kind == ARM_STEP_GRIP)
            holding = true;
        if (s->kind == ARM_STEP_RELEASE)
            holding = false;
        for (int k = 0; k < s->points; k++) {
            double lowest = fmin(at[2], s->point[k][2]) - (holding ? carried_below : 0);
            bool sideways =
                hypot(s->point[k][0] - at[0], s->point[k][1] - at[1]) > 0.001; // rounding
            if (sideways)
                if (lowest < -42 + 4 - 1e-9)
                    fail_msg("step %d goes sideways at %.3f", i, lowest);
            memcpy(at, s->point[k], sizeof at);
        }
    }
}

static void test_place_program(void **state)
{
    (void)state;
    struct arm_config config = arm_config_default();
    struct stores stores = two_stores();
    struct arm_scene scene = scene_of(&config, &stores);
    struct arm_program p;
    struct error err = {0};
    struct arm_job job = {.kind = ARM_JOB_PLACE, .x = -250, .y = -250, .store = 0};
    assert_int_equal(arm_program_plan(&scene, &job, &p, &err), 0);
    assert_safe(&p, scene.at, 8);
    assert_true(p.end[2] == -38);
    // Nothing on the board, and that is known: the stone needs to clear the bare board only.
    const struct travel_obstacle none = {0};
    double unknown = arm_program_seconds(&p, &limits, scene.at);
    scene.obstacles = &none;
    scene.obstacle_count = 0;
    assert_int_equal(arm_program_plan(&scene, &job, &p, &err), 0);
    assert_true(arm_program_seconds(&p, &limits, scene.at) < unknown - 0.3);
    char text[4096];
    int n = arm_program_text(&p, &limits, scene.at, text, sizeof text);
    assert_true(n > 0 && (size_t)n == strlen(text));
    assert_non_null(strstr(text, "G53G0X-250Y-250"));
    char small[16];
    assert_int_equal(arm_program_text(&p, &limits, scene.at, small, sizeof small), n);
    static char svg[32768];
    const struct board_map map = board_map_from_pose(-498, -468, 0.15, 1);
    const struct arm_picture picture = {&scene, &p, 1, "place", &map, {19, 22, 0}, {19, 22, 0}};
    n = arm_picture_svg(&picture, svg, sizeof svg);
    assert_true((size_t)n == strlen(svg) && strstr(svg, "</svg>"));
    assert_non_null(strstr(svg, "x2=\"-250.0\" y2=\"250.0\"")); // it goes there
    assert_int_equal(arm_picture_svg(&picture, small, sizeof small), n);
}

static void test_lift_ignores_its_own_stone(void **state)
{
    (void)state;
    struct arm_config config = arm_config_default();
    struct stores stores = two_stores();
    struct arm_scene scene = scene_of(&config, &stores);
    const struct travel_obstacle own = {-250, -250, 8, -42};
    scene.obstacles = &own;
    scene.obstacle_count = 1;
    struct arm_program p;
    struct arm_job job = {.kind = ARM_JOB_LIFT, .x = -250.6, .y = -249.7, .store = 1};
    assert_int_equal(arm_program_plan(&scene, &job, &p, NULL), 0);
    for (int i = 0; i < p.count; i++) {
        if (p.step[i].kind == ARM_STEP_LEG && i > 0 && p.step[i].points == 3)
            assert_true(p.step[i].point[0][2] == -38); // low: nothing stands in the way but itself
    }
}

// What may hang on the cup, and mostly does not, keeps no arm from getting home.
static void test_vent_over_a_full_store(void **state)
{
    (void)state;
    struct arm_config config = arm_config_default();
    struct stores stores = two_stores();
    struct arm_scene scene = scene_of(&config, &stores);
    struct arm_program p;
    struct error err;
    const struct arm_job job = {.kind = ARM_JOB_VENT, .store = 1};
    for (int slot = 0; slot < 6; slot++)
        assert_int_equal(stores_set_slot(&stores, 1, slot, true), 0);
    assert_int_equal(arm_program_plan(&scene, &job, &p, &err), 0);
    assert_true(p.end[0] == -50 && p.end[1] == -300);
    assert_true(p.end[2] > -42 + config.stone_height); // clears what lies there
    for (int i = 0; i < p.count; i++)
        assert_int_not_equal(p.step[i].kind, ARM_STEP_PUT);
    scene.holding = true;
    assert_int_equal(arm_program_plan(&scene, &job, &p, &err), -ENOSPC);
    assert_string_equal(err.code, "StoreFull");
}

static void test_random_programs_are_safe(void **state)
{
    (void)state;
    struct arm_config config = arm_config_default();
    struct stores stores = two_stores();
    struct rng rng;
    rng_seed(&rng, 5);
    for (int round = 0; round < 2000; round++) {
        struct arm_scene scene = scene_of(&config, &stores);
        config.backlash = round % 3;
        config.speed = round % 2 ? 1 : 0.4;
        scene.at[0] = rng_range(&rng, -590, -20);
        scene.at[1] = rng_range(&rng, -530, -20);
        scene.at[2] = rng_range(&rng, -42, -5);
        scene.down = scene.at[2] < -38;
        struct arm_job job = {.kind = round % 2 ? ARM_JOB_PLACE : ARM_JOB_LIFT,
                              .x = rng_range(&rng, -490, -100),
                              .y = rng_range(&rng, -460, -80),
                              .store = round % 2 ? 0 : 1};
        struct arm_program p;
        assert_int_equal(arm_program_plan(&scene, &job, &p, NULL), 0);
        assert_safe(&p, scene.at, 8);
        assert_true(p.count <= ARM_STEPS_MAX);
        // Every line fits, and its last point is where the program says it ends.
        double at[3];
        memcpy(at, scene.at, sizeof at);
        for (int i = 0; i < p.count; i++) {
            for (int k = 0; k < p.step[i].points; k++) {
                char line[100];
                arm_step_line(&p.step[i], k, at, line, sizeof line);
                assert_true(strlen(line) <= 70);
            }
            if (p.step[i].points)
                memcpy(at, p.step[i].point[p.step[i].points - 1], sizeof at);
        }
        assert_memory_equal(at, p.end, sizeof at);
    }
}

// ---- a stone that lies elsewhere ---------------------------------------------------------------

// Where the cup first comes down for the check, and where each further try does.
static void spots_of(int search, double ret[][2], int tries)
{
    struct arm_config config = arm_config_default();
    struct stores stores = two_stores();
    struct arm_scene scene = scene_of(&config, &stores);
    const struct arm_job job = {
        .kind = ARM_JOB_LIFT, .x = -250, .y = -250, .store = -1, .search = search};
    struct arm_program program;
    struct error err;
    assert_int_equal(arm_program_plan(&scene, &job, &program, &err), 0);
    const struct arm_step *leg = &program.step[0];
    struct arm_step check = program.step[0];
    for (int i = 0; i < program.count; i++) {
        if (program.step[i].kind == ARM_STEP_EXPECT_HELD)
            check = program.step[i];
    }
    assert_int_equal(check.kind, ARM_STEP_EXPECT_HELD);
    for (int t = 0; t < tries; t++) {
        struct arm_step more[ARM_RETRY_STEPS];
        ret[t][0] = leg->point[leg->points - 1][0] - job.x;
        ret[t][1] = leg->point[leg->points - 1][1] - job.y;
        int count = arm_program_regrip(&config, &check, NULL, more);
        leg = &more[1];
        assert_int_equal(leg->kind, ARM_STEP_LEG);
        check = more[count - 1];
    }
}

static bool is_near_one(double spot[][2], double x, double y)
{
    for (int i = 0; i < ARM_SPOTS; i++) {
        if (hypot(x - spot[i][0], y - spot[i][1]) <= 1.5)
            return true;
    }
    return false;
}

static void test_search_goes_on(void **state)
{
    (void)state;
    double spot[16][2];
    for (int round = 0; round < 4; round++)
        spots_of(round, &spot[4 * round], 4);
    assert_true(spot[0][0] == 0 && spot[0][1] == 0);
    for (int i = 0; i < ARM_SPOTS; i++) {
        for (int k = 0; k < i; k++)
            assert_true(hypot(spot[i][0] - spot[k][0], spot[i][1] - spot[k][1]) > 0.9);
    }
    assert_true(hypot(spot[ARM_SPOTS][0], spot[ARM_SPOTS][1]) < 1e-9); // it begins anew
    // Every stone up to 3 mm off is under a cup that takes it from 1.5 mm beside its centre.
    enum { FINE = 20 }; // grid points a millimetre
    for (int i = 0; i <= 6 * FINE; i++) {
        for (int k = 0; k <= 6 * FINE; k++) {
            const double x = (double)i / FINE - 3, y = (double)k / FINE - 3;
            if (hypot(x, y) <= 3 && !is_near_one(spot, x, y))
                fail_msg("a stone at %.2f %.2f is never found", x, y);
        }
    }
}

// At the end of travel the search stays inside: a soft limit would lose the position.
static void test_search_stays_inside(void **state)
{
    (void)state;
    struct arm_config config = arm_config_default();
    const double low = -travel_mm[0] + config.margin;
    const struct arm_step check = {.kind = ARM_STEP_EXPECT_HELD, .x = low + 0.2, .y = -1};
    for (int i = 0; i < ARM_SPOTS; i++) {
        double at[2];
        arm_program_place(&config, &check, i, travel_mm, at);
        assert_true(at[0] >= low && at[1] <= -config.margin);
    }
}

static void test_outside_is_refused(void **state)
{
    (void)state;
    struct arm_config config = arm_config_default();
    struct stores stores = two_stores();
    struct arm_scene scene = scene_of(&config, &stores);
    struct arm_program p;
    struct error err = {0};
    struct arm_job job = {.kind = ARM_JOB_PLACE, .x = 3, .y = -250, .store = 0};
    assert_int_equal(arm_program_plan(&scene, &job, &p, &err), -ERANGE);
    assert_string_equal(err.code, "SoftLimit");
    job = (struct arm_job){.kind = ARM_JOB_PLACE, .x = -3, .y = -250, .store = -1};
    assert_int_equal(arm_program_plan(&scene, &job, &p, &err), -EINVAL); // holds nothing
    job = (struct arm_job){.kind = ARM_JOB_GOTO, .x = NAN, .y = -250, .store = -1};
    assert_int_equal(arm_program_plan(&scene, &job, &p, &err), -EINVAL);
    stores.store[0].count = 0;
    job = (struct arm_job){.kind = ARM_JOB_PICK, .store = 0};
    assert_int_equal(arm_program_plan(&scene, &job, &p, &err), -ENODATA);
}

static void test_backlash_from_one_side(void **state)
{
    (void)state;
    struct arm_config config = arm_config_default();
    config.backlash = 2;
    struct stores stores = two_stores();
    struct arm_scene scene = scene_of(&config, &stores);
    struct arm_program p;
    struct arm_job job = {.kind = ARM_JOB_GOTO, .x = -250, .y = -250, .store = -1};
    for (int side = 0; side < 2; side++) {
        scene.at[0] = side ? -100 : -500;
        scene.at[1] = side ? -100 : -500;
        assert_int_equal(arm_program_plan(&scene, &job, &p, NULL), 0);
        const struct arm_step *leg = &p.step[0];
        const double *before = leg->points > 1 ? leg->point[leg->points - 2] : scene.at;
        const double *last = leg->point[leg->points - 1];
        assert_true(before[0] < last[0] && before[1] < last[1]);
    }
}

static void test_config_check(void **state)
{
    (void)state;
    struct error err = {0};
    struct arm_config c = arm_config_default();
    assert_int_equal(arm_config_check(&c, &err), 0);
    c.safe_z = -35;
    assert_int_equal(arm_config_check(&c, &err), -EINVAL);
    c = arm_config_default();
    c.speed = 0;
    assert_int_equal(arm_config_check(&c, &err), -EINVAL);
    c = arm_config_default();
    c.park[1] = NAN;
    assert_int_equal(arm_config_check(&c, &err), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trapezoid),
        cmocka_unit_test(test_line_is_chebyshev),
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_heights),
        cmocka_unit_test(test_place_program),
        cmocka_unit_test(test_lift_ignores_its_own_stone),
        cmocka_unit_test(test_vent_over_a_full_store),
        cmocka_unit_test(test_random_programs_are_safe),
        cmocka_unit_test(test_search_goes_on),
        cmocka_unit_test(test_search_stays_inside),
        cmocka_unit_test(test_outside_is_refused),
        cmocka_unit_test(test_backlash_from_one_side),
        cmocka_unit_test(test_config_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
