// The person at the simulated table: places, lifts, presses and blunders, on a virtual loop.
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/host_rig.h"

static struct host host;

static int set_up(void **state)
{
    (void)state;
    host_setup(&host);
    host_start(&host, NULL);
    host_open(&host);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    host_account(&host);
    host_stop(&host);
    return 0;
}

static int person_result;

static void person_done(void *user, int result)
{
    person_result = result;
    loop_exit(((struct host *)user)->loop, 0);
}

static void keep_result(void *user, int result)
{
    *(int *)user = result;
}

static double do_task(const struct person_task *task)
{
    const int64_t start = loop_now(host.loop);
    person_result = 1;
    assert_int_equal(person_do(table_person(host.table), task, person_done, &host), 0);
    assert_int_equal(loop_run(host.loop), 0);
    return (double)(loop_now(host.loop) - start) / 1e9;
}

static void the_person_places_a_stone_and_presses(void **state)
{
    (void)state;
    struct gpio *gpio = table_gpio(host.table);
    double mean = 0;
    for (int i = 0; i < 12; i++) {
        const struct person_task task = {
            .colour = 1 + i % 2, .column = i, .row = 18 - i, .press = true};
        const double took = do_task(&task);
        assert_int_equal(person_result, 0);
        mean += took / 12;
        assert_true(took > 1.4 && took < 4);
        assert_int_equal(host_truth_at(&host, i, 18 - i), 1 + i % 2);
        assert_int_equal(gpio->ops->get(gpio->impl, GPIO_BUTTON_DONE), 1);
        host_run(&host, 0.2);
        assert_int_equal(gpio->ops->get(gpio->impl, GPIO_BUTTON_DONE), 0);
    }
    assert_true(mean > 1.7 && mean < 3.2);
    assert_int_equal(host_stones_on_board(&host), 12);
    // Not one of them lies exactly on its point, none more than 0.4 of the pitch beside.
    const struct world *w = table_world(host.table);
    for (int i = 0; i < w->stone_count; i++) {
        const struct world_stone *s = &w->stone[i];
        if (s->place != PLACE_TABLE)
            continue;
        const double off = hypot(s->x - 22 * round(s->x / 22), s->y - 22 * round(s->y / 22));
        assert_true(off > 0 && off < 8.8);
    }
}

static void the_person_lifts_into_trays(void **state)
{
    (void)state;
    table_put_stone(host.table, 2, 5 * 22, 5 * 22);
    table_put_stone(host.table, 2, 6 * 22, 5 * 22);
    const struct person_task task = {
        .colour = 1, .column = 7, .row = 5, .lifts = 3, .lift = {{5, 5}, {6, 5}, {0, 0}}};
    do_task(&task);
    assert_int_equal(person_result, -ENOENT); // nothing lies at A1; the rest was done
    struct table_ledger l;
    table_ledger(host.table, &l);
    assert_int_equal(l.tray[2], 2);
    assert_int_equal(l.board[1], 1);
    assert_int_equal(l.board[2], 0);
}

static void the_person_blunders_on_demand(void **state)
{
    (void)state;
    struct person_task task = {.colour = 1, .column = 9, .row = 9};
    task.blunders = PERSON_WRONG_COLOUR;
    do_task(&task);
    assert_int_equal(host_truth_at(&host, 9, 9), 2);
    task = (struct person_task){.colour = 1, .column = 3, .row = 3, .blunders = PERSON_TWO_STONES};
    do_task(&task);
    assert_int_equal(host_stones_on_board(&host), 3);
    const struct world *w = table_world(host.table);
    const int i = world_find(w, 9 * 22, 9 * 22, 11);
    const double x = w->stone[i].x, y = w->stone[i].y;
    task = (struct person_task){.colour = 1, .column = 10, .row = 9, .blunders = PERSON_NUDGES};
    do_task(&task);
    w = table_world(host.table);
    assert_true(hypot(w->stone[i].x - x, w->stone[i].y - y) > 2.5);
    task = (struct person_task){.colour = 1,
                                .column = 15,
                                .row = 9,
                                .press = true,
                                .blunders = PERSON_HESITATES | PERSON_RESTS | PERSON_NO_BUTTON};
    assert_true(do_task(&task) > 5);
    struct gpio *gpio = table_gpio(host.table);
    assert_int_equal(gpio->ops->get(gpio->impl, GPIO_BUTTON_DONE), 0);
}

