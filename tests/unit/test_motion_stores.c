// Feeders, trays and bowls: where stones are, how many.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "motion/stores.h"
#include "tests/unit/two_stores.h"

static void test_stores(void **state)
{
    (void)state;
    struct stores s = two_stores();
    struct store_point point;
    struct error err = {0};
    assert_int_equal(stores_check(&s, &err), 0);
    assert_int_equal(stores_find(&s, "tray"), 1);
    assert_int_equal(stores_find(&s, "none"), -ENOENT);
    assert_int_equal(stores_next_pick(&s, 1, &point, &err), -ENODATA);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(stores_next_drop(&s, 1, &point, &err), 0);
        assert_int_equal(point.slot, i);
        int row = i / 2;
        assert_true(point.x == -50 + 20 * (i % 2) && point.y == -300 - 20 * row);
        stores_put(&s, &point);
    }
    assert_int_equal(stores_next_drop(&s, 1, &point, &err), -ENOSPC);
    assert_int_equal(stores_room(&s, 1), 0);
    assert_int_equal(stores_set_slot(&s, 1, 3, false), 0);
    assert_int_equal(stores_next_drop(&s, 1, &point, &err), 0);
    assert_int_equal(point.slot, 3);
    int store = -1;
    assert_int_equal(stores_supply(&s, 1, 0, 0, &store, &err), 0);
    assert_int_equal(store, 0);
    assert_int_equal(stores_set_count(&s, 0, 0), 0);
    assert_int_equal(stores_supply(&s, 1, 0, 0, &store, &err), -ENOENT);
    assert_string_equal(err.code, "StoreEmpty");
    // Captured stones of the colour, each known in its slot, can be played again; a heap's can't.
    s.store[1].colour = 1;
    assert_int_equal(stores_supply(&s, 1, 0, 0, &store, &err), 0);
    assert_int_equal(store, 1);
    assert_int_equal(stores_supply(&s, 2, 0, 0, &store, &err), -ENOENT);
    s.store[1].kind = STORE_BOWL;
    s.store[1].capacity = s.store[1].count = 6;
    assert_int_equal(stores_supply(&s, 1, 0, 0, &store, &err), -ENOENT);
    s.store[1].kind = STORE_TRAY;
    assert_int_equal(stores_supply(&s, 3, 0, 0, &store, &err), -ENOENT);
    assert_string_equal(err.code, "NoStore");
    // A stone that was taken and not played: never into a feeder, whose pocket is full again.
    s.store[1].full[0] = false;
    assert_int_equal(stores_return(&s, 1, 0, 0, &store, &err), 0);
    assert_int_equal(store, 1);
    assert_int_equal(stores_return(&s, 2, 0, 0, &store, &err), -ENOSPC);
    assert_string_equal(err.code, "NoStore");
    s.store[1].full[0] = s.store[1].full[3] = true;
    assert_int_equal(stores_return(&s, 1, 0, 0, &store, &err), -ENOSPC);
    assert_string_equal(err.code, "StoreFull");
    s.store[s.count] = s.store[1]; // a supply tray comes before a capture tray, however far
    s.store[s.count].role = STORE_SUPPLY;
    s.store[s.count].x -= 300;
    memset(s.store[s.count++].full, 0, sizeof s.store[0].full);
    s.store[1].full[0] = false;
    assert_int_equal(stores_return(&s, 1, 0, 0, &store, &err), 0);
    assert_int_equal(store, 2);
    s.count--;
    s.store[1].full[0] = true;
    assert_int_equal(stores_set_count(&s, 0, 51), -EINVAL);
    s.store[1].name[0] = '\0';
    assert_int_equal(stores_check(&s, &err), -EINVAL);
    s = two_stores();
    s.store[1].rows = 1000;
    assert_int_equal(stores_check(&s, &err), -EINVAL);
}

// Several steps planned at once: what does not fit into the best place goes to the next one.
static void test_planned_ahead(void **state)
{
    (void)state;
    struct stores s = two_stores(), plan;
    struct error err = {0};
    int heap = s.count++;
    s.store[heap] = (struct store){.name = "heap",
                                   .kind = STORE_BOWL,
                                   .role = STORE_CAPTURED,
                                   .x = -50,
                                   .y = -200,
                                   .capacity = 30};
    for (int slot = 0; slot < 4; slot++)
        stores_set_slot(&s, 1, slot, true); // two of six are free
    plan = s;
    for (int stone = 0; stone < 5; stone++) {
        int store = -1;
        assert_int_equal(stores_return(&plan, 1, -50, -200, &store, &err), 0);
        assert_int_equal(store, stone < 2 ? 1 : heap);
        stores_will_put(&plan, store);
    }
    assert_int_equal(stores_stones(&plan, heap), 3);
    assert_int_equal(stores_stones(&s, heap), 0);

    s.store[0].count = 2;
    s.store[1].colour = 1;
    plan = s;
    for (int stone = 0; stone < 6; stone++) {
        int store = -1;
        assert_int_equal(stores_supply(&plan, 1, -300, -300, &store, &err), 0);
        assert_int_equal(store, stone < 2 ? 0 : 1); // then those in the tray are played again
        stores_will_take(&plan, store);
    }
    int store = -1;
    assert_int_equal(stores_supply(&plan, 1, -300, -300, &store, &err), -ENOENT);
    stores_will_take(&plan, 0);
    assert_int_equal(stores_stones(&plan, 0), 0);
    stores_will_take(&plan, -1); // none is no store
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stores),
        cmocka_unit_test(test_planned_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
