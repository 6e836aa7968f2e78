#include "config/schema.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "config/nearest.h"
#include "config/settings.h"

static const char *const CAMERA_SOURCES[] = {"v4l2", "pipe", "still", "session", "sim", NULL};
static const char *const CORNERS[] = {"bottom-left", "bottom-right", "top-right", "top-left", NULL};
static const char *const TABLES[] = {"plain", "random", "uncalibrated", NULL};
static const char *const CAMERA_FORMATS[] = {"mjpeg", "yuyv", NULL};
static const char *const COLOURS[] = {"none", "clear", "white", "black", "red",
                                      "blue", "green", "amber", NULL};
static const char *const DTR[] = {"keep", "low", "high", NULL};
static const char *const DIALECTS[] = {"auto", "grbl", "grblhal", "marlin", NULL};
static const char *const SIDES[] = {"min", "max", NULL};
static const char *const GRIPPERS[] = {"vacuum-gpio", "vacuum-mcode", "servo", "magnet", NULL};
static const char *const OUTPUTS[] = {"spindle", "coolant", NULL};
static const char *const SENSORS[] = {"none", "gpio", "probe", NULL};
static const char *const BACKENDS[] = {"none", "gpiod", "sim", NULL};
static const char *const BIASES[] = {"none", "pull-up", "pull-down", NULL};
static const char *const PROTOCOLS[] = {"gtp", "gomocup", NULL};
static const char *const SEATS[] = {"first", "second", "alternate", NULL};
static const char *const DONE_SIGNALS[] = {"button", "still", NULL};
static const char *const LIFTERS[] = {"robot", "person", NULL};
static const char *const POINTS[] = {"lines", "hollows", NULL};
static const char *const STRAIGHTEN[] = {"never", "once", NULL};

// A choice is stored through an int.
_Static_assert(sizeof(enum settings_camera_source) == sizeof(int), "enums are ints");
_Static_assert(sizeof(int) == sizeof(int32_t), "ranges assume 32 bits");

#define AT(member)   offsetof(struct settings, member)
#define SIZE(member) ((double)(sizeof(((struct settings *)0)->member) - 1))

#define REAL(key, member, unit, min, max, initial, meaning)                                        \
    {                                                                                              \
        key, SCHEMA_REAL, unit, min, max, NULL, initial, true, AT(member), meaning                 \
    }
#define INTEGER(key, member, unit, min, max, initial, meaning)                                     \
    {                                                                                              \
        key, SCHEMA_INTEGER, unit, min, max, NULL, initial, true, AT(member), meaning              \
    }
#define BOOLEAN(key, member, initial, meaning)                                                     \
    {                                                                                              \
        key, SCHEMA_BOOLEAN, SCHEMA_NO_UNIT, 0, 1, NULL, initial, true, AT(member), meaning        \
    }
#define TEXT(key, member, initial, meaning)                                                        \
    {                                                                                              \
        key, SCHEMA_TEXT, SCHEMA_NO_UNIT, 0, SIZE(member), NULL, initial, true, AT(member),        \
            meaning                                                                                \
    }
#define CHOICE(key, member, choices, initial, meaning)                                             \
    {                                                                                              \
        key, SCHEMA_CHOICE, SCHEMA_NO_UNIT, 0, 0, choices, initial, true, AT(member), meaning      \
    }
// What a game asks for when it begins: no restart.
#define LIVE_REAL(key, member, unit, min, max, initial, meaning)                                   \
    {                                                                                              \
        key, SCHEMA_REAL, unit, min, max, NULL, initial, false, AT(member), meaning                \
    }
#define LIVE_INTEGER(key, member, unit, min, max, initial, meaning)                                \
    {                                                                                              \
        key, SCHEMA_INTEGER, unit, min, max, NULL, initial, false, AT(member), meaning             \
    }
#define LIVE_BOOLEAN(key, member, initial, meaning)                                                \
    {                                                                                              \
        key, SCHEMA_BOOLEAN, SCHEMA_NO_UNIT, 0, 1, NULL, initial, false, AT(member), meaning       \
    }
