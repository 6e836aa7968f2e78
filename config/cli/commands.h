// commands: the tables of commands and options, and the help made from them.
#pragma once

#include <getopt.h>

#include "config/cli/cli.h"

enum option_name { // what getopt returns; beside them 'h', 'q', 'v'
    OPTION_CONFIG = 256,
    OPTION_SET,
    OPTION_JSON,
    OPTION_ORIGIN,
    OPTION_FORCE,
    OPTION_PROBE,
    OPTION_SIM,
    OPTION_SEED,
    OPTION_YES,
    OPTION_OUTPUT,
    OPTION_BUNDLE,
    OPTION_FORMAT,
    OPTION_PRESET,
    OPTION_VERSION,
};

struct command {
    const char *name, *arguments, *meaning;
    int least, most; // arguments
    cli_command_fn *run;
    const char *text; // what `tessera-config NAME --help` adds: whole lines
};

const struct command *command_find(const char *name); // NULL: there is none

enum { COMMAND_OPTIONS_MAX = 32 };

// For getopt_long: all options, whatever the command.
void command_options(struct option ret[COMMAND_OPTIONS_MAX + 1]);

// Prints the help: of one command with the options it has, or (NULL) of the program.
void command_help(const struct command *command);
