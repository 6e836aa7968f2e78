// grbl: a client for GRBL 1.1, grblHAL and, by another row of dialect.h, Marlin over a transport.
//
// Does: waits for the banner (asking for it with 0x18 until it comes), reads settings, keeps one
// line in flight (or counts characters against the firmware's own receive buffer), gives every ok
// and error to its line, asks for the status at a rate that costs less than 5 % of the line, tells
// of alarms, banners and loss, and opens the transport again with back-off.
// Does not: decide anything. Motion and its safety are motion/arm.h's.
//
// Sans-loop and single-threaded: poll grbl_fd() for grbl_events(), call grbl_process() when it is
// ready or when grbl_deadline() has passed. Times are int64 ns of one monotonic clock, handed in.
// Callbacks may call any function here except grbl_free().
//
// An *epoch* is one life of the firmware: it ends with every banner, alarm, lost line or
// grbl_reset(). Lines of an ended epoch are void: they get no reply, and none is waited for
// (a line that trips a soft limit never gets one).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"
#include "motion/dialect.h"
#include "motion/grbl_parse.h"
#include "motion/transport.h"

enum {
    GRBL_SEND_MAX = 70,  // longest line sent, without '\n'; firmware refuses 80
    GRBL_QUEUE = 32,     // lines that may wait or be in flight
    GRBL_SETTINGS = 160, // $0 … $159 are kept
};

enum grbl_link {
    GRBL_LINK_DOWN,     // no device; opened again with back-off
    GRBL_LINK_STARTING, // open, waiting for the banner
    GRBL_LINK_READING,  // banner seen, reading $$ and $I
    GRBL_LINK_READY,    // lines may be sent
};

const char *grbl_link_name(enum grbl_link link);

enum grbl_void_reason {
    GRBL_VOID_NONE,
    GRBL_VOID_ALARM,   // number = alarm
    GRBL_VOID_BANNER,  // the firmware started anew without being asked
    GRBL_VOID_RESET,   // grbl_reset() was called
    GRBL_VOID_TIMEOUT, // a line got no reply: bytes were lost
    GRBL_VOID_MUTE,    // status questions stay unanswered
    GRBL_VOID_LOST,    // the device is gone
};

// What the machine can do, from its own settings. Zero where the firmware did not tell.
struct grbl_machine {
    double travel[GRBL_AXES];       // $130…: mm; reachable is [-travel, 0]
    double speed[GRBL_AXES];        // $110…: mm/s
    double acceleration[GRBL_AXES]; // $120…: mm/s²
    double steps_per_mm[GRBL_AXES]; // $100…
    double junction;                // $11: mm
    double homing_seek;             // $25: mm/s
    double homing_feed;             // $24: mm/s
    double homing_pull_off;         // $27: mm
    int homing_mask;                // $23: bit set = axis homes towards its negative end
    bool homing_enabled;            // $22 bit 0
    bool soft_limits, hard_limits;  // $20, $21
    bool motors_hold;               // $1=255: the motors stay on when it stands still
    bool laser;                     // $32: what M3 switches is off in fast moves
    int report_mask;                // $10
    bool report_inches;             // $13: reports are in inches; turned to mm here
    int planner_blocks, rx_bytes;   // from $I; 15 and 128 when it does not say
    bool hal;                       // the banner says grblHAL
};

struct grbl_events {
    // The line with this tag is done: error 0 = ok, > 0 = error:n.
    void (*reply)(void *user, uint64_t tag, int error, int64_t now_ns);
    // Every line not yet replied to is void; a new epoch has begun. The position is unknown.
    void (*voided)(void *user, enum grbl_void_reason reason, int number, int64_t now_ns);
    void (*status)(void *user, const struct grbl_status *status, int64_t now_ns);
    void (*link)(void *user, enum grbl_link link, int64_t now_ns);
    // For people: what keeps the firmware from getting ready (an alarm, an open door), once each.
    // NULL allowed.
    void (*message)(void *user, const char *text, int64_t now_ns);
};

struct grbl_options {
    int baud;                      // for the cost of polling; 0 = 115200
    bool count_window;             // character counting instead of one line in flight; GRBL only
    const struct dialect *dialect; // NULL = recognized by what the firmware says at its start
    struct grbl_events events;
    void *user;
};

struct grbl_counts {
    uint64_t lines_sent, oks, errors, alarms, banners, reports, polls;
    uint64_t garbage;   // lines that were none of GRBL's
    uint64_t stray_oks; // replies nobody waited for
    uint64_t resends;   // lines asked for again (Marlin)
    uint64_t resets, reopens;
    uint64_t peak_in_flight; // bytes; never above the receive buffer
};

struct grbl;

// Borrows the transport (open or not) until grbl_free().
int grbl_new(const struct grbl_options *options, struct transport *transport, int64_t now_ns,
             struct grbl **ret);
struct grbl *grbl_free(struct grbl *g); // NULL allowed; returns NULL

int grbl_fd(const struct grbl *g);              // -1 while down; may change after any call
short grbl_events_wanted(const struct grbl *g); // POLLIN, POLLOUT
int64_t grbl_deadline(const struct grbl *g);    // INT64_MAX = none
void grbl_process(struct grbl *g, int64_t now_ns, short revents);

// Queues one line (printable ASCII, no line end). timeout_ns: from the moment it is sent until its
// reply. -ENOTCONN: link not ready; -EAGAIN: queue full; -EMSGSIZE: too long; -EINVAL: a byte that
// does not belong in a line (a real-time byte among them).
int grbl_send(struct grbl *g, const char *line, int64_t timeout_ns, uint64_t tag, int64_t now_ns);

// Words of the dialect that go ahead of everything that waits: hold, resume, jog_cancel. NULL,
// which stands for a word it does not have, does nothing. (Its reset is grbl_reset().)
int grbl_realtime(struct grbl *g, const char *bytes, int64_t now_ns);

// Feed hold (when hold_first) and soft reset, on the wire before this returns if the line takes
// them; the reset is repeated until the banner comes. Voids everything (GRBL_VOID_RESET).
void grbl_reset(struct grbl *g, bool hold_first, int64_t now_ns);

// Asks for a status report now (at most one question is open; another one follows it).
void grbl_ask(struct grbl *g, int64_t now_ns);

// How often to ask by itself: slow (1 s) when nothing moves, 5 Hz while it does, never while
// homing (GRBL answers no question then).
enum grbl_pace { GRBL_PACE_IDLE, GRBL_PACE_MOVING, GRBL_PACE_SILENT };
void grbl_set_pace(struct grbl *g, enum grbl_pace pace, int64_t now_ns);

// In feed hold and with an open door no reply is late: paused, time does not count against the
// lines in flight.
void grbl_set_paused(struct grbl *g, bool paused, int64_t now_ns);

enum grbl_link grbl_link(const struct grbl *g);
const struct dialect *grbl_dialect(const struct grbl *g);
const struct grbl_machine *grbl_machine(const struct grbl *g);
const struct grbl_counts *grbl_counts(const struct grbl *g);
const struct grbl_status *grbl_last_status(const struct grbl *g); // machine[] filled when known
bool grbl_setting(const struct grbl *g, int number, double *ret);
int grbl_pending(const struct grbl *g); // lines queued or in flight
// Why the link is not ready, for people: what happened to it, or what the firmware says of itself
// (an alarm, an open door). "" = nothing to tell.
const char *grbl_last_trouble(const struct grbl *g);
