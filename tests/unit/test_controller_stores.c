// From the settings to the arm's stores: magazines, supply trays that take stones back, heaps.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "controller/devices.h"
#include "controller/stores_used.h"
#include "rules/notation.h"

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

static void play(struct game *game, const char *text)
{
    struct move move;
    assert_true(move_parse(&game->rules, text, strlen(text), &move));
    assert_int_equal(game_play(game, move, NULL), REASON_NONE);
}

// A game that is gone on with: what the robot has laid is missing from its stores, in a tray slot
// by slot; what people laid is theirs.
static void test_stones_in_use(void **state)
{
    (void)state;
    struct settings settings = load((const char *const[]){
        "stores.colour1.columns=2", "stores.colour1.rows=2", "stores.colour1.step=18 mm",
        "stores.colour1.x=-590 mm", "stores.colour1.y=-400 mm", "stores.colour1.capacity=4", NULL});
    struct stores fresh, stores;
    struct game game;
    struct error err;
    assert_int_equal(0, devices_stores(&settings, &fresh, &err));
    int mine = devices_store(&fresh, STORE_SUPPLY, 1),
        other = devices_store(&fresh, STORE_SUPPLY, 2);
    assert_int_equal(stores_stones(&fresh, mine), 4);
    int others = stores_stones(&fresh, other);
    game_init(&game, variant_find("pente"));
    play(&game, "K10");
    play(&game, "L10");
    play(&game, "N10");

    stores = fresh;
    stores_used(&stores, &game, 1); // seat 1 is the robot's
    assert_false(stores.store[mine].full[0] || stores.store[mine].full[1]);
    assert_true(stores.store[mine].full[2] && stores.store[mine].full[3]);
    assert_int_equal(stores_stones(&stores, other), others);

    stores = fresh;
    stores_used(&stores, &game, 2);
    assert_int_equal(stores_stones(&stores, mine), 4);
    assert_int_equal(stores_stones(&stores, other), others - 1);

    stores = fresh;
    stores_used(&stores, &game, 0);
    assert_memory_equal(&stores, &fresh, sizeof stores);

    // Somebody filled it in between: it is empty, not less than that.
    for (int slot = 2; slot < 4; slot++)
        stores_set_slot(&fresh, mine, slot, false);
    play(&game, "A1");
    play(&game, "C3");
    stores = fresh;
    stores_used(&stores, &game, 1);
    assert_int_equal(stores_stones(&stores, mine), 0);
    assert_int_equal(stores_stones(&stores, other), others);
}

// What was captured lies in the trays, for those the arm lifts for.
static void test_captured_stones(void **state)
{
    (void)state;
    struct settings settings =
        load((const char *const[]){"trays.colour1.columns=3", "trays.colour2.columns=3", NULL});
    struct stores fresh, stores;
    struct game game;
    struct error err;
    assert_int_equal(0, devices_stores(&settings, &fresh, &err));
    int first = devices_store(&fresh, STORE_CAPTURED, 1),
        second = devices_store(&fresh, STORE_CAPTURED, 2);
    game_init(&game, variant_find("pente"));
    static const char *const moves[] = {"K10", "E5", "D5", "F5", "G5"}; // takes E5 and F5
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        play(&game, moves[i]);

    stores = fresh;
    stores_captured(&stores, &game, 3);
    assert_int_equal(stores_stones(&stores, first), 0);
    assert_int_equal(stores_stones(&stores, second), 2);
    assert_true(stores.store[second].full[0] && stores.store[second].full[1]);

    stores = fresh;
    stores_captured(&stores, &game, 2); // seat 2 has taken nothing
    assert_memory_equal(&stores, &fresh, sizeof stores);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_magazines),
        cmocka_unit_test(test_supply_tray),
        cmocka_unit_test(test_stones_in_use),
        cmocka_unit_test(test_captured_stones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
