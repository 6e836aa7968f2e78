// grbl_impl: what grbl.c (life and time), grbl_send.c (writing) and grbl_receive.c (reading) share.
// Not for users.
#pragma once

#include "motion/grbl.h"

#define MS     1000000LL
#define SECOND (1000 * MS)

#define GRBL_OPEN_WAIT (500 * MS) // before the first try to open a lost port again

enum {
    GRBL_RT_MAX = 64,    // real-time bytes that may wait while the line takes none
    GRBL_FRAME_MAX = 24, // "N" number " " … "*" checksum around a line
};

struct grbl_line {
    char text[GRBL_SEND_MAX + GRBL_FRAME_MAX + 2]; // with '\n' and NUL; framed when it is begun
    unsigned number;                               // of a numbered line
    size_t length;                                 // with '\n'
    uint64_t tag;
    bool internal; // $I and $$: no reply callback
    int64_t timeout, deadline;
};

struct grbl {
    struct grbl_options options;
    const struct dialect *dialect;
    struct transport *transport;
    enum grbl_link link;
    struct grbl_machine machine;
    struct grbl_counts counts;
    double setting[GRBL_SETTINGS];
    bool has_setting[GRBL_SETTINGS];
    struct grbl_status status;
    double offset[GRBL_AXES]; // newest WCO
    char trouble[256];        // what happened to the link; "" = nothing
    char standing[384];       // what keeps it from getting ready; "" = nothing known

    char rx[GRBL_LINE_MAX];
    size_t rx_length;

    // Lines in order: queue[head] is the oldest. The first `begun` are wholly or partly written;
    // only the last of those may be partial, `written` bytes of it.
    struct grbl_line queue[GRBL_QUEUE];
    int head, count, begun;
    size_t written, in_flight;
    char rt[GRBL_RT_MAX];
    int rt_count;

    int64_t next_reset; // STARTING: when to send 0x18 (again)
    int reset_tries;
    int64_t next_open, open_wait; // DOWN
    int64_t next_read;            // READING: when to ask again after a refusal
    int read_tries;

    int64_t paused_at;

    enum grbl_pace pace;
    int64_t answer_by, next_ask;
    int misses;
    size_t report_size;

    // Numbered dialects.
    unsigned number, sync; // of the last line; of the last reset
    int resends;           // of the present line
    int refusal;           // the next ok means this error; 0 = ok
    bool resend;           // the next ok asks for the line once more
    bool synced;           // the next ok ends the reset
    bool stoppable;

    bool standing_said; // … by the firmware itself, not found out here
    bool resetting;     // 0x18 was sent or is due; only a banner counts now
    bool asked;         // a status question is open
    bool paused, has_offset, rx_overlong;
};

// grbl.c
void grbl_set_link(struct grbl *g, enum grbl_link link, int64_t now);
void grbl_void_epoch(struct grbl *g, enum grbl_void_reason reason, int number, int64_t now);
// From here on only a banner counts; the first 0x18 goes out at `first`.
void grbl_await_banner(struct grbl *g, int64_t first, int64_t now);
// The same when the firmware did not get past its banner: a reset that did not help counts as one
// without an answer, so that they come to an end.
void grbl_await_again(struct grbl *g, int64_t now);
void grbl_lost(struct grbl *g, const char *why, int64_t now); // NULL: `standing` says it
// What keeps it from getting ready: kept for who asks what is the matter, and told once.
void grbl_note(struct grbl *g, const char *text, int64_t now);
void grbl_forget_note(struct grbl *g);

// grbl_send.c
struct grbl_line *grbl_nth(struct grbl *g, int i); // i-th oldest line that waits or is in flight
void grbl_drop_lines(struct grbl *g);
int grbl_enqueue(struct grbl *g, const char *text, int64_t timeout, uint64_t tag, bool internal);
void grbl_flush(struct grbl *g, int64_t now);
void grbl_push_rt(struct grbl *g, const char *bytes);
void grbl_push_reset(struct grbl *g);
bool grbl_flush_rt(struct grbl *g, int64_t now);
int64_t grbl_poll_interval(const struct grbl *g);

// grbl_receive.c
void grbl_receive(struct grbl *g, int64_t now);
void grbl_read_settings(struct grbl *g, int64_t now);