#define LIVE_TEXT(key, member, initial, meaning)                                                   \
    {                                                                                              \
        key, SCHEMA_TEXT, SCHEMA_NO_UNIT, 0, SIZE(member), NULL, initial, false, AT(member),       \
            meaning                                                                                \
    }
#define LIVE_CHOICE(key, member, choices, initial, meaning)                                        \
    {                                                                                              \
        key, SCHEMA_CHOICE, SCHEMA_NO_UNIT, 0, 0, choices, initial, false, AT(member), meaning     \
    }

#define STORE(number, index, x0, y0, stones)                                                       \
    REAL("stores.colour" #number ".x", stores[index].x, SCHEMA_MM, -5000, 0, x0,                   \
         "Machine x of the exposed stone of colour " #number),                                     \
        REAL("stores.colour" #number ".y", stores[index].y, SCHEMA_MM, -5000, 0, y0,               \
             "Machine y of the exposed stone"),                                                    \
        REAL("stores.colour" #number ".z", stores[index].z, SCHEMA_MM, -500, 0, "-42",             \
             "Machine z of the cup's lip on the exposed stone"),                                   \
        INTEGER("stores.colour" #number ".columns", stores[index].columns, SCHEMA_NO_UNIT, 1, 32,  \
                "1", "Slots along machine x; 1 column and 1 row = a magazine with one pocket"),    \
        INTEGER("stores.colour" #number ".rows", stores[index].rows, SCHEMA_NO_UNIT, 1, 32, "1",   \
                "Slots along machine y"),                                                          \
        REAL("stores.colour" #number ".step", stores[index].step, SCHEMA_MM, 5, 100, "20",         \
             "Distance from slot to slot"),                                                        \
        INTEGER("stores.colour" #number ".capacity", stores[index].capacity, SCHEMA_NO_UNIT, 0,    \
                1000, stones, "Stones the full store holds; 0 = there is no such store")

#define TRAY(number, index, x0, y0)                                                                \
    REAL("trays.colour" #number ".x", trays[index].x, SCHEMA_MM, -5000, 0, x0,                     \
         "Machine x of the tray for captured stones of colour " #number),                          \
        REAL("trays.colour" #number ".y", trays[index].y, SCHEMA_MM, -5000, 0, y0,                 \
             "Machine y of that tray, or of its first slot"),                                      \
        INTEGER("trays.colour" #number ".columns", trays[index].columns, SCHEMA_NO_UNIT, 1, 32,    \
                "1", "Slots along machine x; 1 column and 1 row = stones lie there as they fall"), \
        INTEGER("trays.colour" #number ".rows", trays[index].rows, SCHEMA_NO_UNIT, 1, 32, "1",     \
                "Slots along machine y"),                                                          \
        REAL("trays.colour" #number ".step", trays[index].step, SCHEMA_MM, 5, 100, "20",           \
             "Distance from slot to slot")

#define HOUSE(number, index)                                                                       \
    LIVE_TEXT("house.game" #number, house.game[index], "",                                         \
              "NAME = GAME; FIELD=VALUE; ..., such as office = pente; size=13; goal=12")

#define INPUT(name, index, line0, active_low0, what)                                               \
    TEXT("gpio." name ".line", gpio.pin[index].line, line0,                                        \
         what ": line name (GPIO17) or number on the chip; \"\" = not wired"),                     \
        BOOLEAN("gpio." name ".active_low", gpio.pin[index].active_low, active_low0,               \
                "A low level means yes"),                                                          \
        CHOICE("gpio." name ".bias", gpio.pin[index].bias, BIASES, "pull-up",                      \
               "Resistor inside the computer")

#define OUTPUT(name, index, line0, what)                                                           \
    TEXT("gpio." name ".line", gpio.pin[index].line, line0,                                        \
         what ": line name (GPIO17) or number on the chip; \"\" = not wired"),                     \
        BOOLEAN("gpio." name ".active_low", gpio.pin[index].active_low, "false",                   \
                "A low level means on")

const struct schema_key schema_keys[] = {
    TEXT("machine.name", machine.name, "tessera",
         "Name of this robot; its calibration is only used under the same name"),
    REAL("machine.travel_x", machine.travel_x, SCHEMA_MM, 50, 5000, "600",
         "Travel of the x axis, the firmware's $130"),
    REAL("machine.travel_y", machine.travel_y, SCHEMA_MM, 50, 5000, "540",
         "Travel of the y axis, the firmware's $131"),
    REAL("machine.travel_z", machine.travel_z, SCHEMA_MM, 5, 500, "60",
         "Travel of the z axis, the firmware's $132"),
    REAL("machine.pull_off", machine.pull_off, SCHEMA_MM, 0.1, 50, "2",
         "Distance from the switches after homing, the firmware's $27"),
    CHOICE("machine.home_x", machine.home_x, SIDES, "min", "End of the x axis with the switch"),
    CHOICE("machine.home_y", machine.home_y, SIDES, "min", "End of the y axis with the switch"),
    REAL("machine.feed_xy", machine.feed_xy, SCHEMA_MM_PER_S, 1, 2000, "200",
         "Fastest travel in x and y, the lesser of the firmware's $110 and $111"),
    REAL("machine.feed_z", machine.feed_z, SCHEMA_MM_PER_S, 0.5, 500, "50",
         "Fastest travel in z, the firmware's $112"),
    REAL("machine.accel_xy", machine.accel_xy, SCHEMA_MM_PER_S2, 10, 50000, "1000",
         "Acceleration in x and y, the lesser of the firmware's $120 and $121"),
    REAL("machine.accel_z", machine.accel_z, SCHEMA_MM_PER_S2, 5, 50000, "300",
         "Acceleration in z, the firmware's $122"),
    BOOLEAN("machine.park_auto", machine.park_auto, "true",
            "Once calibrated, park just beyond the board where the camera sees all of it"),
    REAL("machine.reach", machine.reach, SCHEMA_MM, 0, 200, "25",
         "Width of the arm before its cup, towards the person; for machine.park_auto"),
    REAL("machine.park_x", machine.park_x, SCHEMA_MM, -5000, 0, "-590",
         "Machine x where the arm waits, out of the camera's view of the board"),
    REAL("machine.park_y", machine.park_y, SCHEMA_MM, -5000, 0, "-5",
         "Machine y where the arm waits"),
    REAL("machine.wait_x", machine.wait_x, SCHEMA_MM, -5000, 0, "-520",
         "Machine x where a held stone waits, at the board's edge"),
    REAL("machine.wait_y", machine.wait_y, SCHEMA_MM, -5000, 0, "-270",
         "Machine y where a held stone waits"),
    REAL("machine.margin", machine.margin, SCHEMA_MM, 0, 50, "0.5",
         "Distance kept to the ends of travel"),
    REAL("machine.clearance", machine.clearance, SCHEMA_MM, 0.5, 50, "3",
         "Distance kept above whatever stands in the way"),
    REAL("machine.side_clearance", machine.side_clearance, SCHEMA_MM, 0, 50, "1.5",
         "Distance kept beside whatever stands in the way"),
    REAL("machine.speed", machine.speed, SCHEMA_NO_UNIT, 0.05, 1, "1",
         "Share of the machine's speed that is used"),
    REAL("machine.approach", machine.approach, SCHEMA_MM, 0, 10, "0",
         "Overshoot with which every target is approached from the same side, against backlash"),
    INTEGER("machine.home_every", machine.home_every, SCHEMA_NO_UNIT, 0, 10000, "50",
            "Robot moves between two homings; 0 = only when the position is in doubt"),

    TEXT("serial.port", serial.port, "auto",
         "Plotter: a device file (best /dev/serial/by-id/...), tcp:HOST:PORT, auto or sim"),
    INTEGER("serial.baud", serial.baud, SCHEMA_BAUD, 9600, 2000000, "115200",
            "Speed of the serial line"),
    CHOICE("serial.dtr", serial.dtr, DTR, "keep",
           "Level of DTR after opening; some boards answer only with low"),
    CHOICE("serial.dialect", serial.dialect, DIALECTS, "auto",
           "What the plotter's firmware speaks; auto: told by what it says at its start"),

    INTEGER("board.columns", board.columns, SCHEMA_NO_UNIT, 6, 19, "19",
            "Intersections from left to right"),
    INTEGER("board.rows", board.rows, SCHEMA_NO_UNIT, 6, 19, "19",
            "Intersections from the player's side to the far side"),
    REAL("board.pitch_x", board.pitch_x, SCHEMA_MM, 8, 100, "22",
         "Distance between neighbouring columns"),
    REAL("board.pitch_y", board.pitch_y, SCHEMA_MM, 8, 100, "22",
         "Distance between neighbouring rows"),
    CHOICE("board.points", board.points, POINTS, "lines",
           "What stones lie on: crossings of lines, or hollows in four blocks that turn"),
    REAL("board.seam", board.seam, SCHEMA_MM, 0, 50, "0",
         "Added to the pitch where two blocks meet; only on a board of hollows"),
    BOOLEAN("board.tags", board.tags, "false", "Printed tag36h11 markers lie around the board"),
    REAL("board.a1_x", board.a1_x, SCHEMA_MM, -5000, 0, "-498",
         "Machine x of intersection A1, to within a few millimetres"),
    REAL("board.a1_y", board.a1_y, SCHEMA_MM, -5000, 0, "-468", "Machine y of intersection A1"),
    REAL("board.rotation", board.rotation, SCHEMA_DEGREES, -180, 180, "0",
         "Anticlockwise turn of the board in the machine's frame"),

    REAL("stones.diameter", stones.diameter, SCHEMA_MM, 5, 60, "16", "Diameter of a stone"),
    REAL("stones.height", stones.height, SCHEMA_MM, 2, 30, "8", "Height of a stone"),
    CHOICE("stones.colour1", stones.colour[0], COLOURS, "blue",
           "Colour of the stones that move first"),
    CHOICE("stones.colour2", stones.colour[1], COLOURS, "red",
           "Colour of the stones that move second"),
    CHOICE("stones.colour3", stones.colour[2], COLOURS, "none",
           "Colour of the third set, for games of more than two"),
    CHOICE("stones.colour4", stones.colour[3], COLOURS, "none", "Colour of the fourth set"),

    REAL("heights.board", heights.board, SCHEMA_MM, -500, 0, "-50",
         "Machine z of the cup's lip on the bare board"),
    REAL("heights.contact", heights.contact, SCHEMA_MM, -500, 0, "-42",
         "Machine z of the cup's lip on a stone on the board"),
    REAL("heights.travel", heights.travel, SCHEMA_MM, -500, 0, "-28",
         "Machine z at which a carried stone clears standing stones"),
    REAL("heights.tray", heights.tray, SCHEMA_MM, -500, 0, "-35",
         "Machine z at which a stone is let go over a tray"),

    STORE(1, 0, "-560", "-300", "60"),
    STORE(2, 1, "-560", "-200", "60"),
    STORE(3, 2, "-560", "-400", "0"),
    STORE(4, 3, "-560", "-100", "0"),

    TRAY(1, 0, "-50", "-300"),
    TRAY(2, 1, "-50", "-200"),
    TRAY(3, 2, "-50", "-400"),
    TRAY(4, 3, "-50", "-100"),

    CHOICE("gripper.kind", gripper.kind, GRIPPERS, "vacuum-gpio", "What holds a stone"),
    CHOICE("gripper.output", gripper.output, OUTPUTS, "spindle",
           "Plotter output that drives it (not for vacuum-gpio): spindle M3/M5, coolant M8/M9"),
    INTEGER("gripper.servo_open", gripper.servo_open, SCHEMA_NO_UNIT, 0, 100000, "0",
            "S word that opens a servo gripper"),
    INTEGER("gripper.servo_closed", gripper.servo_closed, SCHEMA_NO_UNIT, 0, 100000, "1000",
            "S word that closes a servo gripper"),
    CHOICE(
        "gripper.sensor", gripper.sensor, SENSORS, "gpio",
        "What tells whether a stone is held: nothing, gpio.pick-sensor, the firmware's probe pin"),
    REAL("gripper.cup_diameter", gripper.cup_diameter, SCHEMA_MM, 1, 40, "8",
         "Outer diameter of the cup"),
    REAL("gripper.grip_time", gripper.grip_time, SCHEMA_SECONDS, 0, 5, "0.2",
         "Time to take hold of a stone; calibration may shorten it"),
    REAL("gripper.release_time", gripper.release_time, SCHEMA_SECONDS, 0, 5, "0.15",
         "Time to let a stone go"),
    INTEGER("gripper.retries", gripper.retries, SCHEMA_NO_UNIT, 0, 10, "3",
            "Failed picks that are tried again before a person is asked"),
    REAL("gripper.retry_step", gripper.retry_step, SCHEMA_MM, 0, 5, "1",
         "Other tries at a pick are moved aside by this; the last by 2.5 times as much"),
    REAL("gripper.wait_time", gripper.wait_time, SCHEMA_SECONDS, 0, 3600, "300",
         "The next stone is picked ahead and waits so long on the cup; 0 = picked when it is due"),

    CHOICE("camera.source", camera.source, CAMERA_SOURCES, "v4l2", "Where pictures come from"),
    TEXT("camera.device", camera.device, "/dev/video0",
         "v4l2: the device file (best /dev/v4l/by-id/...); still, session: the folder"),
    TEXT("camera.command", camera.command, "",
         "pipe: a command that writes MJPEG, for example rpicam-vid with -o -"),
    CHOICE("camera.format", camera.format, CAMERA_FORMATS, "mjpeg", "Format asked of the camera"),
    INTEGER("camera.width", camera.width, SCHEMA_PIXELS, 320, 7680, "1280", "Width of a picture"),
    INTEGER("camera.height", camera.height, SCHEMA_PIXELS, 240, 4320, "720", "Height of a picture"),
    REAL("camera.fps", camera.fps, SCHEMA_FPS, 1, 120, "15", "Pictures a second asked for"),
    CHOICE("camera.a1", camera.a1, CORNERS, "bottom-left",
           "Corner of the picture that is nearest to intersection A1"),
    INTEGER("camera.power_line", camera.power_line, SCHEMA_NO_UNIT, 0, 60, "50",
            "Frequency of the mains in Hz, 50 or 60, against flicker; 0 = the camera's own"),
    REAL("camera.settle", camera.settle, SCHEMA_SECONDS, 0, 20, "1.5",
         "Time for the camera's automatics before they are locked"),
    BOOLEAN("camera.lock", camera.lock, "true",
            "Hold exposure, white balance and focus at their calibrated values"),

    CHOICE("gpio.backend", gpio.backend, BACKENDS, "gpiod",
           "How the panel is reached; none = keyboard only, sim = the simulated table"),
    TEXT("gpio.chip", gpio.chip, "",
         "Label of the GPIO chip (pinctrl-rp1); \"\" = the chip that has the named lines"),
    REAL("gpio.debounce", gpio.debounce, SCHEMA_SECONDS, 0, 1, "0.02",
         "Time a button must be stable; the e-stop acts at once"),
    INPUT("button-done", SETTINGS_GPIO_BUTTON_DONE, "GPIO27", "true", "Button \"my move is done\""),
    INPUT("button-reset", SETTINGS_GPIO_BUTTON_RESET, "GPIO22", "true",
          "Button that confirms after a stop"),
    INPUT("estop", SETTINGS_GPIO_ESTOP, "GPIO17", "false",
          "Second contact of the emergency stop, closed to ground while released"),
    INPUT("pick-sensor", SETTINGS_GPIO_PICK_SENSOR, "GPIO23", "true", "Vacuum switch"),
    INPUT("lid", SETTINGS_GPIO_LID, "", "false",
          "Switch of a lid or door, closed to ground while it is shut; open, it stops the arm"),
    OUTPUT("lamp-turn", SETTINGS_GPIO_LAMP_TURN, "GPIO24", "Lamp that is lit on the person's turn"),
    OUTPUT("lamp-fault", SETTINGS_GPIO_LAMP_FAULT, "GPIO25",
           "Lamp that is lit when the robot needs help"),
    OUTPUT("pump", SETTINGS_GPIO_PUMP, "GPIO5", "Vacuum pump"),
    OUTPUT("valve", SETTINGS_GPIO_VALVE, "GPIO6", "Vent valve"),

    LIVE_TEXT("engine.command", engine.command, "",
              "Program that thinks; \"\" = tessera-engine of this installation"),
    LIVE_CHOICE("engine.protocol", engine.protocol, PROTOCOLS, "gtp", "Language it speaks"),
    LIVE_INTEGER("engine.level", engine.level, SCHEMA_NO_UNIT, 1, 10, "5",
                 "Strength, 1 = beginner"),
    LIVE_REAL("engine.move_time", engine.move_time, SCHEMA_SECONDS, 0.01, 3600, "2",
              "Time to think about a move"),
    LIVE_INTEGER("engine.threads", engine.threads, SCHEMA_NO_UNIT, 1, 64, "1",
                 "Processor cores it may use"),
    LIVE_INTEGER("engine.hash", engine.hash, SCHEMA_MIB, 1, 4096, "64", "Memory it may use"),

    LIVE_TEXT("game.variant", game.variant, "pente", "Game that is played unless asked otherwise"),
    LIVE_CHOICE("game.robot", game.robot, SEATS, "second",
                "The robot's seat; alternate: the one it did not have in the game before"),
    LIVE_CHOICE(
        "game.done", game.done, DONE_SIGNALS, "button",
        "How a person says that the move is done: by the button, or by leaving the board still"),
    LIVE_REAL("game.still_time", game.still_time, SCHEMA_SECONDS, 0.2, 60, "1",
              "Time without movement before the board is believed"),
    LIVE_CHOICE("game.lifter", game.lifter, LIFTERS, "robot",
                "Who takes the pairs off that a person captures"),
    LIVE_BOOLEAN("game.announce_calls", game.announce_calls, "true",
                 "Say \"tria\" and \"tessera\" when the robot makes one"),
    LIVE_BOOLEAN("game.tidy", game.tidy, "false",
                 "When the game is over the arm puts all stones away, as with the word \"tidy\""),
    LIVE_CHOICE("game.straighten", game.straighten, STRAIGHTEN, "once",
                "Lay a stone of the robot's that lies beside its point anew, in its next turn"),

    HOUSE(1, 0),
    HOUSE(2, 1),
    HOUSE(3, 2),
    HOUSE(4, 3),

    BOOLEAN("safety.estop_required", safety.estop_required, "true",
            "Without a wired e-stop nothing moves"),
    REAL("safety.hand_clear", safety.hand_clear, SCHEMA_SECONDS, 0.2, 60, "1",
         "Time without a hand over the board before the arm goes on"),
    REAL("safety.arrival", safety.arrival, SCHEMA_MM, 0.005, 1, "0.05",
         "Largest distance between a target and where the idle firmware says it is"),
    REAL("safety.placing_error", safety.placing_error, SCHEMA_MM, 0.5, 10, "3",
         "Distance between a placed stone and its intersection that makes the arm home anew"),

    TEXT("rules.socket", rules.socket, "",
         "Socket of a running tessera-rulesd; \"\" = start a private one"),

    TEXT("paths.state", paths.state, "",
         "Folder of journal, calibration and sessions; \"\" = /var/lib/tessera or the user's own"),
    TEXT("paths.runtime", paths.runtime, "",
         "Folder of sockets; \"\" = /run/tessera or the user's own"),

    LIVE_CHOICE("sim.table", sim.table, TABLES, "plain",
                "Plain: as these settings say; random: another room, camera, light and stones for "
                "every seed; uncalibrated: another machine geometry too"),
    LIVE_INTEGER("sim.seed", sim.seed, SCHEMA_NO_UNIT, 0, 2147483647, "1",
                 "Seed of everything random on the simulated table"),
    REAL("sim.rotation", sim.rotation, SCHEMA_DEGREES, -10, 10, "0.15",
         "Turn of the simulated board beyond board.rotation, for calibration to find"),
    REAL("sim.scale", sim.scale, SCHEMA_NO_UNIT, 0.95, 1.05, "1.0005",
         "Stretch of the simulated board, for calibration to find"),
    REAL("sim.scatter", sim.scatter, SCHEMA_MM, 0, 6, "1.5",
         "Standard deviation of where the simulated person puts stones"),
    REAL("sim.pick_failure", sim.pick_failure, SCHEMA_NO_UNIT, 0, 1, "0",
         "Fraction of simulated picks that fail"),
};

const size_t schema_key_count = sizeof schema_keys / sizeof *schema_keys;

const struct schema_section schema_sections[] = {
    {"machine", "The plotter; positions are work coordinates after homing, which are negative"},
    {"serial", "The line to the plotter's firmware"},
    {"board", "The playing board and where it lies"},
    {"stones", "The stones, colours in turn order"},
    {"heights", "Heights of the cup, measured down from the top of the z axis"},
    {"stores", "Where the robot takes its stones: magazines with one exposed stone"},
    {"trays", "Where captured stones go, beside the board"},
    {"gripper", "What picks stones up"},
    {"camera", "The camera over the board"},
    {"gpio", "Buttons, lamps, e-stop and vacuum on the computer's GPIO"},
    {"engine", "The player program"},
    {"game", "What is played and how"},
    {"house", "Games of your own: a game of the table with other fields, for game.variant"},
    {"safety", "When the arm may move"},
    {"rules", "The rules daemon"},
    {"paths", "Folders"},
    {"sim", "The simulated table"},
};

const size_t schema_section_count = sizeof schema_sections / sizeof *schema_sections;

const struct schema_key *schema_find(const char *key)
{
    for (size_t i = 0; i < schema_key_count; i++)
        if (strcmp(schema_keys[i].key, key) == 0)
            return &schema_keys[i];
    return NULL;
}

bool schema_is_group(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < schema_key_count; i++)
        if (strncmp(schema_keys[i].key, path, length) == 0 && schema_keys[i].key[length] == '.')
            return true;
    return false;
}

const char *schema_nearest(const char *text)
{
    struct nearest nearest;
    nearest_begin(&nearest, text);
    for (size_t i = 0; i < schema_section_count; i++)
        nearest_offer(&nearest, schema_sections[i].name);
    for (size_t i = 0; i < schema_key_count; i++)
        nearest_offer(&nearest, schema_keys[i].key);
    return nearest_found(&nearest);
}

void schema_environment_name(const struct schema_key *key, char *ret, size_t size)
{
    (void)snprintf(ret, size, "TESSERA_%s", key->key);
    for (char *c = ret; *c != '\0'; c++)
        *c = *c == '.' || *c == '-' ? '_' : (char)toupper((unsigned char)*c);
}

const char *schema_unit_name(enum schema_unit unit)
{
    static const char *const NAMES[] = {
        [SCHEMA_NO_UNIT] = "",        [SCHEMA_MM] = "mm",     [SCHEMA_MM_PER_S] = "mm/s",
        [SCHEMA_MM_PER_S2] = "mm/s2", [SCHEMA_SECONDS] = "s", [SCHEMA_DEGREES] = "deg",
        [SCHEMA_PIXELS] = "px",       [SCHEMA_FPS] = "fps",   [SCHEMA_BAUD] = "baud",
        [SCHEMA_MIB] = "MiB",
    };
    return NAMES[unit];
}
