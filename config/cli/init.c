// init: looks what is there, asks what it cannot see, writes a commented settings file.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/calibrate/sim_seed.h"
#include "config/cli/cli.h"
#include "config/hardware.h"
#include "config/paths.h"
#include "config/presets.h"
#include "config/text.h"
#include "config/value.h"

enum {
    ANSWER_MAX = 200,
    PROBE_SECONDS = 6,
    NOTES_MAX = 2000,
};

struct init {
    const struct cli *cli;
    struct settings settings;
    char notes[NOTES_MAX]; // what was found, for the head of the file
    bool asks;             // a person is at the terminal
};

static void note(struct init *init, const char *text)
{
    size_t length = strlen(init->notes);
    (void)snprintf(init->notes + length, sizeof init->notes - length, "%s%s",
                   length > 0 ? "\n" : "", text);
    if (!init->cli->quiet)
        (void)fprintf(stderr, "%s\n", text);
}

static void set(struct init *init, const char *key, const char *value)
{
    char why[ERROR_TEXT_MAX];
    if (value_store(schema_find(key), value, &init->settings, why, sizeof why) < 0) {
        char text[ERROR_TEXT_MAX + 64];
        (void)snprintf(text, sizeof text, "%.40s stays at its default: %.480s", key, why);
        note(init, text);
    }
}

static void set_number(struct init *init, const char *key, double number)
{
    char text[40];
    if (number == 0)
        return; // the firmware did not tell
    (void)snprintf(text, sizeof text, "%.10g", number);
    set(init, key, text);
}

// Asks for a setting until the answer fits; an empty one keeps what is there. false: end of input.
static bool ask(struct init *init, const char *key, const char *question)
{
    const struct schema_key *row = schema_find(key);
    while (init->asks) {
        char present[VALUE_TEXT_MAX];
        char answer[ANSWER_MAX];
        char why[ERROR_TEXT_MAX];
        (void)fprintf(stderr, "%s [%s%s%s]: ", question,
                      value_print(row, &init->settings, present, sizeof present),
                      row->unit ? " " : "", schema_unit_name(row->unit));
        if (!fgets(answer, sizeof answer, stdin))
            return false;
        answer[strcspn(answer, "\n")] = '\0';
        if (answer[0] == '\0' || value_store(row, answer, &init->settings, why, sizeof why) == 0)
            return true;
        (void)fprintf(stderr, "  %s\n", why);
    }
    return true;
}

// The one to take of several; 0 without asking. -1: end of input.
static int choose(struct init *init, const char *what, int count)
{
    while (init->asks && count > 1) {
        char answer[ANSWER_MAX];
        (void)fprintf(stderr, "Which %s, 1 to %d? [1]: ", what, count);
        if (!fgets(answer, sizeof answer, stdin))
            return -1;
        int number = answer[0] == '\n' ? 1 : atoi(answer); // NOLINT(cert-err34-c): range is checked
        if (number >= 1 && number <= count)
            return number - 1;
    }
    return 0;
}

static void take_format(struct init *init, const struct hardware_camera *camera)
{
    for (int i = 0; i < camera->formats; i++) {
        if (strcmp(camera->format[i].name, "MJPG") == 0) {
            set(init, "camera.format", "mjpeg");
            return;
        }
    }
    set(init, "camera.format", "yuyv");
}

static int find_camera(struct init *init)
{
    struct hardware_camera *cameras = calloc(HARDWARE_MAX, sizeof *cameras);
    struct error err;
    char text[700];
    int count = cameras ? hardware_cameras(cameras, &err) : 0;
    int usable = 0;
    for (int i = 0; i < count; i++) {
        if (cameras[i].error)
            continue;
        cameras[usable++] = cameras[i];
        (void)fprintf(stderr, "Camera %d: %s (%s)\n", usable, cameras[usable - 1].path,
                      cameras[usable - 1].name);
    }
    int chosen = usable > 0 ? choose(init, "camera", usable) : 0;
    if (usable > 0 && chosen >= 0) {
        const struct hardware_camera *camera = &cameras[chosen];
        const char *path = camera->by_id[0] ? camera->by_id : camera->path;
        set(init, "camera.device", path);
        take_format(init, camera);
        (void)snprintf(text, sizeof text, "Camera: %s at %s", camera->name, path);
        note(init, text);
    } else if (access("/usr/bin/rpicam-vid", X_OK) == 0) {
        set(init, "camera.source", "pipe");
        set(init, "camera.command",
            "exec rpicam-vid -t 0 -n --codec mjpeg --width 1280 --height 720 --framerate 15 -o -");
        note(init, "Camera: no USB camera; rpicam-vid is used for one on the CSI connector");
    } else {
        note(init, "Camera: none found; camera.device is a guess, mend it when it is plugged in");
    }
    free(cameras);
    return chosen < 0 ? -ECANCELED : 0;
}

