// tools: the engine program's commands for people and scripts: perft, playouts, solve and bench.
// Each prints to stdout, faults to stderr, and returns an exit code: 0 done, 1 failed, 2 used
// wrongly.
#pragma once

#include "rules/engine/session.h"

// perft VARIANT SIZE DEPTH [words of tool_rules.h, not calls]: what the reference counts say of the
// position, a line for each depth up to DEPTH; in Pentago also the different positions.
// perft generator, perft marbles: its tables of the generator and of Pentago's arrangements.
int tool_perft(int argc, char **argv);

// playouts VARIANT COUNT [SIZE] [words of tool_rules.h, not moves].
int tool_playouts(int argc, char **argv);

// solve VARIANT FILE: proves or refutes a win for the side to move in each position of the file
// ("-" = standard input). A line holds the moves so far, separated by blanks, or a Pentago board of
// 36 characters (rows from the top, '.', '1', '2'); of a line with tabs the field with the most
// words counts, and the first is printed as the position's name. '#' starts a comment.
int tool_solve(const struct session_options *options, int argc, char **argv);

// book [POSITIONS [NODES]]: makes the opening book anew and prints it as C source (see book.h).
int tool_book(int argc, char **argv);

// bench [--json]: searches a fixed set of positions, one thread, fixed nodes.
int tool_bench(const struct session_options *options, bool json);
