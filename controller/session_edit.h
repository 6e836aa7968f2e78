// session_edit: makes a smaller or a more private copy of a recorded session.
//
// The copy is a whole session again, with the expected.jsonl that its replay gives; the original is
// only read.
#pragma once

#include <stdint.h>

#include "config/base/error.h"

struct edit_report {
    unsigned frames;    // pictures in the copy
    double seconds;     // of it
    unsigned decisions; // its replay makes
    unsigned unlocated; // pictures in which no board was found, and which are grey therefore
};

// Keeps what happened from `from_ns` until before `until_ns`, both since the first event. A film
// may be cut at both ends: the moves made before become its starting position. A robot's session
// can only be cut at its end (-EINVAL): its arm's state before is known from the beginning alone.
int session_trim(const char *folder, int64_t from_ns, int64_t until_ns, const char *to,
                 struct edit_report *ret, struct error *err);

// Blanks everything off the board in every picture (vision/blank.h): faces, papers, rooms.
int session_blank(const char *folder, const char *to, struct edit_report *ret, struct error *err);
