// robot_log: what the robot is about to do with its hands, on disk before it does it.
//
// The rules daemon's journal is the truth about moves; this one tells, after a crash or a power
// cut, which game was on the table, who sat where, and which physical step was under way. Lines of
// JSON with sequence number and CRC-32C (rules/daemon/journal.h); a line is on disk when a call
// returns.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"
#include "rules/daemon/client.h"
#include "rules/game.h"
#include "rules/variant.h"

enum { ROBOT_LOG_STEP_MAX = 96 };

struct robot_log;

// A game on the table: all that is needed to sit down to it again.
struct robot_log_game {
    char game[RULES_GAME_NAME_MAX]; // the rules daemon's name for it
    char variant[VARIANT_NAME_MAX];
    unsigned size;        // points each way; 0 = not noted
    unsigned robot_seats; // bit s-1 = the robot plays seat s
    int level;
    uint64_t seed;
    bool sim, automatic; // played with --sim, --auto
};

// How things stood when the last program stopped.
struct robot_log_past {
    bool open; // a game had begun and not ended
    struct robot_log_game game;
    bool step_open;                // a physical step had begun and not been reported done
    char step[ROBOT_LOG_STEP_MAX]; // for people: "placing a blue stone on K10"
    unsigned colour;               // of the stone it handled; 0 = not known
    bool held;                     // a stone was on the cup then
    unsigned fallen;               // colours that fell off it since the board was last seen to be
                                   // right, and were not found: bit c; bit 0 = not known which
    char pending[POINTS_MAX + 1];  // what was noted of the board since then; "" = nothing
    bool changed;                  // by robot_log_change() too: the game was
    bool undo_open;                // the rules may have taken moves back: robot_log_settle_undo()
    unsigned undo_entries;         // as robot_log_undo() noted, and pending if they have
    char undo_pending[POINTS_MAX + 1];
    bool torn; // the last line had not been finished; it was put aside
};

// Opens or makes the log in this folder. A stone that was on the cup, or about to be, when the last
// program stopped has fallen since: that is noted at once, and holds until robot_log_seen().
// -EBUSY: another controller uses it.
int robot_log_open(const char *folder, struct robot_log **ret, struct robot_log_past *ret_past,
                   struct error *err);
// After -EBUSY. A program that was killed a moment ago may have left a child that still holds the
// lock: it was just about to become another program. Waits a little; false: it has been tried often
// enough. tries: how often it has been.
bool robot_log_wait(const char *folder, int tries);
// What the log says, for who only looks: nothing is made, noted or put aside, whatever the last
// program left. -EBUSY: a controller uses it; -ENOENT: there is none.
int robot_log_look(const char *folder, struct robot_log_past *ret, struct error *err);
struct robot_log *robot_log_free(struct robot_log *log); // NULL allowed; returns NULL

int robot_log_begin(struct robot_log *log, const struct robot_log_game *game, struct error *err);
int robot_log_end(struct robot_log *log, struct error *err);

// Before and after a physical step. `what`, `colour` as in robot_log_past.
int robot_log_intent(struct robot_log *log, const char *what, unsigned colour, bool held,
                     struct error *err);
int robot_log_done(struct robot_log *log, bool held, struct error *err);
// The stone on the cup has fallen, or may have (held): it may lie anywhere.
int robot_log_fell(struct robot_log *log, unsigned colour, bool held, struct error *err);
// The game was changed otherwise than by a move; pending: what the board may still show where it
// has to follow (board_target_format()).
int robot_log_change(struct robot_log *log, const char *pending, struct error *err);
// What fell has been found on the board, and is to be lifted from there: one of pending.
int robot_log_found(struct robot_log *log, unsigned colour, const char *pending, struct error *err);
// Before the rules are asked to take moves back, until `entries` of the game are left; pending: as
// it will be once they have. robot_log_change() follows when they have, else robot_log_seen() ends
// it.
int robot_log_undo(struct robot_log *log, unsigned entries, const char *pending, struct error *err);
// The program stopped before it heard what became of that: the game, which has so many entries now,
// tells. Brings past->pending up to date, also on disk. Does nothing when no undo is open.
int robot_log_settle_undo(struct robot_log *log, struct robot_log_past *past, unsigned entries,
                          struct error *err);
// The board was seen to be as the game says: no stone of ours lies where it should not.
int robot_log_seen(struct robot_log *log, struct error *err);
