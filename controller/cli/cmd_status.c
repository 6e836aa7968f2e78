// tessera status and tessera doctor: what is there, what is wrong and what to do about it. Neither
// moves anything nor keeps a device open.
#include <errno.h>
#include <glob.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/calibration.h"
#include "config/paths.h"
#include "controller/child.h"
#include "controller/cli/commands.h"
#include "controller/gpio_chip.h"
#include "controller/robot_log.h"
#include "vision/v4l2.h"

enum { FINDINGS_MAX = 16 };

struct finding {
    const char *what;  // "camera"
    bool well, device; // device: a missing one is exit code 4
    char text[ERROR_TEXT_MAX];
};

struct findings {
    int count;
    struct finding list[FINDINGS_MAX];
};

static void found(struct findings *f, const char *what, bool well, bool device, const char *format,
                  ...) __attribute__((format(printf, 5, 6)));

static void found(struct findings *f, const char *what, bool well, bool device, const char *format,
                  ...)
{
    if (f->count == FINDINGS_MAX)
        return;
    struct finding *x = &f->list[f->count++];
    *x = (struct finding){.what = what, .well = well, .device = device};
    va_list ap;
    va_start(ap, format);
    vsnprintf(x->text, sizeof x->text, format, ap);
    va_end(ap);
}

static void look_for_programs(struct findings *f)
{
    static const char *const names[] = {"tessera-rulesd", "tessera-engine"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[CHILD_PATH_MAX];
        struct error err;
        bool well = child_find_program(names[i], path, &err) == 0;
        found(f, names[i], well, false, "%.*s", ERROR_TEXT_MAX - 1, well ? path : err.text);
    }
}

static void look_for_camera(struct findings *f, const struct settings *s)
{
    char device[128], card[64];
    switch (s->camera.source) {
    case SETTINGS_CAMERA_SIM:
        found(f, "camera", true, true, "simulated");
        return;
    case SETTINGS_CAMERA_PIPE:
        found(f, "camera", s->camera.command[0] != 0, true, "the command \"%s\"",
              s->camera.command);
        return;
    case SETTINGS_CAMERA_STILL:
    case SETTINGS_CAMERA_SESSION:
        found(f, "camera", access(s->camera.device, R_OK) == 0, true, "pictures of %s",
              s->camera.device);
        return;
    case SETTINGS_CAMERA_V4L2:
        break;
    }
    if (access(s->camera.device, R_OK | W_OK) == 0)
        found(f, "camera", true, true, "%s is there", s->camera.device);
    else if (errno == EACCES)
        found(f, "camera", false, true, "no permission for %s: add your user to the group video",
              s->camera.device);
    else if (v4l2_list(0, device, card) == 0)
        found(f, "camera", false, true, "%s is not there, but %s (%s) is: set camera.device",
              s->camera.device, device, card);
    else
        found(f, "camera", false, true, "%s is not there and no other camera either: plug it in",
              s->camera.device);
}

static void look_for_plotter(struct findings *f, const struct settings *s)
{
    glob_t list;
    if (strcmp(s->serial.port, "sim") == 0) {
        found(f, "plotter", true, true, "simulated");
    } else if (strncmp(s->serial.port, "tcp:", 4) == 0) {
        found(f, "plotter", true, true, "%s (not tried)", s->serial.port);
    } else if (strcmp(s->serial.port, "auto") == 0) {
        int r = glob("/dev/serial/by-id/*", 0, NULL, &list);
        size_t count = r == 0 ? list.gl_pathc : 0;
        if (count == 1)
            found(f, "plotter", true, true, "%s is there", list.gl_pathv[0]);
        else if (count == 0)
            found(f, "plotter", false, true,
                  "no USB serial device is plugged in: plug the plotter in and switch it on");
        else
            found(f, "plotter", false, true,
                  "%zu USB serial devices are plugged in: name the plotter in serial.port", count);
        if (r == 0)
            globfree(&list);
    } else if (access(s->serial.port, R_OK | W_OK) == 0) {
        found(f, "plotter", true, true, "%s is there", s->serial.port);
    } else {
        found(f, "plotter", false, true, "%s: %s%s", s->serial.port, strerror(errno),
              errno == EACCES ? "; add your user to the group dialout" : "");
    }
}

