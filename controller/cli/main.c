// tessera: the controller's command line.
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "config/base/log.h"
#include "controller/cli/commands.h"

const struct command commands[] = {
    {"play", "", "Plays a game on the table",
     "Without --auto the words of \"help\" are read from the terminal while the game goes on.",
     cmd_play},
    {"see", "IMAGE…", "Reads positions from photographs", NULL, cmd_see},
    {"record", "DIR", "Plays a game and writes it down as a session",
     "Takes all options of `tessera play` after the folder.", cmd_record},
    {"replay", "DIR", "Feeds a recorded session to the robot again",
     "Nothing moves: pictures, the plotter's bytes, buttons and moves come from the recording. "
     "Prints\n"
     "what the robot decides; --check compares it with DIR/expected.jsonl.",
     cmd_replay},
    {"arm", "VERB [ARGUMENT]", "Moves the arm by hand",
     "Verbs: status, home, park, goto POINT, jog X,Y,Z, pick COLOUR, place POINT, lift POINT, "
     "cycle N.\n"
     "A POINT is an intersection such as K10; a COLOUR is 1 to 4. The arm homes first.",
     cmd_arm},
    {"status", "", "Says what is connected, calibrated and unfinished", NULL, cmd_status},
    {"doctor", "", "Says what is wrong and what to do",
     "Exit 0 when all is well, 4 when a device is missing, 1 otherwise.", cmd_doctor},
    {"graph", "", "Prints the robot's states as a graph",
     "For Graphviz: tessera graph | dot -Tsvg > states.svg", cmd_graph},
    {0},
};

static void usage(FILE *to)
{
    fprintf(to, "Usage: tessera COMMAND [OPTIONS]\n\n"
                "A robot that plays board games of stones on a real board.\n\n");
    for (const struct command *c = commands; c->name; c++)
        fprintf(to, "  %-8s %s\n", c->name, c->summary);
    fprintf(to, "\n`tessera COMMAND --help` tells more; `tessera-config` sets the robot up.\n");
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    signal(SIGPIPE, SIG_IGN); // a peer that is gone shows as an error of write()
    log_open("tessera", LOG_LEVEL_NOTICE);
    if (argc < 2) {
        usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("tessera %s\n", TESSERA_VERSION);
        return EXIT_DONE;
    }
    const struct command *command = options_find_command(argv[1]);
    if (!command) {
        log_error("there is no command \"%s\". `tessera --help` lists them.", argv[1]);
        return EXIT_USAGE;
    }
    return (int)command->run(argc - 1, argv + 1);
}
