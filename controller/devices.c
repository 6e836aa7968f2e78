#include "controller/devices.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "controller/devices_sim.h"
#include "controller/gpio_chip.h"
#include "controller/park_place.h"
#include "vision/pipe.h"
#include "vision/session.h"
#include "vision/still.h"
#include "vision/v4l2.h"

static const double SLOT_DROP = 1; // mm above its slot at which a stone is let go

// --- conversions ---

// Also lifts the travel height where the board is higher, or the stones, than the settings had
// thought: a carried stone has to clear a standing one.
void devices_use_board_z(struct arm_config *arm, double board_z)
{
    double least = board_z + 2 * arm->stone_height + arm->clearance;
    arm->board_z = board_z;
    arm->safe_z = fmax(arm->safe_z, least);
}

struct arm_config devices_arm_config(const struct settings *s)
{
    struct arm_config c = arm_config_default();
    c.stone_height = s->stones.height;
    c.stone_radius = s->stones.diameter / 2;
    c.cup_radius = s->gripper.cup_diameter / 2;
    c.clearance = s->machine.clearance;
    c.side_clearance = s->machine.side_clearance;
    c.safe_z = s->heights.travel;
    devices_use_board_z(&c, s->heights.board);
    c.park[0] = s->machine.park_x;
    c.park[1] = s->machine.park_y;
    c.wait[0] = s->machine.wait_x;
    c.wait[1] = s->machine.wait_y;
    c.margin = s->machine.margin;
    c.backlash = s->machine.approach;
    c.speed = s->machine.speed;
    c.grip_ns = (int64_t)(s->gripper.grip_time * (double)NS_PER_S);
    c.release_ns = (int64_t)(s->gripper.release_time * (double)NS_PER_S);
    c.grip_tries = s->gripper.retries + 1;
    c.grip_step = s->gripper.retry_step;
    static const char *const dialects[] = {[SETTINGS_DIALECT_GRBL] = "grbl",
                                           [SETTINGS_DIALECT_GRBLHAL] = "grblhal",
                                           [SETTINGS_DIALECT_MARLIN] = "marlin"};
    if (s->serial.dialect != SETTINGS_DIALECT_AUTO)
        c.dialect = dialect_find(dialects[s->serial.dialect]);
    return c;
}

// settings' list has "none" in front of vision's.
static enum stone_colour colour_of(enum settings_stone_colour colour)
{
    return (enum stone_colour)(colour - SETTINGS_STONE_CLEAR);
}

static int colour_count(const struct settings *s)
{
    int count = 0;
    while (count < SETTINGS_COLOURS && s->stones.colour[count] != SETTINGS_STONE_NONE)
        count++;
    return count;
}

struct vision_settings devices_vision_settings(const struct settings *s)
{
    struct vision_settings v = vision_settings_default();
    v.columns = s->board.columns;
    v.rows = s->board.rows;
    v.pitch_x = s->board.pitch_x;
    v.pitch_y = s->board.pitch_y;
    v.hollows = s->board.points == SETTINGS_POINTS_HOLLOWS;
    v.seam = s->board.seam;
    v.stone_diameter = s->stones.diameter;
    v.stone_height = s->stones.height;
    v.colours = colour_count(s);
    for (int i = 0; i < v.colours; i++)
        v.colour[i] = colour_of(s->stones.colour[i]);
    v.a1 = (enum vision_a1)s->camera.a1;
    v.tags = s->board.tags;
    return v;
}

static void add_supply(const struct settings *s, int colour, struct stores *ret)
{
    const struct settings_store *from = &s->stores[colour - 1];
    if (!from->capacity)
        return;
    struct store *store = &ret->store[ret->count++];
    *store = (struct store){.kind = STORE_FEEDER, .role = STORE_SUPPLY, .colour = colour};
    snprintf(store->name, sizeof store->name, "store %d", colour);
    store->x = from->x;
    store->y = from->y;
    store->z_contact = store->z_release = from->z;
    store->capacity = store->count = from->capacity;
    if (from->columns * from->rows > 1) {
        store->kind = STORE_TRAY;
        store->z_release = from->z + SLOT_DROP;
        store->columns = from->columns;
        store->rows = from->rows;
        store->step_x = store->step_y = from->step;
        for (int slot = 0; slot < from->capacity; slot++)
            store->full[slot] = true;
    }
    store->low = 5;
}

