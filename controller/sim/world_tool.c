// The arm's end in the world: where it truly is, what the cup touches, what it strikes.
#include <math.h>

#include "controller/sim/world_private.h"

#define CUP_RADIUS   3.0  // mm, the lip
#define CUP_YIELD    1.8  // mm the bellows gives before it presses hard
#define MIDDLE       4.0  // mm
#define JUMP         2.0  // mm: an open cup with the pump on snatches a stone this far below it
#define JUMP_PLAY    0.9  // σ mm: … and takes it off its centre
#define END_PLAY     1.0  // mm the gantry can run past its travel
#define HAND_REACH   45.0 // mm around the finger tips
#define ARM_HALF     35.0 // mm, half the width of hand and fore-arm
#define SWITCH_PLAY  0.01 // σ mm of a home switch
#define BELT_STRETCH 20.0 // mm of travel after which a loose belt hangs another way
#define BOARD_YIELD  1.2  // mm a carried stone may be pushed into the sheet

// --- where it is ---

static void place_tool(struct world *world, const double commanded[3])
{
    struct world_tool *tool = &world->tool;
    const struct setup_machine *m = &world->setup.machine;
    for (int a = 0; a < 3; a++) {
        tool->commanded[a] = commanded[a];
        double want = commanded[a] - tool->lost[a];
        if (!tool->powered) {
            tool->lost[a] = commanded[a] - tool->machine[a];
            continue;
        }
        const double low = -m->travel[a] - END_PLAY, high = END_PLAY;
        if (want < low || want > high) {
            const double end = want < low ? low : high;
            if (fabs(tool->machine[a] - end) > 0.01)
                world_incident(world, INCIDENT_CRASH, -1, -1, tool->x, tool->y);
            tool->lost[a] += want - end;
            want = end;
        }
        want += a < 2 ? tool->hang[a] : 0;
        const double play = a < 2 ? m->backlash / 2 : 0;
        tool->machine[a] = fmax(want - play, fmin(want + play, tool->machine[a]));
    }
    double at[2];
    world_machine_to_table(&world->setup, tool->machine, at);
    tool->x = at[0];
    tool->y = at[1];
    tool->z = tool->machine[2] - m->surface_z;
}

void world_rename_position(struct world *world, const double commanded[3], const bool axis[3],
                           bool homed)
{
    struct world_tool *tool = &world->tool;
    for (int a = 0; a < 3; a++) {
        if (!axis[a])
            continue;
        tool->commanded[a] = commanded[a];
        tool->lost[a] =
            homed ? SWITCH_PLAY * rng_gaussian(&world->rng) : commanded[a] - tool->machine[a];
    }
    place_tool(world, tool->commanded);
}

void world_set_power(struct world *world, int64_t t_ns, bool powered)
{
    world_advance(world, t_ns);
    world->tool.powered = powered;
}

void world_slip_motors(struct world *world, const double further[3])
{
    for (int a = 0; a < 3; a++)
        world->tool.lost[a] -= further[a];
    place_tool(world, world->tool.commanded);
}

double world_switch_distance(const struct world *world, int axis, bool at_min)
{
    const double at = world->tool.commanded[axis] - world->tool.lost[axis];
    return at_min ? at + world->setup.machine.travel[axis] : -at;
}

// --- what the cup touches ---

static bool within_reach(const struct world *world, int stone)
{
    const struct world_stone *s = &world->stone[stone];
    return s->place == PLACE_TABLE ||
           (s->place == PLACE_STORE && world->store[s->holder].exposed == stone);
}

// Height of what lies at (x, y): the dome of a stone that can be gripped there, or the sheet.
static double surface_at(const struct world *world, double x, double y, int except)
{
    double top = world_sheet_height(&world->setup.board, x, y);
    for (int i = 0; i < world->stone_count; i++) {
        const struct world_stone *s = &world->stone[i];
        if (fabs(s->x - x) > s->radius || fabs(s->y - y) > s->radius || i == except ||
            !within_reach(world, i))
            continue;
        const double dome = world_dome(s, hypot(s->x - x, s->y - y));
        if (dome >= 0)
            top = fmax(top, s->z + dome);
    }
    return top;
}

