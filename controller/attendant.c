#include "controller/attendant.h"

#include <errno.h>
#include <stdlib.h>

#include "config/base/clock.h"
#include "controller/sim/person.h"
#include "controller/sim/world.h"

static const int64_t REACTION_NS = 1500 * NS_PER_MS;
static const int64_t LOOKING_NS = 120 * NS_PER_S; // nobody else would wait longer for a clear look
enum { ANSWERS_MAX = 5, STORE_LOW = 5, STORE_FULL = 60 };

struct attendant {
    struct loop *loop;
    struct table *table;
    struct robot *robot;
    struct loop_source *timer;
    struct attendant_events events;
    enum robot_state state;
    bool alone, started;
    int answers; // without a move in between
    int moves;
};

static void fill_stores(struct attendant *a)
{
    struct table_ledger ledger;
    table_ledger(a->table, &ledger);
    for (int c = 1; c <= table_setup_of(a->table)->stones.colours; c++) {
        if (ledger.store[c] <= STORE_LOW)
            table_fill_store(a->table, c, STORE_FULL);
    }
}

// Turns the block that the robot asks for, or one that somebody left half turned.
static bool turn_block(struct attendant *a)
{
    const struct world *world = table_world(a->table);
    struct person_task task = {0};
    if (person_busy(table_person(a->table)))
        return true; // at it
    robot_turn_asked(a->robot, &task.block, &task.turn);
    for (int b = 0; b < WORLD_BLOCKS && !task.block; b++) {
        if (world->block_turn[b] != 0) {
            task.block = b + 1;
            task.turn = world->block_turn[b] > 0 ? 1 : -1;
        }
    }
    return task.block && person_do(table_person(a->table), &task, NULL, NULL) == 0;
}

// What may have fallen off the cup. If it was a move after all, the person makes it again.
static bool take_off(struct attendant *a)
{
    const struct table_setup *setup = table_setup_of(a->table);
    struct point at;
    return robot_whose_asked(a->robot, &at) &&
           table_take_stone(a->table, at.x * setup->board.pitch_x, at.y * setup->board.pitch_y) ==
               0;
}

static void empty_trays(struct attendant *a)
{
    for (int c = 1; c <= table_setup_of(a->table)->stones.colours; c++)
        table_empty_tray(a->table, c);
}

static void give_up(struct attendant *a)
{
    if (a->events.gave_up)
        a->events.gave_up(a->events.user);
}

static void on_timer(void *user, int64_t now)
{
    (void)now;
    struct attendant *a = user;
    if (a->state == ROBOT_STOPPED) {
        if (a->events.does)
            a->events.does(a->events.user, "the simulated helper at the table presses reset");
        table_press(a->table, GPIO_BUTTON_RESET);
        // The button is ignored while the cause lasts: come back.
        loop_source_set_due(a->timer, loop_now(a->loop) + 2 * REACTION_NS);
        return;
    }
    if (a->state == ROBOT_LOOKING) {
        give_up(a);
        return;
    }
    if (a->state == ROBOT_TURNING) {
        bool busy = person_busy(table_person(a->table));
        if (!busy && a->events.does)
            a->events.does(a->events.user, "the simulated helper at the table turns the block");
        if (busy || !turn_block(a))
            loop_source_set_due(a->timer, loop_now(a->loop) + REACTION_NS);
        return;
    }
    int moves = robot_counts(a->robot)->moves;
    if (moves != a->moves)
        a->answers = 0;
    a->moves = moves;
    if (++a->answers > ANSWERS_MAX) {
        give_up(a);
        return;
    }
    if (take_off(a)) { // the robot sees it
        loop_source_set_due(a->timer, loop_now(a->loop) + 2 * REACTION_NS);
        return;
    }
    fill_stores(a);
    if (robot_emptying_asked(a->robot))
        empty_trays(a);
    if (turn_block(a)) {
        loop_source_set_due(a->timer, loop_now(a->loop) + 2 * REACTION_NS);
        return;
    }
    robot_retry(a->robot);
}

int attendant_new(struct loop *loop, struct table *table, bool alone,
                  const struct attendant_events *events, struct attendant **ret)
{
    struct attendant *a = calloc(1, sizeof *a);
    if (!a)
        return -ENOMEM;
    *a = (struct attendant){.loop = loop, .table = table, .alone = alone, .events = *events};
    int r = loop_add_timer(loop, INT64_MAX, on_timer, a, &a->timer);
    if (r < 0) {
        free(a);
        return r;
    }
    *ret = a;
    return 0;
}

struct attendant *attendant_free(struct attendant *a)
{
    if (!a)
        return NULL;
    loop_source_free(a->timer);
    free(a);
    return NULL;
}

void attendant_on_state(struct attendant *a, struct robot *robot, enum robot_state state)
{
    a->robot = robot;
    a->state = state;
    a->started = a->started || state == ROBOT_HOMING;
    bool needed = a->alone ? state == ROBOT_STOPPED || state == ROBOT_ASKING
                           : state == ROBOT_STOPPED && !a->started;
    needed = needed || state == ROBOT_TURNING;
    int64_t now = loop_now(a->loop);
    if (needed)
        loop_source_set_due(a->timer, now + REACTION_NS);
    else
        loop_source_set_due(a->timer,
                            a->alone && state == ROBOT_LOOKING ? now + LOOKING_NS : INT64_MAX);
}
