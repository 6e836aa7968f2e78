// From the settings to the arm's stores: magazines, supply trays that take stones back, heaps.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "controller/devices.h"

static struct settings load(const char *const *overrides)
{
    struct settings settings;
    struct error err;
    const struct settings_source source = {.file = "/dev/null", .overrides = overrides};
    if (settings_load(&source, &settings, &err) < 0)
        fail_msg("%s", err.text);
    return settings;
}

static void test_magazines(void **state)
{
    (void)state;
    struct settings settings = load((const char *const[]){NULL});
    struct stores stores;
    struct error err;
    assert_int_equal(0, devices_stores(&settings, &stores, &err));
    int supply = devices_store(&stores, STORE_SUPPLY, 1), back;
    assert_int_equal(stores.store[supply].kind, STORE_FEEDER);
    assert_int_equal(stores_stones(&stores, supply), 60);
    stores.store[supply].count--;
    assert_int_equal(0, stores_return(&stores, 1, -560, -300, &back, &err));
    assert_int_equal(back, devices_store(&stores, STORE_CAPTURED, 1));
}

// What is taken out of a tray goes back into the slot it came from.
static void test_supply_tray(void **state)
{
    (void)state;
    struct settings settings = load((const char *const[]){
        "stores.colour1.columns=2", "stores.colour1.rows=5", "stores.colour1.step=18 mm",
        "stores.colour1.x=-590 mm", "stores.colour1.y=-400 mm", "stores.colour1.capacity=9", NULL});
    struct stores stores;
    struct store_point taken, put;
    struct error err;
    assert_int_equal(0, devices_stores(&settings, &stores, &err));
    int supply = devices_store(&stores, STORE_SUPPLY, 1), back;
    assert_int_equal(stores.store[supply].kind, STORE_TRAY);
    assert_int_equal(stores_stones(&stores, supply), 9);
    assert_int_equal(stores_room(&stores, supply), 1);
    assert_int_equal(0, stores_next_pick(&stores, supply, &taken, &err));
    stores_took(&stores, &taken);
    assert_int_equal(0, stores_return(&stores, 1, -50, -300, &back, &err));
    assert_int_equal(back, supply);
    assert_int_equal(0, stores_next_drop(&stores, back, &put, &err));
    assert_int_equal(put.slot, taken.slot);
    assert_true(put.x == taken.x && put.y == taken.y && put.z > taken.z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_magazines),
        cmocka_unit_test(test_supply_tray),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
