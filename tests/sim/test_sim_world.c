// The physical world: vacuum, contact, collisions, stones among stones, and that none is ever lost.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/sim/world.h"

static struct world *world;
static struct table_setup setup;
static int64_t now;

static int set_up(void **state)
{
    (void)state;
    table_setup_default(&setup);
    setup.machine.backlash = 0;
    setup.gripper.slip = 0;
    setup.stones.spread = 0;
    now = 0;
    world = malloc(sizeof *world);
    world_init(world, &setup, now);
    world_rename_position(world, (const double[3]){-588, -25, -6},
                          (const bool[3]){true, true, true}, false);
    for (int a = 0; a < 3; a++)
        world->tool.lost[a] = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    int all = 0;
    for (enum world_place p = PLACE_STORE; p <= PLACE_FLOOR; p++)
        all += world_count(world, p, 0);
    assert_int_equal(all, world->made - world->taken); // whatever happened
    free(world);
    return 0;
}

// Moves the tool straight to table (x, y) and cup height z at 100 mm/s.
static void go(double x, double y, double z)
{
    double to[3], from[3];
    world_table_to_machine(&setup, (const double[2]){x, y}, to);
    to[2] = z + setup.machine.surface_z;
    memcpy(from, world->tool.commanded, sizeof from);
    const double way =
        sqrt(pow(to[0] - from[0], 2) + pow(to[1] - from[1], 2) + pow(to[2] - from[2], 2));
    const int steps = (int)(way / 100 * 1e9 / WORLD_TICK_NS) + 1;
    for (int i = 1; i <= steps; i++) {
        double at[3];
        for (int a = 0; a < 3; a++)
            at[a] = from[a] + (to[a] - from[a]) * i / steps;
        now += WORLD_TICK_NS;
        world_move_tool(world, now, at, i < steps);
    }
}

static void wait_ms(int ms)
{
    now += (int64_t)ms * 1000000;
    world_advance(world, now);
}

static void pump(bool on)
{
    world_set_vacuum(world, now, on, !on);
}

static int put(int colour, double x, double y)
{
    int i = world_add_stone(world, colour, x, y);
    assert_true(i >= 0);
    return i;
}

static void lift(double x, double y)
{
    go(x, y, 22);
    pump(false);
    go(x, y, 8);
    pump(true);
    wait_ms(200);
    go(x, y, 22);
}

static void frames_turn_round(void **state)
{
    double machine[2], back[2];
    (void)state;
    setup.machine.skew_deg = 0.4;
    for (int i = 0; i < 5; i++) {
        const double at[2] = {i * 90.0, 400 - i * 77.0};
        world_table_to_machine(&setup, at, machine);
        world_machine_to_table(&setup, machine, back);
        assert_true(hypot(back[0] - at[0], back[1] - at[1]) < 1e-9);
    }
    world_table_to_machine(&setup, (const double[2]){0, 0}, machine);
    assert_true(machine[0] == setup.machine.a1_x && machine[1] == setup.machine.a1_y);
}

static void a_stone_is_carried_and_put_down(void **state)
{
    (void)state;
    const int i = put(1, 110, 110);
    lift(110, 110);
    assert_int_equal(world->stone[i].place, PLACE_CUP);
    assert_int_equal(world_pick_sensor(world, now), 1);
    go(220, 66, 22);
    go(220, 66, 8);
    pump(false);
    wait_ms(150);
    assert_int_equal(world_pick_sensor(world, now), 0);
    go(220, 66, 22);
    assert_int_equal(world->stone[i].place, PLACE_TABLE);
    assert_true(hypot(world->stone[i].x - 220, world->stone[i].y - 66) < 0.05);
    assert_int_equal(world->incident_count, 0);
}

static void an_off_centre_grip_is_kept(void **state)
{
    (void)state;
    const int i = put(1, 111.2, 110.5);
    lift(110, 110);
    go(220, 66, 22);
    go(220, 66, 8);
    pump(false);
    wait_ms(150);
    assert_true(hypot(world->stone[i].x - 221.2, world->stone[i].y - 66.5) < 0.05);
}

static void too_far_off_or_too_high_does_not_grip(void **state)
{
    static const double OFF[][3] = {{2.0, 0, 8}, {0, -1.8, 8}, {0, 0, 11}};
    (void)state;
    const int i = put(1, 110, 110);
    for (int k = 0; k < 3; k++) {
        go(110 + OFF[k][0], 110 + OFF[k][1], 22);
        pump(false);
        go(110 + OFF[k][0], 110 + OFF[k][1], OFF[k][2]);
        pump(true);
        wait_ms(300);
        assert_int_equal(world_pick_sensor(world, now), 0);
        go(110, 110, 30);
        assert_int_equal(world->stone[i].place, PLACE_TABLE);
    }
}

