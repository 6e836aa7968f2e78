// onlooker: follows a game between people by looking at the board, and at nothing else.
//
// No button, no arm, no daemon: pictures go in, the moves of the game come out, and what the board
// shows that no move explains. For recorded films of games, and for measuring the eyes: it is the
// robot's own path from picture to move (reader, evidence, move_reader), with the robot left out.
//
// A move is reported once, when the board has lain still with it. Captured stones may stay on the
// board for as long as people like. What no turn explains must last a while before it is told, and
// is told once; when the board is right again, that is told too. Nothing is ever corrected.
//
// Deterministic: the same pictures give the same reports. All time comes from the pictures.
#pragma once

#include "config/base/error.h"
#include "controller/differences.h"
#include "controller/move_reader.h"
#include "vision/observation.h"
#include "vision/reader.h"

enum { ONLOOKER_TEXT_MAX = DIFFERENCES_TEXT_MAX + 64 };

enum onlooker_report {
    ONLOOKER_MOVE, // a turn was made; `move` and `text` name it
    ONLOOKER_LEFT, // captured stones lie there still; `text` names them
    ONLOOKER_ASKS, // the board is as no turn explains, or can't be told; `text` says what and where
    ONLOOKER_AGREES, // after ASKS: the board is as the game says again
    ONLOOKER_OVER,   // the game has ended
};

struct onlooker_event {
    enum onlooker_report kind;
    int64_t time_ns; // of the picture
    struct move move;
    const char *text;              // borrowed
    const struct reading *reading; // borrowed; NULL for LEFT and OVER
};

struct onlooker;

struct onlooker_settings {
    struct vision_settings vision;
    struct colour_names names;
    int64_t still_ns; // a move must have been seen unchanged for so long
    int moves;        // turns that may be made between two quiet looks, 1 or 2
};

// The settings of a game's board: names from the colours, still_ns 0, two moves.
struct onlooker_settings onlooker_settings_for(const struct game *game,
                                               const struct vision_settings *vision);

// `game` is copied; its position is on the board when the pictures begin. -EINVAL with a sentence
// when the board of the settings is not the game's.
int onlooker_new(const struct onlooker_settings *settings, const struct game *game,
                 void (*on_event)(void *user, const struct onlooker_event *event), void *user,
                 struct onlooker **ret, struct error *err);
struct onlooker *onlooker_free(struct onlooker *onlooker);

// Looks at one picture. -EBADMSG: it is broken and was left out; the others count.
int onlooker_look(struct onlooker *onlooker, const struct frame *frame, struct error *err);

// The game as it has been read so far; the last observation, for those who measure.
const struct game *onlooker_game(const struct onlooker *onlooker);
const struct observation *onlooker_seen(const struct onlooker *onlooker);
const struct evidence *onlooker_evidence(const struct onlooker *onlooker);
