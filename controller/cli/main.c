// tessera: the controller's command line.
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "config/base/log.h"
#include "controller/cli/commands.h"

const struct command commands[] = {
    {"play", "", "Plays a game on the table",
     "On the simulated table (--sim) type where your stone goes, such as K10; on a real one lay "
     "it\n"
     "and press the button, or Enter. \"help\" lists what else may be typed while the game goes "
     "on.\n"
     "Ctrl-C or \"quit\" leaves it; --resume goes on.",
     cmd_play, cmd_play_games},
    {"see", "[IMAGE…]", "Says what the robot's camera sees, or reads photographs",
     "Without an IMAGE it looks through the camera of the settings until Ctrl-C, and prints the\n"
     "position and the scene whenever they have changed. Any viewer that loads a changed file "
     "again\n"
     "shows the picture of --annotate live: each stone has a ring that closes as the reading gets\n"
     "surer; red rings are doubts, small amber ones points that are covered.",
     cmd_see, NULL},
    {"record", "DIR", "Plays a game and writes it down as a session",
     "Takes all options of `tessera play` after the folder.", cmd_record, NULL},
    {"replay", "DIR", "Feeds a recorded session to the robot again",
     "Nothing moves: pictures, the plotter's bytes, buttons and moves come from the recording. "
     "Prints\n"
     "what the robot decides; --check compares it with DIR/expected.jsonl.",
     cmd_replay, NULL},
    {"session", "VERB FROM TO", "Makes sessions of films and photographs, and copies of sessions",
     "  import SOURCE DIR       a session of a game between people: SOURCE is a folder of\n"
     "                          photographs, an AVI of MJPEG, a raw MJPEG stream, or any video\n"
     "                          if ffmpeg is installed; prints the moves it reads\n"
     "  trim DIR OUT            a shorter copy: --from and --to\n"
     "  blank DIR OUT           a copy in which everything off the board is grey\n"
     "`tessera replay` plays what they make. Example:\n"
     "  tessera session import photos/ game1 --variant gomoku-free --size 13 "
     "--colours black,white",
     cmd_session, NULL},
    {"arm", "VERB [ARGUMENT…]", "Moves the arm by hand",
     "  status                  is it there, and how far does it travel?\n"
     "  home, park              finds the home corner; goes out of the camera's view\n"
     "  goto POINT | X,Y[,Z]    travels there; X, Y, Z in machine millimetres\n"
     "  jog X,Y,Z               goes that far from here\n"
     "  pick [STORE]            takes the next stone out of a store\n"
     "  ready [STORE]           the same, and waits with it at the board's edge\n"
     "  place POINT [STORE]     takes a stone and lays it on the point\n"
     "  lift POINT [STORE]      takes the stone off the point and puts it into the tray\n"
     "  drop [STORE]            lets go over the tray whatever hangs on the cup\n"
     "  cycle N                 lays and lifts one stone N times, and goes on after faults\n\n"
     "A POINT is an intersection such as K10. A STORE is a colour (1 to 4) or a name such as\n"
     "\"tray 2\"; colour 1 if none is given. The arm always homes first. When the program ends it\n"
     "lets go what it holds.",
     cmd_arm, NULL},
    {"status", "", "Says what is connected, calibrated and unfinished",
     "Moves nothing. Its exit code is 0 whatever it finds; `tessera doctor` judges.", cmd_status,
     NULL},
    {"doctor", "", "Says what is wrong and what to do",
     "Exit 0 when nothing is bad, 2 when the settings are, 4 when a device is missing, 1 else.",
     cmd_doctor, NULL},
    {"graph", "", "Prints the robot's states as a graph",
     "For Graphviz: tessera graph | dot -Tsvg > states.svg", cmd_graph, NULL},
    {0},
};

static void usage(FILE *to)
{
    fprintf(to, "Usage: tessera COMMAND [OPTIONS]\n\n"
                "A robot that plays board games of stones on a real board.\n\n");
    for (const struct command *c = commands; c->name; c++)
        fprintf(to, "  %-8s %s\n", c->name, c->summary);
    fprintf(to, "\n`tessera play --sim` needs no hardware. `tessera COMMAND --help` tells more; "
                "`tessera-config`\nsets the robot up.\n\n"
                "Exit: 0 done, 1 it failed, 2 used wrongly or a setting is bad, 3 stopped by a "
                "person,\n4 a device is missing.\n");
}

// What could not be told was not done. A reader that has gone has had enough of it.
static int arrived(enum exit_code code)
{
    // What a long output met before its end is still in errno: there was nothing left to flush.
    if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE || code != EXIT_DONE)
        return code;
    log_error("what was said can't be written: %s.", strerror(errno));
    return EXIT_FAILED;
}

static enum exit_code run(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--") == 0 && argc > 2) {
        argc--;
        argv++;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("tessera %s\n", TESSERA_VERSION);
        return EXIT_DONE;
    }
    const struct command *command = options_find_command(argv[1]);
    if (!command && argv[1][0] == '-') {
        log_error("the command comes first, its options after it: `tessera COMMAND %s`.", argv[1]);
        return EXIT_USAGE;
    }
    if (!command) {
        log_error("there is no command \"%s\". `tessera --help` lists them.", argv[1]);
        return EXIT_USAGE;
    }
    return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    signal(SIGPIPE, SIG_IGN); // a peer that is gone shows as an error of write()
    log_open("tessera", LOG_LEVEL_NOTICE);
    return arrived(run(argc, argv));
}