static void lifting_at_once_leaves_the_stone(void **state)
{
    (void)state;
    const int i = put(1, 110, 110);
    go(110, 110, 22);
    go(110, 110, 8);
    pump(true);
    wait_ms(5); // the vacuum has not built up
    go(110, 110, 22);
    wait_ms(100);
    assert_int_equal(world->stone[i].place, PLACE_TABLE);
    assert_int_equal(world_pick_sensor(world, now), 0);
}

static void a_pump_already_on_snatches_the_stone_off_centre(void **state)
{
    (void)state;
    double worst = 0;
    for (int k = 0; k < 12; k++) {
        const int i = put(1, 110, 110);
        go(110, 110, 22);
        world_set_vacuum(world, now, true, false);
        go(110, 110, 8);
        wait_ms(200);
        go(110, 110, 22);
        assert_int_equal(world->stone[i].place, PLACE_CUP);
        worst = fmax(worst, hypot(world->tool.grip_x, world->tool.grip_y));
        go(352, 22, 8);
        pump(false);
        wait_ms(200);
        go(352, 22, 22);
        world_remove_stone(world, 352, 22);
    }
    assert_true(worst > 0.5);
}

static void picks_fail_on_demand(void **state)
{
    (void)state;
    const int i = put(1, 110, 110);
    world->pick_failures = 2;
    for (int k = 0; k < 2; k++) {
        lift(110, 110);
        assert_int_equal(world->stone[i].place, PLACE_TABLE);
    }
    lift(110, 110);
    assert_int_equal(world->stone[i].place, PLACE_CUP);
    // Standing there with the pump on does not dice again.
    world->pick_failure = 1;
    go(110, 110, 8);
    pump(false);
    wait_ms(200);
    lift(110, 110);
    wait_ms(2000);
    assert_int_equal(world->stone[i].place, PLACE_TABLE);
}

static void a_magazine_gives_one_stone_after_the_other(void **state)
{
    double at[2];
    (void)state;
    world_machine_to_table(&setup, (const double[2]){setup.store[1].x, setup.store[1].y}, at);
    const int before = world_count(world, PLACE_STORE, 2);
    for (int k = 0; k < 3; k++) {
        lift(at[0], at[1]);
        assert_int_equal(world_count(world, PLACE_CUP, 2), 1);
        assert_int_equal(world_count(world, PLACE_STORE, 2), before - 1 - k);
        go(44 + 44 * k, 44, 22);
        go(44 + 44 * k, 44, 8);
        pump(false);
        wait_ms(150);
        go(44 + 44 * k, 44, 22);
    }
    // Given back from above.
    lift(44, 44);
    go(at[0], at[1], 22);
    pump(false);
    wait_ms(150);
    assert_int_equal(world_count(world, PLACE_STORE, 2), before - 2);
}

static void an_empty_magazine_gives_nothing(void **state)
{
    double at[2];
    (void)state;
    for (int i = 0; i < world->stone_count; i++)
        if (world->stone[i].place == PLACE_STORE && world->stone[i].holder == 0)
            world->stone[i].place = PLACE_BOWL;
    wait_ms(500);
    world_machine_to_table(&setup, (const double[2]){setup.store[0].x, setup.store[0].y}, at);
    lift(at[0], at[1]);
    assert_int_equal(world_count(world, PLACE_CUP, 0), 0);
}

static void a_carried_stone_hangs_on_without_a_vent(void **state)
{
    (void)state;
    const int i = put(1, 110, 110);
    lift(110, 110);
    world_set_vacuum(world, now, false, false); // pump off, valve shut
    wait_ms(800);
    assert_int_equal(world->stone[i].place, PLACE_CUP);
    wait_ms(1500);
    assert_int_equal(world->stone[i].place, PLACE_TABLE);
    assert_int_equal(world->incident_kind[INCIDENT_DROPPED], 1);
}

static void a_high_drop_scatters(void **state)
{
    (void)state;
    double mean = 0;
    for (int k = 0; k < 20; k++) {
        const int i = put(1, 110, 110);
        lift(110, 110);
        go(220, 220, 28); // 20 mm of fall
        pump(false);
        wait_ms(200);
        mean += hypot(world->stone[i].x - 220, world->stone[i].y - 220) / 20;
        world->stone[i].place = PLACE_GONE;
        world->taken++;
    }
    assert_true(mean > 2 && mean < 12);
    assert_int_equal(world->incident_kind[INCIDENT_DROPPED], 20);
}

static void a_stone_let_go_over_another_slides_off(void **state)
{
    (void)state;
    const int under = put(2, 220, 220), i = put(1, 110, 110);
    lift(110, 110);
    go(223, 222, 26);
    go(223, 222, 16); // its underside touches the other's top
    pump(false);
    wait_ms(200);
    const struct world_stone *a = &world->stone[i], *b = &world->stone[under];
    assert_true(hypot(a->x - b->x, a->y - b->y) >= a->radius + b->radius - 0.1);
    assert_int_equal(world->incident_kind[INCIDENT_STACKED], 1);
}

