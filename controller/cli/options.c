#include "controller/cli/options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/base/log.h"

enum {
    ROWS_MAX = 40,
    FIRST_ID = 1000, // of getopt's answers; below are those of one letter
    COLUMN = 18,     // of the help, after the option's name
};

static const struct option_row shared_rows[] = {
    {"config", "FILE", "settings file ($TESSERA_CONFIG, or " SETTINGS_FILE ")", OPTION_TEXT, NULL,
     0, 0},
    {"set", "KEY=VALUE", "one setting for this time; `tessera-config keys` lists them", OPTION_TEXT,
     NULL, 0, 0},
    {"sim", NULL, "the simulated table instead of hardware", OPTION_FLAG, NULL, 0, 0},
    {"json", NULL, "the result as JSON", OPTION_FLAG, NULL, 0, 0},
    {"quiet", NULL, "say only what went wrong", OPTION_FLAG, NULL, 0, 0},
    {"verbose", NULL, "say more", OPTION_FLAG, NULL, 0, 0},
    {"help", NULL, "this text", OPTION_FLAG, NULL, 0, 0},
    {"version", NULL, "the version", OPTION_FLAG, NULL, 0, 0},
};
enum { SHARED = sizeof shared_rows / sizeof shared_rows[0] };

// Characters, not bytes.
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static bool has_letter(const struct option_row *row)
{
    return strcmp(row->name, "help") == 0 || strcmp(row->name, "quiet") == 0 ||
           strcmp(row->name, "verbose") == 0;
}

static void print_row(const struct option_row *row)
{
    char left[48];
    if (has_letter(row))
        snprintf(left, sizeof left, "-%c, --%s", row->name[0], row->name);
    else
        snprintf(left, sizeof left, "--%s%s%s", row->name, row->argument ? " " : "",
                 row->argument ? row->argument : "");
    int room = COLUMN - width_of(left);
    printf("  %s%*s %s\n", left, room > 0 ? room : 0, "", row->help);
}

static void print_help(const struct command *command, const struct option_row *own)
{
    printf("Usage: tessera %s [OPTIONS]%s%s\n\n%s.\n", command->name,
           command->arguments[0] ? " " : "", command->arguments, command->summary);
    if (command->text)
        printf("\n%s\n", command->text);
    printf("\nOptions:\n");
    for (; own && own->name; own++)
        print_row(own);
    for (int i = 0; i < SHARED; i++)
        print_row(&shared_rows[i]);
    if (command->more)
        command->more();
}

static bool store_value(const struct command *command, const struct option_row *row,
                        const char *text)
{
    char *end;
    long long number;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)row->value = true;
        return true;
    case OPTION_TEXT:
        *(const char **)row->value = text;
        return true;
    case OPTION_NUMBER:
        errno = 0;
        number = strtoll(text, &end, 10);
        if (errno || end == text || *end || number < row->min || number > row->max) {
            options_usage(command, "--%s takes a whole number from %d to %d, not \"%s\"", row->name,
                          row->min, row->max, text);
            return false;
        }
        *(int *)row->value = (int)number;
        return true;
    case OPTION_SEED:
        errno = 0;
        number = strtoll(text, &end, 10);
        if (errno || end == text || *end || number < 0 || number > INT32_MAX) {
            options_usage(command, "--%s takes a whole number from 0 to %d, not \"%s\"", row->name,
                          INT32_MAX, text);
            return false;
        }
        *(uint64_t *)row->value = (uint64_t)number;
        return true;
    }
    return false;
}

static bool take_shared(const struct command *command, struct common_options *common, int index,
                        const char *text)
{
    switch (index) {
    case 0:
        common->config = text;
        return true;
    case 1:
        if (common->set_count == OPTIONS_SET_MAX) {
            options_usage(command, "--set is given more than %d times", OPTIONS_SET_MAX);
            return false;
        }
        options_add_set(common, text);
        return true;
    case 2:
        common->sim = true;
        return true;
    case 3:
        common->json = true;
        return true;
    case 4:
        common->quiet = true;
        return true;
    case 5:
        common->verbose = true;
        return true;
    case 6:
        common->help = true;
        return true;
    default:
        common->version = true;
        return true;
    }
}

