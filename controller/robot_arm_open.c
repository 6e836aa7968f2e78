// The robot's hand is made: gripper, map, arm, and its place in the loop.
#include "controller/robot_private.h"
#include "controller/stores_used.h"

static void on_bytes(void *user, enum transport_direction direction, const void *data, size_t size)
{
    struct robot *r = user;
    recorder_serial(r->o.recorder, direction, data, size);
}

// The gripper's sensor is an input like any other: recorded as it is read.
static int read_sensor(void *user)
{
    struct robot *r = user;
    int level = r->gripper_lines.get_sensor(r->gripper_lines.user);
    recorder_gpio(r->o.recorder, GPIO_PICK_SENSOR, level);
    return level;
}

static int set_pump(void *user, int on)
{
    struct robot *r = user;
    return r->gripper_lines.set_pump(r->gripper_lines.user, on);
}

static int set_valve(void *user, int vented)
{
    struct robot *r = user;
    return r->gripper_lines.set_valve(r->gripper_lines.user, vented);
}

static struct gripper_lines recorded_lines(struct robot *r)
{
    r->gripper_lines = controls_gripper(r->controls);
    return (struct gripper_lines){
        .user = r,
        .set_pump = set_pump,
        .set_valve = r->gripper_lines.set_valve ? set_valve : NULL,
        .get_sensor = r->gripper_lines.get_sensor ? read_sensor : NULL,
    };
}

int robot_arm_open(struct robot *r, struct error *err)
{
    struct devices *d = r->o.devices;
    const struct arm_hooks hooks = robot_arm_hooks(r);
    struct gripper_lines lines;
    if (r->controls)
        lines = recorded_lines(r);
    int result = devices_gripper(r->settings, r->controls ? &lines : NULL, &r->gripper, err);
    if (result < 0)
        return result;
    stores_used(&d->stores, robot_game(r), robot_seats(r));
    bool all = r->settings->game.lifter != SETTINGS_LIFTER_PERSON;
    stores_captured(&d->stores, robot_game(r), all ? ~0u : robot_seats(r));
    const struct settings_board *b = &r->settings->board;
    double size[2];
    settings_board_at(b, b->columns - 1, b->rows - 1, size);
    map_learner_init(&r->learner, &d->map, size[0], size[1]);
    r->map = d->map;
    d->transport->tap = on_bytes;
    d->transport->tap_user = r;
    result = arm_new(&d->arm, r->settings->serial.baud, d->transport, r->gripper, &d->stores,
                     &hooks, loop_now(r->loop), &r->arm, err);
    if (result == 0)
        result = arm_link_new(r->loop, r->arm, &r->arm_link, err);
    if (result == 0 && r->controls) {
        arm_set_stop_input(r->arm, ARM_STOP_ESTOP, controls_estop(r->controls), loop_now(r->loop));
        arm_set_stop_input(r->arm, ARM_STOP_LID, controls_lid(r->controls), loop_now(r->loop));
    }
    return result;
}

void robot_arm_close(struct robot *r)
{
    if (r->o.devices->transport)
        r->o.devices->transport->tap = NULL;
    arm_link_free(r->arm_link);
    arm_free(r->arm);
    gripper_free(r->gripper);
}
