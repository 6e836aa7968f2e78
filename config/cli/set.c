// set: the one command that changes a file a person wrote, because the person says so.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/io.h"
#include "config/cli/cli.h"
#include "config/edit.h"
#include "config/value.h"
#include "config/yaml_entries.h"

// Whether all layers together would still be fine. The new text stands in for the file.
static int still_agrees(const struct cli *cli, const char *file, const char *text, size_t size)
{
    struct reading *reading = reading_new();
    if (!reading)
        return -ENOMEM;
    int r = reading_text(reading, text, size, file, READING_FILE);
    if (r == 0)
        r = reading_agree(reading);
    if (r < 0) {
        cli_print_faults(cli, reading->faults);
        (void)fprintf(stderr,
                      "%s is unchanged. Set all values that belong together in one command "
                      "(set KEY VALUE KEY VALUE ...), or use --force.\n",
                      file);
    }
    reading_free(reading);
    return r;
}

static int edit_all(const struct cli *cli, const char *file, char **text, size_t *size,
                    struct error *err)
{
    for (int i = 0; i + 1 < cli->argument_count; i += 2) {
        const struct schema_key *key = schema_find(cli->arguments[i]);
        if (!key) {
            const char *meant = schema_nearest(cli->arguments[i]);
            return error_set(err, -EINVAL, "%.60s: there is no such setting%s%s%s",
                             cli->arguments[i], meant ? " (did you mean " : "", meant ? meant : "",
                             meant ? "?)" : "");
        }
        char *changed;
        size_t changed_size;
        int r =
            edit_set(*text, *size, file, key, cli->arguments[i + 1], &changed, &changed_size, err);
        if (r < 0)
            return r;
        free(*text);
        *text = changed;
        *size = changed_size;
    }
    return 0;
}

static void say_changes(const struct cli *cli, const char *file)
{
    if (cli->quiet)
        return;
    bool restart = false;
    for (int i = 0; i + 1 < cli->argument_count; i += 2) {
        (void)printf("%s: %s is now %s\n", file, cli->arguments[i], cli->arguments[i + 1]);
        restart = restart || schema_find(cli->arguments[i])->restart;
    }
    if (restart)
        (void)printf("It takes effect when the robot's program starts anew.\n");
}

enum cli_exit cli_set(struct cli *cli)
{
    const char *file = cli_settings_file(cli);
    if (cli->argument_count % 2 != 0)
        return cli_usage("set takes pairs: KEY VALUE [KEY VALUE ...]");
    struct error err;
    char *text = NULL;
    size_t size = 0;
    int r = io_read_file(NULL, file, YAML_FILE_MAX, &text, &size, &err);
    if (r < 0) {
        cli_complain(&err);
        if (r == -ENOENT)
            (void)fprintf(stderr, "`tessera-config init` writes a first one.\n");
        return CLI_FAILED;
    }
    enum cli_exit code = CLI_DONE;
    if (edit_all(cli, file, &text, &size, &err) < 0) {
        cli_complain(&err);
        code = CLI_USAGE;
    } else if (!cli->force && still_agrees(cli, file, text, size) < 0) {
        code = CLI_USAGE;
    } else if (cli_write_file(file, text, size, &err) < 0) {
        cli_complain(&err);
        code = CLI_FAILED;
    } else {
        say_changes(cli, file);
    }
    free(text);
    return code;
}
