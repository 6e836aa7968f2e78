// The vacuum: a level between 0 and 1 that approaches its target exponentially.
#include <math.h>

#include "config/base/clock.h"
#include "controller/sim/world_private.h"

double world_vacuum_level(const struct world *world, int64_t t_ns)
{
    const struct world_vacuum *v = &world->vacuum;
    const double elapsed = (double)(t_ns - v->since_ns);
    return elapsed <= 0 ? v->level : v->target + (v->level - v->target) * exp(-elapsed / v->tau_ns);
}

int world_pick_sensor(const struct world *world, int64_t t_ns)
{
    if (world->sensor_stuck >= 0)
        return world->sensor_stuck;
    return world_vacuum_level(world, t_ns) >= VACUUM_SENSE;
}

// Levels and times of a small diaphragm pump: 40 ms to pull a sealed cup down; an open cup lets so
// much air in that the level stays low; a vent empties the line at once; with the pump off and no
// vent a sealed line holds its vacuum for more than a second, and the stone hangs.
void world_vacuum_retarget(struct world *world, int64_t t_ns)
{
    struct world_vacuum *v = &world->vacuum;
    const bool sealed = world->tool.sealed >= 0, pumping = v->pump && !v->dead;
    v->level = world_vacuum_level(world, t_ns);
    v->since_ns = t_ns;
    if (v->vent) {
        v->target = pumping ? 0.04 : 0;
        v->tau_ns = 25 * NS_PER_MS;
    } else if (pumping) {
        v->target = sealed ? 1 : 0.12;
        v->tau_ns = 40 * NS_PER_MS;
    } else {
        v->target = 0;
        v->tau_ns = sealed ? 1500 * NS_PER_MS : 12 * NS_PER_MS;
    }
}

void world_set_vacuum(struct world *world, int64_t t_ns, bool pump, bool vent)
{
    world_advance(world, t_ns);
    world->vacuum.pump = pump;
    world->vacuum.vent = vent;
    world_vacuum_retarget(world, t_ns);
    world_contact(world, t_ns);
}

// When the level passes `threshold` after since_ns, INT64_MAX = never.
static int64_t crossing(const struct world_vacuum *v, double threshold)
{
    const double from = v->level - threshold, to = v->target - threshold;
    if (from == 0 || to == 0 || (from > 0) == (to > 0))
        return INT64_MAX;
    return v->since_ns + (int64_t)ceil(v->tau_ns * log((v->level - v->target) / -to)) + 1;
}

static int64_t sooner(int64_t a, int64_t b, int64_t after)
{
    return b > after && b < a ? b : a;
}

int64_t world_next(const struct world *world)
{
    const int64_t now = world->time_ns;
    int64_t next = world->tool.held ? world->tool.lose_ns : INT64_MAX;
    next = sooner(next, crossing(&world->vacuum, VACUUM_HOLD), now);
    next = sooner(next, crossing(&world->vacuum, VACUUM_SENSE), now);
    for (int c = 0; c < world->setup.stones.colours; c++)
        if (world->store[c].exposed < 0)
            next = sooner(next, world->store[c].ready_ns, now);
    return next;
}

static void advance_to(struct world *world, int64_t t_ns)
{
    struct world_tool *tool = &world->tool;
    world->time_ns = t_ns;
    if (tool->held && t_ns >= tool->lose_ns) {
        tool->lose_ns = INT64_MAX;
        world_let_go(world, t_ns);
    }
    const bool strong = world_vacuum_level(world, t_ns) >= VACUUM_HOLD;
    if (tool->sealed >= 0 && strong && !tool->held) {
        tool->held = true;
        world->stone[tool->sealed].place = PLACE_CUP;
        world->version++;
    } else if (tool->held && !strong) {
        world_let_go(world, t_ns);
    }
    world_refill_pockets(world, t_ns);
}

void world_advance(struct world *world, int64_t t_ns)
{
    for (int64_t next; (next = world_next(world)) <= t_ns;)
        advance_to(world, next);
    if (t_ns > world->time_ns)
        advance_to(world, t_ns);
}

void world_shift_time(struct world *world, int64_t delta_ns)
{
    world->time_ns += delta_ns;
    world->vacuum.since_ns += delta_ns;
    if (world->tool.lose_ns != INT64_MAX)
        world->tool.lose_ns += delta_ns;
    for (int c = 0; c < SETUP_COLOURS; c++)
        world->store[c].ready_ns += delta_ns;
}
