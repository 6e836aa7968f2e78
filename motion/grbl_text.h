// grbl_text: what GRBL's numbers mean, for people. Numbers and names follow the GRBL 1.1 interface
// description and grblHAL's additions; the sentences are ours.
#pragma once

#include <stdbool.h>

struct grbl_text {
    int number;
    const char *name;   // short and stable, usable in logs: "soft limit"
    const char *means;  // one sentence: what happened
    const char *advice; // one sentence: what to do
};

// Never NULL: unknown numbers give an entry that says so.
const struct grbl_text *grbl_error_text(int number);
const struct grbl_text *grbl_alarm_text(int number, bool hal); // hal: grblHAL says it
