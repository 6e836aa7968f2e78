#include "controller/devices_sim.h"

#include <errno.h>
#include <string.h>

#include "rules/variant.h"

static void place(struct setup_place *ret, double x, double y)
{
    ret->x = x;
    ret->y = y;
}

// The same view in as many pixels as were asked for.
static void set_camera(const struct settings *s, struct setup_camera *ret)
{
    double k = (double)s->camera.width / ret->width;
    ret->lens.f *= k;
    ret->lens.cx *= k;
    ret->lens.cy *= k;
    ret->width = s->camera.width;
    ret->height = (int)(ret->height * k + 0.5);
    ret->fps = s->camera.fps;
}

void devices_table_setup(const struct settings *s, struct table_setup *ret)
{
    uint64_t seed = (uint64_t)s->sim.seed;
    if (s->sim.table == SETTINGS_TABLE_RANDOM)
        table_setup_random(seed, ret);
    else if (s->sim.table == SETTINGS_TABLE_UNCALIBRATED)
        table_setup_uncalibrated(seed, ret);
    else
        table_setup_default(ret);
    ret->seed = seed;
    ret->board.columns = s->board.columns;
    ret->board.rows = s->board.rows;
    struct variant variant;
    struct error err;
    if (settings_variant(s, s->game.variant, &variant, &err) == 0 &&
        variant.family == FAMILY_PENTAGO && ret->board.columns == variant.size &&
        ret->board.rows == variant.size)
        ret->board.kind = SETUP_BOARD_BLOCKS;
    ret->board.pitch_x = s->board.pitch_x;
    ret->board.pitch_y = s->board.pitch_y;
    ret->board.seam = s->board.seam;
    if (s->board.points == SETTINGS_POINTS_HOLLOWS)
        setup_use_hollows(&ret->board);
    struct vision_settings v = devices_vision_settings(s);
    ret->stones.colours = v.colours;
    for (int i = 0; i < v.colours; i++)
        ret->stones.colour[i] = v.colour[i];
    ret->stones.diameter = s->stones.diameter;
    ret->stones.height = s->stones.height;
    for (int i = 0; i < v.colours && i < SETUP_COLOURS; i++) {
        place(&ret->store[i], s->stores[i].x, s->stores[i].y);
        ret->store[i].count = s->stores[i].capacity;
        place(&ret->tray[i], s->trays[i].x, s->trays[i].y);
    }
    set_camera(s, &ret->camera);
    ret->gripper.failure = s->sim.pick_failure;
    ret->person.scatter = s->sim.scatter;
    ret->person.lifts = s->game.lifter == SETTINGS_LIFTER_PERSON;
    if (s->sim.table == SETTINGS_TABLE_UNCALIBRATED)
        return;
    ret->machine.a1_x = s->board.a1_x;
    ret->machine.a1_y = s->board.a1_y;
    ret->machine.rotation_deg = s->board.rotation + s->sim.rotation;
    ret->machine.scale = s->sim.scale;
    ret->machine.travel[0] = s->machine.travel_x;
    ret->machine.travel[1] = s->machine.travel_y;
    ret->machine.travel[2] = s->machine.travel_z;
    ret->machine.pull_off = s->machine.pull_off;
    ret->machine.surface_z = s->heights.board;
}

int devices_open_table(struct devices *d, const char *world, const struct table_setup *setup,
                       struct error *err)
{
    struct table_setup own;
    devices_table_setup(d->settings, &own);
    return table_new(setup ? setup : &own, d->loop, world, &d->table, err);
}

// Virtual time stands still until every byte has arrived.
static bool on_settled(void *user)
{
    struct devices *d = user;
    if (!d->table || !d->transport || transport_fd(d->transport) < 0)
        return true;
    // Both count from the transport's last opening, as the table does.
    return table_settled(d->table, d->transport->bytes_written, d->transport->bytes_read);
}

static int on_reopen(void *user, int *ret_fd, struct error *err)
{
    struct devices *d = user;
    int r = table_serial_open(d->table, ret_fd);
    if (r < 0)
        return error_set_code(err, r, "NoPlotter", "the simulated plotter is unplugged.");
    return 0;
}

int devices_table_port(struct devices *d, struct error *err)
{
    int fd;
    int r = table_serial_open(d->table, &fd);
    if (r < 0)
        return error_set(err, r, "the simulated plotter can't be opened: %s.", strerror(-r));
    r = transport_new_fd(fd, "the simulated table", on_reopen, d, &d->transport, err);
    if (r == 0)
        r = loop_add_settled(d->loop, on_settled, d);
    return r;
}
