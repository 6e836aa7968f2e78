// grbl_parse: one line of GRBL output to a struct. Pure: no state, no allocation, any bytes
// allowed. Source: GRBL 1.1 interface description (real-time reports, messages, settings) and
// grblHAL.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GRBL_LINE_MAX = 256, // longest line taken from the firmware, without its end
    GRBL_AXES = 3,       // X, Y, Z; further axes in a report are read over
};

enum grbl_state {
    GRBL_STATE_UNKNOWN, // no report yet, or a word this program does not know
    GRBL_STATE_IDLE,
    GRBL_STATE_RUN,
    GRBL_STATE_HOLD,
    GRBL_STATE_JOG,
    GRBL_STATE_ALARM,
    GRBL_STATE_DOOR,
    GRBL_STATE_CHECK,
    GRBL_STATE_HOME,
    GRBL_STATE_SLEEP,
    GRBL_STATE_TOOL, // grblHAL
};

const char *grbl_state_name(enum grbl_state state);

// Pins asserted in a report's Pn: field.
enum grbl_pin {
    GRBL_PIN_X = 1 << 0,
    GRBL_PIN_Y = 1 << 1,
    GRBL_PIN_Z = 1 << 2,
    GRBL_PIN_PROBE = 1 << 3,
    GRBL_PIN_DOOR = 1 << 4,
    GRBL_PIN_HOLD = 1 << 5,
    GRBL_PIN_RESET = 1 << 6,
    GRBL_PIN_START = 1 << 7,
    GRBL_PIN_ESTOP = 1 << 8, // grblHAL
};

// One <…> report. Only fields whose has_* is set were in it.
struct grbl_status {
    enum grbl_state state;
    int substate; // Hold:0, Door:2, Alarm:11; -1 when there is none
    bool has_machine, has_work, has_offset, has_buffer, has_steps;
    double machine[GRBL_AXES]; // MPos, mm
    double work[GRBL_AXES];    // WPos, mm
    double offset[GRBL_AXES];  // WCO, mm: machine = work + offset
    double steps[GRBL_AXES];   // Marlin's Count
    int planner_free;          // Bf: blocks
    int rx_free;               // Bf: bytes
    double feed;               // F or FS, mm/s
    unsigned pins;             // enum grbl_pin bits; a report without Pn: means none
};

enum grbl_reply_kind {
    GRBL_REPLY_NONE, // empty line
    GRBL_REPLY_OK,
    GRBL_REPLY_ERROR,     // number
    GRBL_REPLY_ALARM,     // number
    GRBL_REPLY_BANNER,    // text: the whole line
    GRBL_REPLY_STATUS,    // status
    GRBL_REPLY_SETTING,   // number, value
    GRBL_REPLY_OPTIONS,   // [OPT:…]: planner_blocks, rx_bytes (0 = not told)
    GRBL_REPLY_VERSION,   // [VER:…]: text
    GRBL_REPLY_OFFSET,    // [G54:…], [G92:…], [TLO:…]: text = name, value3
    GRBL_REPLY_MESSAGE,   // [MSG:…] and other bracketed lines: text without the brackets
    GRBL_REPLY_SYNC,      // Marlin: the answer to a reset; number
    GRBL_REPLY_RESEND,    // Marlin: the line of this number once more; an ok follows
    GRBL_REPLY_REFUSAL,   // Marlin: the ok that follows means error:number
    GRBL_REPLY_BUSY,      // Marlin: alive
    GRBL_REPLY_AXES,      // Marlin: three settings of GRBL's numbers from `number` on, in value3
    GRBL_REPLY_STOPPABLE, // Marlin: number ≠ 0: it obeys a stop ahead of everything
    GRBL_REPLY_GARBAGE,   // none of these: noise, or a line with lost bytes
};

struct grbl_reply {
    enum grbl_reply_kind kind;
    int number;
    double value;
    double value3[GRBL_AXES];
    int planner_blocks, rx_bytes;
    struct grbl_status status;
    char text[GRBL_LINE_MAX + 1];
};

// Reads one line (without its line end). Always fills *ret; what cannot be read is
// GRBL_REPLY_GARBAGE. A banner with a lost byte is still taken for a banner, since overlooking one
// would be dangerous; an `ok` with a lost byte is garbage, since believing one would be.
void grbl_parse(const char *line, size_t length, struct grbl_reply *ret);