static void add_tray(const struct settings *s, int colour, struct stores *ret)
{
    const struct settings_tray *from = &s->trays[colour - 1];
    struct store *store = &ret->store[ret->count++];
    *store = (struct store){.role = STORE_CAPTURED, .colour = colour};
    snprintf(store->name, sizeof store->name, "tray %d", colour);
    store->kind = from->columns * from->rows > 1 ? STORE_TRAY : STORE_BOWL;
    store->x = from->x;
    store->y = from->y;
    store->z_contact = s->heights.contact;
    store->z_release = s->heights.tray;
    // Where stones lie as they fall, a carried one must clear those that lie on others.
    double heap = s->heights.board + DEVICES_HEAP_LAYERS * s->stones.height;
    double clear = heap + s->stones.height + s->machine.clearance;
    if (store->kind == STORE_BOWL && store->z_release < clear)
        store->z_release = clear;
    store->columns = from->columns;
    store->rows = from->rows;
    store->step_x = store->step_y = from->step;
    store->capacity = STORE_SLOTS_MAX;
}

int devices_stores(const struct settings *s, struct stores *ret, struct error *err)
{
    *ret = (struct stores){0};
    int colours = colour_count(s);
    for (int c = 1; c <= colours; c++) {
        add_supply(s, c, ret);
        add_tray(s, c, ret);
    }
    return stores_check(ret, err);
}

int devices_store(const struct stores *stores, enum store_role role, int colour)
{
    for (int i = 0; i < stores->count; i++) {
        if (stores->store[i].role == role && stores->store[i].colour == colour)
            return i;
    }
    return -ENOENT;
}

struct board_map devices_map(const struct settings *s, const struct calibration *c)
{
    if (c && c->arm.verdict.valid)
        return c->arm.map;
    return board_map_from_pose(s->board.a1_x, s->board.a1_y, s->board.rotation, 1.0);
}

// As fast as the settings say the firmware is: before the plotter has answered.
static struct travel_limits settings_limits(const struct settings_machine *m)
{
    return (struct travel_limits){.speed = {m->feed_xy, m->feed_xy, m->feed_z},
                                  .acceleration = {m->accel_xy, m->accel_xy, m->accel_z}};
}

static void choose_park(struct devices *d)
{
    const struct settings_machine *m = &d->settings->machine;
    double store[STORES_MAX][2];
    struct park_question q = {.geometry = &d->geometry,
                              .map = &d->map,
                              .stone_radius = d->settings->stones.diameter / 2,
                              .reach = m->reach,
                              .travel = {m->travel_x, m->travel_y},
                              .margin = m->margin,
                              .store = store,
                              .limits = settings_limits(m)};
    for (int i = 0; i < d->stores.count; i++) {
        if (d->stores.store[i].role != STORE_SUPPLY)
            continue;
        store[q.stores][0] = d->stores.store[i].x;
        store[q.stores++][1] = d->stores.store[i].y;
    }
    park_place(&q, d->arm.park); // else the settings' place stays
}

// What was measured takes the place of what the settings can only guess.
static void use_calibration(struct devices *d, const struct calibration *c)
{
    if (!c)
        return;
    if (c->lens.verdict.valid)
        d->vision.lens = c->lens.lens;
    d->has_geometry = c->board.verdict.valid;
    d->geometry = c->board.geometry;
    if (d->has_geometry)
        d->vision.a1 = c->board.a1;
    d->has_models = c->stones.verdict.valid;
    d->models = c->stones.models;
    if (c->arm.verdict.valid)
        devices_use_board_z(&d->arm, c->arm.board_z[0]);
    if (c->arm.verdict.valid && d->has_geometry && d->settings->machine.park_auto)
        choose_park(d);
    if (!c->gripper.verdict.valid)
        return;
    d->arm.grip_ns = (int64_t)(c->gripper.grip_time * (double)NS_PER_S);
    d->arm.release_ns = (int64_t)(c->gripper.release_time * (double)NS_PER_S);
    for (int i = 0; i < d->stores.count; i++) {
        struct store *store = &d->stores.store[i];
        if (store->role == STORE_SUPPLY && store->colour <= CALIBRATION_COLOURS)
            store->z_contact = store->z_release = c->gripper.store_z[store->colour - 1];
    }
}

