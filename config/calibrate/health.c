#include "config/calibrate/health.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/calibrate/drift.h"
#include "config/calibration.h"
#include "config/paths.h"
#include "controller/child.h"
#include "controller/gpio_chip.h"
#include "controller/robot_log.h"

static const double DRIFT_LIMIT = 2.0; // mm: the cup still finds a stone's middle

// --- programs ---

static void program(const char *name, struct doctor_report *report)
{
    char path[CHILD_PATH_MAX];
    struct error err;
    if (child_find_program(name, path, &err) == 0)
        doctor_add(report, DOCTOR_GOOD, name, "", "%.280s", path);
    else
        doctor_add(report, DOCTOR_BAD, name, "sudo cmake --install build/release --prefix /usr",
                   "%.280s", err.text);
}

// An engine named by the settings is found, or not, by the shell that runs it.
static void programs(const struct settings *settings, struct doctor_report *report)
{
    program("tessera-rulesd", report);
    if (settings->engine.command[0] == '\0')
        program("tessera-engine", report);
    else
        doctor_add(report, DOCTOR_GOOD, "engine", "", "%.200s", settings->engine.command);
    doctor_add(report, DOCTOR_GOOD, "libraries", "", "libgpiod %s", gpio_chip_library());
}

// --- the game ---

static void game(const struct settings *settings, struct doctor_report *report)
{
    static const char WHAT[] = "game";
    char folder[PATHS_MAX];
    char log_folder[PATHS_MAX + 8];
    struct robot_log_past past;
    struct error err;
    if (paths_state(settings, folder, sizeof folder) < 0) {
        doctor_add(report, DOCTOR_BAD, WHAT, "tessera-config set paths.state FOLDER",
                   "there is no folder to keep games in");
        return;
    }
    (void)snprintf(log_folder, sizeof log_folder, "%s/robot", folder);
    int r = robot_log_look(log_folder, &past, &err);
    if (r == -ENOENT)
        doctor_add(report, DOCTOR_GOOD, WHAT, "", "none was played yet");
    else if (r == -EBUSY)
        doctor_add(report, DOCTOR_GOOD, WHAT, "", "one is being played just now");
    else if (r == -EACCES)
        doctor_add(report, DOCTOR_BAD, WHAT, "sudo usermod -aG tessera $USER, then log in anew",
                   "%.280s", err.text);
    else if (r < 0)
        doctor_add(report, DOCTOR_BAD, WHAT, "tessera play --state ANOTHER-FOLDER", "%.280s",
                   err.text);
    else if (past.open)
        doctor_add(report, DOCTOR_GOOD, WHAT, "tessera play --resume",
                   "%.60s of %.60s is unfinished", past.game.game, past.game.variant);
    else
        doctor_add(report, DOCTOR_GOOD, WHAT, "", "none is unfinished");
}

// --- drift ---

static void judge_drift(const struct settings *settings, const struct calibration *c,
                        struct doctor_report *report)
{
    static const char WHAT[] = "drift";
    struct error err;
    double mm;
    if (drift_measure(settings, c, &mm, &err) < 0)
        doctor_add(report, DOCTOR_WARNING, WHAT, "tessera-config calibrate board",
                   "the board could not be looked at: %.200s", err.text);
    else if (mm > DRIFT_LIMIT)
        doctor_add(report, DOCTOR_BAD, WHAT,
                   "tessera-config --force calibrate board, then calibrate arm",
                   "the board is seen %.1f mm from where it was calibrated (limit %.1f): it or "
                   "the camera was moved",
                   mm, DRIFT_LIMIT);
    else
        doctor_add(report, DOCTOR_GOOD, WHAT, "",
                   "the board is seen %.2f mm from where it was calibrated, limit %.1f", mm,
                   DRIFT_LIMIT);
}

// The camera looks at the board once more. Only when nothing before has spoken against it: a device
// that is missing is one line, not two.
static void drift(const struct settings *settings, struct doctor_report *report)
{
    char path[PATHS_MAX];
    struct calibration *c = calloc(1, sizeof *c);
    struct error err;
    if (c && !doctor_is_bad(report, "camera") && !doctor_is_bad(report, "settings") &&
        paths_calibration(settings, path, sizeof path) == 0 &&
        calibration_load(path, settings->machine.name, c, &err) == 0 && c->board.verdict.valid)
        judge_drift(settings, c, report);
    free(c);
}

void health_examine(const struct reading *reading, struct doctor_report *ret)
{
    doctor_examine(reading, ret);
    programs(&reading->settings, ret);
    game(&reading->settings, ret);
    drift(&reading->settings, ret);
}

void health_status(const struct reading *reading, struct doctor_report *ret)
{
    *ret = (struct doctor_report){0};
    doctor_devices(&reading->settings, ret);
    doctor_calibration(&reading->settings, ret);
    game(&reading->settings, ret);
}
