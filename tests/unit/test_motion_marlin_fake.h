// A simulated Marlin 2 for tests: speaks its serial protocol over a socketpair, on the test's own
// clock. Modelled: numbered lines with checksums and "Resend:", the command queue and the planner
// behind it, M400 and G28 that hold everything up while "busy:" is said, the emergency parser
// (M410, M112 out of the byte stream), "start" after a reset, motion refused before homing.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { MARLIN_QUEUE = 4, MARLIN_PLANNER = 16, MARLIN_LINE = 96, MARLIN_OUT = 128 };

struct marlin_out {
    char text[160];
    int64_t due;
};

struct marlin {
    int fd; // -1 = unplugged
    int64_t now, boots_at;
    bool no_emergency_parser;
    bool keeps_running; // opening its port does not restart it

    char rx[MARLIN_LINE];
    int rx_length;
    char queue[MARLIN_QUEUE][MARLIN_LINE]; // accepted, without number and checksum
    int queued;
    long last_number;

    double pos[3], from[3]; // firmware mm: 0 … travel
    double target[MARLIN_PLANNER][3];
    int64_t duration[MARLIN_PLANNER], ends_at; // of the first
    int moves;
    bool homed, halted;
    int64_t homing_until, busy_at; // 0 = not

    struct marlin_out out[MARLIN_OUT];
    int outs;
    int64_t latency;

    // faults
    int flip_bytes; // this many of the next lines come with a changed byte
    bool lose_ok;   // the next ok is lost

    // what it saw
    int lines, resends, unknown, blind, stops, motion_lines;
};

void marlin_init(struct marlin *m);
int marlin_open(struct marlin *m); // the host's end; resets the board
void marlin_close(struct marlin *m);
void marlin_restart(struct marlin *m); // as its reset button
bool marlin_step(struct marlin *m, int64_t now);
int64_t marlin_next(const struct marlin *m);
