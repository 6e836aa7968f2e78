// setup: what a simulated table is made of: board, stones, machine, camera, light, person.
//
// Plain data without pointers: it is stored in the table file beside the world it describes. Frames
// as in the design, section 2. The *table frame* is the true board frame: millimetres on the table
// top, origin at A1, x along row 1, y away from the person, z up from the board's surface. Machine
// coordinates are what the firmware believes; struct setup_machine says how the two really relate,
// which is what calibration has to find out.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "vision/colour.h"

enum {
    SETUP_COLOURS = 4, // colours in play are 1 … 4
    SETUP_LINES_MAX = 19,
};

enum setup_board_kind {
    SETUP_BOARD_GRID,   // lines, stones on the intersections
    SETUP_BOARD_BLOCKS, // the same of 6 x 6 with a hollow at each, in four blocks that turn:
                        // Pentago
};

enum setup_surface {
    SETUP_VINYL_CREAM,
    SETUP_VINYL_GREEN,
    SETUP_VINYL_BLACK, // light lines
    SETUP_WOOD,
    SETUP_SURFACES
};

// What blocks with hollows are made of.
enum setup_blocks {
    SETUP_BLOCKS_BIRCH,
    SETUP_BLOCKS_WALNUT,
    SETUP_BLOCKS_BLACK, // lacquered or plastic
    SETUP_BLOCKS_RED,
    SETUP_BLOCKS_WHITE,
    SETUP_BLOCKS_KINDS
};

struct setup_board {
    enum setup_board_kind kind;
    enum setup_surface surface;
    int columns, rows;       // points each way, 6 … 19
    double pitch_x, pitch_y; // mm
    bool hollows;            // of BLOCKS: no lines are printed, it is of wood or plastic
    double seam;             // mm by which points on both sides of a seam are further apart
    double askew;            // σ in degrees of how a block stands after a turn
    enum setup_blocks made_of;
    double margin;     // mm of sheet beyond the outermost lines
    double line_width; // mm
    double curl;       // mm the corners of the sheet stand up; 0 = flat
    double ripple;     // mm of folds left from rolling it up
};

struct setup_stones {
    int colours; // how many are in play, 2 … 4
    enum stone_colour colour[SETUP_COLOURS];
    double diameter, height; // mm
    double spread;           // σ of the size from stone to stone, as a fraction
};

// How the gantry really stands over the table: machine = a1 + scale · R(rotation) · S(skew) ·
// table.
struct setup_machine {
    double a1_x, a1_y;   // machine coordinates of the table frame's origin, mm
    double rotation_deg; // of the table in the machine frame, anticlockwise
    double scale;        // machine mm for one true mm
    double skew_deg;     // by how much machine x and y are not at right angles
    double backlash;     // mm of play in x and y
    double travel[3];    // mm: x, y, z; machine space is -travel … 0
    double feed_max[3];  // mm/s
    double accel[3];     // mm/s²
    double pull_off;     // mm
    double surface_z;    // machine z of the cup's lip when it touches the bare board
};

struct setup_place {
    double x, y;          // centre
    double width, height; // mm along x and y; stores and bowls have none
    int count;            // stones in it at the beginning
};

// A pick fails when the seal leaks. The tolerances are those of a soft bellows cup of 6 mm.
struct setup_gripper {
    double lateral_tolerance; // mm the cup may be off the dome's centre
    double height_tolerance;  // mm above or below the dome's top
    double slip;              // σ in mm of a stone let go on the board
    double failure;           // probability that a good contact does not seal
    bool valve_shut_at_rest;  // its valve vents only with current; otherwise it vents without
    bool probe_is_sensor;     // the pick sensor is wired to the firmware's probe pin too
    bool vacuum_by_mcode;     // M3/M8 switch the pump as well
};

struct setup_lens {
    double f;              // pixels
    double cx, cy;         // principal point, pixels
    double k1, k2, p1, p2; // as OpenCV
};

struct setup_camera {
    int width, height;
    double eye[3], target[3]; // table frame, mm: where it is, what it looks at
    double roll_deg;
    struct setup_lens lens;
    double fps;
    int jpeg_quality;  // 1 … 100
    double noise;      // σ in grey levels
    int noise_frames;  // after so many frames the noise repeats (an unchanged scene then costs no
                       // rendering); 0 = never
    double blur;       // σ in pixels of defocus; 0 = sharp
    double vignetting; // light lost in the corners, fraction
};

struct setup_light {
    double lamp[3];     // table frame, mm
    double lamp_size;   // mm: makes the shadows soft
    double lamp_power;  // 1 = normal
    double ambient;     // light from everywhere, 1 = as much as the lamp
    double window;      // a gradient from one side, 0 … 1
    double window_from; // direction it comes from, degrees anticlockwise from +x
    double warmth;      // lamp's colour: 0 = neutral, 1 = like candle light
    double gloss;       // how much the board mirrors the lamp, 0 … 1
};

struct setup_person {
    double scatter;    // σ in mm of where stones are put; never more than 0.4 of the pitch
    double move_s;     // seconds a simple move takes, mean
    double hesitation; // probability that the hand turns back once before it places
    bool lifts;        // takes captured stones off by itself
    int skin, sleeve;  // which of the painted hands, any number
};

enum setup_flavour {
    SETUP_GRBL,    // Grbl 1.1h
    SETUP_GRBLHAL, // grblHAL: banner, buffer size and alarm behaviour differ
};

struct setup_firmware {
    enum setup_flavour flavour;
    bool strict_baud; // answers garbage unless the tty is set to 115200
};

struct table_setup {
    uint64_t seed;
    struct setup_board board;
    struct setup_stones stones;
    struct setup_machine machine;
    struct setup_place store[SETUP_COLOURS]; // magazines, machine frame; colour c is store[c-1]
    struct setup_place tray[SETUP_COLOURS];  // for captured stones, machine frame
    struct setup_place bowl[SETUP_COLOURS];  // the person's, table frame
    struct setup_gripper gripper;
    struct setup_camera camera;
    struct setup_light light;
    struct setup_person person;
    struct setup_firmware firmware;
    bool estop_cuts_power; // the button takes motor and pump power, as it should
};

// Where a place counted in columns and rows (config/base/spacing.h) lies, table frame mm, and the
// reverse; blocks standing straight.
void setup_board_at(const struct setup_board *board, double column, double row, double ret[2]);
void setup_board_place(const struct setup_board *board, const double at[2], double *ret_column,
                       double *ret_row);
// Middle of a block, 1 2 / 3 4 from the far left.
void setup_block_middle(const struct setup_board *board, int block, double ret[2]);

// Makes it a board of hollows as its pitch and seam demand.
void setup_use_hollows(struct setup_board *board);
// Radius of a hollow's rim for marbles of that diameter, mm.
double setup_hollow_radius(const struct setup_board *board, double diameter);

// The table of the sample settings: 19×19, 22 mm, blue and red glass stones.
void table_setup_default(struct table_setup *ret);

// Another room, camera, lens, light, board and stone set for every seed, all within what a careful
// owner might build; for hard tests of the eyes. Geometry the settings name (stores, travel) stays.
void table_setup_random(uint64_t seed, struct table_setup *ret);

// A real Pentago board instead of the one there is: four blocks of hollows with a seam between, and
// marbles that fit. Another material, pitch, seam and marbles for every seed; 0: the usual one.
void table_setup_pentago(uint64_t seed, struct table_setup *setup);

// The same as table_setup_random() with unknown machine geometry too (offset, rotation, scale,
// skew), for calibration.
void table_setup_uncalibrated(uint64_t seed, struct table_setup *ret);
