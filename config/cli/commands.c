#include "config/cli/commands.h"

#include <stdio.h>
#include <string.h>

static const struct command COMMANDS[] = {
    {"init", "[FILE]", "find the hardware and write a commented settings file", 0, 1, cli_init,
     "Looks which cameras, serial ports and GPIO chips are there, asks what cannot be seen, and\n"
     "writes every setting with its meaning. Without FILE: the settings file.\n"
     "--sim --seed 4 writes one for a simulated robot that nobody has measured yet.\n"},
    {"check", "[FILE]", "check every setting; opens no device", 0, 1, cli_check,
     "Each fault is told as FILE:LINE:COLUMN: KEY: what is wrong; what is allowed. Without FILE "
     "the\n"
     "settings as the robot will see them: environment, drop-ins, file.\n"},
    {"show", "[KEY|GROUP]", "print what is set; --origin says where", 0, 1, cli_show,
     "`show board.pitch_x` prints one value, `show board` a group, `show` all of them.\n"},
    {"set", "KEY VALUE…", "change a value in the file, keep the rest", 2, 32, cli_set,
     "`set board.pitch_x 23.7 board.pitch_y 23.7` changes these two and not a byte besides. Units\n"
     "may be written: 2.37cm, 12000mm/min.\n"},
    {"keys", "[WORD]", "list all settings, or those that match", 0, 1, cli_keys,
     "`keys camera` lists what has that word in its name or meaning: type, unit, range, "
     "default.\n"},
    {"ports", "", "list cameras, serial ports and GPIO lines", 0, 0, cli_ports,
     "Opens nothing that moves. An Arduino resets when --probe opens its port: not in a game.\n"},
    {"calibrate", "WHAT", "panel, camera, board, arm, stones, gripper or all", 1, 1, cli_calibrate,
     "  panel     press the e-stop and each button, look at each lamp; before that nothing moves\n"
     "  camera    exposure and focus locked, sharpness and light judged, the lens measured\n"
     "  board     the grid is found; two edges are measured with a ruler\n"
     "  arm       homes, feels the heights, lays stones all over the board and looks where they "
     "lie\n"
     "  stones    lays five of each colour and looks 200 times\n"
     "  gripper   how fast a stone can be taken and let go; then 20 picks\n"
     "  all       these in order; what is still valid is left as it is\n\n"
     "Each says what will move before it moves, and ends with a figure, its limit, PASS or FAIL "
     "and\n"
     "a picture. Ctrl-C keeps the parts that are done; the same command goes on after them.\n"},
    {"doctor", "", "one page: what is wrong and what mends it", 0, 0, cli_doctor,
     "Settings, devices and permissions, calibration and how far the board is seen from it, disk,\n"
     "clock, temperature. Exit 0 when nothing is bad, 2 when the settings are, 4 when a device is\n"
     "missing, 1 else.\n"},
    {"backup", "FILE", "save settings and calibration in one file", 1, 1, cli_backup, NULL},
    {"restore", "FILE", "bring back a backup or an older calibration", 1, 1, cli_restore,
     "FILE is what `backup` wrote, or one of the ten older calibrations (calibration.json.41). "
     "What\n"
     "is replaced is kept under another name.\n"},
    {"completion", "", "print completion for bash", 0, 0, cli_completion,
     "  eval \"$(tessera-config completion)\"\n"},
};

