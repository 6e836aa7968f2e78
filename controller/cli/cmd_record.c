// tessera record: a game, written down as a session.
#include <stdio.h>
#include <stdlib.h>

#include "controller/cli/commands.h"

enum { ARGUMENTS_MAX = 64 };

enum exit_code cmd_record(int argc, char **argv)
{
    const struct command *command = options_find_command("record");
    char *arguments[ARGUMENTS_MAX + 3] = {"play", "--record"};
    if (argc < 2 || argc > ARGUMENTS_MAX || argv[1][0] == '-') {
        struct common_options common;
        enum exit_code code;
        if (options_parse(command, NULL, &common, argc, argv, &code) < 0)
            return code;
        return options_usage(command, "record takes the folder to make, then the options of play");
    }
    for (int i = 1; i < argc; i++)
        arguments[i + 1] = argv[i];
    return cmd_play(argc + 1, arguments);
}
