// Where stones come to rest: scatter, trays, magazines, and room among other stones.
#include <math.h>

#include "controller/sim/world_private.h"

enum { SETTLE_SWEEPS = 80, PILE_TRIES = 30 };

#define TOUCH         0.02     // mm of overlap that is none
#define TABLE_LEFT    (-150.0) // mm: the table top ends there
#define TABLE_RIGHT   560.0
#define TABLE_NEAR    (-160.0)
#define TABLE_FAR     540.0
#define POCKET_REACH  7.0 // mm: a stone let go this close to a pocket's centre falls in
#define STACK_OVERLAP 1.0 // mm: more overlap than a touch of two stones

double world_dome(const struct world_stone *stone, double distance)
{
    const double d = distance / stone->radius;
    return d >= 1 ? -1 : stone->height * sqrt(1 - d * d);
}

// Pushes the pair apart; `share` of the way is made by a. Returns whether they overlapped.
static bool part(struct world_stone *a, struct world_stone *b, double share)
{
    double dx = a->x - b->x, dy = a->y - b->y;
    double d = hypot(dx, dy);
    const double overlap = a->radius + b->radius - d;
    if (overlap <= TOUCH)
        return false;
    if (d < 0.01) { // straight on top: it slides off the way it happens to be turned
        dx = cos(a->turn);
        dy = sin(a->turn);
        d = 1;
    }
    a->x += dx / d * overlap * share;
    a->y += dy / d * overlap * share;
    b->x -= dx / d * overlap * (1 - share);
    b->y -= dy / d * overlap * (1 - share);
    return true;
}

// Trays have walls.
static void confine(const struct table_setup *setup, struct world_stone *s, int tray)
{
    if (tray < 0)
        return;
    const struct setup_place *t = &setup->tray[tray];
    double machine[2], at[2];
    world_table_to_machine(setup, (const double[2]){s->x, s->y}, machine);
    const double w = t->width / 2 - s->radius, h = t->height / 2 - s->radius;
    machine[0] = fmax(t->x - w, fmin(t->x + w, machine[0]));
    machine[1] = fmax(t->y - h, fmin(t->y + h, machine[1]));
    world_machine_to_table(setup, machine, at);
    s->x = at[0];
    s->y = at[1];
}

static double underlay(const struct world *world, const struct world_stone *s)
{
    return world_sheet_height(&world->setup.board, s->x, s->y);
}

// One sweep over everything that lies: true when nothing overlapped any more.
static bool sweep(struct world *world, int landed, double share)
{
    bool rest = true;
    for (int i = 0; i < world->stone_count; i++) {
        struct world_stone *a = &world->stone[i];
        if (a->place != PLACE_TABLE || a->z > 1)
            continue;
        for (int j = i + 1; j < world->stone_count; j++) {
            struct world_stone *b = &world->stone[j];
            if (b->place != PLACE_TABLE || b->z > 1 || fabs(a->x - b->x) > 20)
                continue;
            const int trays[2] = {world_tray_at(&world->setup, a->x, a->y),
                                  world_tray_at(&world->setup, b->x, b->y)};
            if (!part(a, b, i == landed ? share : j == landed ? 1 - share : 0.5))
                continue;
            confine(&world->setup, a, trays[0]);
            confine(&world->setup, b, trays[1]);
            rest = false;
        }
    }
    return rest;
}

// Height of what a stone at (x, y) would lie on.
static double support(const struct world *world, int stone, double x, double y)
{
    const double radius = world->stone[stone].radius;
    double top = world_sheet_height(&world->setup.board, x, y);
    for (int i = 0; i < world->stone_count; i++) {
        const struct world_stone *o = &world->stone[i];
        if (i != stone && o->place == PLACE_TABLE && hypot(o->x - x, o->y - y) < radius)
            top = fmax(top, o->z + o->height);
    }
    return top;
}

