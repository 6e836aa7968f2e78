// cli: what the commands of tessera-config share.
#pragma once

#include <stdbool.h>

#include "config/base/error.h"
#include "config/reading.h"

// protocol.md section 4.
enum cli_exit {
    CLI_DONE = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2, // used wrongly, or a setting is bad
    CLI_STOPPED = 3,
    CLI_NO_DEVICE = 4,
};

enum {
    CLI_OVERRIDES_MAX = 64,
    CLI_PRESETS_MAX = 8,
};

struct cli {
    const char *file;                             // --config, NULL: see paths_settings
    const char *overrides[CLI_OVERRIDES_MAX + 1]; // --set
    int override_count;
    const char *presets[CLI_PRESETS_MAX]; // --preset
    int preset_count;
    bool json, quiet, verbose;
    bool origin, force, probe, yes, sim; // options of single commands
    const char *seed;                    // --seed, as written
    const char *output;                  // --output, NULL = standard output or the command's own
    const char *bundle;                  // --bundle
    const char *format;                  // --format
    char **arguments;                    // after the command
    int argument_count;
};

// Each command prints its result on standard output, messages on standard error, and returns the
// exit code.
typedef enum cli_exit cli_command_fn(struct cli *cli);

cli_command_fn cli_init, cli_check, cli_show, cli_set, cli_keys, cli_ports, cli_backup, cli_restore,
    cli_completion, cli_calibrate, cli_doctor;

// Says what went wrong, with its place, on standard error.
void cli_complain(const struct error *err);

// Wrong use: a sentence on standard error; returns CLI_USAGE.
enum cli_exit cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Reads the settings as the command line asks. On faults prints all of them, returns NULL.
// The caller frees the reading.
struct reading *cli_read_settings(const struct cli *cli);

// Prints every fault; with --json as one object on standard output.
void cli_print_faults(const struct cli *cli, const struct faults *faults);

// The settings file the command line means.
const char *cli_settings_file(const struct cli *cli);

// Gives what stands at `file` a second name (FILE.1, FILE.2, …) before something takes its place,
// and says so. Fine when nothing stands there.
int cli_set_aside(const char *file, struct error *err);

// Writes a settings file for people to read, making its folder, through links, keeping its mode.
int cli_write_file(const char *file, const char *text, size_t size, struct error *err);

// What --seed stands for, nothing when it was not given. -EINVAL after a sentence about it.
struct sim_seed;
int cli_take_seed(const struct cli *cli, struct sim_seed *ret);

// Finishes writing to standard output; CLI_FAILED with a message when it did not get through.
enum cli_exit cli_flush(void);
