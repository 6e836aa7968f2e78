// health: everything there is to say about a robot: the doctor's page, and what only those who
// stand above the controller can look at: its programs, an unfinished game, the board's drift.
//
// Both `tessera doctor` and `tessera-config doctor` show this page, so they say the same.
#pragma once

#include "config/doctor.h"
#include "config/reading.h"

// Looks at all of it; opens the camera for one picture when the board was calibrated. `reading` may
// have faults: they are the first line, and no device is opened then.
void health_examine(const struct reading *reading, struct doctor_report *ret);

// Only what is there and what is going on; opens nothing.
void health_status(const struct reading *reading, struct doctor_report *ret);
