// vision_bout: one game on one simulated table, watched by its camera alone.
//
// The table, its camera, lens, light, board and stones come from a seed. A simulated person makes
// all moves; things go wrong on purpose. The eyes (controller/onlooker) get JPEG bytes and nothing
// else; what they report is compared with what truly happened.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"

enum bout_trouble {
    TROUBLE_NONE,
    TROUBLE_HESITATES,    // the hand comes, goes and comes back
    TROUBLE_RESTS,        // it lies over the board for three seconds
    TROUBLE_NUDGE,        // it pushes a neighbouring stone by 3 to 6 mm
    TROUBLE_FAST,         // the next move follows at once
    TROUBLE_LATE_LIFT,    // captured stones stay until the next move has been made
    TROUBLE_LAMP,         // a lamp is switched while the hand is over the board
    TROUBLE_CLOUD,        // light goes and comes back within four seconds
    TROUBLE_GLARE,        // a lamp is mirrored in the board, until the next glare
    TROUBLE_DRIFT,        // the exposure drifts
    TROUBLE_BUMP,         // the camera is pushed
    TROUBLE_TRUNCATED,    // frames that end in the middle
    TROUBLE_WRONG_COLOUR, // a stone of the next colour: must be reported, is put right
    TROUBLE_TWO_STONES,   // a second stone: must be reported, is taken off
    TROUBLE_MOVED,        // a stone is moved to another point: must be reported, is put back
    TROUBLES,
};

const char *bout_trouble_name(enum bout_trouble trouble);
// The last three are mistakes of the people: no commit may follow before they are put right.
bool bout_trouble_is_mistake(enum bout_trouble trouble);

enum { BOUT_MOVES_MAX = 4096 };

struct bout_totals {
    int bouts, moves; // legal turns made
    int committed;    // read as they were, without a question
    int asked;        // read after a question that was none of the people's fault
    int missed;       // never read
    int wrong;        // commits of something that was not played
    int mistakes;     // of the people
    int named;        // of those: reported
    int trouble[TROUBLES], trouble_failed[TROUBLES]; // turns with it; of those: asked or missed
    int delays;
    float delay[BOUT_MOVES_MAX]; // seconds from hand gone to commit
    double cpu_vision_s;         // in the eyes
    int frames;
};

struct bout_options {
    uint64_t seed;
    int moves;        // at most
    bool every_frame; // look at every frame also while the hand is over the board (slow)
    bool chatty;      // one line a turn
    const char *keep; // folder for the picture of each failure, NULL = none
};

// Plays one bout and adds to the totals. Errors are those of the table, not of the eyes.
int bout_play(const struct bout_options *options, struct bout_totals *totals, struct error *err);