int options_parse(const struct command *command, const struct option_row *own,
                  struct common_options *common, int argc, char **argv, enum exit_code *ret_exit)
{
    struct option table[ROWS_MAX + 1] = {0};
    int own_count = 0, count = 0;
    while (own && own[own_count].name)
        own_count++;
    for (; count < own_count + SHARED && count < ROWS_MAX; count++) {
        const struct option_row *row =
            count < own_count ? &own[count] : &shared_rows[count - own_count];
        table[count] = (struct option){.name = row->name,
                                       .has_arg = row->argument ? required_argument : no_argument,
                                       .val = FIRST_ID + count};
    }
    *common = (struct common_options){0};
    *ret_exit = EXIT_USAGE;
    optind = 0;
    opterr = 0;
    for (int id; (id = getopt_long(argc, argv, ":hqv", table, NULL)) != -1;) {
        if (id == 'h' || id == 'q' || id == 'v') {
            *(id == 'h' ? &common->help : id == 'q' ? &common->quiet : &common->verbose) = true;
            continue;
        }
        if (id < FIRST_ID) {
            options_usage(command, id == ':' ? "%s needs a value" : "there is no option %s",
                          argv[optind - 1]);
            return -1;
        }
        int i = id - FIRST_ID;
        if (i < own_count ? !store_value(command, &own[i], optarg)
                          : !take_shared(command, common, i - own_count, optarg))
            return -1;
    }
    *ret_exit = EXIT_DONE;
    if (common->help)
        print_help(command, own);
    else if (common->version)
        printf("tessera %s\n", TESSERA_VERSION);
    else if (optind < argc && !command->arguments[0])
        *ret_exit = options_usage(command, "%s takes no argument such as \"%s\"", command->name,
                                  argv[optind]);
    else {
        log_set_level(common->quiet     ? LOG_LEVEL_ERROR
                      : common->verbose ? LOG_LEVEL_DEBUG
                                        : LOG_LEVEL_NOTICE);
        return optind;
    }
    return -1;
}

void options_add_set(struct common_options *common, const char *assignment)
{
    assert(common->set_count < OPTIONS_SET_MAX + OPTIONS_OWN_MAX);
    common->set[common->set_count++] = assignment;
}

struct settings_source options_source(struct common_options *common)
{
    if (common->sim && !common->sim_added) {
        for (const char *const *s = settings_sim_overrides; *s; s++)
            options_add_set(common, *s);
        common->sim_added = true;
    }
    return (struct settings_source){
        .file = common->config,
        .environment = (const char *const *)environ,
        .overrides = common->set,
    };
}

static enum exit_code load(struct common_options *common, bool values_only, struct settings *ret)
{
    struct error err;
    struct settings_source source = options_source(common);
    source.values_only = values_only;
    if (settings_load(&source, ret, &err) < 0) {
        log_struct_error(LOG_LEVEL_ERROR, &err);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

enum exit_code options_settings(struct common_options *common, struct settings *ret)
{
    return load(common, false, ret);
}

enum exit_code options_values(struct common_options *common, struct settings *ret)
{
    return load(common, true, ret);
}

enum exit_code options_fail(const struct error *err)
{
    log_struct_error(LOG_LEVEL_ERROR, err);
    switch (-err->number) {
    case ENODEV:
        return EXIT_NO_DEVICE;
    case EINVAL:
        return EXIT_USAGE;
    case ECANCELED:
    case EINTR:
        return EXIT_STOPPED;
    default:
        return EXIT_FAILED;
    }
}

enum exit_code options_usage(const struct command *command, const char *format, ...)
{
    char text[ERROR_TEXT_MAX];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    size_t length = strlen(text);
    if (length && text[length - 1] == '.') // a whole sentence from elsewhere
        text[length - 1] = 0;
    log_error("%s. `tessera %s --help` explains.", text, command->name);
    return EXIT_USAGE;
}

const struct command *options_find_command(const char *name)
{
    for (const struct command *c = commands; c->name; c++) {
        if (strcmp(c->name, name) == 0)
            return c;
    }
    return NULL;
}
