// settings: what people decide about their robot.
//
// One plain struct, no pointers: copy it, compare it, throw it away. It is filled from, strongest
// first:
//     the command line      --set board.pitch_x=23.7
//     the environment       TESSERA_BOARD_PITCH_X=23.7
//     drop-ins              FILE.d/*.yaml, later names beat earlier ones
//     the file              --config FILE, $TESSERA_CONFIG or /etc/tessera/tessera.yaml
//     the defaults          the schema's, which describe the simulated table
// What the robot measures itself is not here but in config/calibration.h.
//
// The key of a member is its path in the struct with dots (`board.pitch_x`); config/schema.h has
// the table of all keys with unit, range, default and meaning, and `tessera-config keys` prints it.
// Units in the struct: mm, mm/s, mm/s², seconds, degrees, pixels, unless a comment says otherwise.
// Frames: the machine frame is GRBL's work coordinates after homing (negative on usual machines);
// z = 0 is the cup's lip at the top of its travel.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"
#include "config/base/spacing.h"

struct variant;

#define SETTINGS_FILE "/etc/tessera/tessera.yaml"

enum {
    SETTINGS_NAME_MAX = 64,     // bytes of a short name, with its NUL
    SETTINGS_PATH_MAX = 256,    // of a path
    SETTINGS_COMMAND_MAX = 512, // of a shell command
    SETTINGS_COLOURS = 4,       // colours in turn order; index 0 is colour 1
    SETTINGS_HOUSE_GAMES = 4,
    SETTINGS_HOUSE_TEXT_MAX = 256,
};

enum settings_camera_source {
    SETTINGS_CAMERA_V4L2,    // a camera the kernel knows as /dev/video…
    SETTINGS_CAMERA_PIPE,    // a command that writes MJPEG to its standard output
    SETTINGS_CAMERA_STILL,   // photographs in a folder
    SETTINGS_CAMERA_SESSION, // a recorded session
    SETTINGS_CAMERA_SIM,     // the simulated table
};

enum settings_camera_format {
    SETTINGS_FORMAT_MJPEG,
    SETTINGS_FORMAT_YUYV,
};

// The same order as enum vision_a1 of vision/reader.h.
enum settings_corner {
    SETTINGS_CORNER_BOTTOM_LEFT,
    SETTINGS_CORNER_BOTTOM_RIGHT,
    SETTINGS_CORNER_TOP_RIGHT,
    SETTINGS_CORNER_TOP_LEFT,
};

struct settings_camera {
    enum settings_camera_source source;
    char device[SETTINGS_PATH_MAX];     // v4l2: device file; still, session: folder
    char command[SETTINGS_COMMAND_MAX]; // pipe: run by /bin/sh
    enum settings_camera_format format;
    int width, height;       // pixels of a frame
    double fps;              // frames a second asked for
    enum settings_corner a1; // corner of the picture nearest to A1: a grid looks alike from 4 sides
    int power_line;          // Hz of the mains, against flicker; 0 = leave it to the camera
    double settle;           // seconds for the automatics before they are locked
    bool lock;               // exposure, white balance and focus held at their calibrated values
};

enum settings_points {
    SETTINGS_POINTS_LINES,   // crossings of lines
    SETTINGS_POINTS_HOLLOWS, // round hollows in four blocks that turn, no lines: Pentago's
};

struct settings_board {
    int columns, rows;       // points
    double pitch_x, pitch_y; // between neighbouring points
    enum settings_points points;
    double seam;       // by which points on either side of the blocks' seam are further apart
    bool tags;         // tag36h11 fiducials lie on the table
    double a1_x, a1_y; // machine frame: where intersection A1 is, to within a few millimetres;
    double rotation;   // degrees anticlockwise, board frame in machine frame. Calibration
                       // measures both exactly; these say where to begin and what to refuse.
};

