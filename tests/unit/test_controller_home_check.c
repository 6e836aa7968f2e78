// The first stone after homing judges the home corner.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "controller/home_check.h"

static enum home_verdict stone(struct home_check *check, double x, double y)
{
    return home_check_stone(check, (double[]){x, y}, 3);
}

static void test_right(void **state)
{
    (void)state;
    struct home_check check = {0};
    home_check_homed(&check);
    assert_int_equal(stone(&check, 1, -2), HOME_RIGHT);
    assert_true(check.checked);
    home_check_homed(&check);
    assert_false(check.checked);
}

// A stone that slid, or lost steps: homing again puts it right.
static void test_once(void **state)
{
    (void)state;
    struct home_check check = {0};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(stone(&check, 4, 0), HOME_DOUBT);
        home_check_homed(&check);
        assert_int_equal(stone(&check, 0.4, 0.2), HOME_RIGHT);
    }
}

// The same miss after homing: not the arm's fault. The map follows; if that does not help, nobody
// here can.
static void test_board_moved(void **state)
{
    (void)state;
    struct home_check check = {0};
    assert_int_equal(stone(&check, 4, 1), HOME_DOUBT);
    home_check_homed(&check);
    assert_int_equal(stone(&check, 4.5, 0.5), HOME_MAP);
    struct home_check learned = check;
    home_check_homed(&learned);
    assert_int_equal(stone(&learned, 1, 0), HOME_RIGHT);
    assert_int_equal(stone(&learned, 4, 0), HOME_DOUBT); // the next trouble is a new one
    home_check_homed(&check);
    assert_int_equal(stone(&check, 4.5, 0.5), HOME_WRONG);
}

static void test_never_the_same(void **state)
{
    (void)state;
    struct home_check check = {0};
    assert_int_equal(stone(&check, 4, 0), HOME_DOUBT);
    home_check_homed(&check);
    assert_int_equal(stone(&check, -3, 2), HOME_WRONG);
    home_check_homed(&check);
    assert_int_equal(stone(&check, 0, 0), HOME_RIGHT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_board_moved),
        cmocka_unit_test(test_never_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
