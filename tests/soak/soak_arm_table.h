// Places and lifts stones on the simulated table while gripper, cable and firmware are hurt at
// random moments, and accounts for every stone.
#pragma once

#include <stdint.h>

struct table_soak_result {
    int placed, lifted; // stones moved as asked
    int ahead;          // picked ahead of their place, to wait on the cup
    int faults, recoveries, retries, dropped, not_gripped;
    int unaccounted;  // stones that lie where neither the arm nor its report says
    int incidents;    // collisions in the world that no fault explains
    int blind_motion; // motion lines sent after the host was told that the position is lost
    unsigned long long bytes_lost; // in the firmware's receive buffer
    double hours;                  // simulated
};

// 0, or -1 when the table could not be made or the arm did not come back to work (told on stderr).
int table_soak(int stones, uint64_t seed, struct table_soak_result *ret);
