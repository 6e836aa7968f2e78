// The table: brings world, firmware, cable, panel, person and camera together and moves them
// through time in one order.
#include "controller/sim/table.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "controller/sim/table_private.h"

#define STEP_NS        (20 * NS_PER_MS) // the loop looks at a moving machine this often
#define PRESS_NS       (120 * NS_PER_MS)
#define LAST_MOTION_NS (60 * NS_PER_S) // the longest that planned motion can take
#define STOP_ACCEL     5000.0          // mm/s²: a gantry whose motors stop dead

// --- time ---

static void look_at_sensor(struct table *t, int64_t t_ns)
{
    panel_set_input(t->panel, GPIO_PICK_SENSOR, world_pick_sensor(&t->state->world, t_ns), t_ns);
}

static void look_at_pins(struct table *t, int64_t t_ns)
{
    const struct world *w = &t->state->world;
    struct plotter *p = &t->state->plotter;
    bool limit[3], probe = world_touching(w), changed;
    if (w->setup.gripper.probe_is_sensor)
        probe = world_pick_sensor(w, t_ns);
    changed = probe != p->probe_pin;
    for (int a = 0; a < 3; a++) {
        limit[a] = world_switch_distance(w, a, a < 2) <= 0 || t->trip;
        changed = changed || limit[a] != p->limit_pin[a];
    }
    if (changed)
        plotter_pins(p, t_ns, limit, probe);
}

// Everything up to t_ns, which is not later than the next event.
static void advance_to(struct table *t, int64_t t_ns)
{
    struct world *w = &t->state->world;
    struct plotter *p = &t->state->plotter;
    double at[3];
    const bool was_moving = plotter_moving(p);
    if (was_moving) {
        person_pose(t->person, t_ns, &w->hand);
        plotter_position(p, t_ns, at);
        world_move_tool(w, t_ns, at, true);
    } else {
        world_advance(w, t_ns);
    }
    plotter_advance(p, t_ns);
    if (was_moving) {
        plotter_position(p, t_ns, at);
        world_move_tool(w, t_ns, at, plotter_moving(p));
    }
    while (port_next_in(t->port) <= t_ns)
        plotter_receive(p, t_ns, port_take_in(t->port));
    look_at_pins(t, t_ns);
    look_at_sensor(t, t_ns);
}