static void a_low_carried_stone_strikes_a_standing_one(void **state)
{
    (void)state;
    const int still = put(2, 220, 110), i = put(1, 110, 110);
    lift(110, 110);
    go(200, 110, 22);
    assert_int_equal(world->incident_count, 0);
    go(170, 110, 12); // underside at 4 mm: below the other's top
    go(300, 110, 12);
    assert_true(world->incident_kind[INCIDENT_STRUCK] > 0);
    assert_true(hypot(world->stone[still].x - 220, world->stone[still].y - 110) > 5);
    assert_int_equal(world->stone[i].place, PLACE_CUP);
}

static void travel_height_clears_standing_stones(void **state)
{
    (void)state;
    for (int c = 0; c < 19; c += 2)
        for (int r = 0; r < 19; r += 2)
            put(2, c * 22, r * 22);
    put(1, 22, 22);
    lift(22, 22);
    go(374, 374, 22);
    go(22, 374, 22);
    assert_int_equal(world->incident_count, 0);
}

static void neighbours_do_not_touch_on_the_grid(void **state)
{
    (void)state;
    put(2, 88, 110);
    put(2, 132, 110);
    put(2, 110, 88);
    put(2, 110, 132);
    put(1, 220, 220);
    lift(220, 220);
    go(110, 110, 22);
    go(110, 110, 8);
    pump(false);
    wait_ms(150);
    go(110, 110, 22);
    assert_int_equal(world->incident_count, 0);
}

static void pressing_too_deep_is_noticed(void **state)
{
    (void)state;
    put(1, 110, 110);
    go(110, 110, 22);
    go(110, 110, 5);
    assert_int_equal(world->incident_kind[INCIDENT_PRESSED], 1);
    go(220, 220, 22);
    go(220, 220, -1); // the bellows gives
    assert_int_equal(world->incident_kind[INCIDENT_PRESSED], 1);
    go(220, 220, -3);
    assert_int_equal(world->incident_kind[INCIDENT_PRESSED], 2);
}

static void trays_keep_what_falls_into_them(void **state)
{
    double at[2];
    (void)state;
    world_machine_to_table(&setup, (const double[2]){setup.tray[0].x, setup.tray[0].y}, at);
    for (int k = 0; k < 30; k++) { // more than lie side by side
        put(1, 110, 110);
        lift(110, 110);
        go(at[0], at[1], 26);
        pump(false);
        wait_ms(200);
    }
    int in = 0;
    for (int i = 0; i < world->stone_count; i++)
        in += world->stone[i].place == PLACE_TABLE &&
              world_tray_at(&setup, world->stone[i].x, world->stone[i].y) == 0;
    assert_int_equal(in, 30);
    assert_int_equal(world->incident_count, 0);
}

static void stones_never_overlap(void **state)
{
    struct rng rng;
    (void)state;
    rng_seed(&rng, 3);
    for (int k = 0; k < 150; k++) {
        int stone;
        assert_int_equal(world_hand_take(world, 1 + k % 2, &stone), 0);
        world_hand_put(world, stone, rng_range(&rng, 0, 396), rng_range(&rng, 0, 396));
    }
    for (int i = 0; i < world->stone_count; i++) {
        const struct world_stone *a = &world->stone[i];
        for (int j = 0; j < i; j++) {
            const struct world_stone *b = &world->stone[j];
            if (a->place != PLACE_TABLE || b->place != PLACE_TABLE || a->z > 1 || b->z > 1)
                continue;
            assert_true(hypot(a->x - b->x, a->y - b->y) > a->radius + b->radius - 0.1);
        }
    }
}

static void lost_power_leaves_the_tool_where_it_is(void **state)
{
    (void)state;
    go(100, 100, 30);
    world_set_power(world, now, false);
    go(200, 150, 30);
    assert_true(hypot(world->tool.x - 100, world->tool.y - 100) < 0.01);
    world_set_power(world, now, true);
    go(210, 150, 30); // the firmware believes so; in truth it is 10 mm further right
    assert_true(hypot(world->tool.x - 110, world->tool.y - 100) < 0.2);
}

