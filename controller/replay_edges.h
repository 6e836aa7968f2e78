// replay_edges: the panel and the serial line of a replay.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "controller/gpio.h"
#include "controller/loop.h"
#include "motion/transport.h"

// A panel whose levels are set by the replay. The pick sensor hands out its recorded readings in
// order, because it is read in the middle of other work.
struct replay_panel;

int replay_panel_new(struct replay_panel **ret);
struct replay_panel *replay_panel_free(struct replay_panel *panel);
struct gpio replay_panel_gpio(struct replay_panel *panel); // closing it leaves the panel
void replay_panel_wire(struct replay_panel *panel, enum gpio_line line);
void replay_panel_set(struct replay_panel *panel, enum gpio_line line, int level);
int replay_panel_sensor(struct replay_panel *panel, int level); // one more reading; -ENOMEM

// The far end of a serial line. It says what the firmware said, with one liberty: where the
// recorded firmware reports that it has come to rest at the target it was sent to then, it reports
// the target it is sent to now. Eyes that see a stone's centre a tenth of a millimetre elsewhere
// than when the session was recorded would otherwise find the machine off its target.
struct replay_line;

int replay_line_new(struct loop *loop, struct replay_line **ret_line, struct transport **ret,
                    struct error *err);
struct replay_line *replay_line_free(struct replay_line *line); // not the transport
int replay_line_say(struct replay_line *line, const char *bytes, size_t size);
// What the host said then.
void replay_line_recorded(struct replay_line *line, const char *bytes, size_t size);
// How far the arm was sent beside the recorded targets, at most, mm.
double replay_line_deviation(const struct replay_line *line);