enum settings_stone_colour {
    SETTINGS_STONE_NONE,
    SETTINGS_STONE_CLEAR,
    SETTINGS_STONE_WHITE,
    SETTINGS_STONE_BLACK,
    SETTINGS_STONE_RED,
    SETTINGS_STONE_BLUE,
    SETTINGS_STONE_GREEN,
    SETTINGS_STONE_AMBER,
};

struct settings_stones {
    double diameter, height;
    enum settings_stone_colour colour[SETTINGS_COLOURS]; // keys colour1 … colour4
};

enum settings_serial_dtr {
    SETTINGS_DTR_KEEP, // leave it to the driver: an Arduino resets at every opening
    SETTINGS_DTR_LOW,  // some boards hold RESET on DTR and answer only when it is low
    SETTINGS_DTR_HIGH,
};

// What the plotter's firmware speaks; auto: told by what it says at its start.
enum settings_dialect {
    SETTINGS_DIALECT_AUTO,
    SETTINGS_DIALECT_GRBL,
    SETTINGS_DIALECT_GRBLHAL,
    SETTINGS_DIALECT_MARLIN,
};

struct settings_serial {
    char port[SETTINGS_PATH_MAX]; // device file, "tcp:HOST:PORT", "auto" or "sim"
    int baud;
    enum settings_serial_dtr dtr;
    enum settings_dialect dialect;
};

enum settings_home_side {
    SETTINGS_HOME_MIN,
    SETTINGS_HOME_MAX,
};

struct settings_machine {
    char name[SETTINGS_NAME_MAX];           // calibration belongs to the machine of this name
    double travel_x, travel_y, travel_z;    // firmware $130 $131 $132
    double pull_off;                        // $27
    enum settings_home_side home_x, home_y; // z always homes at the top
    double feed_xy, feed_z;                 // mm/s; firmware $110/$111, $112 are the same in mm/min
    double accel_xy, accel_z;               // mm/s²; $120/$121, $122
    bool park_auto;        // parks where the calibrated camera allows, with least travel; else …
    double park_x, park_y; // … machine frame: arm out of the camera's view of the board
    double reach;          // the arm stands out before its cup by this, towards the person
    double wait_x, wait_y; // machine frame: where a held stone waits, at the board's edge
    double approach;       // overshoot with which targets are approached from one side (backlash)
    double margin;         // kept to the ends of travel
    double clearance;      // kept above whatever stands in the way
    double side_clearance; // and beside it
    double speed;          // share of the machine's speed that is used
    int home_every;        // robot moves between two homings; 0 = only when needed
};

// Machine z, all negative.
struct settings_heights {
    double board;   // cup's lip on the bare board
    double contact; // cup's lip on a stone that lies on the board
    double travel;  // a carried stone clears standing stones here
    double tray;    // a stone is let go here over a capture tray
};

// For captured stones. 1 x 1: they are let go at (x, y) and may lie anywhere near; more: one slot
// for each stone, slot (0, 0) at (x, y), the others `step` apart along machine x and y.
struct settings_tray {
    double x, y; // machine frame
    int columns, rows;
    double step;
};

// 1 x 1: a magazine with one exposed pocket; more: a tray with one slot for each stone, as above,
// which also takes stones back. capacity 0: there is none for this colour.
struct settings_store {
    double x, y; // machine frame
    double z;    // cup's lip on the exposed stone, or on one in its slot
    int columns, rows;
    double step;
    int capacity;
};

enum settings_gripper_kind {
    SETTINGS_GRIPPER_VACUUM_GPIO,  // pump and vent valve on the computer's GPIO
    SETTINGS_GRIPPER_VACUUM_MCODE, // pump on the plotter's spindle or coolant output
    SETTINGS_GRIPPER_SERVO,        // pen-lift servo, M3 S…
    SETTINGS_GRIPPER_MAGNET,
};

enum settings_gripper_output {
    SETTINGS_OUTPUT_SPINDLE, // M3 / M5
    SETTINGS_OUTPUT_COOLANT, // M8 / M9
};

enum settings_pick_sensor {
    SETTINGS_SENSOR_NONE,
    SETTINGS_SENSOR_GPIO,
    SETTINGS_SENSOR_PROBE, // the firmware's probe pin (`Pn:P`)
};

