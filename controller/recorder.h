// recorder: writes a session while the robot plays: every input that reaches the controller, and
// what it decided. `tessera replay` feeds the inputs back and compares the decisions.
//
// Channels of events.jsonl (vision/session.h), beside "frame":
//   setup     {"settings":{key:value,…},"variant":…,"players":[{"name":…,"at_board":…},…],
//              "fast":…,"moves":[played before],"wired":[lines of the panel],
//              "resumed":…,"fallen":…,"pending":…,"changed":…}
//   exposed   {"ns":…} when the picture was taken whose frame follows
//   again     {"seq":…} the last picture once more, byte for byte
//   serial    {"in":"ok\r\n"} from the firmware, {"out":"G0 …"} to it; bytes as Latin-1
//   gpio      {"line":"button-done","level":1}; of the pick sensor every reading, in order
//   player    {"seat":2,"move":"K10"} named by an engine or said by a person; or "failed":"why"
//   person    {"does":"done"|"reset"|"retry"|"stop"|"undo"|"resign"|"draw","seat":1}
//   decision  {"state":…} or {"move":…,"ply":…} or {"says":…}: what came out
// expected.jsonl holds the decisions alone.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "config/base/error.h"
#include "config/settings.h"
#include "controller/gpio.h"
#include "controller/loop.h"
#include "controller/player.h"
#include "motion/transport.h"
#include "rules/game.h"
#include "vision/frame_source.h"

struct recorder;

struct recorder_setup {
    const struct settings *settings;
    const struct game *game; // as it stands when the recording begins
    const struct player *players;
    const struct gpio *gpio; // NULL = no panel
    const char *calibration; // file in use, copied into the session; NULL = none
    bool fast;
    bool resumed; // as in struct robot_options, with what follows
    unsigned fallen;
    const char *pending;
    bool changed;
};

// Makes the folder. After a failed write the recorder writes nothing more and tells it once, by
// recorder_trouble(): the game is not stopped for its record.
int recorder_new(struct loop *loop, const char *folder, const struct recorder_setup *setup,
                 struct recorder **ret, struct error *err);

// One that hands every decision to `fn` and records nothing: what a replay comes to.
typedef void recorder_decision_fn(void *user, const char *json);
int recorder_new_listener(recorder_decision_fn *fn, void *user, struct recorder **ret);

struct recorder *recorder_free(struct recorder *recorder); // flushes; NULL allowed

// All take NULL for "nothing is recorded".
void recorder_frame(struct recorder *recorder, const struct frame *frame);
void recorder_serial(struct recorder *recorder, enum transport_direction direction,
                     const void *data, size_t size);
void recorder_gpio(struct recorder *recorder, enum gpio_line line, int level);
void recorder_player(struct recorder *recorder, unsigned seat, const char *move);
void recorder_player_failed(struct recorder *recorder, unsigned seat, const char *why);
void recorder_person(struct recorder *recorder, const char *does, unsigned seat);
// kind: "state", "move", "says".
void recorder_decision(struct recorder *recorder, const char *kind, const char *text);

// NULL = all is well.
const char *recorder_trouble(const struct recorder *recorder);
