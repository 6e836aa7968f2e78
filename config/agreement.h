// agreement: settings that are fine one by one and wrong together.
//
// A store off the machine's travel, a board larger than the reach, one GPIO line used twice, a
// simulated camera over a real arm. Board and heights are in agreement_places.c, the other places
// the arm goes to in agreement_spots.c, what is plugged in where in agreement_wiring.c.
#pragma once

#include "config/reading.h"

// Adds a fault for each disagreement, at the place of the strongest of the keys that take part
// (the one a person wrote last), naming all of them.
void agreement_check(struct reading *reading);

// For the two halves: a fault about `key` and, when not NULL, `other`.
void agreement_fault(struct reading *reading, const char *key, const char *other,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
bool agreement_given(const struct reading *reading, const char *key); // not by default
void agreement_places(struct reading *reading);
void agreement_spots(struct reading *reading);
void agreement_wiring(struct reading *reading);
void agreement_game(struct reading *reading);
