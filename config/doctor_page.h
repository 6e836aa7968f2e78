// doctor_page: the doctor's report as people and programs read it. Every program that shows one
// shows it by these.
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "config/doctor.h"

// One line each and below it what mends it; in colour on a terminal, unless NO_COLOR is set.
// `json`: doctor_page_json() instead.
void doctor_page_write(const struct doctor_report *report, bool json, FILE *to);

// {"worst": "bad", "lines": [{"level", "what", "text", "mend"}, …]}; NULL when out of memory.
json_t *doctor_page_json(const struct doctor_report *report);

// The exit code of a program that only asks: 0 nothing is bad, 2 the settings are, 4
// a device is missing, 1 else.
int doctor_page_exit(const struct doctor_report *report);
