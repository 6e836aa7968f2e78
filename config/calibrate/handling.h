// handling: what several wizards do with stones.
#pragma once

#include "config/calibrate/bench.h"

enum { HANDLING_NAME = 16 };

struct handling_seen {
    double x, y; // board mm: where the stone's centre was seen
};

// Places a stone of this colour at machine (x, y), taken from its store. Asks the person to fill
// the store when nothing is gripped there.
int handling_place(struct bench *bench, int colour, double x, double y, struct error *err);

// Carries the next stone of the colour's store into its tray, so that another one is felt.
int handling_pass(struct bench *bench, int colour, struct error *err);

// Lifts the stone that was seen at board (x, y) into the tray of its colour. -ENODATA: nothing was
// gripped there.
int handling_lift(struct bench *bench, int colour, const struct handling_seen *seen,
                  struct error *err);

// The same by machine coordinates.
int handling_lift_at(struct bench *bench, int colour, double x, double y, struct error *err);

// The stone nearest to board (x, y), at most `reach` mm away, by its seen centre. -ENOENT.
int handling_find(const struct bench *bench, const struct observation *o, double x, double y,
                  double reach, struct handling_seen *ret, int *ret_colour, struct error *err);

// By how much the point is rather a stone than the bare board, nats; below HANDLING_SURE it may be
// a blemish that the eye takes for clear glass.
#define HANDLING_SURE 6.0
double handling_sureness(const struct observation_point *point, int colours);

// Lifts all stones that are seen on the board, and looks whether they are gone.
int handling_clear(struct bench *bench, struct error *err);

// Lowers the cup over a stone at machine (x, y), beginning 4 mm above `expected`, until it takes
// hold; *ret_contact = the height at which the cup sits well on it. The stone stays there.
// -ENOENT: nothing was found down to 3 mm below.
int handling_find_contact(struct bench *bench, double x, double y, double expected,
                          double *ret_contact, struct error *err);

// "K10" of a board position, for people.
void handling_name(double column, double row, char ret[HANDLING_NAME]);
// … and of what lies at board mm `at`.
void handling_name_at(const struct settings_board *board, const double at[2],
                      char ret[HANDLING_NAME]);
