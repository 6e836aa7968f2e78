// Inside of the firmware: what its source files share.
#pragma once

#include "controller/sim/plotter.h"

enum {
    REALTIME_STATUS = 1 << 0,
    REALTIME_START = 1 << 1,
    REALTIME_HOLD = 1 << 2,
    REALTIME_RESET = 1 << 3,
    REALTIME_DOOR = 1 << 4,
    REALTIME_CANCEL = 1 << 5,
};

// Error numbers of Grbl 1.1 (doc/csv/error_codes_en_US.csv), those that occur here.
enum {
    E_OK = 0,
    E_LETTER = 1,
    E_NUMBER = 2,
    E_STATEMENT = 3,
    E_NEGATIVE = 4,
    E_HOMING_OFF = 5,
    E_STEP_PULSE = 6,
    E_NOT_IDLE = 8,
    E_LOCKED = 9,
    E_SOFT_NEEDS_HOMING = 10,
    E_OVERFLOW = 11,
    E_STEP_RATE = 12,
    E_DOOR = 13,
    E_LINE_LENGTH = 14,
    E_JOG_TRAVEL = 15,
    E_JOG_COMMAND = 16,
    E_UNSUPPORTED = 20,
    E_MODAL_GROUP = 21,
    E_NO_FEED = 22,
    E_NOT_INTEGER = 23,
    E_AXIS_CONFLICT = 24,
    E_REPEATED = 25,
    E_NO_AXIS = 26,
    E_LINE_NUMBER = 27,
    E_MISSING = 28,
    E_COORD = 29,
    E_G53 = 30,
    E_AXIS_UNUSED = 31,
    E_TARGET = 33,
    E_UNUSED = 36,
    E_G43_AXIS = 37,
    E_HOMING_REQUIRED = 46, // grblHAL
};

enum { GOES_ON = -1 }; // not an error number: the reply comes later

enum {
    ALARM_HARD_LIMIT = 1,
    ALARM_SOFT_LIMIT = 2,
    ALARM_ABORT = 3,
    ALARM_PROBE_INITIAL = 4,
    ALARM_PROBE_CONTACT = 5,
    ALARM_HOME_RESET = 6,
    ALARM_HOME_DOOR = 7,
    ALARM_HOME_PULL_OFF = 8,
    ALARM_HOME_APPROACH = 9,
    ALARM_HOME_REQUIRED = 11, // grblHAL
};

// Indices into plotter_eeprom.setting.
enum {
    S_STEP_PULSE,
    S_IDLE_DELAY,
    S_STEP_INVERT,
    S_DIR_INVERT,
    S_ENABLE_INVERT,
    S_LIMIT_INVERT,
    S_PROBE_INVERT,
    S_REPORT,
    S_JUNCTION,
    S_ARC,
    S_REPORT_INCHES,
    S_SOFT_LIMITS,
    S_HARD_LIMITS,
    S_HOMING,
    S_HOMING_DIR,
    S_HOMING_FEED,
    S_HOMING_SEEK,
    S_HOMING_DEBOUNCE,
    S_PULL_OFF,
    S_SPINDLE_MAX,
    S_SPINDLE_MIN,
    S_LASER,
    S_STEPS,                // 3
    S_RATE = S_STEPS + 3,   // 3, mm/min
    S_ACCEL = S_RATE + 3,   // 3
    S_TRAVEL = S_ACCEL + 3, // 3
};
_Static_assert(S_TRAVEL + 3 == PLOTTER_SETTINGS, "the table of settings is complete");

#define ALARM_DELAY_NS  INT64_C(500000000)
#define BOOT_NS         INT64_C(1000000000) // the boot loader listens for a new program first
#define EEPROM_NS       INT64_C(21000000)   // one setting: four bytes and a checksum
#define PARSE_NS        INT64_C(1200000)    // a line without motion
#define PARSE_SYSTEM_NS INT64_C(300000)     // a line that begins with $
#define PARSE_MOTION_NS INT64_C(3600000)
#define DWELL_TICK_NS   INT64_C(50000000) // Grbl waits in steps of 50 ms
#define BYTE_NS         INT64_C(86806)    // 115200 baud, 8N1

