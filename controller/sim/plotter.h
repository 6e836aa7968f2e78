// plotter: the simulated plotter's firmware: Grbl 1.1h as its users meet it, traps included.
//
// Sans-I/O: bytes come in one by one with the time they arrived on the wire, bytes go out by a
// callback with the time the last of them left it. Time is the loop's, moves only forward, and
// costs what it costs on an ATmega328: parsing, EEPROM writes, accelerations, 87 us a byte.
//
// Flat and without pointers of its own (but for the two of plotter_attach), so that it can be kept
// in the table file: the firmware does not die with the computer.
//
// Modelled: the 128-byte receive ring that loses bytes when full, the 15-block look-ahead planner
// with per-axis limits and junction deviation, hold, resume, jog and its cancel, door, soft and
// hard limits, homing, probing, check mode, sleep, settings and offsets in EEPROM, start-up lines,
// the parser's modal groups and error numbers. Left out: arcs (error:20), overrides (read,
// ignored). Sources: gnea/grbl doc/markdown (interface, commands, settings) and the facts F1 … F15
// of controller/sim/README.md, which were measured on unmodified firmware.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/sim/setup.h"

enum {
    PLOTTER_BLOCKS = 15,
    PLOTTER_RX_SIZE = 128,      // Grbl
    PLOTTER_RX_SIZE_HAL = 1023, // grblHAL
    PLOTTER_LINE = 80,          // characters of a line, with its NUL
    PLOTTER_COORDS = 8,         // G54 … G59, G28, G30
    PLOTTER_SETTINGS = 34,
};

struct plotter_ops {
    // These bytes have left at t_ns (in the future: the line is slow).
    void (*send)(void *user, int64_t t_ns, const void *data, size_t size);
    // The spindle and coolant outputs changed.
    void (*outputs)(void *user, int64_t t_ns, bool spindle, bool mist, bool flood);
    // mm from where the axis truly is to its switch, towards the minimum or maximum end.
    double (*switch_distance)(void *user, int axis, bool at_min);
    // The firmware calls the place it is at `position` from now on, in the axes given. homed: it
    // knows; else it is only what a fresh counter reads.
    void (*renamed)(void *user, int64_t t_ns, const double position[3], const bool axis[3],
                    bool homed);
    // The motors were stopped dead at this speed (mm/s): steps are lost.
    void (*stopped_dead)(void *user, int64_t t_ns, const double speed[3]);
};

enum plotter_state {
    PLOTTER_IDLE,
    PLOTTER_RUN,
    PLOTTER_HOLD,
    PLOTTER_JOG,
    PLOTTER_ALARM,
    PLOTTER_DOOR,
    PLOTTER_CHECK,
    PLOTTER_HOME,
    PLOTTER_SLEEP,
};

struct plotter_block {
    int32_t from[3], steps[3]; // steps: signed way
    double unit[3];
    double mm, done; // length; executed before the present profile began
    double accel, nominal;
    double entry_sqr, max_entry_sqr; // (mm/s)²
    bool probing;
};

// Motion along the present block: at most three phases of constant acceleration.
struct plotter_profile {
    bool active;
    bool holding; // comes to rest, wherever that is
    int64_t t0_ns, end_ns;
    double v0;
    double time[3], accel[3]; // s, mm/s²
};

struct plotter_home {
    int cycle, pass; // cycle 0 = z, 1 = x and y; pass: seek, pull off, locate, pull off
    bool axis[3];
    double from[3], way[3]; // mm, signed
    double rate, accel;
    bool failed, decelerates;
    int64_t t0_ns, rest_ns, end_ns; // rest = motion over, end = debounce over
};

struct plotter_modal {
    uint8_t motion; // 0, 1, 80, 38 (with probe kind)
    uint8_t probe;  // 2 … 5
    uint8_t plane;  // 17, 18, 19
    bool inches, relative;
    uint8_t coord;   // 0 … 5: G54 …
    uint8_t spindle; // 3, 4, 5
    bool mist, flood;
    uint8_t flow; // 0, or the M number of a pending stop
};

// A line being carried out.
struct plotter_job {
    bool active;
    bool jog;
    bool silent; // a start-up line: its reply has another form
    int stage;   // of plotter_job.c
    // What the line says.
    struct plotter_modal modal;
    int nonmodal;    // in tenths: 0 none, 40, 100, 280, 281, 300, 301, 920, 921
    int tool_length; // in tenths: 0 unchanged, 431, 490
    bool moves;      // it has a motion to `target`
    int stored;      // G28, G30: then goes to this coord
    double feed, speed, dwell;
    int tool;         // T, -1 = none
    double target[3]; // machine mm
    double offset[3]; // G10, G92, G43.1: the new value
    int coord_select; // G10
};

