// world: the one physical world of the simulated table: stones, magazines, trays, bowls, the arm's
// cup with its vacuum, and the person's hand. It knows no protocol and no picture.
//
// A single flat struct without pointers, so that it can be kept in a file and survive the process.
// Positions are table-frame millimetres (setup.h) unless said otherwise; z is the height above the
// board plane. Time only moves forward, by the calls that take t_ns.
//
// What is modelled: a cup that seals on a dome only near its top; a vacuum that builds up and
// leaks; stones that slip a little when let go, scatter when dropped, slide off other stones and
// push them; a carried stone or the cup that strikes a standing stone; an arm that meets a hand; a
// gantry that is skewed, has backlash and loses steps. What is not: stones that roll over.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/rng.h"
#include "controller/sim/setup.h"

enum {
    WORLD_STONES_MAX = 1200,
    WORLD_INCIDENTS_KEPT = 64,
    WORLD_TICK_NS = 2000000, // a moving tool is looked at this often
    WORLD_BLOCKS = 4,        // of a board of 6 x 6: Pentago's
};

enum world_place {
    PLACE_GONE,  // taken out of the world by table_take_stone(); the record may be used again
    PLACE_STORE, // in the magazine `holder`
    PLACE_BOWL,  // in the bowl `holder`
    PLACE_TABLE, // lying at (x, y): on the board, in a tray or beside
    PLACE_CUP,
    PLACE_HAND,
    PLACE_FLOOR,
};

struct world_stone {
    double x, y, z; // centre of the underside
    double radius, height;
    double turn;   // radians: its inclusions and its rest position
    int8_t colour; // 1 … SETUP_COLOURS
    int8_t place;  // enum world_place
    int8_t holder; // store or bowl index (colour - 1)
};

enum world_incident_kind {
    INCIDENT_STRUCK,  // the cup or a carried stone struck a standing stone
    INCIDENT_PRESSED, // the cup or a carried stone was pressed into something
    INCIDENT_DROPPED, // a stone fell more than 3 mm, and not into a tray
    INCIDENT_STACKED, // a stone was let go over another one and slid off
    INCIDENT_FLOOR,   // a stone left the table
    INCIDENT_HAND,    // the arm moved within reach of a hand
    INCIDENT_CRASH,   // the gantry ran against its end
    INCIDENT_KINDS
};

struct world_incident {
    int64_t time_ns; // the loop's time
    enum world_incident_kind kind;
    int32_t stone, other; // indices, -1 = none
    double x, y;
};

struct world_vacuum {
    bool pump, vent, dead;
    double level, target, tau_ns; // level(t) = target + (level - target)·exp(-(t - since)/tau)
    int64_t since_ns;
};

struct world_tool {
    double commanded[3]; // machine: where the firmware believes it is
    double lost[3];      // machine: commanded - true
    double belt;         // mm by which a loose belt lets the cup hang to either side
    double hang[2];      // machine x and y: by how much it hangs now …
    double hung_at[2];   // … since it came by there
    double machine[3];   // machine: where it truly is (backlash included)
    double x, y, z;      // the same in the table frame; z = the cup's lip
    bool powered;        // motors hold; without, the tool stays and steps are lost
    bool moving;
    int touching;          // stone under the cup with which this contact was diced, -1 = none
    int sealed;            // stone the cup is sealed to, -1 = none
    bool held;             // sealed and the vacuum is strong enough to carry it
    bool snatched;         // it jumped up to the cup: the gap still closes
    bool pressed;          // an incident was logged for this contact
    double grip_x, grip_y; // stone's centre - cup's centre
    int64_t lose_ns;       // a carried stone falls then, INT64_MAX = never
};

struct world_store {
    int exposed;      // stone in the pocket, -1 = none (yet)
    int64_t ready_ns; // when the next one has slid into the pocket
};

struct world_hand {
    bool present;
    bool pinching;  // thumb and finger together
    double x, y, z; // between the finger tips
    double angle;   // radians: where the fore-arm comes from, 0 = straight from the person's side
    int stone;      // held, -1 = none
    int second;     // another one in the palm, -1 = none
};

