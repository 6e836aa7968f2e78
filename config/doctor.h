// doctor: one page about the health of a robot, each bad line with the command that mends it.
//
// Asks the kernel and reads files; requests no GPIO line, opens no serial port, takes no picture.
#pragma once

#include <stdbool.h>

#include "config/base/error.h"
#include "config/reading.h"

enum {
    DOCTOR_LINES_MAX = 64,
    DOCTOR_TEXT_MAX = 300,
};

enum doctor_level {
    DOCTOR_GOOD,
    DOCTOR_WARNING, // the robot plays, but not for long or not as well as it could
    DOCTOR_BAD,     // it does not play
};

struct doctor_line {
    enum doctor_level level;
    char what[32]; // "camera"
    char text[DOCTOR_TEXT_MAX];
    char mend[DOCTOR_TEXT_MAX]; // a command or an act; "" when nothing is to do
};

struct doctor_report {
    int count;
    struct doctor_line line[DOCTOR_LINES_MAX];
};

// Examines everything the settings name. `reading` may have faults: they are the first line.
void doctor_examine(const struct reading *reading, struct doctor_report *ret);

enum doctor_level doctor_worst(const struct doctor_report *report);
// Whether a line about this ("camera") is bad.
bool doctor_is_bad(const struct doctor_report *report, const char *what);

// For the parts of the examination: adds a line; mend "" = nothing to do, only when it is good.
void doctor_add(struct doctor_report *report, enum doctor_level level, const char *what,
                const char *mend, const char *format, ...) __attribute__((format(printf, 5, 6)));
void doctor_devices(const struct settings *settings, struct doctor_report *report);
void doctor_computer(const struct settings *settings, struct doctor_report *report);
void doctor_calibration(const struct settings *settings, struct doctor_report *report);
