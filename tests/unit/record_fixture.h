// record_fixture: reading a record in a test, and what a test expects of it.
#pragma once

#include "tests/unit/rules_data.h"

#include "rules/record.h"

// What was read last, and its error; room for a text to be written.
extern struct record record;
extern struct error err;
extern char out[RECORD_WRITE_MAX];
extern size_t out_length;

// Reads a text into `record`; the result of record_read.
int read_as(enum record_format format, const char *text);

// The text is read up to a fault: its reason, the number of the move at fault (0 = no move), how
// many stones were kept, and the place.
void expect_fault(enum record_format format, const char *text, enum reason reason, unsigned move,
                  unsigned kept, int line, int column);

// The text is in order and has so many stones.
void expect_clean(enum record_format format, const char *text, unsigned moves);
