// The map learned from placed stones against a true map it does not know.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "config/base/rng.h"
#include "controller/map_learner.h"

static double worst_error(const struct board_map *map, const struct board_map *truth)
{
    double worst = 0;
    for (int y = 0; y < 19; y += 3) {
        for (int x = 0; x < 19; x += 3) {
            const double board[2] = {x * 22.0, y * 22.0};
            double a[2], b[2];
            board_map_to_machine(map, board, a);
            board_map_to_machine(truth, board, b);
            worst = fmax(worst, hypot(a[0] - b[0], a[1] - b[1]));
        }
    }
    return worst;
}

// Places a stone on an intersection with the map known, lets it slip, and tells where it lies.
static bool place(struct map_learner *l, const struct board_map *truth, struct rng *rng, int x,
                  int y, double slip)
{
    struct board_map known;
    double machine[2], lies[2];
    const double board[2] = {x * 22.0, y * 22.0};
    map_learner_get(l, &known);
    board_map_to_machine(&known, board, machine);
    assert_int_equal(board_map_to_board(truth, machine, lies), 0);
    lies[0] += slip * rng_gaussian(rng);
    lies[1] += slip * rng_gaussian(rng);
    return map_learner_add(l, lies, machine);
}

static void test_learns(void **state)
{
    (void)state;
    struct board_map base = board_map_from_pose(-498, -468, 0, 1);
    struct board_map truth = board_map_from_pose(-497.2, -468.9, 0.3, 1.001);
    struct map_learner l;
    struct board_map map;
    struct rng rng;
    rng_seed(&rng, 3);
    map_learner_init(&l, &base, 396, 396);
    map_learner_get(&l, &map);
    assert_true(worst_error(&map, &base) < 1e-9);
    double before = worst_error(&map, &truth);
    for (int i = 0; i < 10; i++)
        assert_true(
            place(&l, &truth, &rng, (int)rng_below(&rng, 19), (int)rng_below(&rng, 19), 0.3));
    map_learner_get(&l, &map);
    assert_int_equal(l.count, 10);
    assert_true(before > 1.5);
    assert_true(worst_error(&map, &truth) < 0.8);
    for (int i = 0; i < 200; i++)
        place(&l, &truth, &rng, (int)rng_below(&rng, 19), (int)rng_below(&rng, 19), 0.3);
    map_learner_get(&l, &map);
    assert_true(worst_error(&map, &truth) < 0.2);
}

// Stones in one corner must not spoil the other: the expectation holds where nothing was seen.
static void test_stays_sober(void **state)
{
    (void)state;
    struct board_map base = board_map_from_pose(-498, -468, 0, 1);
    struct map_learner l;
    struct board_map map;
    struct rng rng;
    rng_seed(&rng, 5);
    map_learner_init(&l, &base, 396, 396);
    for (int i = 0; i < 5; i++)
        place(&l, &base, &rng, i % 2, i / 2, 0.5);
    map_learner_get(&l, &map);
    assert_true(worst_error(&map, &base) < 1.5);
}

static void test_ignores_what_rolled_away(void **state)
{
    (void)state;
    struct board_map base = board_map_from_pose(-498, -468, 0, 1);
    struct map_learner l;
    struct board_map map;
    map_learner_init(&l, &base, 396, 396);
    const double machine[2] = {-300, -300}, board[2] = {198, 178};
    assert_false(map_learner_add(&l, board, machine));
    map_learner_get(&l, &map);
    assert_true(worst_error(&map, &base) < 1e-9);
}

// The board is moved: the next stone lies right at once, however much had been learnt before, and
// what is learnt from there on counts as at the start.
static void test_follows_a_moved_board(void **state)
{
    (void)state;
    struct board_map base = board_map_from_pose(-498, -468, 0.15, 1.0005);
    struct board_map moved = board_map_from_pose(-490, -472, 0.35, 1.0005);
    struct map_learner l;
    struct board_map map;
    struct rng rng;
    rng_seed(&rng, 7);
    map_learner_init(&l, &base, 396, 396);
    for (int i = 0; i < 100; i++)
        place(&l, &base, &rng, (int)rng_below(&rng, 19), (int)rng_below(&rng, 19), 0.3);
    map_learner_get(&l, &map);
    assert_true(worst_error(&map, &moved) > 8); // out of the reach of averages

    double lies[2], machine[2];
    const double board[2] = {9 * 22.0, 9 * 22.0};
    board_map_to_machine(&map, board, machine);
    assert_int_equal(board_map_to_board(&moved, machine, lies), 0);
    map_learner_move(&l, lies, machine);
    map_learner_get(&l, &map);
    board_map_to_machine(&map, lies, machine);
    double again[2];
    board_map_to_machine(&moved, lies, again);
    assert_true(hypot(machine[0] - again[0], machine[1] - again[1]) < 1e-6);
    assert_int_equal(l.count, 0);
    assert_true(worst_error(&map, &moved) < 1.2); // the turn is not known yet
    for (int i = 0; i < 30; i++)
        assert_true(
            place(&l, &moved, &rng, (int)rng_below(&rng, 19), (int)rng_below(&rng, 19), 0.3));
    map_learner_get(&l, &map);
    assert_true(worst_error(&map, &moved) < 0.4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learns),
        cmocka_unit_test(test_stays_sober),
        cmocka_unit_test(test_ignores_what_rolled_away),
        cmocka_unit_test(test_follows_a_moved_board),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
