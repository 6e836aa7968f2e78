// The checksum against published values, and the random numbers against themselves.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "config/base/crc32c.h"
#include "config/base/rng.h"

// RFC 3720 B.4 and the usual check value.
static void test_crc_published(void **state)
{
    (void)state;
    uint8_t zeros[32] = {0}, ones[32], up[32];
    memset(ones, 0xff, sizeof ones);
    for (int i = 0; i < 32; i++)
        up[i] = (uint8_t)i;
    assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(crc32c(0, zeros, 32), 0x8a9136aa);
    assert_int_equal(crc32c(0, ones, 32), 0x62a8ab43);
    assert_int_equal(crc32c(0, up, 32), 0x46dd794e);
    assert_int_equal(crc32c(0, "", 0), 0);
}

static void test_crc_same_everywhere(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 11);
    uint8_t data[257];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)rng_next(&rng);
    for (size_t from = 0; from < 9; from++) {
        for (size_t n = 0; n + from <= sizeof data; n++)
            assert_int_equal(crc32c(7, data + from, n), crc32c_software(7, data + from, n));
    }
    uint32_t whole = crc32c(0, data, sizeof data);
    for (size_t cut = 0; cut <= sizeof data; cut++)
        assert_int_equal(crc32c(crc32c(0, data, cut), data + cut, sizeof data - cut), whole);
}

static void test_rng_is_fixed(void **state)
{
    (void)state;
    struct rng a, b;
    rng_seed(&a, 7);
    rng_seed(&b, 7);
    for (int i = 0; i < 1000; i++)
        assert_true(rng_next(&a) == rng_next(&b));
    // xorshift64* from state 1, as computed by hand from its definition.
    struct rng one = {.state = 1};
    assert_true(rng_next(&one) == UINT64_C(0x47e4ce4b896cdd1d));
    // The one state that would stay 0 for ever cannot be reached.
    for (uint64_t seed = 0; seed < 1000; seed++) {
        rng_seed(&a, seed);
        assert_true(a.state != 0);
    }
    rng_seed(&a, UINT64_C(0) - UINT64_C(0x9e3779b97f4a7c15));
    assert_true(a.state != 0);
}

static void test_rng_distributions(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 3);
    enum { N = 200000 };
    int counts[7] = {0};
    double sum = 0, squares = 0, fourth = 0, uniform = 0;
    for (int i = 0; i < N; i++) {
        uint32_t k = rng_below(&rng, 7);
        assert_in_range(k, 0, 6);
        counts[k]++;
        double u = rng_double(&rng);
        assert_true(u >= 0 && u < 1);
        uniform += u;
        double g = rng_gaussian(&rng);
        sum += g;
        squares += g * g;
        fourth += g * g * g * g;
        double r = rng_range(&rng, -3, 5);
        assert_true(r >= -3 && r < 5);
    }
    for (int k = 0; k < 7; k++)
        assert_in_range(counts[k], N / 7 - 800, N / 7 + 800); // ± 5 deviations
    assert_true(uniform / N > 0.496 && uniform / N < 0.504);
    assert_true(sum / N > -0.012 && sum / N < 0.012);
    assert_true(squares / N > 0.98 && squares / N < 1.02);
    assert_true(fourth / N > 2.85 && fourth / N < 3.1);
    assert_int_equal(rng_below(&rng, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc_published),
        cmocka_unit_test(test_crc_same_everywhere),
        cmocka_unit_test(test_rng_is_fixed),
        cmocka_unit_test(test_rng_distributions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