struct plotter_eeprom {
    double setting[PLOTTER_SETTINGS]; // by index of the table in plotter_settings.c
    double coord[PLOTTER_COORDS][3];
    char startup[2][PLOTTER_LINE];
    char build[PLOTTER_LINE];
};

enum plotter_wait {
    PLOTTER_WAIT_NONE,
    PLOTTER_WAIT_BOOT,
    PLOTTER_WAIT_PARSE,
    PLOTTER_WAIT_EEPROM,
    PLOTTER_WAIT_ALARM,    // 0.5 s after an alarm was printed
    PLOTTER_WAIT_CRITICAL, // mute until 0x18
    PLOTTER_WAIT_DWELL,
    PLOTTER_WAIT_HOME,
    PLOTTER_WAIT_DOOR, // spindle and coolant spin up
};

// Grouped by what belongs together; there is one of these.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct plotter {
    const struct plotter_ops *ops;
    void *user;

    struct plotter_eeprom eeprom, factory;
    enum setup_flavour flavour;
    int64_t now_ns;
    enum plotter_state state;
    bool powered;

    // serial
    uint8_t rx[PLOTTER_RX_SIZE_HAL];
    int rx_head, rx_count, rx_size;
    uint64_t rx_lost;
    int64_t tx_free_ns;
    char line[PLOTTER_LINE];
    int line_length;
    bool line_overflow, in_comment, in_semicolon;

    // main program
    enum plotter_wait wait;
    int64_t wait_ns;
    unsigned realtime; // flags of plotter_private.h
    int alarm;         // raised, not yet printed; 0 = none
    int door_restore;  // outputs to restore after the door: 1 spindle, 2 coolant
    struct plotter_job job;
    int startup_line;  // next start-up line to run, 2 = none left
    bool critical;     // the alarm being told mutes the board
    bool homing_reply; // an aborted $H still owes its ok
    int owed_reply;    // error number of the line that is being written to the EEPROM

    // planner
    struct plotter_block block[PLOTTER_BLOCKS];
    int block_tail, block_count;
    int32_t plan_position[3]; // steps, end of the last block
    double prev_unit[3], prev_nominal;
    bool have_prev;

    // steppers
    struct plotter_profile profile;
    int32_t position[3]; // steps, at the end of the last finished block
    bool cycle;          // blocks are being executed
    bool held;           // at rest in a hold
    bool jog_cancel, door_ajar;
    struct plotter_home home;
    bool limit_pin[3], probe_pin;

    // parser
    struct plotter_modal modal;
    double feed;         // mm/s
    double parser_at[3]; // machine mm: end of the last line's motion
    double speed;
    int tool;
    double g92[3], tool_length;
    double probe_at[3];
    bool probe_ok;

    // reports
    int wco_counter, ovr_counter;
    bool hal_jog_trap; // grblHAL: a jog was cancelled, … and the next one refused
    bool hal_stuck;
    bool hal_locked; // grblHAL: homing is mandatory and has not been done
};

// A board fresh from the factory with the settings of this machine; not yet powered.
void plotter_init(struct plotter *p, const struct table_setup *setup);
void plotter_attach(struct plotter *p, const struct plotter_ops *ops, void *user);

// Power on, reset pin or DTR pulse: bootloader, then banner. Position reads zero.
void plotter_restart(struct plotter *p, int64_t t_ns);

// A byte has arrived.
void plotter_receive(struct plotter *p, int64_t t_ns, uint8_t byte);

// Levels of the input pins; a limit pin that rises in motion is a hard limit. To be called at every
// world tick; noise on a limit line is one call with a pin up.
void plotter_pins(struct plotter *p, int64_t t_ns, const bool limit[3], bool probe);
void plotter_door(struct plotter *p, int64_t t_ns, bool open);

// When something happens next by itself; INT64_MAX = nothing. plotter_advance() must then be
// called.
int64_t plotter_next(const struct plotter *p);
void plotter_advance(struct plotter *p, int64_t t_ns);

// Machine position (mm) at t ≥ the time advanced to, if nothing else happens.
void plotter_position(const struct plotter *p, int64_t t_ns, double ret[3]);
bool plotter_moving(const struct plotter *p);

// Moves everything it knows about time by `delta_ns`: the table is continued by another loop.
void plotter_shift_time(struct plotter *p, int64_t delta_ns);
