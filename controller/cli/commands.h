// commands: the functions behind the table in main.c. Each gets argv from its own name on.
#pragma once

#include "controller/cli/options.h"

enum exit_code cmd_play(int argc, char **argv);
void cmd_play_games(void); // lists what --variant may name
enum exit_code cmd_see(int argc, char **argv);
enum exit_code cmd_record(int argc, char **argv);
enum exit_code cmd_arm(int argc, char **argv);
enum exit_code cmd_status(int argc, char **argv);
enum exit_code cmd_doctor(int argc, char **argv);
enum exit_code cmd_replay(int argc, char **argv);
enum exit_code cmd_session(int argc, char **argv);
enum exit_code cmd_graph(int argc, char **argv);