// plotter_settings.c
void plotter_settings_factory(struct plotter *p, const struct table_setup *setup);
void plotter_settings_reset_parameters(struct plotter *p);               // offsets
int plotter_settings_store(struct plotter *p, int number, double value); // error number
void plotter_settings_report(struct plotter *p);

// plotter_report.c
void plotter_say(struct plotter *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void plotter_report_status_message(struct plotter *p, int error);
void plotter_report_realtime(struct plotter *p);
void plotter_report_banner(struct plotter *p);
void plotter_report_message(struct plotter *p, const char *text);
void plotter_report_modes(struct plotter *p);
void plotter_report_offsets(struct plotter *p);
void plotter_report_build(struct plotter *p);
void plotter_report_probe(struct plotter *p);
void plotter_work_offset(const struct plotter *p, double ret[3]);

// plotter_gcode.c
int plotter_gcode(struct plotter *p, const char *line, struct plotter_job *job); // error number

// A number as Grbl reads it: sign, digits, point; no exponent. Returns the rest, NULL = none there.
const char *plotter_read_number(const char *s, double *ret);

// plotter_system.c: a line that begins with $. Error number, or GOES_ON: no reply yet.
int plotter_system(struct plotter *p, const char *line);

// plotter_job.c: carries out the line at hand as far as it can now. True: something was done.
bool plotter_job_go_on(struct plotter *p);
int plotter_job_start(struct plotter *p, const char *line, bool jog); // error number or GOES_ON

// plotter_plan.c
void plotter_plan_reset(
    struct plotter *p); // empties the planner; position is where the steppers are
bool plotter_plan_full(const struct plotter *p);
bool plotter_plan_line(struct plotter *p, const double target[3], double feed, bool rapid,
                       bool probing);
int32_t plotter_plan_steps(const struct plotter *p, int axis, double mm);
double plotter_plan_mm(const struct plotter *p, int axis, int32_t steps);
void plotter_steppers_start(struct plotter *p);
void plotter_steppers_block_over(struct plotter *p); // at profile.end_ns
void plotter_steppers_hold(struct plotter *p);       // begin to slow down
void plotter_steppers_stop(struct plotter *p);       // dead stop, position becomes where they are
double plotter_steppers_speed(const struct plotter *p, int64_t t_ns);
double plotter_steppers_way(const struct plotter *p, int64_t t_ns); // mm along the present block

// plotter_home.c
void plotter_home_start(struct plotter *p);
void plotter_home_pass_over(struct plotter *p); // at home.end_ns
void plotter_home_position(const struct plotter *p, int64_t t_ns, double ret[3]);
void plotter_home_stop(struct plotter *p);

// plotter_realtime.c
void plotter_greet(struct plotter *p); // banner; then the start-up lines, unless locked
bool plotter_realtime_byte(struct plotter *p, uint8_t byte); // false: it belongs to a line
void plotter_realtime(struct plotter *p);                    // carries out what has been flagged
void plotter_alarm(struct plotter *p);                       // tells the alarm raised
void plotter_cycle_start(struct plotter *p);
void plotter_cycle_stopped(struct plotter *p); // the steppers have come to rest
void plotter_resume(struct plotter *p);        // after a hold or the door

// plotter.c
void plotter_forget(struct plotter *p); // what any reset forgets: buffers, parser, outputs
void plotter_outputs(struct plotter *p, bool spindle, bool mist, bool flood);
void plotter_wait_for(struct plotter *p, enum plotter_wait wait, int64_t ns);
void plotter_raise(struct plotter *p, int alarm);
void plotter_sync_parser(struct plotter *p); // the parser's position := the planner's
