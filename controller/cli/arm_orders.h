// arm_orders: what `tessera arm VERB ARGUMENT…` means, as jobs for the arm. Opens nothing.
#pragma once

#include <stdbool.h>

#include "controller/devices.h"

enum { ARM_ORDERS_MAX = 8 };

struct arm_orders {
    struct arm_job job[ARM_ORDERS_MAX]; // the first homes; none = only the state is asked for
    int count;
    // cycle: the jobs from `again` up to `until` are carried out `rounds` times, each round at
    // another of these places (machine mm); after a fault it goes on from `restart`.
    int rounds, again, until, restart;
    double place[5][2];
    int tray; // store into which whatever may hang on the cup is let go, -1 = none
};

// The jobs of a verb. -EINVAL: the verb or an argument makes no sense here, and why.
int arm_orders_read(const struct devices *devices, const char *const *words, int count,
                    struct arm_orders *ret, struct error *err);

// Job `index` as it is in this round.
struct arm_job arm_orders_job(const struct arm_orders *orders, int index, int round);

enum arm_paper {
    ARM_PAPER_NONE,
    ARM_PAPER_TEXT, // G-code with its times as comments
    ARM_PAPER_JSON, // {"jobs":[{"job":"home","seconds":0.0,"gcode":["$H",…]},…],"seconds":2.2}
};

// The orders on standard output and, with `plot`, as a picture into that file; one round of a
// cycle. 0, or the error is in *err.
int arm_orders_print(const struct arm_orders *orders, const struct devices *devices,
                     enum arm_paper paper, const char *plot, const char *title, struct error *err);