bool world_touching(const struct world *world)
{
    const struct world_tool *tool = &world->tool;
    const double lip = tool->held ? tool->z - world->stone[tool->sealed].height : tool->z;
    return lip <= surface_at(world, tool->x, tool->y, tool->held ? tool->sealed : -1);
}

// The stone the cup could seal on from here, or -1.
static int stone_below(const struct world *world, double above)
{
    const struct world_tool *tool = &world->tool;
    const struct setup_gripper *g = &world->setup.gripper;
    int best = -1;
    double nearest = g->lateral_tolerance;
    for (int i = 0; i < world->stone_count; i++) {
        const struct world_stone *s = &world->stone[i];
        if (fabs(s->x - tool->x) > nearest || fabs(s->y - tool->y) > nearest ||
            !within_reach(world, i))
            continue;
        const double gap = tool->z - (s->z + s->height);
        const double off = hypot(s->x - tool->x, s->y - tool->y);
        if (off <= nearest && gap <= above && gap >= -CUP_YIELD) {
            nearest = off;
            best = i;
        }
    }
    return best;
}

static bool dice_leak(struct world *world)
{
    if (world->pick_failures > 0) {
        world->pick_failures--;
        return true;
    }
    return rng_double(&world->rng) < world->pick_failure;
}

void world_contact(struct world *world, int64_t t_ns)
{
    struct world_tool *tool = &world->tool;
    const struct world_vacuum *v = &world->vacuum;
    if (tool->held)
        return;
    const double height = world->setup.gripper.height_tolerance;
    const bool sucking = v->pump && !v->vent && !v->dead;
    if (tool->sealed >= 0) {
        // Not yet strong enough to lift: the seal breaks when the cup goes up.
        if (stone_below(world, tool->snatched ? JUMP : height) != tool->sealed) {
            tool->sealed = -1;
            world_vacuum_retarget(world, t_ns);
        }
        return;
    }
    int below = stone_below(world, height);
    const bool snatched = below < 0 && sucking && (below = stone_below(world, JUMP)) >= 0;
    if (below < 0)
        tool->touching = -1;
    if (below < 0 || !sucking || tool->touching == below)
        return;
    tool->touching = below;
    if (dice_leak(world))
        return;
    struct world_stone *s = &world->stone[below];
    tool->sealed = below;
    tool->snatched = snatched;
    tool->grip_x = s->x - tool->x;
    tool->grip_y = s->y - tool->y;
    if (snatched) {
        tool->grip_x += JUMP_PLAY * rng_gaussian(&world->rng);
        tool->grip_y += JUMP_PLAY * rng_gaussian(&world->rng);
    }
    world_vacuum_retarget(world, t_ns);
}

void world_let_go(struct world *world, int64_t t_ns)
{
    struct world_tool *tool = &world->tool;
    const int i = tool->sealed;
    struct world_stone *s = &world->stone[i];
    tool->held = false;
    tool->sealed = -1;
    tool->touching = i; // not taken again before the cup has left it
    s->place = PLACE_TABLE;
    const double slip = world->setup.gripper.slip;
    const double fall = s->z - surface_at(world, s->x, s->y, i);
    s->x += slip * rng_gaussian(&world->rng);
    s->y += slip * rng_gaussian(&world->rng);
    world_land(world, i, fmax(0, fall));
    world_vacuum_retarget(world, t_ns);
}

// --- what it strikes ---

