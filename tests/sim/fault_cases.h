// What may break in the middle of a game, when, and what must come of it: the cases of
// test_controller_faults.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum moment { AT_PICK, AT_CARRY, AT_PLACE, AT_WATCH, AT_HOMING };

struct play;
typedef void fault_fn(struct play *play);

struct fault_case {
    const char *name;
    enum moment moment;
    fault_fn *strike, *mend; // mend NULL = nothing to mend
    double mend_after;       // seconds
    const char *told;        // must be among the news, NULL = nothing needs to be said
    unsigned allowed;        // incidents the fault explains: 1 << kind
    bool asks;               // ends in a question that nobody can answer by trying again
    double still;            // from so many seconds after the strike until mending the arm stands;
                             // 0 = it need not
    const char *setting;     // key=value, or NULL
    bool empties;            // no stone lies on the board in the end
};

extern const struct fault_case fault_cases[];
extern const size_t fault_case_count;