struct settings_gripper {
    enum settings_gripper_kind kind;
    enum settings_gripper_output output; // for the kinds without GPIO
    int servo_open, servo_closed;        // S words
    enum settings_pick_sensor sensor;
    double cup_diameter;
    double grip_time, release_time; // seconds at the bottom; calibration may shorten them
    int retries;                    // picks tried again before a person is asked …
    double retry_step;              // … this far beside it, in the end 2.5 times as far
    double wait_time; // s a stone picked while people think may wait on the cup; 0 = none is
};

// The same order as enum gpio_line of controller/gpio.h; the keys are its names.
enum settings_gpio_line {
    SETTINGS_GPIO_BUTTON_DONE,
    SETTINGS_GPIO_BUTTON_RESET,
    SETTINGS_GPIO_ESTOP,
    SETTINGS_GPIO_PICK_SENSOR,
    SETTINGS_GPIO_LID,
    SETTINGS_GPIO_LAMP_TURN,
    SETTINGS_GPIO_LAMP_FAULT,
    SETTINGS_GPIO_PUMP,
    SETTINGS_GPIO_VALVE,
    SETTINGS_GPIO_LINES
};

enum settings_gpio_bias {
    SETTINGS_BIAS_NONE, // what the board has
    SETTINGS_BIAS_PULL_UP,
    SETTINGS_BIAS_PULL_DOWN,
};

struct settings_gpio_pin {
    char line[SETTINGS_NAME_MAX]; // line name ("GPIO17") or offset ("17"); "" = not wired
    bool active_low;
    enum settings_gpio_bias bias; // inputs only
};

enum settings_gpio_backend {
    SETTINGS_GPIO_NONE, // no panel: the keyboard confirms moves, the gripper is not on GPIO
    SETTINGS_GPIO_GPIOD,
    SETTINGS_GPIO_SIM,
};

struct settings_gpio {
    enum settings_gpio_backend backend;
    char chip[SETTINGS_NAME_MAX]; // label ("pinctrl-rp1"); "" = the chip that has the named lines
    double debounce;              // seconds a button must be stable; the e-stop acts at once
    struct settings_gpio_pin pin[SETTINGS_GPIO_LINES];
};

enum settings_engine_protocol {
    SETTINGS_ENGINE_GTP,
    SETTINGS_ENGINE_GOMOCUP,
};

struct settings_engine {
    char command[SETTINGS_COMMAND_MAX]; // "" = tessera-engine of this installation
    enum settings_engine_protocol protocol;
    int level;        // 1 (beginner) … 10
    double move_time; // seconds
    int threads;
    int hash; // MiB
};

enum settings_seat {
    SETTINGS_SEAT_FIRST,
    SETTINGS_SEAT_SECOND,
    SETTINGS_SEAT_ALTERNATE, // changes from game to game
};

enum settings_done_signal {
    SETTINGS_DONE_BUTTON, // the person presses "my move is done"
    SETTINGS_DONE_STILL,  // the board lies still with a legal move on it
};

enum settings_lifter {
    SETTINGS_LIFTER_ROBOT,
    SETTINGS_LIFTER_PERSON,
};

enum settings_straighten {
    SETTINGS_STRAIGHTEN_NEVER,
    SETTINGS_STRAIGHTEN_ONCE,
};

// Games of one's own: "NAME = GAME; FIELD=VALUE; …" by the fields of rules/variant.h; "" = none.
struct settings_house {
    char game[SETTINGS_HOUSE_GAMES][SETTINGS_HOUSE_TEXT_MAX]; // keys house.game1 …
};

struct settings_game {
    char variant[SETTINGS_NAME_MAX]; // a name of the rules' table or of a house game
    enum settings_seat robot;        // the robot's seat
    enum settings_done_signal done;
    double still_time;                   // seconds without movement before the board is believed
    enum settings_lifter lifter;         // who takes the pairs off that a person captures
    bool announce_calls;                 // "tria", "tessera"
    bool tidy;                           // when the game is over the arm puts all stones away
    enum settings_straighten straighten; // stones of the robot's that lie beside their points
};

