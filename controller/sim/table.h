// table: the simulated table: one physical world behind the edges that real hardware has.
//
// What the robot's own code may use: the camera (frames), the serial port (a pty or a descriptor of
// one), the panel (gpio). What stands for the people in the room: the person, the buttons, the
// faults. What only tests may ask: the truth.
//
// Runs on a real and on a virtual loop alike; everything is called from the loop's thread, except
// that the camera's frame source may be read (and its descriptor polled) by one other thread.
// On a virtual loop the same setup, calls and times give the same bytes.
//
//     struct table *table;
//     table_setup_default(&setup);
//     table_new(&setup, loop, NULL, &table, &err);
//     transport_open_device(table_serial_path(table), &transport, &err);
//     loop_add_settled(loop, my_settled, …);  // asks table_settled() with the transport's counts
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"
#include "controller/gpio.h"
#include "controller/loop.h"
#include "controller/sim/person.h"
#include "controller/sim/setup.h"
#include "vision/frame_source.h"

struct table;
struct world;

// `file` (NULL = none) keeps the world when the process dies, even by SIGKILL. If it exists, the
// table in it is continued and `setup` is not used (NULL is then allowed): the planned motion has
// been finished, the pump line was released (a carried stone lies where it fell), a stone in the
// person's hand is back in his bowl. As long as one table has a file open, a second gets -EBUSY.
// -EINVAL: the setup contradicts itself; -EBADMSG: the file is not a table.
int table_new(const struct table_setup *setup, struct loop *loop, const char *file,
              struct table **ret, struct error *err);
struct table *table_free(struct table *table); // NULL allowed; returns NULL

const struct table_setup *table_setup_of(const struct table *table);

// --- edges ---

// The camera. The source belongs to the table; closing it only stops its reader.
struct frame_source *table_camera(struct table *table);

// The plotter: the path of its tty, NULL while it is unplugged. Opening it resets the board, as an
// Arduino does: banner after one second. The path may change when it is plugged in again.
const char *table_serial_path(const struct table *table);
// Opens that tty raw and non-blocking. -ENODEV while it is unplugged.
int table_serial_open(struct table *table, int *ret_fd);

// The panel. Belongs to the table; close is allowed and releases the outputs.
struct gpio *table_gpio(struct table *table);

// For loop_add_settled(): true when all `host_written` bytes have reached the firmware and all it
// sent have been read by the host (`host_read`), both counted since the host last opened the port.
// What was on the way when the cable was pulled is not waited for.
bool table_settled(struct table *table, uint64_t host_written, uint64_t host_read);

// --- people ---

struct person *table_person(struct table *table);
// Presses a button for 120 ms (done, reset). The e-stop latches: table_estop(…, false) lets it out.
void table_press(struct table *table, enum gpio_line button);
void table_estop(struct table *table, bool pressed);
void table_lid(struct table *table, bool open); // the switch of a lid over the machine
int table_lamp(const struct table *table, enum gpio_line lamp); // what the person sees

// Puts stones into a magazine, a tray's stones back into it, …: the owner tidying up by hand.
void table_fill_store(struct table *table, int colour, int count);
void table_empty_tray(struct table *table, int colour); // back into the magazine of their colour
// Sets a stone exactly at board millimetres (x, y), from outside of the world: preparing positions
// for tests and pictures. -ENOSPC: too many stones.
int table_put_stone(struct table *table, int colour, double x, double y);
// Takes the stone nearest to (x, y), within half a pitch, out of the world. -ENOENT: none there.
int table_take_stone(struct table *table, double x, double y);
// Turns a block of a Pentago board (1 2 / 3 4 from the far left, as the rule book numbers them)
// with the marbles on it by -90 … 90 degrees clockwise, without a hand. A quarter snaps in, a
// little askew on a board of hollows; anything else stays half turned. -EINVAL: no such block, or
// too far.
int table_turn_block(struct table *table, int block, double degrees);

// --- faults ---

