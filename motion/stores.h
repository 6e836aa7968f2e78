// stores: where stones come from and where captured ones go: feeders, trays and bowls.
//
// A feeder hands over one stone at one pick point. A tray has rows × columns of slots, each known
// to be full or empty. A bowl takes stones anywhere and gives none back by arm. Stones are counted
// per colour, so that "stock low" is said before it is a problem. Plain data; positions machine mm.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"

enum {
    STORES_MAX = 8,
    STORE_NAME_MAX = 32,
    STORE_SLOTS_MAX = 128,
    STORE_COLOURS = 4, // colours are 1 … 4
};

enum store_kind { STORE_FEEDER, STORE_TRAY, STORE_BOWL };

enum store_role {
    STORE_SUPPLY,   // stones to be played
    STORE_CAPTURED, // stones taken off the board
};

struct store {
    char name[STORE_NAME_MAX]; // "store 1", "tray 2": unique
    enum store_kind kind;
    enum store_role role;
    int colour;                 // colour kept here; 0 = any
    double x, y;                // feeder: pick point; tray: slot (0,0); bowl: drop point
    double z_contact;           // cup lip z when it touches a stone lying here
    double z_release;           // cup lip z at which a stone is let go here (≥ z_contact)
    int columns, rows;          // tray
    double step_x, step_y;      // tray: from slot to slot, mm (along machine x and y)
    int capacity;               // feeder, bowl: stones it holds at most
    int count;                  // stones in it
    bool full[STORE_SLOTS_MAX]; // tray: slot row·columns + column holds a stone
    int low;                    // "stock low" at or below this many (supply)
};

struct stores {
    struct store store[STORES_MAX];
    int count;
};

struct store_point {
    int store, slot; // slot: tray only, else 0
    double x, y, z;  // z: contact (for picking) or release (for dropping)
};

// Checks kinds, sizes, colours, unique names.
int stores_check(const struct stores *stores, struct error *err);

int stores_find(const struct stores *stores, const char *name); // index or -ENOENT

// The supply store of this colour that still has stones, nearest to (x, y); when all are empty, a
// capture tray whose slots are known to hold stones of it. -ENOENT: none has; the error says which
// store to fill.
int stores_supply(const struct stores *stores, int colour, double x, double y, int *ret_store,
                  struct error *err);

// Where a stone of this colour goes that was taken but not played, nearest to (x, y): a supply tray
// with a free slot, a capture tray, a bowl. Not a feeder: the next stone has slid
// into its pocket already. -ENOSPC: none takes it; the error says what to empty.
int stores_return(const struct stores *stores, int colour, double x, double y, int *ret_store,
                  struct error *err);

// Next stone of a store; -ENODATA when it is empty, -EPERM for a bowl.
int stores_next_pick(const struct stores *stores, int store, struct store_point *ret,
                     struct error *err);

// Next free place of a store; -ENOSPC when it is full.
int stores_next_drop(const struct stores *stores, int store, struct store_point *ret,
                     struct error *err);

// Bookkeeping after the step really happened.
void stores_took(struct stores *stores, const struct store_point *point);
void stores_put(struct stores *stores, const struct store_point *point);

// Planning several steps ahead, on a copy: this store will have given, got, one stone by then. One
// that is empty, or full, stays so: the step itself will tell.
void stores_will_take(struct stores *plan, int store);
void stores_will_put(struct stores *plan, int store);

// What the camera or a person found: a feeder's count, a tray's slots.
int stores_set_count(struct stores *stores, int store, int count);
int stores_set_slot(struct stores *stores, int store, int slot, bool full);

int stores_stones(const struct stores *stores, int store); // stones in it
int stores_room(const struct stores *stores, int store);   // stones it can still take
bool stores_low(const struct stores *stores, int store);