// What the firmware itself says is better than any preset.
static void take_machine(struct init *init, const struct grbl_machine *m)
{
    set_number(init, "machine.travel_x", m->travel[0]);
    set_number(init, "machine.travel_y", m->travel[1]);
    set_number(init, "machine.travel_z", m->travel[2]);
    set_number(init, "machine.feed_xy", m->speed[0] < m->speed[1] ? m->speed[0] : m->speed[1]);
    set_number(init, "machine.feed_z", m->speed[2]);
    set_number(init, "machine.accel_xy",
               m->acceleration[0] < m->acceleration[1] ? m->acceleration[0] : m->acceleration[1]);
    set_number(init, "machine.accel_z", m->acceleration[2]);
    set_number(init, "machine.pull_off", m->homing_pull_off);
    set(init, "machine.home_x", m->homing_mask & 1 ? "min" : "max");
    set(init, "machine.home_y", m->homing_mask & 2 ? "min" : "max");
}

static void ask_firmware(struct init *init, const char *path)
{
    struct grbl_machine machine;
    struct error err;
    char text[700];
    (void)fprintf(stderr, "Asking the plotter at %s ...\n", path);
    if (hardware_serial_ask(path, 115200, PROBE_SECONDS, &machine, &err) < 0) {
        (void)snprintf(text, sizeof text, "Plotter: %s", err.text);
        note(init, text);
        return;
    }
    take_machine(init, &machine);
    (void)snprintf(text, sizeof text, "Plotter: %s says: travel %g x %g x %g mm",
                   machine.hal ? "grblHAL" : "GRBL", machine.travel[0], machine.travel[1],
                   machine.travel[2]);
    note(init, text);
    if (!machine.homing_enabled || !machine.soft_limits)
        note(init, "Plotter: switch homing and soft limits on ($22=1, $20=1) before calibration");
    if (!machine.motors_hold)
        note(init, "Plotter: let the motors hold at rest ($1=255), or a pushed arm is elsewhere "
                   "than it believes");
}

static int find_plotter(struct init *init)
{
    struct hardware_serial *serials = calloc(HARDWARE_MAX, sizeof *serials);
    struct error err;
    char text[700];
    int count = serials ? hardware_serials(serials, &err) : 0;
    int usable = 0;
    for (int i = 0; i < count; i++) {
        if (serials[i].usb_vendor < 0) // built-in ports are rarely it, and there are many
            continue;
        serials[usable++] = serials[i];
        (void)fprintf(stderr, "Serial port %d: %s (%s)\n", usable, serials[usable - 1].path,
                      serials[usable - 1].name);
    }
    int chosen = usable > 0 ? choose(init, "serial port", usable) : 0;
    if (usable > 0 && chosen >= 0) {
        const char *path = serials[chosen].by_id[0] ? serials[chosen].by_id : serials[chosen].path;
        set(init, "serial.port", path);
        (void)snprintf(text, sizeof text, "Plotter: %s at %s", serials[chosen].name, path);
        note(init, text);
        if (init->cli->probe)
            ask_firmware(init, path);
        else
            note(init, "Plotter: its own settings were not asked (init --probe does)");
    } else if (chosen >= 0) {
        note(init, "Plotter: no USB serial port found; `auto` looks for one at every start");
    }
    free(serials);
    return chosen < 0 ? -ECANCELED : 0;
}

static int find_hardware(struct init *init)
{
    char model[HARDWARE_NAME_MAX];
    char text[400];
    hardware_model(model, sizeof model);
    const struct preset *preset = preset_for_model(model);
    preset_apply(preset, &init->settings);
    (void)snprintf(text, sizeof text, "Computer: %s; preset %s", model[0] ? model : "unknown",
                   preset->name);
    note(init, text);
    int r = find_camera(init);
    return r < 0 ? r : find_plotter(init);
}

static int ask_person(struct init *init)
{
    bool on = ask(init, "machine.name", "Name of this robot") &&
              ask(init, "board.pitch_x", "Distance between columns of the board") &&
              ask(init, "board.pitch_y", "Distance between rows of the board") &&
              ask(init, "stones.diameter", "Diameter of a stone") &&
              ask(init, "stones.height", "Height of a stone") &&
              ask(init, "stones.colour1", "Colour of the stones that move first") &&
              ask(init, "stones.colour2", "Colour of the stones that move second");
    return on ? 0 : -ECANCELED;
}

