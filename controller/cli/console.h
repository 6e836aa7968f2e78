// console: the people's side of a game at a terminal: prints the board and what happens, reads what
// is typed.
//
// On a terminal everything goes to standard output. Otherwise standard output gets only the result
// (the last board and how the game ended, or one JSON object), the rest goes to standard error.
#pragma once

#include <stdbool.h>

#include "controller/cli/board_view.h"
#include "controller/play.h"

struct console;

struct console_options {
    bool json, quiet, verbose;
    bool interactive; // read words from standard input
    bool only_typed;  // the person's moves can come from there only: its end stops the game
};

// `stopped` is called for "quit", Ctrl-C and SIGTERM.
int console_new(struct loop *loop, const struct console_options *options,
                void (*stopped)(void *user), void *user, struct console **ret, struct error *err);
struct console *console_free(struct console *console);

void console_set_play(struct console *console, struct play *play);

// To be handed the robot's news; user = the console.
void console_news(void *console, enum robot_news kind, const char *text);
void console_state(void *console, enum robot_state state);
void console_position(void *console, const struct game *game, const struct rules_effect *effect);

// The end: board, result and counts.
void console_result(struct console *console, const struct game *game, uint64_t seed);