// No room beside: it rolls down the heap to the lowest place it finds.
static void pile(struct world *world, int stone, int tray)
{
    struct world_stone *s = &world->stone[stone];
    const double x = s->x, y = s->y;
    double best = 1e9;
    for (int k = 0; k < PILE_TRIES; k++) {
        struct world_stone there = *s;
        there.x = x + (k ? rng_range(&world->rng, -40, 40) : 0);
        there.y = y + (k ? rng_range(&world->rng, -40, 40) : 0);
        confine(&world->setup, &there, tray);
        const double top = support(world, stone, there.x, there.y);
        if (top < best) {
            best = top;
            s->x = there.x;
            s->y = there.y;
            s->z = top;
        }
    }
}

// A marble that was put half beside its hollow rolls into it.
static void roll_into_hollow(struct world *world, struct world_stone *s)
{
    const struct setup_board *b = &world->setup.board;
    const double reach = 0.47 * fmin(b->pitch_x, b->pitch_y), rest = 0.2; // mm it may lie off
    double u, v, at[2];
    setup_board_place(b, (const double[2]){s->x, s->y}, &u, &v);
    u = round(u);
    v = round(v);
    world_hollow_at(world, u, v, at);
    if (b->kind != SETUP_BOARD_BLOCKS || hypot(s->x - at[0], s->y - at[1]) > reach || u < 0 ||
        v < 0 || u > b->columns - 1 || v > b->rows - 1)
        return;
    s->x = at[0] + rest * rng_gaussian(&world->rng);
    s->y = at[1] + rest * rng_gaussian(&world->rng);
}

void world_settle(struct world *world, int stone)
{
    struct world_stone *s = &world->stone[stone];
    world->version++;
    roll_into_hollow(world, s);
    const int tray = world_tray_at(&world->setup, s->x, s->y);
    s->z = underlay(world, s);
    confine(&world->setup, s, tray);
    int sweeps = 0;
    while (sweeps < SETTLE_SWEEPS && !sweep(world, stone, 0.8))
        sweeps++;
    // Only what fell into a tray can find it full; a stone on the board lies where it was put, even
    // while stones elsewhere still push each other.
    if (sweeps == SETTLE_SWEEPS && tray >= 0)
        pile(world, stone, tray);
    for (int i = 0; i < world->stone_count; i++) {
        struct world_stone *o = &world->stone[i];
        if (o->place != PLACE_TABLE ||
            (o->x >= TABLE_LEFT && o->x <= TABLE_RIGHT && o->y >= TABLE_NEAR && o->y <= TABLE_FAR))
            continue;
        o->place = PLACE_FLOOR;
        world_incident(world, INCIDENT_FLOOR, i, -1, o->x, o->y);
    }
}

// The store whose pocket a stone let go at s falls into, or -1.
static int pocket_below(const struct world *world, const struct world_stone *s)
{
    for (int c = 0; c < world->setup.stones.colours; c++) {
        const struct setup_place *store = &world->setup.store[c];
        double at[2];
        world_machine_to_table(&world->setup, (const double[2]){store->x, store->y}, at);
        if (hypot(s->x - at[0], s->y - at[1]) <= POCKET_REACH)
            return c;
    }
    return -1;
}

void world_land(struct world *world, int stone, double fall)
{
    struct world_stone *s = &world->stone[stone];
    const int store = pocket_below(world, s);
    if (store >= 0) {
        s->place = PLACE_STORE;
        s->holder = (int8_t)store;
        world->version++;
        return;
    }
    const int tray = world_tray_at(&world->setup, s->x, s->y);
    if (fall > WORLD_FALL && tray < 0)
        world_incident(world, INCIDENT_DROPPED, stone, -1, s->x, s->y);
    const double slip = fall < 0 ? 0 : 0.22 * fall;
    s->x += slip * rng_gaussian(&world->rng);
    s->y += slip * rng_gaussian(&world->rng);
    for (int i = 0; i < world->stone_count && tray < 0; i++) {
        const struct world_stone *o = &world->stone[i];
        if (i != stone && o->place == PLACE_TABLE &&
            hypot(o->x - s->x, o->y - s->y) < o->radius + s->radius - STACK_OVERLAP) {
            world_incident(world, INCIDENT_STACKED, stone, i, s->x, s->y);
            break;
        }
    }
    world_settle(world, stone);
}
