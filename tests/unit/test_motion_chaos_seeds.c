// Two hundred seeded scenarios; `./dev soak arm 10000` runs more of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "test_motion_chaos.h"

static void test_seeds(void **state)
{
    (void)state;
    int faults = 0, done = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct chaos_result r;
        chaos_run(seed, NULL, &r);
        if (!r.ok)
            fail_msg("seed %llu: %s", (unsigned long long)seed, r.why);
        faults += r.faults;
        done += r.jobs_done;
    }
    assert_true(faults > 1000);
    assert_true(done > 1000); // it really works in between
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_seeds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
