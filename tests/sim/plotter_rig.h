// plotter_rig: the simulated firmware alone on a bench: a wire, a gantry, and a log of what it
// said.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "controller/sim/plotter.h"

enum { RIG_TEXT = 65536 };

struct rig {
    struct plotter plotter;
    struct table_setup setup;
    int64_t now_ns;
    char text[RIG_TEXT]; // everything it said, NUL-terminated
    int length;
    int64_t last_said_ns; // when the last byte had left
    double off[3];        // firmware position - true position
    bool pump;            // any output on
    int64_t pump_off_ns;
    double slipped[3]; // speeds at which the motors were stopped dead
    bool dead_switch;
};

// Powered up, banner said, text forgotten. Change rig->setup before rig_power() for another
// machine.
void rig_init(struct rig *rig);
void rig_power(struct rig *rig);

// Text goes over the wire, byte after byte, from now on. Time goes on until it has arrived.
void rig_say(struct rig *rig, const char *text);
void rig_byte(struct rig *rig, uint8_t byte);
void rig_run(struct rig *rig, double seconds);
void rig_forget(struct rig *rig); // empties the text

// Says a line and waits (at most 60 s) for a reply; returns the error number, -1 = none came.
// text then holds all that was said meanwhile.
int rig_line(struct rig *rig, const char *line);
bool rig_said(const struct rig *rig, const char *text);
int rig_count(const struct rig *rig, const char *text);
double rig_seconds(const struct rig *rig); // now

void rig_home(struct rig *rig); // homes, asserts that it worked, forgets the text
void rig_position(const struct rig *rig, double ret[3]);