static const struct described_option {
    struct option option;
    const char *argument, *meaning;
    const char *of; // commands that take it; NULL = every one
} OPTIONS[] = {
    {{"config", required_argument, NULL, OPTION_CONFIG},
     "FILE",
     "settings file ($TESSERA_CONFIG, or " SETTINGS_FILE ")",
     NULL},
    {{"set", required_argument, NULL, OPTION_SET},
     "KEY=VALUE",
     "one setting for this time; may be repeated",
     NULL},
    {{"json", no_argument, NULL, OPTION_JSON},
     NULL,
     "print JSON",
     "check show keys ports calibrate doctor"},
    {{"origin", no_argument, NULL, OPTION_ORIGIN}, NULL, "where each value came from", "show"},
    {{"format", required_argument, NULL, OPTION_FORMAT},
     "NAME",
     "table, sample, scdoc or names",
     "keys"},
    {{"preset", required_argument, NULL, OPTION_PRESET},
     "NAME",
     "settings that go together; a wrong name lists them",
     "init"},
    {{"probe", no_argument, NULL, OPTION_PROBE},
     NULL,
     "open serial ports, ask who is there",
     "init ports"},
    {{"force", no_argument, NULL, OPTION_FORCE},
     NULL,
     "replace the file, write what does not fit, measure again",
     "init set calibrate"},
    {{"output", required_argument, NULL, OPTION_OUTPUT},
     "FILE",
     "where the picture goes",
     "calibrate"},
    {{"bundle", required_argument, NULL, OPTION_BUNDLE},
     "FILE",
     "also write what helpers from afar need, without personal data",
     "doctor"},
    {{"sim", no_argument, NULL, OPTION_SIM}, NULL, "use the simulated table", "init calibrate"},
    {{"seed", required_argument, NULL, OPTION_SEED},
     "N",
     "the simulated table of this number",
     "init calibrate"},
    {{"yes", no_argument, NULL, OPTION_YES},
     NULL,
     "ask nothing, not even before something moves",
     "init calibrate"},
    {{"quiet", no_argument, NULL, 'q'}, NULL, "say only what went wrong", NULL},
    {{"verbose", no_argument, NULL, 'v'}, NULL, "list all named GPIO lines", "ports"},
    {{"help", no_argument, NULL, 'h'}, NULL, "print this", NULL},
    {{"version", no_argument, NULL, OPTION_VERSION}, NULL, "print the version", NULL},
};

enum {
    COMMAND_COUNT = sizeof COMMANDS / sizeof *COMMANDS,
    OPTION_COUNT = sizeof OPTIONS / sizeof *OPTIONS,
};
_Static_assert((int)OPTION_COUNT <= (int)COMMAND_OPTIONS_MAX, "room for every option");

const struct command *command_find(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(COMMANDS[i].name, name) == 0)
            return &COMMANDS[i];
    return NULL;
}

void command_options(struct option ret[COMMAND_OPTIONS_MAX + 1])
{
    for (int i = 0; i < OPTION_COUNT; i++)
        ret[i] = OPTIONS[i].option;
    ret[OPTION_COUNT] = (struct option){0};
}

static bool has_option(const struct command *command, const struct described_option *option)
{
    size_t length = strlen(command->name);
    for (const char *at = option->of; at && (at = strstr(at, command->name)); at += length) {
        bool begins = at == option->of || at[-1] == ' ';
        if (begins && (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return !option->of;
}

static void print_option(const struct described_option *option, const char *of)
{
    char left[64];
    bool is_short = option->option.val < OPTION_CONFIG;
    (void)snprintf(left, sizeof left, "--%s%s%s", option->option.name, option->argument ? " " : "",
                   option->argument ? option->argument : "");
    if (is_short)
        (void)snprintf(left, sizeof left, "-%c, --%s", (char)option->option.val,
                       option->option.name);
    (void)printf("  %-18s %s%s%s%s\n", left, option->meaning, of ? " (" : "", of ? of : "",
                 of ? ")" : "");
}

static void print_program_help(void)
{
    (void)printf("Usage: tessera-config [OPTIONS] COMMAND [ARGUMENTS]\n\n"
                 "Settings and calibration of the Tessera robot.\n\nCommands:\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        (void)printf("  %-10s %-*s %s\n", COMMANDS[i].name,
                     strstr(COMMANDS[i].arguments, "…") ? 15 : 13, COMMANDS[i].arguments,
                     COMMANDS[i].meaning); // "…" is three bytes wide
    (void)printf("\nThe first evening: init, check, calibrate all, doctor; then `tessera play`.\n"
                 "`tessera-config COMMAND --help` tells more.\n\nOptions:\n");
    for (int i = 0; i < OPTION_COUNT; i++)
        print_option(&OPTIONS[i], OPTIONS[i].of);
    (void)printf("\nExit: 0 done, 1 it failed, 2 used wrongly or a setting is bad, 3 stopped by a "
                 "person,\n4 a device is missing.\n");
}

void command_help(const struct command *command)
{
    if (!command) {
        print_program_help();
        return;
    }
    (void)printf("Usage: tessera-config %s%s%s [OPTIONS]\n\n%s: %s.\n", command->name,
                 command->arguments[0] ? " " : "", command->arguments, command->name,
                 command->meaning);
    if (command->text)
        (void)printf("\n%s", command->text);
    (void)printf("\nOptions:\n");
    for (int i = 0; i < OPTION_COUNT; i++)
        if (has_option(command, &OPTIONS[i]))
            print_option(&OPTIONS[i], NULL);
}
