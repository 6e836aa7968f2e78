// host_rig: a table on a virtual loop and a small host that plays a script over the tty.
//
// A script is a list of lines. Plain ones are sent and their reply awaited. Others:
//   "@pump 1|0"   pump on with the valve shut / pump off with the valve open
//   "@wait MS"    lets time pass
//   "@to X Y Z"   a G0 to table millimetres (true geometry), Z = height of the cup's lip
//   "@raw TEXT"   sent without waiting (\x18 and friends), nothing added
//   "@call"       calls rig->call(rig)
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "controller/sim/table.h"
#include "controller/sim/world.h"

enum { HOST_TEXT = 1 << 16 };

struct host {
    struct loop *loop;
    struct table *table;
    struct table_setup setup;
    int fd;
    uint64_t written, got;
    const char *const *script;
    void (*call)(struct host *host);
    void *call_data;
    struct loop_source *io, *timer;
    char text[HOST_TEXT]; // all that was received
    int length, line_start;
    uint32_t log; // checksum over every byte received and its time
    int errors;   // error replies
    bool hung_up;
    bool waiting; // for a reply
    int ends;     // tests that run several things at once: exit when it reaches 0
};

// Makes loop and table (file may be NULL) with host->setup, which host_setup() fills in.
void host_setup(struct host *host);
void host_start(struct host *host, const char *file);
void host_open(struct host *host); // opens the tty
// Asserts that every stone is somewhere and that the firmware lost no byte.
void host_account(struct host *h);
void host_stop(struct host *host);

// Runs a script (NULL-terminated) to its end on the loop.
void host_play(struct host *host, const char *const *script);
void host_run(struct host *host, double seconds); // only time passes
bool host_said(const struct host *host, const char *text);
void host_forget(struct host *host);
int host_truth_at(const struct host *host, int column, int row); // colour that lies there, 0 = none
int host_stones_on_board(const struct host *host);
