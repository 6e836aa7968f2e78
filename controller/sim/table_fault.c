// Faults on purpose.
#include <errno.h>
#include <string.h>

#include "config/base/clock.h"
#include "controller/sim/table_private.h"

static const char *const NAMES[TABLE_FAULTS] = {
    [FAULT_PICK_FAILS] = "pick-fails",
    [FAULT_PICK_RATE] = "pick-rate",
    [FAULT_LOSE_STONE] = "lose-stone",
    [FAULT_SENSOR_STUCK] = "sensor-stuck",
    [FAULT_UNPLUG] = "unplug",
    [FAULT_REPLUG] = "replug",
    [FAULT_BROWN_OUT] = "brown-out",
    [FAULT_WRONG_BAUD] = "wrong-baud",
    [FAULT_STALL_REPLIES] = "stall-replies",
    [FAULT_LOSE_BYTES_IN] = "lose-bytes-in",
    [FAULT_LOSE_BYTES_OUT] = "lose-bytes-out",
    [FAULT_NOISE_OUT] = "noise-out",
    [FAULT_LIMIT_TRIP] = "limit-trip",
    [FAULT_LOSE_STEPS] = "lose-steps",
    [FAULT_LOOSE_BELT] = "loose-belt",
    [FAULT_HOMING_SWITCH] = "homing-switch",
    [FAULT_DOOR] = "door",
    [FAULT_CAMERA_GONE] = "camera-gone",
    [FAULT_CAMERA_STALL] = "camera-stall",
    [FAULT_CAMERA_TRUNCATE] = "camera-truncate",
    [FAULT_CAMERA_BUMP] = "camera-bump",
    [FAULT_CAMERA_BLUR] = "camera-blur",
    [FAULT_LIGHT_GAIN] = "light-gain",
    [FAULT_LIGHT_CLOUD] = "light-cloud",
    [FAULT_LIGHT_GLARE] = "light-glare",
    [FAULT_EXPOSURE_DRIFT] = "exposure-drift",
    [FAULT_ESTOP_WIRE] = "estop-wire",
    [FAULT_ESTOP_DEAD] = "estop-dead",
    [FAULT_PUMP_DEAD] = "pump-dead",
    [FAULT_PANEL_GONE] = "panel-gone",
};

const char *table_fault_name(enum table_fault fault)
{
    return (int)fault >= 0 && fault < TABLE_FAULTS ? NAMES[fault] : NULL;
}

int table_fault_from_name(const char *name, enum table_fault *ret)
{
    for (int i = 0; i < TABLE_FAULTS; i++) {
        if (strcmp(name, NAMES[i]) == 0) {
            *ret = (enum table_fault)i;
            return 0;
        }
    }
    return -EINVAL;
}

static void trip_limit(struct table *t, int64_t now)
{
    struct plotter *p = &t->state->plotter;
    const bool up[3] = {true, false, false};
    bool rest[3];
    memcpy(rest, p->limit_pin, sizeof rest);
    plotter_pins(p, now, up, p->probe_pin);
    plotter_pins(p, now, rest, p->probe_pin);
}

static void cable_fault(struct table *t, enum table_fault fault, double value, int64_t now)
{
    struct plotter *p = &t->state->plotter;
    switch (fault) {
    case FAULT_UNPLUG:
        port_unplug(t->port);
        break;
    case FAULT_REPLUG:
        port_plug(t->port, NULL);
        break;
    case FAULT_BROWN_OUT:
        plotter_restart(p, now);
        break;
    case FAULT_WRONG_BAUD:
        port_set_garbled(t->port, value != 0);
        break;
    case FAULT_STALL_REPLIES:
        port_stall(t->port, now + clock_span_ns(value));
        break;
    case FAULT_LOSE_BYTES_IN:
        port_lose_in(t->port, (int)value);
        break;
    case FAULT_LOSE_BYTES_OUT:
        port_lose_out(t->port, (int)value);
        break;
    case FAULT_NOISE_OUT:
        port_noise(t->port, now, (int)value);
        break;
    case FAULT_LIMIT_TRIP:
        trip_limit(t, now);
        break;
    case FAULT_LOSE_STEPS:
        world_slip_motors(&t->state->world, (const double[3]){value, value, 0});
        break;
    case FAULT_LOOSE_BELT:
        t->state->world.tool.belt = value;
        break;
    case FAULT_HOMING_SWITCH:
        t->state->dead_switch = value != 0;
        break;
    case FAULT_DOOR:
        plotter_door(p, now, value != 0);
        break;
    default:
        break;
    }
}

static void bump(struct table *t, double value)
{
    struct world *w = &t->state->world;
    struct scene_light *l = &t->state->light;
    for (int a = 0; a < 6; a++)
        l->bump[a] += value * rng_gaussian(&w->rng) * (a < 3 ? 1 : 1.2);
}

// Somewhere on the board; a lamp of usual size, mirrored in something not quite smooth.
static void glare(struct table *t, double value)
{
    struct world *w = &t->state->world;
    const struct setup_board *b = &w->setup.board;
    struct scene_glare *g = &t->state->light.glare;
    g->strength = value;
    double size[2];
    setup_board_at(b, b->columns - 1, b->rows - 1, size);
    g->x = rng_double(&w->rng) * size[0];
    g->y = rng_double(&w->rng) * size[1];
    g->radius = rng_range(&w->rng, 12, 40);
}

static void light_fault(struct table *t, enum table_fault fault, double value, int64_t now)
{
    struct scene_light *l = &t->state->light;
    switch (fault) {
    case FAULT_CAMERA_GONE:
        camera_set_gone(t->camera, value != 0);
        break;
    case FAULT_CAMERA_STALL:
        camera_set_stalled(t->camera, value != 0);
        break;
    case FAULT_CAMERA_TRUNCATE:
        camera_truncate(t->camera, (int)value);
        break;
    case FAULT_CAMERA_BUMP:
        bump(t, value);
        break;
    case FAULT_CAMERA_BLUR:
        l->blur = value;
        break;
    case FAULT_LIGHT_GAIN:
        l->gain = value;
        break;
    case FAULT_LIGHT_CLOUD:
        l->cloud = 1 - value;
        l->cloud_ns = now;
        break;
    case FAULT_LIGHT_GLARE:
        glare(t, value);
        break;
    case FAULT_EXPOSURE_DRIFT:
        l->drift = value;
        l->drift_ns = now;
        break;
    default:
        break;
    }
}

void table_fault(struct table *t, enum table_fault fault, double value)
{
    struct table_state *s = t->state;
    const int64_t now = loop_now(t->loop);
    table_now(t);
    switch (fault) {
    case FAULT_PICK_FAILS:
        s->world.pick_failures = (int)value;
        break;
    case FAULT_PICK_RATE:
        s->world.pick_failure = value;
        break;
    case FAULT_LOSE_STONE:
        s->world.tool.lose_ns = now + clock_span_ns(value);
        break;
    case FAULT_SENSOR_STUCK:
        s->world.sensor_stuck = (int)value;
        break;
    case FAULT_ESTOP_WIRE:
        s->broken_wire = value != 0;
        break;
    case FAULT_ESTOP_DEAD:
        s->dead_estop = value != 0;
        break;
    case FAULT_PUMP_DEAD:
        s->pump_dead = value != 0;
        break;
    case FAULT_PANEL_GONE:
        panel_lose_chip(t->panel);
        break;
    default:
        if (fault <= FAULT_DOOR)
            cable_fault(t, fault, value, now);
        else
            light_fault(t, fault, value, now);
        break;
    }
    table_power(t); // also brings panel and timer up to date
}