static int64_t soonest(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t next_event(const struct table *t)
{
    return soonest(soonest(port_next_in(t->port), plotter_next(&t->state->plotter)),
                   world_next(&t->state->world));
}

void table_advance(struct table *t, int64_t now_ns)
{
    struct world *w = &t->state->world;
    for (;;) {
        int64_t next = next_event(t);
        if (plotter_moving(&t->state->plotter)) {
            const int64_t tick = (w->time_ns / WORLD_TICK_NS + 1) * WORLD_TICK_NS;
            next = soonest(next, tick);
        }
        if (next > now_ns)
            break;
        advance_to(t, next > w->time_ns ? next : w->time_ns);
    }
    if (now_ns > w->time_ns)
        advance_to(t, now_ns);
    port_flush(t->port, now_ns);
}

// After anything that may have changed when the table has to be looked at next.
void table_rearm(struct table *t)
{
    const int64_t now = loop_now(t->loop);
    int64_t due = soonest(next_event(t), port_next_out(t->port));
    if (plotter_moving(&t->state->plotter))
        due = soonest(due, now + STEP_NS);
    loop_source_set_due(t->timer, due);
    if (t->file)
        table_file_commit(t->file, t->state);
}

void table_now(struct table *t)
{
    table_advance(t, loop_now(t->loop));
}

static void on_timer(void *user, int64_t now_ns)
{
    table_advance(user, now_ns);
    table_rearm(user);
}

// --- firmware and cable ---

static void on_opened(void *user, int64_t now_ns)
{
    struct table *t = user;
    table_advance(t, now_ns);
    plotter_restart(&t->state->plotter, now_ns);
    table_rearm(t);
}

static void on_input(void *user, int64_t now_ns)
{
    table_advance(user, now_ns);
    table_rearm(user);
}

static const struct port_ops PORT_OPS = {.opened = on_opened, .input = on_input};

static void firmware_sends(void *user, int64_t t_ns, const void *data, size_t size)
{
    port_send(((struct table *)user)->port, t_ns, data, size);
}

// The pump hangs on the panel's line, on the firmware's outputs, or on both.
static void switch_air(struct table *t, int64_t t_ns)
{
    const bool mcode = t->state->world.setup.gripper.vacuum_by_mcode;
    const bool pump = panel_level(t->panel, GPIO_PUMP) || (mcode && t->state->firmware_pump);
    // A firmware output has no vent line of its own: its valve opens when the pump stops.
    const bool vent = mcode ? !pump : panel_level(t->panel, GPIO_VALVE) == 1;
    world_set_vacuum(&t->state->world, t_ns, pump, vent);
}

static void firmware_outputs(void *user, int64_t t_ns, bool spindle, bool mist, bool flood)
{
    struct table *t = user;
    t->state->firmware_pump = spindle || mist || flood;
    if (t->state->world.setup.gripper.vacuum_by_mcode)
        switch_air(t, t_ns);
}

static double firmware_switch(void *user, int axis, bool at_min)
{
    const struct table *t = user;
    if (axis == 0 && t->state->dead_switch)
        return 1e6;
    return world_switch_distance(&t->state->world, axis, at_min);
}

static void firmware_renamed(void *user, int64_t t_ns, const double position[3], const bool axis[3],
                             bool homed)
{
    (void)t_ns;
    world_rename_position(&((struct table *)user)->state->world, position, axis, homed);
}

static void firmware_stopped(void *user, int64_t t_ns, const double speed[3])
{
    double further[3];
    (void)t_ns;
    for (int a = 0; a < 3; a++)
        further[a] = speed[a] * fabs(speed[a]) / (2 * STOP_ACCEL);
    world_slip_motors(&((struct table *)user)->state->world, further);
}

static const struct plotter_ops PLOTTER_OPS = {
    .send = firmware_sends,
    .outputs = firmware_outputs,
    .switch_distance = firmware_switch,
    .renamed = firmware_renamed,
    .stopped_dead = firmware_stopped,
};

// --- panel ---

static void on_output(void *user, enum gpio_line line, int value)
{
    struct table *t = user;
    (void)value;
    if (line != GPIO_PUMP && line != GPIO_VALVE)
        return;
    table_now(t);
    switch_air(t, loop_now(t->loop));
    look_at_sensor(t, loop_now(t->loop));
    table_rearm(t);
}

static int on_pick_sensor(void *user)
{
    struct table *t = user;
    table_now(t);
    return world_pick_sensor(&t->state->world, loop_now(t->loop));
}

static const struct panel_ops PANEL_OPS = {.output = on_output, .pick_sensor = on_pick_sensor};

static void on_button_up(void *user, int64_t now_ns)
{
    struct table *t = user;
    panel_set_input(t->panel, GPIO_BUTTON_DONE, 0, now_ns);
    panel_set_input(t->panel, GPIO_BUTTON_RESET, 0, now_ns);
}

void table_press(struct table *t, enum gpio_line button)
{
    const int64_t now = loop_now(t->loop);
    panel_set_input(t->panel, button, 1, now);
    loop_source_set_due(t->button_timer, now + PRESS_NS);
}

void table_estop(struct table *t, bool pressed)
{
    table_now(t);
    t->state->estop = pressed;
    table_power(t);
}

// The e-stop chain as wired: its contact is read, and its relay feeds motors and pump.
void table_power(struct table *t)
{
    struct table_state *s = t->state;
    const int64_t now = loop_now(t->loop);
    const bool cut = s->estop && s->world.setup.estop_cuts_power;
    world_set_power(&s->world, now, !cut);
    s->world.vacuum.dead = cut || s->pump_dead;
    switch_air(t, now);
    panel_set_input(t->panel, GPIO_ESTOP, (s->estop && !s->dead_estop) || s->broken_wire, now);
    look_at_sensor(t, now);
    table_rearm(t);
}

void table_lid(struct table *t, bool open)
{
    panel_set_input(t->panel, GPIO_LID, open, loop_now(t->loop));
    table_rearm(t);
}

int table_lamp(const struct table *t, enum gpio_line lamp)
{
    return panel_level(t->panel, lamp);
}

// --- person and camera ---

static struct world *person_world(void *user)
{
    struct table *t = user;
    table_now(t);
    return &t->state->world;
}

static void person_changed(void *user)
{
    table_rearm(user);
}

static void person_presses(void *user)
{
    table_press(user, GPIO_BUTTON_DONE);
}

static const struct person_ops PERSON_OPS = {
    .world = person_world, .changed = person_changed, .press = person_presses};

static void take_scene(void *user, struct scene *ret)
{
    struct table *t = user;
    const int64_t now = loop_now(t->loop);
    table_advance(t, now);
    person_pose(t->person, now, &t->state->world.hand);
    scene_take(ret, &t->state->world, &t->state->light, now);
    table_rearm(t);
}

// --- life ---

// The machine went on without its host: outputs of the dead process are released, planned motion
// comes to its end, the hand has gone.
static void continue_state(struct table *t)
{
    struct table_state *s = t->state;
    const int64_t died = s->world.time_ns;
    s->world.hand = (struct world_hand){.stone = -1, .second = -1};
    for (int i = 0; i < s->world.stone_count; i++)
        if (s->world.stone[i].place == PLACE_HAND)
            world_hand_return(&s->world, i);
    switch_air(t, died);
    table_advance(t, died + LAST_MOTION_NS);
    const int64_t shift = loop_now(t->loop) - s->world.time_ns;
    world_shift_time(&s->world, shift);
    plotter_shift_time(&s->plotter, shift);
    s->light.cloud_ns += shift;
    s->light.drift_ns += shift;
}

static int check(const struct table_setup *s, struct error *err)
{
    const struct setup_board *b = &s->board;
    if (b->columns < 6 || b->columns > SETUP_LINES_MAX || b->rows < 6 ||
        b->rows > SETUP_LINES_MAX || b->pitch_x < 5 || b->pitch_y < 5)
        return error_set(err, -EINVAL, "The simulated board must have 6 to 19 lines each way.");
    if (s->stones.colours < 2 || s->stones.colours > SETUP_COLOURS || s->stones.diameter <= 1 ||
        s->stones.height <= 0.5)
        return error_set(err, -EINVAL, "The simulated table needs 2 to 4 colours of stones.");
    int stones = 0;
    for (int c = 0; c < s->stones.colours; c++) {
        if (s->store[c].count < 0 || s->bowl[c].count < 0)
            return error_set(err, -EINVAL, "A store cannot hold less than no stones.");
        stones += s->store[c].count + s->bowl[c].count;
    }
    if (stones > WORLD_STONES_MAX)
        return error_set(err, -EINVAL, "The simulated table holds at most %d stones, not %d.",
                         WORLD_STONES_MAX, stones);
    if (s->camera.width < 64 || s->camera.height < 64 || s->camera.width > 4096 ||
        s->camera.height > 4096 || s->camera.fps <= 0 || s->camera.eye[2] <= 0)
        return error_set(err, -EINVAL, "The simulated camera is not above the table.");
    return 0;
}

static int make_parts(struct table *t, struct error *err)
{
    struct table_state *s = t->state;
    const struct table_setup *setup = &s->world.setup;
    int r = port_new(t->loop, &PORT_OPS, t, setup->seed, &t->port, err);
    if (r == 0)
        r = panel_new(&PANEL_OPS, t, !setup->gripper.valve_shut_at_rest, &t->panel, err);
    if (r == 0)
        r = person_new(t->loop, &PERSON_OPS, t, setup->seed, &t->person);
    if (r == 0)
        r = loop_add_timer(t->loop, INT64_MAX, on_timer, t, &t->timer);
    if (r == 0)
        r = loop_add_timer(t->loop, INT64_MAX, on_button_up, t, &t->button_timer);
    if (r == 0)
        r = camera_new(t->loop, setup, take_scene, t, &t->camera, err);
    if (r == 0)
        port_set_strict(t->port, setup->firmware.strict_baud);
    return r;
}

static int new_state(struct table *t, const struct table_setup *setup, struct error *err)
{
    if (!setup)
        return error_set(err, -EINVAL,
                         "There is no simulated table in that file yet, and no setup to make one.");
    const int r = check(setup, err);
    if (r < 0)
        return r;
    world_init(&t->state->world, setup, loop_now(t->loop));
    plotter_init(&t->state->plotter, setup);
    t->state->light.gain = 1;
    return 0;
}

int table_new(const struct table_setup *setup, struct loop *loop, const char *file,
              struct table **ret, struct error *err)
{
    bool found = false;
    struct table *t = calloc(1, sizeof *t);
    if (t)
        t->state = calloc(1, sizeof *t->state);
    if (!t || !t->state) {
        free(t);
        return error_set(err, -ENOMEM, "Out of memory.");
    }
    t->loop = loop;
    int r = file ? table_file_open(file, t->state, sizeof *t->state, &found, &t->file, err) : 0;
    if (r == 0 && !found)
        r = new_state(t, setup, err);
    if (r == 0)
        r = make_parts(t, err);
    if (r < 0) {
        table_free(t);
        return r;
    }
    plotter_attach(&t->state->plotter, &PLOTTER_OPS, t);
    if (found)
        continue_state(t);
    else
        plotter_restart(&t->state->plotter, loop_now(loop));
    table_power(t);
    *ret = t;
    return 0;
}

struct table *table_free(struct table *t)
{
    if (!t)
        return NULL;
    camera_free(t->camera);
    person_free(t->person);
    port_free(t->port);
    loop_source_free(t->timer);
    loop_source_free(t->button_timer);
    panel_free(t->panel);
    table_file_close(t->file);
    free(t->state);
    free(t);
    return NULL;
}

// --- edges ---

const struct table_setup *table_setup_of(const struct table *t)
{
    return &t->state->world.setup;
}

struct frame_source *table_camera(struct table *t)
{
    return camera_source(t->camera);
}

const char *table_serial_path(const struct table *t)
{
    return port_path(t->port);
}

int table_serial_open(struct table *t, int *ret_fd)
{
    const char *path = port_path(t->port);
    if (!path)
        return -ENODEV;
    int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    struct termios settings;
    if (tcgetattr(fd, &settings) == 0) {
        cfmakeraw(&settings);
        cfsetspeed(&settings, B115200);
        tcsetattr(fd, TCSANOW, &settings);
    }
    *ret_fd = fd;
    return 0;
}

struct gpio *table_gpio(struct table *t)
{
    return panel_gpio(t->panel);
}

bool table_settled(struct table *t, uint64_t host_written, uint64_t host_read)
{
    return port_settled(t->port, host_written, host_read);
}

struct person *table_person(struct table *t)
{
    return t->person;
}

uint64_t table_overflows(const struct table *t)
{
    return t->state->plotter.rx_lost;
}
