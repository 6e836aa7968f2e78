// tessera graph: the robot's state table as a picture.
#include <stdio.h>
#include <stdlib.h>

#include "controller/cli/commands.h"
#include "controller/robot_state.h"

enum exit_code cmd_graph(int argc, char **argv)
{
    struct common_options common;
    enum exit_code code;
    if (options_parse(options_find_command("graph"), NULL, &common, argc, argv, &code) < 0)
        return code;
    size_t size = robot_state_graph(NULL, 0) + 1;
    char *text = malloc(size);
    if (!text)
        return EXIT_FAILED;
    robot_state_graph(text, size);
    fputs(text, stdout);
    free(text);
    return EXIT_DONE;
}
