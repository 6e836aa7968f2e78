#include "config/doctor.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "config/calibration.h"
#include "config/paths.h"

static const int OLD_DAYS = 180;

void doctor_add(struct doctor_report *report, enum doctor_level level, const char *what,
                const char *mend, const char *format, ...)
{
    assert(level == DOCTOR_GOOD || mend[0]); // nobody is left alone with a fault
    if (report->count == DOCTOR_LINES_MAX)
        return;
    struct doctor_line *line = &report->line[report->count++];
    line->level = level;
    (void)snprintf(line->what, sizeof line->what, "%s", what);
    (void)snprintf(line->mend, sizeof line->mend, "%s", mend);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line->text, sizeof line->text, format, args);
    va_end(args);
}

enum doctor_level doctor_worst(const struct doctor_report *report)
{
    enum doctor_level worst = DOCTOR_GOOD;
    for (int i = 0; i < report->count; i++)
        if (report->line[i].level > worst)
            worst = report->line[i].level;
    return worst;
}

bool doctor_is_bad(const struct doctor_report *report, const char *what)
{
    for (int i = 0; i < report->count; i++)
        if (report->line[i].level == DOCTOR_BAD && strcmp(report->line[i].what, what) == 0)
            return true;
    return false;
}

static void part(struct doctor_report *report, const char *name,
                 const struct calibration_verdict *verdict)
{
    char what[32];
    char mend[64];
    (void)snprintf(what, sizeof what, "calibration %s", name);
    (void)snprintf(mend, sizeof mend, "tessera-config calibrate %s", name);
    long long days = ((long long)time(NULL) - verdict->when) / 86400;
    if (!verdict->valid)
        doctor_add(report, DOCTOR_BAD, what, mend,
                   verdict->when ? "failed when it was last measured (%.3g, limit %.3g)"
                                 : "not measured yet",
                   verdict->figure, verdict->limit);
    else if (days > OLD_DAYS)
        doctor_add(report, DOCTOR_WARNING, what, mend, "is %lld days old", days);
    else
        doctor_add(report, DOCTOR_GOOD, what, "", "%.3g, limit %.3g, %lld days old",
                   verdict->figure, verdict->limit, days);
}

void doctor_calibration(const struct settings *settings, struct doctor_report *report)
{
    static const char WHAT[] = "calibration";
    char path[PATHS_MAX];
    struct calibration c;
    struct error err;
    if (paths_calibration(settings, path, sizeof path) < 0) {
        doctor_add(report, DOCTOR_BAD, WHAT, "tessera-config set paths.state FOLDER",
                   "there is no folder to keep it in");
        return;
    }
    int r = calibration_load(path, settings->machine.name, &c, &err);
    if (r < 0) {
        doctor_add(report, DOCTOR_BAD, WHAT,
                   r == -ENOENT ? "tessera-config calibrate all"
                                : "tessera-config --force calibrate all",
                   "%.280s", err.text);
        return;
    }
    part(report, "panel", &c.panel.verdict);
    part(report, "camera", &c.camera.verdict);
    part(report, "board", &c.board.verdict);
    part(report, "arm", &c.arm.verdict);
    part(report, "stones", &c.stones.verdict);
    part(report, "gripper", &c.gripper.verdict);
}

void doctor_examine(const struct reading *reading, struct doctor_report *ret)
{
    *ret = (struct doctor_report){0};
    struct error err;
    if (faults_first(reading->faults, &err) < 0)
        doctor_add(ret, DOCTOR_BAD, "settings", "tessera-config check", "%zu faults; %s:%d: %.200s",
                   reading->faults->count, err.file, err.line, err.text);
    else
        doctor_add(ret, DOCTOR_GOOD, "settings", "", "all values are fine and fit together");
    doctor_devices(&reading->settings, ret);
    doctor_calibration(&reading->settings, ret);
    doctor_computer(&reading->settings, ret);
}
