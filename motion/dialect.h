// dialect: what differs from one plotter firmware to another, as one table: the words, how a line
// is framed, and how an answer is read. grbl.h and arm.h know no other place for it.
//
// Two rows: GRBL 1.1 (grblHAL speaks the same) and Marlin 2. Marlin has no real-time status, no
// feed hold and no jog; it has numbered lines with a checksum and asks for them again. It is driven
// only when built with EMERGENCY_PARSER: without, a stop would wait for the motion before it.
//
// Sources: gnea/grbl doc/markdown (interface, commands); marlinfw.org G-code pages (M110, M114,
// M118, M400, M410, M503) and its description of the serial protocol ("Resend:", "busy:").
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "motion/grbl_parse.h"

enum { DIALECT_WORDS = 6 };

struct dialect_move {
    const double *from, *to; // machine mm
    double feed;             // mm/s along the line; 0 = as fast as the machine goes
    bool jog;
    const double *travel, *speed; // of the machine: mm, mm/s; NULL where not needed
};

struct dialect {
    const char *name;
    const char *introduce[DIALECT_WORDS]; // asked at every start, NULL ends
    const char *home;                     // answered when it has ended
    const char *modal[DIALECT_WORDS];     // after homing: units, distances; NULL ends
    const char *settle;                   // answered only when all motion has ended
    const char *ask;                      // for the place: a byte if `asks_by_byte`, else a line
    const char *reset;  // stops and ends everything; "%u" is answered by GRBL_REPLY_SYNC
    const char *hold;   // feed hold, resume, end of a jog: bytes ahead of everything; NULL = it
    const char *resume; // has none
    const char *jog_cancel;
    bool asks_by_byte;
    bool numbered;     // lines go out as "N<number> <line>*<checksum>", and may be asked for again
    bool jog_settles;  // a jog is an ordinary move
    bool from_zero;    // its axes run from 0 to the travel; here from -travel to 0
    bool settings_all; // it tells how it homes ($22 to $27); else: to 0 in x and y, up in z
    void (*move)(const struct dialect_move *move, char *buf, size_t size);
    void (*parse)(const char *line, size_t length, struct grbl_reply *ret);
};

extern const struct dialect dialect_grbl, dialect_marlin;

void dialect_marlin_parse(const char *line, size_t length, struct grbl_reply *ret);

// "grbl", "grblhal" (the same row), "marlin"; NULL = there is none.
const struct dialect *dialect_find(const char *name);

// Numbers for the wire: thousandths without trailing zeros, whatever the user's language.
void dialect_number(char *buf, size_t size, double value);