// Something round of this radius, its flat underside at height `under`, against standing stones.
static void strike(struct world *world, double x, double y, double radius, double under, int self)
{
    for (int i = 0; i < world->stone_count; i++) {
        struct world_stone *s = &world->stone[i];
        if (s->place != PLACE_TABLE || i == self || fabs(s->x - x) > s->radius + radius)
            continue;
        const double d = hypot(s->x - x, s->y - y);
        const double dome = world_dome(s, fmax(0, d - radius));
        if (dome < 0 || s->z + dome <= under + 0.2)
            continue;
        world_incident(world, INCIDENT_STRUCK, i, self, s->x, s->y);
        const double away = s->radius + radius + 0.3 - d;
        const double ux = d > 0.01 ? (s->x - x) / d : 1, uy = d > 0.01 ? (s->y - y) / d : 0;
        world_nudge(world, i, ux * away, uy * away);
    }
}

static void press(struct world *world, double depth, double limit, int stone)
{
    struct world_tool *tool = &world->tool;
    if (depth <= limit) {
        tool->pressed = tool->pressed && depth > 0;
    } else if (!tool->pressed) {
        tool->pressed = true;
        world_incident(world, INCIDENT_PRESSED, stone, -1, tool->x, tool->y);
    }
}

static void meet_hand(struct world *world)
{
    const struct world_hand *h = &world->hand;
    struct world_tool *tool = &world->tool;
    if (!h->present)
        return;
    const double dx = tool->x - h->x, dy = tool->y - h->y;
    const double along = -dx * sin(h->angle) - dy * cos(h->angle); // towards the elbow
    const double across = dx * cos(h->angle) - dy * sin(h->angle);
    const bool met = hypot(dx, dy) < HAND_REACH || (along > 0 && fabs(across) < ARM_HALF);
    const struct world_incident *last =
        &world->incident[(world->incident_count + WORLD_INCIDENTS_KEPT - 1) % WORLD_INCIDENTS_KEPT];
    const bool told = world->incident_count > 0 && last->kind == INCIDENT_HAND &&
                      world->time_ns - last->time_ns < 1000000000;
    if (met && !told)
        world_incident(world, INCIDENT_HAND, -1, -1, tool->x, tool->y);
}

// A loose belt slips on its pulley as the carriage travels; straight up and down it stays.
static void hang_anew(struct world *world, const double commanded[3])
{
    struct world_tool *tool = &world->tool;
    if (hypot(commanded[0] - tool->hung_at[0], commanded[1] - tool->hung_at[1]) < BELT_STRETCH)
        return;
    for (int a = 0; a < 2; a++) {
        tool->hang[a] = tool->belt * rng_range(&world->rng, -1, 1);
        tool->hung_at[a] = commanded[a];
    }
}

void world_move_tool(struct world *world, int64_t t_ns, const double commanded[3], bool moving)
{
    struct world_tool *tool = &world->tool;
    world_advance(world, t_ns);
    if (tool->belt > 0)
        hang_anew(world, commanded);
    place_tool(world, commanded);
    tool->moving = moving;
    world_contact(world, t_ns);
    const double highest = 4 * world->setup.stones.height;
    if (moving)
        meet_hand(world);
    if (tool->held) {
        struct world_stone *s = &world->stone[tool->sealed];
        s->x = tool->x + tool->grip_x;
        s->y = tool->y + tool->grip_y;
        s->z = tool->z - s->height;
        world->version++;
        if (!moving || s->z > highest)
            return;
        strike(world, s->x, s->y, s->radius, s->z, tool->sealed);
        press(world, surface_at(world, s->x, s->y, tool->sealed) - s->z, BOARD_YIELD, tool->sealed);
    } else if (moving && tool->z < highest) {
        const int below = stone_below(world, 0.5);
        // Coming down on a stone's middle presses it; further out it is pushed aside.
        const int middle = world_find(world, tool->x, tool->y, MIDDLE);
        if (tool->z < world->setup.stones.height - CUP_YIELD && below < 0)
            strike(world, tool->x, tool->y, CUP_RADIUS, tool->z, middle);
        press(world, surface_at(world, tool->x, tool->y, -1) - tool->z, CUP_YIELD, below);
    }
}