static void the_person_is_one_person(void **state)
{
    (void)state;
    struct person *p = table_person(host.table);
    int stopped = 0;
    const struct person_task task = {.colour = 1, .column = 9, .row = 9};
    const struct person_task off = {.colour = 1, .column = 19, .row = 9};
    assert_int_equal(person_do(p, &off, NULL, NULL), -EINVAL);
    assert_int_equal(person_do(p, &task, keep_result, &stopped), 0);
    assert_int_equal(person_do(p, &task, NULL, NULL), -EBUSY);
    host_run(&host, 0.9);
    struct table_ledger l;
    table_ledger(host.table, &l);
    assert_int_equal(l.hand, 1);
    person_stop(p);
    assert_int_equal(stopped, -ECANCELED);
    assert_false(person_busy(p));
    table_ledger(host.table, &l);
    assert_int_equal(l.hand, 0);
    const int from[2] = {2, 2}, to[2] = {4, 4};
    table_put_stone(host.table, 2, 44, 44);
    assert_int_equal(person_move_stone(p, from, to, person_done, &host), 0);
    loop_run(host.loop);
    assert_int_equal(host_truth_at(&host, 4, 4), 2);
}

static void an_empty_bowl_is_told(void **state)
{
    (void)state;
    host_stop(&host);
    host_setup(&host);
    host.setup.bowl[0].count = 1;
    host_start(&host, NULL);
    const struct person_task task = {.colour = 1, .column = 9, .row = 9};
    do_task(&task);
    assert_int_equal(person_result, 0);
    const struct person_task more = {.colour = 1, .column = 10, .row = 9};
    do_task(&more);
    assert_int_equal(person_result, -ENOENT);
    assert_int_equal(host_stones_on_board(&host), 1);
}

static void owners_tidy_up(void **state)
{
    (void)state;
    struct table_ledger before, after;
    double at[2];
    world_machine_to_table(&host.setup,
                           (const double[2]){host.setup.tray[1].x, host.setup.tray[1].y}, at);
    table_put_stone(host.table, 2, at[0], at[1]);
    table_ledger(host.table, &before);
    assert_int_equal(before.tray[2], 1);
    table_empty_tray(host.table, 2);
    table_fill_store(host.table, 2, 5);
    table_ledger(host.table, &after);
    assert_int_equal(after.store[2], before.store[2] + 6);
    assert_int_equal(after.tray[2], 0);
    assert_int_equal(table_take_stone(host.table, 100, 100), -ENOENT);
}

static void owners_turn_blocks(void **state)
{
    (void)state;
    assert_int_equal(table_turn_block(host.table, 1, 90), -EINVAL); // no board of blocks
    host_stop(&host);
    host_setup(&host);
    host.setup.board.kind = SETUP_BOARD_BLOCKS;
    host.setup.board.columns = host.setup.board.rows = 6;
    host_start(&host, NULL);
    table_put_stone(host.table, 2, 5 * host.setup.board.pitch_x, 5 * host.setup.board.pitch_y);
    static const struct {
        int block;
        double degrees;
    } WRONG[] = {{0, 90}, {WORLD_BLOCKS + 1, 90}, {2, 91}, {2, -91}, {2, NAN}};
    for (size_t k = 0; k < sizeof WRONG / sizeof *WRONG; k++)
        assert_int_equal(table_turn_block(host.table, WRONG[k].block, WRONG[k].degrees), -EINVAL);
    assert_int_equal(host_truth_at(&host, 5, 5), 2);
    assert_int_equal(table_turn_block(host.table, 2, 30), 0);
    assert_true(table_world(host.table)->block_turn[1] == 30); // it stays half turned
    assert_int_equal(table_turn_block(host.table, 2, 60), 0);
    assert_int_equal(host_truth_at(&host, 5, 3), 2);
    assert_int_equal(table_turn_block(host.table, 2, -90), 0);
    assert_int_equal(host_truth_at(&host, 5, 5), 2);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(the_person_places_a_stone_and_presses),
        T(the_person_lifts_into_trays),
        T(the_person_blunders_on_demand),
        T(the_person_is_one_person),
        T(an_empty_bowl_is_told),
        T(owners_tidy_up),
        T(owners_turn_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