enum table_fault {
    // gripper
    FAULT_PICK_FAILS,   // count: this many contacts in a row do not seal
    FAULT_PICK_RATE,    // value: probability that a contact does not seal
    FAULT_LOSE_STONE,   // a carried stone falls, value: seconds from now
    FAULT_SENSOR_STUCK, // value: the pick sensor always reads 0 or 1; -1 mends it
    // firmware and cable
    FAULT_UNPLUG,         // the tty hangs up; planned motion is finished
    FAULT_REPLUG,         // a new tty appears
    FAULT_BROWN_OUT,      // the board restarts: position lost, motors let go for a moment
    FAULT_WRONG_BAUD,     // value 1: replies are garbage and lines arrive as garbage; 0: mended
    FAULT_STALL_REPLIES,  // replies are held back for value seconds
    FAULT_LOSE_BYTES_IN,  // count: the next bytes to the firmware are lost
    FAULT_LOSE_BYTES_OUT, // count: the next bytes from the firmware are lost
    FAULT_NOISE_OUT,      // count: random bytes appear in the replies
    FAULT_LIMIT_TRIP,     // noise on a limit line: ALARM:1
    FAULT_LOSE_STEPS,     // value: mm that x and y are off from now on, firmware does not know
    FAULT_LOOSE_BELT,     // value: mm by which x and y hang to either side, anew as it travels
    FAULT_HOMING_SWITCH,  // value 1: x switch dead (homing fails with ALARM:9), 0: mended
    FAULT_DOOR,           // value 1: safety door opened, 0: closed
    // camera and light
    FAULT_CAMERA_GONE,     // value 1: -ENODEV, 0: back
    FAULT_CAMERA_STALL,    // value 1: no more frames, 0: goes on
    FAULT_CAMERA_TRUNCATE, // count: frames that end in the middle
    FAULT_CAMERA_BUMP,     // value: mm and tenths of a degree the camera jumps by
    FAULT_CAMERA_BLUR,     // value: σ in pixels
    FAULT_LIGHT_GAIN,      // value: all light times this, at once (lamp switched)
    FAULT_LIGHT_CLOUD,     // value: light goes down to this fraction and back within 4 s
    FAULT_LIGHT_GLARE,     // value: how bright a lamp is mirrored somewhere on the board; 0 = gone
    FAULT_EXPOSURE_DRIFT,  // value: brightness changes by this fraction a minute
    // panel
    FAULT_ESTOP_WIRE, // value 1: the wire is broken (reads 1), 0: mended
    FAULT_ESTOP_DEAD, // value 1: pressing it changes nothing at the line (its contact is shorted)
    FAULT_PUMP_DEAD,  // value 1: the pump does not run
    FAULT_PANEL_GONE, // the chip of all its lines disappears, until the table is opened anew
    TABLE_FAULTS
};

// Sets a fault off. The parameter is `value` or a whole number, as said above.
void table_fault(struct table *table, enum table_fault fault, double value);

// The name of a fault as commands have it ("pick-fails", "unplug", …), NULL for no fault; and back:
// -EINVAL.
const char *table_fault_name(enum table_fault fault);
int table_fault_from_name(const char *name, enum table_fault *ret);

// --- truth: for tests only ---

// Colour (1 … 4) on each intersection, 0 = empty: a stone belongs to the intersection nearest to
// its centre. With two stones at one intersection the value is -1. Index row * columns + column.
void table_truth(struct table *table, int8_t ret[SETUP_LINES_MAX * SETUP_LINES_MAX]);

struct table_ledger {
    int total; // stones made; never changes but by table_put_stone and table_take_stone
    int board[SETUP_COLOURS + 1]; // [colour] lying on the board's grid
    int store[SETUP_COLOURS + 1], bowl[SETUP_COLOURS + 1];
    int tray[SETUP_COLOURS + 1];  // [colour of the stone], any tray
    int cup, hand, beside, floor; // of any colour; beside = on the table, on nothing
    int incidents;                // collisions, drops, … since the beginning; see world.h
};

void table_ledger(struct table *table, struct table_ledger *ret);

// The world as it is now. Borrowed: valid until the loop runs on.
const struct world *table_world(struct table *table);

// Where a table point (mm) is in the camera's present picture, pixels.
void table_project(struct table *table, const double point[3], double ret_pixel[2]);

// Firmware bytes lost in its receive buffer so far; must stay 0 for a good sender.
uint64_t table_overflows(const struct table *table);