static void wire(const struct settings *s, struct gpio_wiring *ret)
{
    *ret = (struct gpio_wiring){.debounce_ns = (int64_t)(s->gpio.debounce * (double)NS_PER_S)};
    for (int i = 0; i < GPIO_LINES; i++) {
        const struct settings_gpio_pin *from = &s->gpio.pin[i];
        struct gpio_pin *pin = &ret->pin[i];
        if (!from->line[0])
            continue;
        pin->wired = true;
        pin->active_low = from->active_low;
        pin->bias = from->bias == SETTINGS_BIAS_PULL_UP     ? GPIO_BIAS_PULL_UP
                    : from->bias == SETTINGS_BIAS_PULL_DOWN ? GPIO_BIAS_PULL_DOWN
                                                            : GPIO_BIAS_AS_IS;
        memcpy(pin->chip, s->gpio.chip, sizeof pin->chip);
        char *end;
        unsigned long offset = strtoul(from->line, &end, 10);
        if (*end == 0 && pin->chip[0])
            pin->offset = (unsigned)offset;
        else
            memcpy(pin->name, from->line, sizeof pin->name);
    }
}

// --- the gripper ---

int devices_gripper(const struct settings *s, const struct gripper_lines *lines,
                    struct gripper **ret, struct error *err)
{
    int (*sensor)(void *) =
        s->gripper.sensor == SETTINGS_SENSOR_GPIO && lines ? lines->get_sensor : NULL;
    bool spindle = s->gripper.output == SETTINGS_OUTPUT_SPINDLE;
    char open[GRIPPER_LINE], closed[GRIPPER_LINE];
    struct gripper_words words = {.user = lines ? lines->user : NULL, .get_sensor = sensor};
    switch (s->gripper.kind) {
    case SETTINGS_GRIPPER_VACUUM_GPIO:
        if (!lines)
            return error_set(err, -EINVAL,
                             "gripper.kind is vacuum-gpio, but there is no panel (gpio.backend). "
                             "Wire pump and valve, or choose another gripper.");
        {
            struct gripper_lines own = *lines;
            own.get_sensor = sensor;
            int r = gripper_new_gpio(&own, ret);
            return r < 0 ? error_set(err, r, "the gripper can't be used: %s.", strerror(-r)) : 0;
        }
    case SETTINGS_GRIPPER_VACUUM_MCODE:
        words.grip = spindle ? "M3 S1000" : "M8";
        words.release = spindle ? "M5" : "M9";
        break;
    case SETTINGS_GRIPPER_SERVO:
        snprintf(open, sizeof open, "M3 S%d", s->gripper.servo_open);
        snprintf(closed, sizeof closed, "M3 S%d", s->gripper.servo_closed);
        words.grip = closed;
        words.release = open;
        break;
    case SETTINGS_GRIPPER_MAGNET:
        words.grip = spindle ? "M3 S1000" : "M8";
        words.release = spindle ? "M5" : "M9";
        break;
    }
    return gripper_new_mcode(&words, ret, err);
}

// --- opening ---

static int find_port(char *ret, size_t size, struct error *err)
{
    glob_t found;
    int r = glob("/dev/serial/by-id/*", 0, NULL, &found);
    if (r == 0 && found.gl_pathc == 1) {
        snprintf(ret, size, "%s", found.gl_pathv[0]);
        globfree(&found);
        return 0;
    }
    size_t count = r == 0 ? found.gl_pathc : 0;
    if (r == 0)
        globfree(&found);
    if (count > 1)
        return error_set_code(err, -ENODEV, "WhichPort",
                              "%zu serial devices are plugged in. Say in serial.port which one is "
                              "the plotter: `tessera-config ports` lists them.",
                              count);
    return error_set_code(err, -ENODEV, "NoPlotter",
                          "no plotter was found: nothing is plugged in under /dev/serial/by-id. "
                          "Plug it in and switch it on, or name it in serial.port.");
}

static int open_port(const struct settings *s, struct transport **ret, struct error *err)
{
    char path[SETTINGS_PATH_MAX];
    snprintf(path, sizeof path, "%s", s->serial.port);
    if (strncmp(path, "tcp:", 4) == 0) {
        char *port = strrchr(path + 4, ':');
        if (!port)
            return error_set(err, -EINVAL, "serial.port \"%s\" should be tcp:HOST:PORT.", path);
        *port = 0;
        return transport_open_tcp(path + 4, port + 1, ret, err);
    }
    if (strcmp(path, "auto") == 0) {
        int r = find_port(path, sizeof path, err);
        if (r < 0)
            return r;
    }
    // libserialport refuses ptys, which often stand behind a link.
    char *real = realpath(path, NULL);
    bool pty = strncmp(real ? real : path, "/dev/pts/", 9) == 0;
    free(real);
    if (pty)
        return transport_open_device(path, ret, err);
    struct transport_serial_options options = {.path = path, .baud = s->serial.baud};
    options.dtr = s->serial.dtr == SETTINGS_DTR_LOW ? TRANSPORT_DTR_LOW : TRANSPORT_DTR_KEEP;
    return transport_open_serial(&options, ret, err);
}

