// replay: feeds a recorded session back into the same robot, on a virtual clock: pictures, bytes of
// the firmware, the panel, what players named and what people did. Only the rules daemon is there
// for real. What the robot decides is collected.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "config/base/error.h"

enum { REPLAY_LINE_MAX = 2048 };

struct replay_report {
    size_t decisions; // that came out
    size_t frames, serial_bytes;
    int64_t span_ns;     // of the recording
    double deviation_mm; // how far the arm was sent beside the recorded targets, at most
};

// Called for every decision, one line of JSON, in order.
typedef void replay_decision_fn(void *user, const char *json);

// Plays the whole session. -EBADMSG: the recording is broken (err has file and line); -ENOENT: no
// session in this folder; -EINVAL: it was recorded by a program that knew other settings.
int replay_run(const char *folder, replay_decision_fn *fn, void *user, struct replay_report *ret,
               struct error *err);
