// A scripted GRBL for tests: speaks the real protocol over a socketpair, on the test's own clock.
//
// It has the traps that matter to the host (mute after an alarm, no ok for a line that alarms, ok
// for an aborted $H, one line at a time, G4 waits, real travel times) and can be hurt on purpose.
// It judges the host: `violations` counts motion lines that came although the host had been told
// (by an intact banner or alarm) that the position is lost.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { FAKE_MOVES = 15, FAKE_OUT = 64, FAKE_RX = 128, FAKE_LINE = 128, FAKE_LOG = 8192 };

enum fake_fault {
    FAKE_LOSE_BYTE_OUT, // the next byte the host should see is lost
    FAKE_LOSE_BYTE_IN,
    FAKE_DUPLICATE, // the next line comes twice
    FAKE_GARBAGE,   // a line of noise
    FAKE_LATE,      // replies are held back for a while
    FAKE_ALARM,     // ALARM:1 now
    FAKE_RESTART,   // the firmware starts anew and says so
    FAKE_SILENT,    // the same, but its banner is lost
    FAKE_UNPLUG,    // the line is closed; comes back after a while
    FAKE_STALL,     // answers nothing for longer than any timeout
    FAKE_FAULTS
};

struct fake_move {
    double to[3];
    int64_t duration;
};

struct fake_out {
    char text[256];
    int64_t due;
    bool banner; // or alarm: after it the host knows that the position is lost
};

struct fake {
    int fd, host_fd; // socketpair; -1 = unplugged
    int64_t now;
    bool silent_open;   // no banner at open (native USB boards): waits for 0x18
    bool zero_corner;   // calls its home corner 0,0,0 (HOMING_FORCE_SET_ORIGIN)
    const char *banner; // instead of that of Grbl 1.1h
    int withheld;       // this many answers to $$ come without their last setting
    int stands_in;      // this alarm follows every banner; with 10, an e-stop, it takes no 0x18
    bool door;          // its door is open: found after a banner, and then it reads no lines
    bool garbled;       // another baud rate: nothing it says makes sense
    const char *extra;  // a setting that comes after the others, and outdoes them

    // firmware
    bool locked, critical, homing, hold, jogging;
    int64_t heard_from; // critical: 0x18 is discarded before this time
    bool said_reset_message;
    double pos[3], from[3];
    struct fake_move move[FAKE_MOVES];
    int moves;
    int64_t move_end; // of move[0]
    int64_t hold_at;
    bool hold_pressed; // its own button is, so that a report says Pn:H
    int64_t home_end;
    bool waits_for_rest; // a line that says ok only after motion
    int64_t banner_at;   // boot; INT64_MAX = none
    char rx[FAKE_RX];    // received, not yet read by the parser
    int rx_count, overflows;
    char line[FAKE_LINE];
    int length;
    bool pump; // M3 … M5

    struct fake_out out[FAKE_OUT];
    int outs;
    int64_t latency, stalled_until, replug_at;
    bool lose_out, lose_in, duplicate;

    // what it saw
    bool host_was_told;
    int violations, executed_while_locked;
    int motion_lines, polls, resets, holds, overlong, homings, lines;
    int64_t first_reset_byte_at;
    uint64_t bytes_out;
    char log[FAKE_LOG]; // lines received, '\n' after each; real-time bytes as <18>
    int log_length;
};

void fake_init(struct fake *f, int64_t now); // plugged in, boots
void fake_close(struct fake *f);

// For transport_new_fd(): the host's end, and opening it again (resets the board).
int fake_open(void *user, int *ret_fd, void *err_unused);

// Reads what the host sent, lets time pass to `now`, sends what is due. True: something happened.
bool fake_step(struct fake *f, int64_t now);
int64_t fake_next(const struct fake *f); // when something happens by itself
void fake_hurt(struct fake *f, enum fake_fault fault, int64_t amount_ns);
void fake_position(const struct fake *f, double ret[3]);

// The plotter's own buttons. Start is let go at once.
void fake_press_hold(struct fake *f, bool pressed);
void fake_press_start(struct fake *f);
