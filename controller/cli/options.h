// options: command lines as tables. Each command lists its options in one table, from which they
// are parsed (getopt_long) and from which --help is printed; the options that all commands share
// are added to every table.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "config/settings.h"

// protocol.md, section 4.
enum exit_code {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,   // used wrongly, or a setting is bad
    EXIT_STOPPED = 3, // stopped by a person
    EXIT_NO_DEVICE = 4,
    EXIT_HELPED = -1, // --help or --version was all; never leaves the program
};

enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_NUMBER, OPTION_SEED };

struct option_row {
    const char *name;     // "level"; NULL ends the table
    const char *argument; // "N"; NULL = takes none
    const char *help;
    enum option_kind kind;
    void *value; // bool *, const char **, int *, uint64_t * (not written when the option is absent)
    int min, max; // OPTION_NUMBER
};

enum {
    OPTIONS_SET_MAX = 64, // --set on one command line
    OPTIONS_OWN_MAX = 32, // settings that the program itself adds
};

// What every command understands.
struct common_options {
    const char *config;
    // --set KEY=VALUE, then what the command adds; NULL ends
    const char *set[OPTIONS_SET_MAX + OPTIONS_OWN_MAX + 1];
    int set_count;
    bool json, quiet, verbose, sim, help, version;
    bool sim_added; // what --sim means stands in `set`
};

struct command {
    const char *name;
    const char *arguments; // "DIR", "IMAGE…"; "" = none
    const char *summary;   // one line
    const char *text;      // further paragraphs for --help, or NULL
    enum exit_code (*run)(int argc, char **argv);
    void (*more)(void); // prints what --help says after the options, or NULL
};

extern const struct command commands[]; // name NULL at the end

// Parses argv (argv[0] = the command's name). Returns the index of the first argument, or -1 when
// the command is to end at once with *ret_exit (help was printed, or an option was wrong, or an
// argument given to a command without any, and it was said). `own` may be NULL.
int options_parse(const struct command *command, const struct option_row *own,
                  struct common_options *common, int argc, char **argv, enum exit_code *ret_exit);

// One more --set, for instance from --sim.
void options_add_set(struct common_options *common, const char *assignment);

// Where the settings come from by the command line; borrows from *common.
struct settings_source options_source(struct common_options *common);

// The settings with everything the command line says. Complains and returns EXIT_USAGE on a fault.
enum exit_code options_settings(struct common_options *common, struct settings *ret);

// The same, without asking whether they agree: for a command that learns from them what else it
// sets before it loads them in earnest.
enum exit_code options_values(struct common_options *common, struct settings *ret);

// Says what went wrong on standard error, and which exit code that is.
enum exit_code options_fail(const struct error *err);
enum exit_code options_usage(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

const struct command *options_find_command(const char *name);
