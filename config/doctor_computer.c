#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <time.h>

#include "config/base/io.h"
#include "config/doctor.h"
#include "config/hardware.h"
#include "config/paths.h"

static const double LITTLE_DISK = 200e6; // bytes: a few recorded games
static const double NO_DISK = 20e6;
static const double HOT = 80;                // °C: boards slow down from there
static const time_t NOT_BEFORE = 1735689600; // 2025-01-01: no clock was set before this was written

static void disk(const struct settings *s, struct doctor_report *report)
{
    char folder[PATHS_MAX];
    struct statvfs fs;
    if (paths_state(s, folder, sizeof folder) < 0)
        return;
    // The folder may not be made yet; its parents are on the same disk.
    while (statvfs(folder, &fs) < 0) {
        char *slash = strrchr(folder, '/');
        if (errno != ENOENT || !slash || slash == folder)
            return;
        *slash = '\0';
    }
    double left = (double)fs.f_bavail * (double)fs.f_frsize;
    doctor_add(report,
               left < NO_DISK       ? DOCTOR_BAD
               : left < LITTLE_DISK ? DOCTOR_WARNING
                                    : DOCTOR_GOOD,
               "disk",
               left < LITTLE_DISK ? "du -sh /var/lib/tessera/*, and remove old sessions" : "",
               "%.0f MB are free at %.200s", left / 1e6, folder);
}

static void wall_clock(struct doctor_report *report)
{
    struct timex timex = {0};
    bool synced = adjtimex(&timex) != TIME_ERROR && !(timex.status & STA_UNSYNC);
    if (time(NULL) < NOT_BEFORE)
        doctor_add(report, DOCTOR_WARNING, "clock", "sudo timedatectl set-ntp true",
                   "the date is not set, so records will carry a wrong one");
    else
        doctor_add(report, DOCTOR_GOOD, "clock", "", "%s",
                   synced ? "set, kept by the network" : "set, not kept by the network");
}

static bool read_number(const char *path, int base, long *ret)
{
    char *text;
    size_t size;
    if (io_read_file(NULL, path, 64, &text, &size, NULL) < 0)
        return false;
    char *end;
    *ret = strtol(text, &end, base);
    bool good = end != text;
    free(text);
    return good;
}

static void heat(struct doctor_report *report)
{
    long value;
    if (read_number("/sys/class/thermal/thermal_zone0/temp", 10, &value))
        doctor_add(report, (double)value / 1000 > HOT ? DOCTOR_WARNING : DOCTOR_GOOD, "temperature",
                   (double)value / 1000 > HOT ? "give the board air or a heat sink" : "", "%.0f °C",
                   (double)value / 1000);
    // Raspberry Pi: bits of now (0 … 3) and since the start (16 … 19).
    if (!read_number("/sys/devices/platform/soc/soc:firmware/get_throttled", 16, &value))
        return;
    bool low = value & 0x10001;
    bool slow = value & 0xE000E;
    doctor_add(report, low || slow ? DOCTOR_WARNING : DOCTOR_GOOD, "power",
               low    ? "use the board's own power supply, and a short cable"
               : slow ? "give the board air or a heat sink"
                      : "",
               low    ? "the supply voltage was too low: USB devices vanish from this"
               : slow ? "the processor was slowed down by heat"
                      : "the supply was good since the start");
}

static void versions(struct doctor_report *report)
{
    struct utsname uts;
    char model[HARDWARE_NAME_MAX];
    hardware_model(model, sizeof model);
    if (uname(&uts) == 0)
        doctor_add(report, DOCTOR_GOOD, "versions", "", "Tessera %s, Linux %.60s %.30s%s%s",
                   TESSERA_VERSION, uts.release, uts.machine, model[0] ? ", " : "", model);
}

void doctor_computer(const struct settings *settings, struct doctor_report *report)
{
    disk(settings, report);
    wall_clock(report);
    heat(report);
    versions(report);
}
