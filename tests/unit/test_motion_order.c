// Which captured stone first, and into which tray.
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "config/base/rng.h"
#include "motion/capture_order.h"

static const struct travel_limits limits = {{200, 200, 50}, {1000, 1000, 300}, 0};

static bool close_to(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

// Every order and every choice of drops, for comparison.
static double brute(const struct capture_problem *p, unsigned done, const double at[2])
{
    double best = INFINITY;
    if (done == (1u << (unsigned)p->stone_count) - 1) {
        if (!p->end)
            return 0;
        return travel_line(p->limits, (double[]){at[0], at[1], 0},
                           (double[]){p->end[0], p->end[1], 0}, 0);
    }
    for (int i = 0; i < p->stone_count; i++) {
        const struct capture_stone *s = &p->stones[i];
        if (done >> (unsigned)i & 1)
            continue;
        double there =
            travel_line(p->limits, (double[]){at[0], at[1], 0}, (double[]){s->x, s->y, 0}, 0);
        for (int d = 0; d < p->drop_count; d++) {
            if (!(s->drops >> (unsigned)d & 1))
                continue;
            const double to[2] = {p->drops[d].x, p->drops[d].y};
            double t = there + travel_line(p->limits, (double[]){s->x, s->y, 0},
                                           (double[]){to[0], to[1], 0}, 0);
            t += brute(p, done | 1u << (unsigned)i, to);
            best = fmin(best, t);
        }
    }
    return best;
}

static double cost_of(const struct capture_problem *p, const struct capture_step *steps)
{
    double at[3] = {p->start[0], p->start[1], 0}, total = 0;
    unsigned seen = 0;
    for (int i = 0; i < p->stone_count; i++) {
        const struct capture_stone *s = &p->stones[steps[i].stone];
        const struct capture_drop *d = &p->drops[steps[i].drop];
        assert_false(seen >> (unsigned)steps[i].stone & 1);
        assert_true(s->drops >> (unsigned)steps[i].drop & 1);
        seen |= 1u << (unsigned)steps[i].stone;
        total += travel_line(p->limits, at, (double[]){s->x, s->y, 0}, 0);
        total += travel_line(p->limits, (double[]){s->x, s->y, 0}, (double[]){d->x, d->y, 0}, 0);
        at[0] = d->x;
        at[1] = d->y;
    }
    if (p->end)
        total += travel_line(p->limits, at, (double[]){p->end[0], p->end[1], 0}, 0);
    return total + p->stone_count * p->lift_s;
}

static void fill(struct rng *rng, struct capture_stone *stones, int n, struct capture_drop *drops,
                 int d)
{
    for (int i = 0; i < n; i++)
        stones[i] = (struct capture_stone){rng_range(rng, -490, -100), rng_range(rng, -460, -80),
                                           1 + rng_below(rng, (1u << (unsigned)d) - 1)};
    for (int i = 0; i < d; i++)
        drops[i] = (struct capture_drop){i % 2 ? -50 : -550, -100 - 80 * i, 20};
}

static void test_order_is_the_best(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 11);
    const double start[2] = {-300, -300}, end[2] = {-590, -5};
    for (int round = 0; round < 60; round++) {
        struct capture_stone stones[CAPTURE_MAX];
        struct capture_drop drops[CAPTURE_DROPS];
        int n = 1 + (int)rng_below(&rng, 5), d = 1 + (int)rng_below(&rng, 3);
        fill(&rng, stones, n, drops, d);
        struct capture_problem p = {&limits, start, round % 2 ? end : NULL, 1.5, stones, n,
                                    drops,   d};
        struct capture_step steps[CAPTURE_MAX];
        double seconds;
        assert_int_equal(capture_order(&p, steps, &seconds, NULL), 0);
        assert_true(close_to(seconds, brute(&p, 0, start) + n * 1.5, 1e-9));
        assert_true(close_to(seconds, cost_of(&p, steps), 1e-9));
    }
}

static void test_full_trays(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 12);
    const double start[2] = {-300, -300};
    int tight = 0, full = 0;
    for (int round = 0; round < 400; round++) {
        struct capture_stone stones[CAPTURE_MAX];
        struct capture_drop drops[CAPTURE_DROPS];
        int n = 1 + (int)rng_below(&rng, 6), d = 2 + (int)rng_below(&rng, 2), room = 0;
        fill(&rng, stones, n, drops, d);
        for (int i = 0; i < d; i++)
            room += drops[i].room = (int)rng_below(&rng, 4);
        struct capture_problem p = {&limits, start, NULL, 0, stones, n, drops, d};
        struct capture_step steps[CAPTURE_MAX];
        struct error err = {0};
        int r = capture_order(&p, steps, NULL, &err);
        if (r == -ENOSPC) {
            // Hall's condition by trying every sharing-out.
            bool possible = false;
            int ways = 1;
            for (int i = 0; i < n; i++)
                ways *= d;
            for (int w = 0; w < ways && !possible; w++) {
                int used[CAPTURE_DROPS] = {0}, rest = w;
                possible = true;
                for (int i = 0; i < n; i++, rest /= d)
                    possible &= (stones[i].drops >> (unsigned)(rest % d) & 1) &&
                                ++used[rest % d] <= drops[rest % d].room;
            }
            assert_false(possible);
            full++;
            continue;
        }
        assert_int_equal(r, 0);
        int used[CAPTURE_DROPS] = {0};
        cost_of(&p, steps);
        for (int i = 0; i < n; i++)
            assert_true(++used[steps[i].drop] <= drops[steps[i].drop].room);
        tight += room < 2 * n;
    }
    assert_true(tight > 30 && full > 30);
}

static void test_sixteen_stones(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 13);
    struct capture_stone stones[CAPTURE_MAX];
    struct capture_drop drops[CAPTURE_DROPS];
    fill(&rng, stones, 16, drops, 4);
    const double start[2] = {-300, -300};
    struct capture_problem p = {&limits, start, NULL, 1, stones, 16, drops, 4};
    struct capture_step steps[CAPTURE_MAX];
    double seconds;
    assert_int_equal(capture_order(&p, steps, &seconds, NULL), 0);
    assert_true(close_to(seconds, cost_of(&p, steps), 1e-9));
    p.stone_count = 17;
    assert_int_equal(capture_order(&p, steps, &seconds, NULL), -E2BIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_is_the_best),
        cmocka_unit_test(test_full_trays),
        cmocka_unit_test(test_sixteen_stones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
