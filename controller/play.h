// play: one game from nothing: opens the edges, the rules daemon, the players and the robot, and
// takes them down again in order. What `tessera play`, the replay and the soak share.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/settings.h"
#include "controller/loop.h"
#include "controller/robot.h"

enum play_seats {
    PLAY_ROBOT_FIRST,
    PLAY_ROBOT_SECOND,
    PLAY_ROBOT_BOTH,
    PLAY_ROBOT_NONE,
    PLAY_ROBOT_ALTERNATE, // second, unless it was in the game before in this state folder
};

struct play_options {
    const struct settings *settings; // borrowed until play_free()
    const char *variant;             // rules as text: "pente", "pente; size=13" (rules/variant.h)
    enum play_seats seats;
    bool automatic; // simulated people play by an engine of their own; NULL table: refused
    bool fast;      // few frames, moves by level alone: the same game every time
    int level;
    uint64_t seed;
    const char *state; // folder of journals and, with the simulated table, of the world
    const struct table_setup *table; // another simulated table than the settings'; NULL = theirs
    const char *rulesd;              // another program as the rules' daemon; NULL = the one found
    const char *record;              // folder of a session to write; NULL = none
    bool resume; // go on with the game that was on the table, if it had not ended
};

struct play_events {
    struct robot_events robot; // its user is handed through
    // The game stands (a new one or the one continued) and the robot is about to start.
    void (*ready)(void *user);
    // It can't go on: nothing was begun, or the daemon is gone for good.
    void (*failed)(void *user, const struct error *err);
};

struct play;

// Errors as of the parts, each with its sentence. What happens then comes through the events; run
// the loop.
int play_new(struct loop *loop, const struct play_options *options,
             const struct play_events *events, struct play **ret, struct error *err);
struct play *play_free(struct play *play); // NULL allowed

// Valid from ready() on.
struct robot *play_robot(struct play *play);
const struct game *play_game(const struct play *play);
struct player *play_player(struct play *play, unsigned seat);
struct table *play_table(struct play *play);         // NULL: a real one
const char *play_game_name(const struct play *play); // of the rules daemon
const struct robot_log_past *play_past(const struct play *play);
const char *play_note(const struct play *play); // worth knowing at the start; NULL = nothing
const char *play_record_trouble(const struct play *play);

// A person's word: "K10" where moves are typed, "undo", "resign", "draw", "first", "second",
// "pass", "done", "start", "stop", "retry", "tidy". 0, or a negative errno with a sentence.
int play_say(struct play *play, const char *words, struct error *err);
