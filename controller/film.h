// film: a recorded session that holds nothing but pictures of a game between people.
//
// Made from a video, from a folder of photographs or by the simulated table; replayed through the
// onlooker instead of the robot. The same folder as any session (vision/session.h); its setup is
//   {"kind":"film","variant":…,"settings":{key:value,…},"moves":[already on the board]}
// with only those settings that a camera has to know. Decisions are
//   {"move":"K10"}, {"left":"…"}, {"asks":"…","gone":["K7"],"new":["L7"]}, {"agrees":…}, {"over":…}
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"
#include "config/settings.h"
#include "controller/replay.h"
#include "rules/game.h"
#include "vision/session.h"

struct film;

// The game of these settings: their variant, on as many lines as their board has. -EINVAL with a
// sentence when no such game can be played there.
int film_game(const struct settings *settings, struct game *ret, struct error *err);

// Makes the folder. `game` is what stands on the board when the pictures begin; `meta_yaml` as for
// session_writer_new.
int film_new(const char *folder, const char *meta_yaml, const struct settings *settings,
             const struct game *game, struct film **ret, struct error *err);
// One picture; the same bytes as the one before are kept once. Times grow.
int film_frame(struct film *film, int64_t time_ns, const void *jpeg, size_t size,
               struct error *err);
// Flushes and closes; the film is gone either way.
int film_close(struct film *film, struct error *err);
struct film *film_free(struct film *film); // without a look at errors

// True when a session's first event is a film's setup.
bool film_is_setup(const char *json);

// Replays a film from its first event on (for replay_run). `reader` stands behind the setup, whose
// JSON is `setup`. What happened at `until_ns` or later is left out (INT64_MAX: nothing).
int film_replay(struct session_reader *reader, const char *setup, int64_t until_ns,
                replay_decision_fn *fn, void *user, struct replay_report *ret, struct error *err);
