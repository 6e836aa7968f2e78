#include <stdio.h>
#include <string.h>

#include "config/agreement.h"

static const char *const PIN_NAMES[SETTINGS_GPIO_LINES] = {
    [SETTINGS_GPIO_BUTTON_DONE] = "button-done",
    [SETTINGS_GPIO_BUTTON_RESET] = "button-reset",
    [SETTINGS_GPIO_ESTOP] = "estop",
    [SETTINGS_GPIO_PICK_SENSOR] = "pick-sensor",
    [SETTINGS_GPIO_LID] = "lid",
    [SETTINGS_GPIO_LAMP_TURN] = "lamp-turn",
    [SETTINGS_GPIO_LAMP_FAULT] = "lamp-fault",
    [SETTINGS_GPIO_PUMP] = "pump",
    [SETTINGS_GPIO_VALVE] = "valve",
};

static void line_key(enum settings_gpio_line line, char *ret, size_t size)
{
    (void)snprintf(ret, size, "gpio.%s.line", PIN_NAMES[line]);
}

static bool wired(const struct settings *s, enum settings_gpio_line line)
{
    return s->gpio.backend != SETTINGS_GPIO_NONE && s->gpio.pin[line].line[0] != '\0';
}

static void check_lines(struct reading *reading)
{
    const struct settings *s = &reading->settings;
    if (s->gpio.backend != SETTINGS_GPIO_GPIOD)
        return;
    for (int a = 0; a < SETTINGS_GPIO_LINES; a++) {
        for (int b = a + 1; b < SETTINGS_GPIO_LINES; b++) {
            if (!wired(s, (enum settings_gpio_line)a) || !wired(s, (enum settings_gpio_line)b) ||
                strcmp(s->gpio.pin[a].line, s->gpio.pin[b].line) != 0)
                continue;
            char key_a[SCHEMA_KEY_MAX];
            char key_b[SCHEMA_KEY_MAX];
            line_key((enum settings_gpio_line)a, key_a, sizeof key_a);
            line_key((enum settings_gpio_line)b, key_b, sizeof key_b);
            agreement_fault(reading, key_b, key_a,
                            "both use line %s; one line can have one use, so give one another line",
                            s->gpio.pin[a].line);
        }
    }
}

// `why` completes "… must be wired, because …".
static void need_line(struct reading *reading, enum settings_gpio_line line, const char *key,
                      const char *why)
{
    if (wired(&reading->settings, line))
        return;
    char pin[SCHEMA_KEY_MAX];
    line_key(line, pin, sizeof pin);
    if (reading->settings.gpio.backend == SETTINGS_GPIO_NONE)
        agreement_fault(reading, key, "gpio.backend",
                        "there is no panel (gpio.backend: none), but %s", why);
    else
        agreement_fault(reading, key, pin, "%s is not wired, but %s", pin, why);
}

static void check_panel(struct reading *reading)
{
    const struct settings *s = &reading->settings;
    bool real_arm = strcmp(s->serial.port, "sim") != 0;
    if (s->gripper.kind == SETTINGS_GRIPPER_VACUUM_GPIO) {
        need_line(reading, SETTINGS_GPIO_PUMP, "gripper.kind", "vacuum-gpio needs the pump");
        need_line(reading, SETTINGS_GPIO_VALVE, "gripper.kind",
                  "vacuum-gpio needs the vent valve: without it a stone hangs on");
    }
    if (s->gripper.sensor == SETTINGS_SENSOR_GPIO)
        need_line(reading, SETTINGS_GPIO_PICK_SENSOR, "gripper.sensor",
                  "the sensor is said to be on GPIO");
    if (s->game.done == SETTINGS_DONE_BUTTON && s->gpio.backend != SETTINGS_GPIO_NONE)
        need_line(reading, SETTINGS_GPIO_BUTTON_DONE, "game.done",
                  "a move is said to be done by the button");
    if (s->safety.estop_required && real_arm)
        need_line(reading, SETTINGS_GPIO_ESTOP, "safety.estop_required",
                  "nothing may move without an e-stop");
}