static void look_for_panel(struct findings *f, const struct settings *s)
{
    glob_t list;
    if (s->gpio.backend == SETTINGS_GPIO_SIM) {
        found(f, "panel", true, true, "simulated");
    } else if (s->gpio.backend == SETTINGS_GPIO_NONE) {
        found(f, "panel", !s->safety.estop_required, true,
              s->safety.estop_required ? "none (gpio.backend), but safety.estop_required wants an "
                                         "emergency stop"
                                       : "none: the keyboard confirms");
    } else {
        int r = glob("/dev/gpiochip*", 0, NULL, &list);
        bool usable = r == 0 && access(list.gl_pathv[0], R_OK | W_OK) == 0;
        if (r != 0)
            found(f, "panel", false, true, "this computer has no GPIO that the kernel knows of");
        else
            found(f, "panel", usable, true, "%zu GPIO chip%s, libgpiod %s%s", list.gl_pathc,
                  list.gl_pathc == 1 ? "" : "s", gpio_chip_library(),
                  usable ? "" : ": no permission, add your user to the group gpio");
        if (r == 0)
            globfree(&list);
    }
}

static void look_at_calibration(struct findings *f, const struct settings *s)
{
    char path[PATHS_MAX];
    struct calibration c;
    struct error err;
    if (paths_calibration(s, path, sizeof path) < 0)
        return;
    int r = calibration_load(path, s->machine.name, &c, &err);
    if (r == -ENOENT) {
        found(f, "calibration", false, false,
              "never calibrated: the settings' figures are used. `tessera-config calibrate all` "
              "measures them");
        return;
    }
    if (r < 0) {
        found(f, "calibration", false, false, "%.*s", ERROR_TEXT_MAX - 1, err.text);
        return;
    }
    const struct {
        const char *name;
        bool valid;
    } parts[] = {{"lens", c.lens.verdict.valid},
                 {"board", c.board.verdict.valid},
                 {"arm", c.arm.verdict.valid},
                 {"stones", c.stones.verdict.valid},
                 {"gripper", c.gripper.verdict.valid}};
    char missing[128] = "";
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!parts[i].valid)
            snprintf(missing + strlen(missing), sizeof missing - strlen(missing), " %s",
                     parts[i].name);
    }
    found(f, "calibration", !missing[0], false, "%s%s%s", path,
          missing[0] ? ", still missing:" : "", missing);
}

static void look_at_state(struct findings *f, const struct settings *s)
{
    char folder[PATHS_MAX], log_folder[PATHS_MAX + 8];
    struct robot_log *log;
    struct robot_log_past past;
    struct error err;
    if (paths_state(s, folder, sizeof folder) < 0) {
        found(f, "state", false, false, "there is no folder for the state: set paths.state");
        return;
    }
    snprintf(log_folder, sizeof log_folder, "%s/robot", folder);
    if (access(log_folder, F_OK) < 0) {
        found(f, "game", true, false, "none was played yet");
        return;
    }
    int r = robot_log_open(log_folder, &log, &past, &err);
    if (r == -EBUSY) {
        found(f, "game", true, false, "one is being played just now");
        return;
    }
    if (r < 0) {
        found(f, "game", false, false, "%.*s", ERROR_TEXT_MAX - 1, err.text);
        return;
    }
    robot_log_free(log);
    if (past.open)
        found(f, "game", true, false, "%s of %s is unfinished: `tessera play --resume` goes on",
              past.game.game, past.game.variant);
    else
        found(f, "game", true, false, "none is unfinished");
}

static void print_json(const struct findings *f)
{
    json_t *all = json_object();
    for (int i = 0; i < f->count; i++)
        json_object_set_new(
            all, f->list[i].what,
            json_pack("{s:b, s:s}", "ok", f->list[i].well, "text", f->list[i].text));
    json_dumpf(all, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(all);
}

static enum exit_code report(const char *name, int argc, char **argv, bool judge)
{
    struct common_options common;
    struct settings settings;
    struct findings f = {0};
    enum exit_code code;
    if (options_parse(options_find_command(name), NULL, &common, argc, argv, &code) < 0)
        return code;
    code = options_settings(&common, &settings);
    if (code != EXIT_DONE)
        return code;
    look_for_plotter(&f, &settings);
    look_for_camera(&f, &settings);
    look_for_panel(&f, &settings);
    look_at_calibration(&f, &settings);
    look_at_state(&f, &settings);
    if (judge)
        look_for_programs(&f);
    if (common.json)
        print_json(&f);
    for (int i = 0; i < f.count; i++) {
        if (!common.json)
            printf("%s %-15s %s\n", f.list[i].well ? "  ok " : "  !! ", f.list[i].what,
                   f.list[i].text);
        if (!f.list[i].well && code != EXIT_NO_DEVICE)
            code = f.list[i].device ? EXIT_NO_DEVICE : EXIT_FAILED;
    }
    return judge ? code : EXIT_DONE;
}

enum exit_code cmd_status(int argc, char **argv)
{
    return report("status", argc, argv, false);
}

enum exit_code cmd_doctor(int argc, char **argv)
{
    return report("doctor", argc, argv, true);
}