struct world {
    struct table_setup setup;
    int64_t time_ns; // the loop's time
    struct rng rng;
    struct world_tool tool;
    struct world_vacuum vacuum;
    struct world_hand hand;
    struct world_store store[SETUP_COLOURS];
    double block_turn[WORLD_BLOCKS];  // degrees clockwise since the block was last at rest
    double block_askew[WORLD_BLOCKS]; // degrees clockwise by which it is off straight at rest
    int block_quarters[WORLD_BLOCKS]; // quarter turns clockwise it has made: the grain shows them
    int turned_with;                  // marbles that lay on the board when one last came to rest
    int pick_failures;                // this many contacts in a row do not seal
    double pick_failure;              // probability that a contact does not seal
    int sensor_stuck;                 // -1 = works, else what it reads
    uint64_t version;                 // grows whenever a stone moves
    int made, taken;                  // by table_put_stone() and table_take_stone(), for the ledger
    int stone_count;                  // records in use, PLACE_GONE ones included
    struct world_stone stone[WORLD_STONES_MAX];
    int incident_count; // all since the beginning
    int incident_kind[INCIDENT_KINDS];
    struct world_incident incident[WORLD_INCIDENTS_KEPT]; // ring, newest at (count - 1) % KEPT
};

// A world as the setup describes it, all stones in magazines and bowls, the arm parked somewhere.
void world_init(struct world *world, const struct table_setup *setup, int64_t t_ns);

// --- frames ---

void world_machine_to_table(const struct table_setup *setup, const double machine[2],
                            double ret[2]);
void world_table_to_machine(const struct table_setup *setup, const double table[2], double ret[2]);
// How far the sheet stands up from the board plane at (x, y), mm.
double world_sheet_height(const struct setup_board *board, double x, double y);
// The tray, store or -1 whose area (x, y) is in.
int world_tray_at(const struct table_setup *setup, double x, double y);

// --- arm ---

// The firmware's position (machine mm) at t; to be called every WORLD_TICK_NS while it moves.
void world_move_tool(struct world *world, int64_t t_ns, const double commanded[3], bool moving);
// The firmware now calls the same place by another name: after homing an axis (true position known
// to about 0.02 mm) and after a power cut (position reads 0).
void world_rename_position(struct world *world, const double commanded[3], const bool axis[3],
                           bool homed);
// The motors lost steps: the tool truly went this much further (machine mm).
void world_slip_motors(struct world *world, const double further[3]);
void world_set_power(struct world *world, int64_t t_ns, bool powered);
// Distance in machine mm from the true position to the home switch, < 0 = it is pressed.
double world_switch_distance(const struct world *world, int axis, bool at_min);
// The lip touches something: what a touch probe wired to the cup would say.
bool world_touching(const struct world *world);

// --- vacuum ---

void world_set_vacuum(struct world *world, int64_t t_ns, bool pump, bool vent);
double world_vacuum_level(const struct world *world, int64_t t_ns); // 0 … 1
int world_pick_sensor(const struct world *world, int64_t t_ns);     // 0 or 1

// When something happens by itself next (vacuum passes a threshold, a stone slides into a pocket),
// INT64_MAX = nothing. world_advance() must be called at or after that time.
int64_t world_next(const struct world *world);
void world_advance(struct world *world, int64_t t_ns);
// Moves everything it knows about time by `delta_ns`: the table is continued by another loop.
void world_shift_time(struct world *world, int64_t delta_ns);

// --- hands ---

// A stone from the bowl of this colour. -ENOENT: it is empty.
int world_hand_take(struct world *world, int colour, int *ret_stone);
// The stone lying nearest to (x, y), at most `reach` mm away. -ENOENT: none.
int world_hand_lift(struct world *world, double x, double y, double reach, int *ret_stone);
// Puts a stone that is in the hand down at (x, y); neighbours make room.
void world_hand_put(struct world *world, int stone, double x, double y);
void world_hand_return(struct world *world, int stone); // into the bowl of its colour
// Turns a block of a SETUP_BOARD_BLOCKS (1 2 / 3 4 from the far left) with what lies on it, by so
// many degrees clockwise. After a quarter turn it is at rest again, perhaps a little askew. Only
// blocks with hollows are drawn as they stand: lines are drawn as they are at rest.
void world_turn_block(struct world *world, int block, double degrees);
// Has a block been turned since the last marble came onto the board? People remember that.
bool world_turned_since(const struct world *world);
// Where the hollow of column and row lies now, table frame mm: blocks turn and stand askew.
void world_hollow_at(const struct world *world, double column, double row, double ret[2]);
// Degrees clockwise a block (1 … 4) stands off straight now.
double world_block_angle(const struct world *world, int block);
// Pushes a lying stone by (dx, dy).
void world_nudge(struct world *world, int stone, double dx, double dy);

// --- owner and tests ---

int world_add_stone(struct world *world, int colour, double x, double y);    // -ENOSPC
int world_remove_stone(struct world *world, double x, double y);             // -ENOENT
int world_find(const struct world *world, double x, double y, double reach); // lying stone or -1
// Stones of this colour at a place; colour 0 = all.
int world_count(const struct world *world, enum world_place place, int colour);
void world_incident(struct world *world, enum world_incident_kind kind, int stone, int other,
                    double x, double y);
const char *world_incident_name(enum world_incident_kind kind);
