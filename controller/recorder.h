// recorder: writes a session while the robot plays: every input that reaches the controller, and
// what it decided. `tessera replay` feeds the inputs back and compares the decisions.
//
// Channels of events.jsonl (vision/session.h), beside "frame":
//   setup     {"settings":{key:value,…},"variant":…,"robot_seats":…,"fast":…,"game":[moves so far]}
//   serial    {"in":"ok\r\n"} from the firmware, {"out":"G0 …"} to it; bytes as Latin-1
//   gpio      {"line":"button-done","level":1}
//   player    {"seat":2,"move":"K10"} named by an engine or said by a person
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
#include "motion/transport.h"
#include "rules/game.h"
#include "vision/frame_source.h"

struct recorder;

struct recorder_setup {
    const struct settings *settings;
    const char *variant;
    unsigned robot_seats, at_board; // bit s-1 = seat s
    bool fast;
};

// Makes the folder. After a failed write the recorder writes nothing more and tells it once, by
// recorder_trouble(): the game is not stopped for its record.
int recorder_new(struct loop *loop, const char *folder, const struct recorder_setup *setup,
                 struct recorder **ret, struct error *err);
struct recorder *recorder_free(struct recorder *recorder); // flushes; NULL allowed

// All take NULL for "nothing is recorded".
void recorder_frame(struct recorder *recorder, const struct frame *frame);
void recorder_serial(struct recorder *recorder, enum transport_direction direction,
                     const void *data, size_t size);
void recorder_gpio(struct recorder *recorder, enum gpio_line line, int level);
void recorder_player(struct recorder *recorder, unsigned seat, const char *move);
void recorder_person(struct recorder *recorder, const char *does, unsigned seat);
// kind: "state", "move", "says".
void recorder_decision(struct recorder *recorder, const char *kind, const char *text);

// NULL = all is well.
const char *recorder_trouble(const struct recorder *recorder);