static int write_settings(const struct init *init, const char *file, struct error *err)
{
    char head[NOTES_MAX + 200];
    (void)snprintf(head, sizeof head,
                   "Settings of a Tessera robot, written by tessera-config init.\n%s", init->notes);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return error_set(err, -ENOMEM, "out of memory");
    text_sample(out, &init->settings, head);
    if (fclose(out) != 0) {
        free(text);
        return error_set(err, -ENOMEM, "out of memory");
    }
    int r = cli_write_file(file, text, size, err);
    free(text);
    return r;
}

// With the file named where it is not the usual one, so that the lines can be copied.
static void say_commands(const char *file)
{
    char option[SETTINGS_PATH_MAX + 12] = "";
    if (strcmp(file, paths_settings(NULL)) != 0)
        (void)snprintf(option, sizeof option, " --config %s", file);
    (void)printf("%s is written. Read it through; then:\n    tessera-config%s check\n"
                 "    tessera-config%s calibrate all\n    tessera play%s\n",
                 file, option, option, option);
}

static void say_next(const struct init *init, const char *file)
{
    struct reading *reading = reading_new();
    if (reading) {
        reading->settings = init->settings;
        if (reading_agree(reading) < 0) {
            (void)fprintf(stderr, "Not everything fits together yet:\n");
            cli_print_faults(init->cli, reading->faults);
        }
        reading_free(reading);
    }
    if (!init->cli->quiet)
        say_commands(file);
}

// The unknown table of --seed: its owner knows his stones, and that is all.
static void take_seed(struct init *init, const struct sim_seed *seed)
{
    for (int i = 0; i < seed->count; i++) {
        char key[SIM_SEED_TEXT];
        (void)snprintf(key, sizeof key, "%s", seed->text[i]);
        char *value = strchr(key, '=');
        *value = '\0';
        set(init, key, value + 1);
    }
}

// Asked before any question is: whether the file may be put where it is wanted.
static bool may_write(const char *file)
{
    char folder[SETTINGS_PATH_MAX];
    (void)snprintf(folder, sizeof folder, "%s", file);
    char *slash;
    do {
        slash = strrchr(folder, '/');
        if (slash)
            *slash = '\0';
    } while (slash && slash != folder && access(folder, F_OK) < 0);
    const char *where = !slash ? "." : slash == folder ? "/" : folder;
    if (access(where, W_OK) == 0)
        return true;
    (void)fprintf(
        stderr,
        "%s cannot be written by this user (%s: %s).\nRun it as root: sudo tessera-config "
        "init; or name a file of your own: tessera-config init my.yaml, and then --config "
        "my.yaml with every command.\n",
        file, where, strerror(errno));
    return false;
}

static enum cli_exit unknown_preset(const char *name)
{
    (void)fprintf(stderr, "tessera-config: there is no preset \"%.40s\". There are:\n", name);
    for (size_t i = 0; i < preset_count; i++)
        (void)fprintf(stderr, "  %-15s %s\n", presets[i].name, presets[i].title);
    return CLI_USAGE;
}

enum cli_exit cli_init(struct cli *cli)
{
    const char *file = cli->argument_count == 1 ? cli->arguments[0] : cli_settings_file(cli);
    struct error err;
    if (strlen(file) >= SETTINGS_PATH_MAX)
        return cli_usage("the path of the settings file is too long");
    if (!cli->force && access(file, F_OK) == 0)
        return cli_usage("%s is already there; change it with `set`, or write a new one with "
                         "--force (the old one is kept)",
                         file);
    for (int i = 0; i < cli->preset_count; i++)
        if (!preset_find(cli->presets[i]))
            return unknown_preset(cli->presets[i]);
    struct sim_seed seed = {0};
    if (cli_take_seed(cli, &seed) < 0)
        return CLI_USAGE;
    if (!may_write(file))
        return CLI_FAILED;
    struct init init = {.cli = cli, .asks = !cli->yes && isatty(STDIN_FILENO)};
    settings_default(&init.settings);
    int r = 0;
    if (cli->sim || cli->seed) {
        preset_apply(preset_find("sim"), &init.settings);
        note(&init, "The simulated table: no device is used");
        take_seed(&init, &seed);
    } else {
        r = find_hardware(&init);
    }
    for (int i = 0; i < cli->preset_count; i++)
        preset_apply(preset_find(cli->presets[i]), &init.settings);
    if (r == 0)
        r = ask_person(&init);
    if (r == -ECANCELED) {
        (void)fprintf(stderr, "\nStopped; nothing was written.\n");
        return CLI_STOPPED;
    }
    if (cli_set_aside(file, &err) < 0 || write_settings(&init, file, &err) < 0) {
        cli_complain(&err);
        return CLI_FAILED;
    }
    say_next(&init, file);
    return CLI_DONE;
}