static int open_panel(struct devices *d, struct error *err)
{
    switch (d->settings->gpio.backend) {
    case SETTINGS_GPIO_NONE:
        return 0;
    case SETTINGS_GPIO_SIM:
        d->gpio = *table_gpio(d->table);
        d->has_gpio = true;
        return 0;
    case SETTINGS_GPIO_GPIOD:
        break;
    }
    struct gpio_wiring wiring;
    wire(d->settings, &wiring);
    int r = gpio_chip_open(&wiring, &d->gpio, err);
    d->has_gpio = r == 0;
    return r;
}

static bool wants_table(const struct settings *s)
{
    return s->camera.source == SETTINGS_CAMERA_SIM || strcmp(s->serial.port, "sim") == 0 ||
           s->gpio.backend == SETTINGS_GPIO_SIM;
}

int devices_configure(struct loop *loop, const struct settings *settings,
                      const struct calibration *calibration, struct devices *ret, struct error *err)
{
    *ret = (struct devices){.loop = loop, .settings = settings};
    ret->map = devices_map(settings, calibration);
    ret->arm = devices_arm_config(settings);
    ret->vision = devices_vision_settings(settings);
    int r = devices_stores(settings, &ret->stores, err);
    if (r == 0)
        r = board_map_check(&ret->map, err);
    if (r == 0)
        use_calibration(ret, calibration);
    return r;
}

int devices_open(struct loop *loop, const struct settings *settings,
                 const struct calibration *calibration, unsigned parts, const char *world,
                 struct devices *ret, struct error *err)
{
    return devices_open_on(loop, settings, calibration, parts, world, NULL, ret, err);
}

int devices_open_on(struct loop *loop, const struct settings *settings,
                    const struct calibration *calibration, unsigned parts, const char *world,
                    const struct table_setup *setup, struct devices *ret, struct error *err)
{
    struct devices *d = ret;
    int r = devices_configure(loop, settings, calibration, d, err);
    if (r == 0 && wants_table(settings))
        r = devices_open_table(d, world, setup, err);
    if (r == 0 && parts & DEVICES_ARM)
        r = strcmp(settings->serial.port, "sim") == 0 ? devices_table_port(d, err)
                                                      : open_port(settings, &d->transport, err);
    if (r == 0 && parts & DEVICES_PANEL)
        r = open_panel(d, err);
    if (r < 0)
        devices_close(d);
    return r;
}

void devices_close(struct devices *d)
{
    d->transport = transport_free(d->transport);
    if (d->has_gpio)
        d->gpio.ops->close(d->gpio.impl);
    d->has_gpio = false;
    d->table = table_free(d->table);
}

int devices_open_camera(void *devices, struct frame_source *ret, struct error *err)
{
    struct devices *d = devices;
    const struct settings_camera *c = &d->settings->camera;
    const char *const shell[] = {"/bin/sh", "-c", c->command, NULL};
    struct v4l2_settings v4l2 = v4l2_settings_default(c->device);
    switch (c->source) {
    case SETTINGS_CAMERA_SIM:
        *ret = *table_camera(d->table);
        return 0;
    case SETTINGS_CAMERA_PIPE:
        return pipe_source_open(shell, ret, err);
    case SETTINGS_CAMERA_STILL:
        return still_source_open(c->device, NS_PER_S, ret, err);
    case SETTINGS_CAMERA_SESSION:
        return session_source_open(c->device, loop_is_virtual(d->loop), ret, err);
    case SETTINGS_CAMERA_V4L2:
        break;
    }
    v4l2.width = c->width;
    v4l2.height = c->height;
    v4l2.frames_per_second = (int)c->fps;
    v4l2.prefer_yuyv = c->format == SETTINGS_FORMAT_YUYV;
    v4l2.power_line_hz = c->power_line;
    v4l2.settle_ms = (int)(c->settle * 1000);
    v4l2.lock = c->lock;
    return v4l2_open(&v4l2, ret, NULL, err);
}