// Parts of two worlds would act on each other blindly.
static void check_worlds(struct reading *reading)
{
    const struct settings *s = &reading->settings;
    bool sim_camera = s->camera.source == SETTINGS_CAMERA_SIM;
    bool sim_arm = strcmp(s->serial.port, "sim") == 0;
    bool sim_panel = s->gpio.backend == SETTINGS_GPIO_SIM;
    if (sim_camera && !sim_arm)
        agreement_fault(reading, "camera.source", "serial.port",
                        "a real arm must not be led by the simulated camera; set both to sim or "
                        "neither");
    if (sim_panel && !sim_arm)
        agreement_fault(reading, "gpio.backend", "serial.port",
                        "a real arm must not have a simulated e-stop; set both to sim or neither");
    if (sim_arm && s->gpio.backend == SETTINGS_GPIO_GPIOD)
        agreement_fault(reading, "serial.port", "gpio.backend",
                        "the simulated arm has no use for a real pump and real buttons; set both "
                        "to sim or neither");
}

static void check_camera(struct reading *reading)
{
    const struct settings_camera *c = &reading->settings.camera;
    if (c->source == SETTINGS_CAMERA_PIPE && c->command[0] == '\0')
        agreement_fault(reading, "camera.source", "camera.command",
                        "pictures come from a pipe, so write the command that makes them");
    bool file = c->source == SETTINGS_CAMERA_V4L2 || c->source == SETTINGS_CAMERA_STILL ||
                c->source == SETTINGS_CAMERA_SESSION;
    if (file && c->device[0] == '\0')
        agreement_fault(reading, "camera.source", "camera.device",
                        "name the device or folder the pictures come from");
}

static void check_mains(struct reading *reading)
{
    int hz = reading->settings.camera.power_line;
    if (hz != 0 && hz != 50 && hz != 60)
        agreement_fault(reading, "camera.power_line", NULL, "mains have 50 or 60 Hz, not %d", hz);
}

static void check_stones(struct reading *reading)
{
    const struct settings *s = &reading->settings;
    for (int a = 0; a < SETTINGS_COLOURS; a++) {
        char key_a[SCHEMA_KEY_MAX];
        (void)snprintf(key_a, sizeof key_a, "stones.colour%d", a + 1);
        if (s->stones.colour[a] == SETTINGS_STONE_NONE) {
            if (a < 2)
                agreement_fault(reading, key_a, NULL, "a game needs at least two colours");
            else if (a + 1 < SETTINGS_COLOURS && s->stones.colour[a + 1] != SETTINGS_STONE_NONE)
                agreement_fault(reading, key_a, NULL,
                                "colours are named without a gap; name this one before the next");
            continue;
        }
        for (int b = 0; b < a; b++) {
            char key_b[SCHEMA_KEY_MAX];
            (void)snprintf(key_b, sizeof key_b, "stones.colour%d", b + 1);
            if (s->stones.colour[a] == s->stones.colour[b])
                agreement_fault(reading, key_a, key_b,
                                "both are the same colour; nobody could tell them apart");
        }
    }
}

static void check_gripper(struct reading *reading)
{
    const struct settings_gripper *g = &reading->settings.gripper;
    if (g->kind == SETTINGS_GRIPPER_SERVO && g->servo_open == g->servo_closed)
        agreement_fault(reading, "gripper.servo_closed", "gripper.servo_open",
                        "open and closed are the same servo position");
    if (g->kind == SETTINGS_GRIPPER_SERVO && g->output != SETTINGS_OUTPUT_SPINDLE)
        agreement_fault(reading, "gripper.output", "gripper.kind",
                        "a servo is set by M3 S..., so its output is the spindle");
}

void agreement_wiring(struct reading *reading)
{
    check_lines(reading);
    check_panel(reading);
    check_worlds(reading);
    check_camera(reading);
    check_mains(reading);
    check_stones(reading);
    check_gripper(reading);
}
