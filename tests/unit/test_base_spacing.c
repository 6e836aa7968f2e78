// Where points lie along a side with and without a seam.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "config/base/spacing.h"

static void assert_near(double a, double b)
{
    assert_true(a - b < 1e-9 && b - a < 1e-9);
}

static void without_a_seam_it_is_a_ruler(void **state)
{
    (void)state;
    const struct spacing s = {19, 23.7, 0};
    for (int k = -10; k < 300; k++) {
        assert_near(spacing_at(&s, k / 10.0), k * 2.37);
        assert_near(spacing_place(&s, k * 2.37), k / 10.0);
        assert_near(spacing_step(&s, k / 10.0), 23.7);
    }
    assert_near(spacing_length(&s), 18 * 23.7);
}

static void a_seam_parts_the_two_in_the_middle(void **state)
{
    (void)state;
    static const double AT[6] = {0, 28, 56, 92, 120, 148};
    const struct spacing s = {6, 28, 8};
    for (int k = 0; k < 6; k++) {
        assert_near(spacing_at(&s, k), AT[k]);
        assert_near(spacing_place(&s, AT[k]), k);
        // Around a point it is as on any other board.
        for (int d = -4; d <= 4; d++)
            assert_near(spacing_at(&s, k + d / 10.0), AT[k] + 2.8 * d);
    }
    assert_near(spacing_length(&s), 148);
    assert_near(spacing_at(&s, 2.5), 74);
}

static void places_and_lengths_are_each_other_s_reverse(void **state)
{
    (void)state;
    const struct spacing s = {6, 1, 0.3};
    for (int k = -100; k < 700; k++) {
        const double place = k / 100.0, length = spacing_at(&s, place);
        assert_near(spacing_place(&s, length), place);
        assert_true(spacing_at(&s, place + 0.01) > length); // never back
    }
    // The step is the slope.
    assert_near(spacing_step(&s, 2.5), (spacing_at(&s, 2.55) - spacing_at(&s, 2.45)) / 0.1);
    assert_near(spacing_step(&s, 2.3), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_seam_it_is_a_ruler),
        cmocka_unit_test(a_seam_parts_the_two_in_the_middle),
        cmocka_unit_test(places_and_lengths_are_each_other_s_reverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
