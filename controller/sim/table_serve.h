// table_serve: a table for other programs: frames as MJPEG, and a line of text for everything that
// people and panel do. Used by tessera-table; runs on a real loop.
//
// Commands, one a line; each is answered by "ok …" or "error TEXT":
//   press done|reset          estop 1|0            set pump|valve|lamp-turn|lamp-fault 0|1
//   get LINE                  (names as in settings: button-done, estop, pick-sensor, pump, …)
//   place COLOUR COLUMN ROW [press]                the person puts a stone (0-based)
//   lift COLUMN ROW           move COLUMN ROW COLUMN ROW        reach COLUMN ROW SECONDS
//   put COLOUR COLUMN ROW     take COLUMN ROW      (by magic: preparing a position)
//   fault NAME [VALUE]        serial               ledger               truth
// Unasked lines: "edge LINE VALUE" (an input changed), "person RESULT" (a task has ended).
#pragma once

#include "config/base/error.h"
#include "controller/loop.h"
#include "controller/sim/table.h"

struct table_serve;

// panel_path: Unix socket for commands, NULL = none; frames_path: Unix socket that streams JPEGs to
// whoever connects, "-" = standard output, NULL = none. Sockets left by a dead process are
// replaced.
int table_serve_new(struct loop *loop, struct table *table, const char *panel_path,
                    const char *frames_path, struct table_serve **ret, struct error *err);
struct table_serve *table_serve_free(struct table_serve *serve);

// Carries out one command; the reply (without newline) goes into reply.
void table_serve_command(struct table_serve *serve, const char *line, char *reply, size_t size);
