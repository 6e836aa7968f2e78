// tessera-config: settings and calibration, by hand.
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/cli/cli.h"
#include "config/cli/commands.h"
#include "config/paths.h"

void cli_complain(const struct error *err)
{
    char text[ERROR_FILE_MAX + ERROR_TEXT_MAX + 64];
    (void)fprintf(stderr, "%s\n", error_format(err, text, sizeof text));
}

enum cli_exit cli_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fputs("tessera-config: ", stderr);
    (void)vfprintf(stderr, format, args);
    (void)fputs("; see tessera-config --help\n", stderr);
    va_end(args);
    return CLI_USAGE;
}

const char *cli_settings_file(const struct cli *cli)
{
    return paths_settings(cli->file);
}

enum cli_exit cli_flush(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return CLI_DONE;
    (void)fprintf(stderr, "tessera-config: cannot write the result: %s\n", strerror(errno));
    return CLI_FAILED;
}

static json_t *fault_json(const struct error *fault)
{
    return json_pack("{s:s, s:i, s:i, s:s}", "file", fault->file, "line", fault->line, "column",
                     fault->column, "text", fault->text);
}

void cli_print_faults(const struct cli *cli, const struct faults *faults)
{
    if (cli->json) {
        json_t *list = json_array();
        for (size_t i = 0; i < faults_kept(faults); i++)
            json_array_append_new(list, fault_json(&faults->fault[i]));
        json_t *object =
            json_pack("{s:o, s:I}", "faults", list, "count", (json_int_t)faults->count);
        (void)json_dumpf(object, stdout, JSON_INDENT(2));
        (void)putchar('\n');
        json_decref(object);
        return;
    }
    for (size_t i = 0; i < faults_kept(faults); i++)
        cli_complain(&faults->fault[i]);
    if (faults->count > faults_kept(faults))
        (void)fprintf(stderr, "and %zu more faults\n", faults->count - faults_kept(faults));
}

struct reading *cli_read_settings(const struct cli *cli)
{
    struct reading *reading = reading_new();
    if (!reading) {
        (void)fprintf(stderr, "tessera-config: out of memory\n");
        return NULL;
    }
    struct settings_source source = {
        .file = cli->file,
        .environment = (const char *const *)environ,
        .overrides = cli->overrides,
    };
    if (reading_load(reading, &source) == 0)
        return reading;
    cli_print_faults(cli, reading->faults);
    return reading_free(reading);
}

static int add_override(struct cli *cli, const char *text)
{
    if (cli->override_count == CLI_OVERRIDES_MAX)
        return -E2BIG;
    cli->overrides[cli->override_count++] = text;
    return 0;
}

// What the options ask for beside the command.
struct asked {
    bool help, version;
};

static enum cli_exit take_option(struct cli *cli, int option, struct asked *ret)
{
    switch (option) {
    case OPTION_CONFIG:
        cli->file = optarg;
        break;
    case OPTION_SET:
        if (add_override(cli, optarg) < 0)
            return cli_usage("--set is given more than %d times", CLI_OVERRIDES_MAX);
        break;
    case OPTION_JSON:
        cli->json = true;
        break;
    case OPTION_ORIGIN:
        cli->origin = true;
        break;
    case OPTION_FORCE:
        cli->force = true;
        break;
    case OPTION_PROBE:
        cli->probe = true;
        break;
    case OPTION_SIM:
        cli->sim = true;
        break;
    case OPTION_SEED:
        cli->seed = optarg;
        break;
    case OPTION_YES:
        cli->yes = true;
        break;
    case OPTION_OUTPUT:
        cli->output = optarg;
        break;
    case OPTION_BUNDLE:
        cli->bundle = optarg;
        break;
    case OPTION_PRESET:
        if (cli->preset_count == CLI_PRESETS_MAX)
            return cli_usage("--preset is given more than %d times", CLI_PRESETS_MAX);
        cli->presets[cli->preset_count++] = optarg;
        break;
    case OPTION_FORMAT:
        cli->format = optarg;
        break;
    case 'q':
        cli->quiet = true;
        break;
    case 'v':
        cli->verbose = true;
        break;
    case 'h':
        ret->help = true;
        break;
    case OPTION_VERSION:
        ret->version = true;
        break;
    default: // getopt has said why
        (void)fprintf(stderr, "See tessera-config --help\n");
        return CLI_USAGE;
    }
    return CLI_DONE;
}

static enum cli_exit run_command(struct cli *cli, const char *name)
{
    const struct command *command = command_find(name);
    if (!command)
        return cli_usage("there is no command \"%.40s\"", name);
    if (cli->argument_count < command->least || cli->argument_count > command->most)
        return cli_usage("write: tessera-config %s %s", command->name, command->arguments);
    return command->run(cli);
}

// Machine coordinates are negative, and getopt takes -590 for options. So numbers go through it
// behind a mark that no argument has.
static const char MARK = '\001';

static int mark_numbers(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-' && argv[i][1] >= '0' && argv[i][1] <= '9' &&
            asprintf(&argv[i], "%c%s", MARK, argv[i]) < 0)
            return -ENOMEM;
    return 0;
}

static char *unmark(char *argument)
{
    return argument && argument[0] == MARK ? argument + 1 : argument;
}

int main(int argc, char **argv)
{
    if (mark_numbers(argc, argv) < 0)
        return CLI_FAILED;
    struct option options[COMMAND_OPTIONS_MAX + 1];
    command_options(options);
    struct cli cli = {0};
    struct asked asked = {0};
    int option;
    while ((option = getopt_long(argc, argv, "hqv", options, NULL)) != -1) {
        optarg = unmark(optarg);
        enum cli_exit code = take_option(&cli, option, &asked);
        if (code != CLI_DONE)
            return (int)code;
    }
    if (asked.help)
        command_help(optind < argc ? command_find(argv[optind]) : NULL);
    else if (asked.version)
        (void)printf("tessera-config %s\n", TESSERA_VERSION);
    if (asked.help || asked.version)
        return (int)cli_flush();
    if (optind == argc)
        return (int)cli_usage("a command is missing");
    for (int i = optind; i < argc; i++)
        argv[i] = unmark(argv[i]);
    cli.arguments = argv + optind + 1;
    cli.argument_count = argc - optind - 1;
    enum cli_exit code = run_command(&cli, argv[optind]);
    enum cli_exit flushed = cli_flush();
    return (int)(code == CLI_DONE ? flushed : code);
}