struct settings_safety {
    bool estop_required;  // without a wired e-stop nothing moves
    double hand_clear;    // seconds without a hand before the arm goes on
    double arrival;       // mm between the target and the firmware's idle position
    double placing_error; // mm between the stone seen and its intersection before homing anew
};

struct settings_rules {
    char socket[SETTINGS_PATH_MAX]; // of a running tessera-rulesd; "" = start a private one
};

struct settings_paths {
    char state[SETTINGS_PATH_MAX];   // journal, calibration, sessions; "" = see config/paths.h
    char runtime[SETTINGS_PATH_MAX]; // sockets; "" = see config/paths.h
};

enum settings_sim_table {
    SETTINGS_TABLE_PLAIN,        // the table the defaults describe
    SETTINGS_TABLE_RANDOM,       // another room, camera, light, board and stones for every seed
    SETTINGS_TABLE_UNCALIBRATED, // and another machine geometry
};

// The simulated table: what its world is like. Vision and motion never see these.
struct settings_sim {
    enum settings_sim_table table;
    int seed;
    double rotation, scale; // of the board in the machine frame, beyond what board.* says
    double scatter;         // σ of where the person puts stones
    double pick_failure;    // fraction of picks that fail
};

struct settings {
    struct settings_machine machine;
    struct settings_serial serial;
    struct settings_board board;
    struct settings_stones stones;
    struct settings_heights heights;
    struct settings_store stores[SETTINGS_COLOURS]; // keys stores.colour1.x …
    struct settings_tray trays[SETTINGS_COLOURS];   // captured stones of that colour
    struct settings_gripper gripper;
    struct settings_camera camera;
    struct settings_gpio gpio;
    struct settings_engine engine;
    struct settings_game game;
    struct settings_house house;
    struct settings_safety safety;
    struct settings_rules rules;
    struct settings_paths paths;
    struct settings_sim sim;
};

// Where to look. NULL members are left out.
struct settings_source {
    const char *file;               // NULL = $TESSERA_CONFIG, or SETTINGS_FILE, which may be absent
    const char *const *environment; // "NAME=value", NULL at the end: pass environ
    const char *const *overrides;   // "key=value", NULL at the end: from the command line
    bool values_only; // whether they agree is not asked yet: some are only known once these are
};

// Overrides that put the simulated table behind every edge: what `--sim` means.
extern const char *const settings_sim_overrides[];

void settings_default(struct settings *ret);

// Where the board's columns and rows lie from A1, mm.
struct spacing settings_columns(const struct settings_board *board);
struct spacing settings_rows(const struct settings_board *board);
// Board mm of a place counted in columns and rows (spacing.h), and the reverse.
void settings_board_at(const struct settings_board *board, double column, double row,
                       double ret[2]);
void settings_board_place(const struct settings_board *board, const double at[2],
                          double *ret_column, double *ret_row);

// The rules called `name`: a house game, else rules as rules/variant.h reads them ("keryo", "pente;
// size=13"). A house game without a title is called by its own name. -ENOENT, -EINVAL and why.
int settings_variant(const struct settings *settings, const char *name, struct variant *ret,
                     struct error *err);

// Reads house game `index` (0-based): its name into ret_name[SETTINGS_NAME_MAX], and its rules. 1,
// 0: there is none, -ENOENT or -EINVAL and why.
int settings_house_game(const struct settings *settings, unsigned index, char *ret_name,
                        struct variant *ret, struct error *err);

// Reads all layers and checks every value and their agreement; opens no device. On failure *err
// holds the first fault with its place ("environment" and "command line" stand for a file there)
// and how many more there are: -EINVAL for a bad setting, -ENOENT for a file that was asked for and
// is not there, -EIO and others for what could not be read.
int settings_load(const struct settings_source *source, struct settings *ret, struct error *err);
