// The reader on the simulated table's camera: another renderer, with its own idea of glass and
// light.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/vision_rig.h"

static int set_up(void **state)
{
    struct table_setup setup;
    table_setup_default(&setup);
    *state = vision_rig_new(&setup);
    return 0;
}

static int tear_down(void **state)
{
    *state = vision_rig_free(*state);
    return 0;
}

static void compare(struct vision_rig *s)
{
    assert_int_equal(s->seen.scene.state, SCENE_STILL);
    assert_int_equal(vision_rig_wrong(s), 0);
}

static void reads_a_growing_position(void **state)
{
    struct vision_rig *s = *state;
    srand(3);
    vision_rig_look(s, 4);
    for (int step = 0; step < 4; step++) {
        for (int k = 0; k < 30; k++) {
            const int n = rand() % 361;
            int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
            table_truth(s->table, truth);
            if (truth[n] != 0)
                continue;
            const int column = n % 19, row = n / 19;
            const double angle = rand() % 628 / 100.0, off = rand() % 100 / 100.0 * 2.5;
            assert_int_equal(table_put_stone(s->table, 1 + k % 2, 22 * column + off * cos(angle),
                                             22 * row + off * sin(angle)),
                             0);
        }
        vision_rig_look(s, 7);
        compare(s);
    }
}

static void measures_where_a_stone_lies(void **state)
{
    struct vision_rig *s = *state;
    vision_rig_look(s, 4);
    const double at[5][2] = {{88, 93}, {205, 198}, {330, 300}, {60, 350}, {352, 16}};
    for (int k = 0; k < 5; k++)
        assert_int_equal(table_put_stone(s->table, 1 + k % 2, at[k][0], at[k][1]), 0);
    vision_rig_look(s, 7);
    compare(s);
    double worst = 0;
    for (int k = 0; k < 5; k++) {
        const int c = (int)lround(at[k][0] / 22), r = (int)lround(at[k][1] / 22);
        const struct observation_point *p = &s->seen.point[r * 19 + c];
        const double x = (double)p->offset_x - (at[k][0] - 22 * c);
        const double y = (double)p->offset_y - (at[k][1] - 22 * r);
        print_message("stone %d: seen %.1f %.1f mm from where it lies\n", k, x, y);
        worst = fmax(worst, hypot(x, y));
    }
    assert_true(worst < 1.6);
}

// The border's stones, one on each side, `out` cells outside it.
static void border_stone(int side, double out, double at[2], int *ret_point)
{
    const int i = 4 + 3 * side;
    const double along = 22 * i + 6, low = -22 * out, high = 22 * (18 + out);
    at[0] = side == 0 ? low : side == 1 ? high : along;
    at[1] = side == 2 ? low : side == 3 ? high : along;
    *ret_point = side == 0 ? i * 19 : side == 1 ? i * 19 + 18 : side == 2 ? i : 18 * 19 + i;
}

// A stone that fell down beside the board lies on no point; one that was laid badly lies on the
// nearest.
static void stone_beside_the_board(void **state)
{
    struct vision_rig *s = *state;
    vision_rig_look(s, 4);
    for (int k = 40; k < 125; k += 6) {
        const double out = k / 100.0;
        double at[2];
        int point;
        if (k > 48 && k < 60)
            continue; // too near to call
        for (int side = 0; side < 4; side++) {
            border_stone(side, out, at, &point);
            assert_int_equal(table_put_stone(s->table, 1 + side % 2, at[0], at[1]), 0);
        }
        vision_rig_look(s, 7);
        for (int side = 0; side < 4; side++) {
            border_stone(side, out, at, &point);
            assert_int_equal(s->seen.point[point].best, k <= 48 ? 1 + side % 2 : 0);
            assert_int_equal(table_take_stone(s->table, at[0], at[1]), 0);
        }
        vision_rig_look(s, 7);
    }
}

static void survives_what_happens_to_cameras(void **state)
{
    struct vision_rig *s = *state;
    srand(5);
    for (int k = 0; k < 19; k++)
        table_put_stone(s->table, 1 + k % 2, 22 * (k * 7 % 19), 22 * (k * 3 % 19));
    vision_rig_look(s, 7);
    compare(s);
    table_fault(s->table, FAULT_LIGHT_GAIN, 0.7);
    vision_rig_look(s, 8);
    compare(s);
    table_fault(s->table, FAULT_CAMERA_BUMP, 6);
    vision_rig_look(s, 14);
    compare(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_a_growing_position, set_up, tear_down),
        cmocka_unit_test_setup_teardown(measures_where_a_stone_lies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stone_beside_the_board, set_up, tear_down),
        cmocka_unit_test_setup_teardown(survives_what_happens_to_cameras, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
