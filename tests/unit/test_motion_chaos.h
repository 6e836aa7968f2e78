// One seeded scenario: the arm works while the line and the firmware are hurt at random moments.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct chaos_result {
    bool ok;
    char why[160]; // what broke, when it is not ok
    int faults, jobs_done, jobs_failed, homings, violations;
    double seconds;        // simulated
    int64_t worst_stop_ns; // from arm_stop() to the firmware having both bytes
};

// Invariants: no motion line while the position is unknown; no motion executed by a locked
// firmware; every job submitted ends with exactly one DONE or FAILED; stones booked = stones moved;
// once the faults stop, the arm homes and works again. trace (NULL = none): every byte on the line
// and every fault, with its time.
void chaos_run(uint64_t seed, FILE *trace, struct chaos_result *ret);
