// Board millimetres to machine millimetres.
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "config/base/rng.h"
#include "motion/board_map.h"

static bool close_to(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

static void test_board_map(void **state)
{
    (void)state;
    struct board_map truth = board_map_from_pose(-498, -468, 0.15, 1.0005), map;
    struct board_map_pair pairs[81];
    struct error err = {0};
    for (int i = 0; i < 81; i++) {
        pairs[i].board[0] = 49.5 * (i % 9);
        int row = i / 9;
        pairs[i].board[1] = 49.5 * row;
        board_map_to_machine(&truth, pairs[i].board, pairs[i].machine);
    }
    double rms;
    assert_int_equal(board_map_fit(pairs, 81, &map, &rms, &err), 0);
    assert_true(rms < 1e-9);
    for (int i = 0; i < 6; i++)
        assert_true(close_to(map.a[i], truth.a[i], 1e-9));
    double p[2], back[2];
    board_map_to_machine(&map, (double[]){198, 198}, p);
    assert_int_equal(board_map_to_board(&map, p, back), 0);
    assert_true(close_to(back[0], 198, 1e-6) && close_to(back[1], 198, 1e-6));

    // A curled board: the residual table helps, and the way back still fits.
    for (int i = 0; i < 81; i++)
        pairs[i].machine[0] += 1.5 * sin(pairs[i].board[1] / 120);
    assert_int_equal(board_map_fit_grid(pairs, 9, 9, &map, &rms, &err), 0);
    assert_int_equal(map.columns, 9);
    assert_true(rms < 1e-9);
    board_map_to_machine(&map, (double[]){77, 301}, p);
    assert_int_equal(board_map_to_board(&map, p, back), 0);
    assert_true(close_to(back[0], 77, 1e-3) && close_to(back[1], 301, 1e-3));

    // Noise must not be carved into a table.
    struct rng rng;
    rng_seed(&rng, 3);
    for (int i = 0; i < 81; i++) {
        board_map_to_machine(&truth, pairs[i].board, pairs[i].machine);
        pairs[i].machine[0] += 0.3 * rng_gaussian(&rng);
        pairs[i].machine[1] += 0.3 * rng_gaussian(&rng);
    }
    assert_int_equal(board_map_fit_grid(pairs, 9, 9, &map, &rms, &err), 0);
    assert_int_equal(map.columns, 0);
}

// Blocks with a seam between: the grid measured is uneven, what bends the board goes on over it.
static void test_uneven_grid(void **state)
{
    (void)state;
    static const double AT[] = {0, 56, 117, 173};
    struct board_map truth = board_map_from_pose(-498, -468, 0.15, 1.0005), map;
    struct board_map_pair pairs[16] = {0};
    struct error err = {0};
    double rms, p[2], wanted[2];
    for (int i = 0; i < 16; i++) {
        const int row = i / 4;
        pairs[i].board[0] = AT[i % 4];
        pairs[i].board[1] = AT[row];
        board_map_to_machine(&truth, pairs[i].board, pairs[i].machine);
        pairs[i].machine[1] += 2 * sin(pairs[i].board[0] / 50);
    }
    assert_int_equal(board_map_fit_grid(pairs, 4, 4, &map, &rms, &err), 0);
    assert_int_equal(map.columns, 4);
    assert_true(rms < 0.1);
    board_map_to_machine(&map, (double[]){117, 56}, p);
    board_map_to_machine(&truth, (double[]){117, 56}, wanted);
    assert_true(hypot(p[0] - wanted[0], p[1] - wanted[1] - 2 * sin(117 / 50.0)) < 0.15);
    // Columns in another order are no grid, nor is one that is not straight.
    pairs[5].board[0] += 3;
    assert_int_equal(board_map_fit_grid(pairs, 4, 4, &map, &rms, &err), -EINVAL);
    assert_non_null(strstr(err.text, "point 6"));
    pairs[5].board[0] -= 3;
    for (int i = 0; i < 16; i++)
        pairs[i].board[0] *= -1;
    assert_int_equal(board_map_fit_grid(pairs, 4, 4, &map, &rms, &err), -EINVAL);
}

static void test_bad_maps(void **state)
{
    (void)state;
    struct board_map map;
    struct error err = {0};
    struct board_map_pair line[4];
    for (int i = 0; i < 4; i++)
        line[i] = (struct board_map_pair){{22.0 * i, 44.0 * i}, {22.0 * i - 498, 44.0 * i - 468}};
    assert_int_equal(board_map_fit(line, 4, &map, NULL, &err), -EINVAL);
    assert_non_null(strstr(err.text, "one line"));
    assert_int_equal(board_map_fit(line, 2, &map, NULL, &err), -EINVAL);
    line[1].machine[0] = NAN;
    assert_int_equal(board_map_fit(line, 4, &map, NULL, &err), -EINVAL);
    map = board_map_from_pose(0, 0, 0, 3);
    assert_int_equal(board_map_check(&map, &err), -EINVAL);
    map = board_map_from_pose(0, 0, 0, 1);
    map.columns = map.rows = 3;
    map.step_x = map.step_y = 100;
    assert_int_equal(board_map_check(&map, &err), 0);
    map.residual[1][2][0] = 9;
    assert_int_equal(board_map_check(&map, &err), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_board_map),
        cmocka_unit_test(test_uneven_grid),
        cmocka_unit_test(test_bad_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