// Marbles lie where the hollows are: beyond the seam, and in a block that stands askew.
static void a_block_of_hollows_stands_askew_after_a_turn(void **state)
{
    (void)state;
    struct table_setup pentago;
    table_setup_default(&pentago);
    table_setup_pentago(0, &pentago);
    const struct setup_board *b = &pentago.board;
    double at[2];
    setup_board_at(b, 3, 2, at);
    assert_true(fabs(at[0] - (3 * b->pitch_x + b->seam)) < 1e-9);
    assert_true(fabs(at[1] - 2 * b->pitch_y) < 1e-9);
    struct world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    world_init(w, &pentago, 0);
    // Put down 3 mm beside F6, it rolls into the hollow.
    const int marble = world_add_stone(w, 1, 0, 0);
    setup_board_at(b, 5, 5, at);
    world_nudge(w, marble, at[0] + 3, at[1] - 2);
    assert_true(hypot(w->stone[marble].x - at[0], w->stone[marble].y - at[1]) < 1.5);
    world_turn_block(w, 2, 60);
    world_turn_block(w, 2, 30); // F6 goes to F4
    const double angle = world_block_angle(w, 2);
    assert_true(w->block_turn[1] == 0 && w->block_quarters[1] == 1);
    assert_true(angle != 0 && fabs(angle) < 4 * b->askew);
    double straight[2];
    setup_board_at(b, 5, 3, straight);
    world_hollow_at(w, 5, 3, at);
    const double off = hypot(at[0] - straight[0], at[1] - straight[1]);
    const double arm = hypot(b->pitch_x, b->pitch_y); // from the block's middle
    assert_true(fabs(off - arm * fabs(angle) * M_PI / 180) < 0.05);
    assert_true(hypot(w->stone[marble].x - at[0], w->stone[marble].y - at[1]) < 1.5);
    // A block that is turned back lies as it then stands, not as it stood.
    world_turn_block(w, 2, -90);
    world_hollow_at(w, 5, 5, at);
    assert_int_equal(w->block_quarters[1], 0);
    assert_true(hypot(w->stone[marble].x - at[0], w->stone[marble].y - at[1]) < 1.5);
    free(w);
}

static void a_block_turns_with_its_marbles(void **state)
{
    (void)state;
    struct table_setup pentago;
    table_setup_default(&pentago);
    pentago.board.kind = SETUP_BOARD_BLOCKS;
    pentago.board.columns = pentago.board.rows = 6;
    const double pitch = pentago.board.pitch_x;
    struct world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    world_init(w, &pentago, 0);
    // In the far left block's corner, and in the hollow beside it that belongs to the next block.
    int corner = world_add_stone(w, 1, 0, 5 * pitch),
        beside = world_add_stone(w, 2, 3 * pitch, 5 * pitch);
    assert_true(corner >= 0 && beside >= 0);
    world_turn_block(w, 1, 45);
    assert_true(w->block_turn[0] != 0);
    assert_false(world_turned_since(w));
    world_turn_block(w, 1, 45);
    assert_true(w->block_turn[0] == 0);
    assert_true(world_turned_since(w));
    assert_true(fabs(w->stone[corner].x - 2 * pitch) < 0.01);
    assert_true(fabs(w->stone[corner].y - 5 * pitch) < 0.01);
    assert_true(fabs(w->stone[beside].x - 3 * pitch) < 0.01);
    world_turn_block(w, 1, -90);
    assert_true(fabs(w->stone[corner].x) < 0.01);
    // What is put half beside a hollow rolls into it.
    world_nudge(w, corner, 0.35 * pitch, 0);
    assert_true(fabs(w->stone[corner].x) < 1.5);
    world_add_stone(w, 1, 2 * pitch, 0);
    assert_false(world_turned_since(w)); // after this one none was turned yet
    free(w);
}

static void a_hand_in_the_way_is_an_incident(void **state)
{
    (void)state;
    world->hand = (struct world_hand){
        .present = true, .x = 200, .y = 150, .z = 20, .stone = -1, .second = -1};
    go(300, 300, 40);
    assert_int_equal(world->incident_kind[INCIDENT_HAND], 0);
    go(200, 100, 40);
    assert_int_equal(world->incident_kind[INCIDENT_HAND], 1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(frames_turn_round),
        T(a_stone_is_carried_and_put_down),
        T(an_off_centre_grip_is_kept),
        T(too_far_off_or_too_high_does_not_grip),
        T(lifting_at_once_leaves_the_stone),
        T(a_pump_already_on_snatches_the_stone_off_centre),
        T(picks_fail_on_demand),
        T(a_magazine_gives_one_stone_after_the_other),
        T(an_empty_magazine_gives_nothing),
        T(a_carried_stone_hangs_on_without_a_vent),
        T(a_high_drop_scatters),
        T(a_stone_let_go_over_another_slides_off),
        T(a_low_carried_stone_strikes_a_standing_one),
        T(travel_height_clears_standing_stones),
        T(neighbours_do_not_touch_on_the_grid),
        T(pressing_too_deep_is_noticed),
        T(trays_keep_what_falls_into_them),
        T(stones_never_overlap),
        T(lost_power_leaves_the_tool_where_it_is),
        T(a_block_turns_with_its_marbles),
        T(a_block_of_hollows_stands_askew_after_a_turn),
        T(a_hand_in_the_way_is_an_incident),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
