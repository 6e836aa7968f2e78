// devices: the edges of one robot, opened as the settings say: real hardware, or one simulated
// table behind all of them. Nothing above this file knows which.
#pragma once

#include <stdbool.h>

#include "config/calibration.h"
#include "config/settings.h"
#include "controller/eye.h"
#include "controller/gpio.h"
#include "controller/loop.h"
#include "controller/sim/table.h"
#include "motion/arm.h"
#include "motion/board_map.h"

struct devices {
    struct loop *loop;
    const struct settings *settings;
    struct table
        *table; // simulated; NULL = real hardware. For the people in the room and for tests
    struct transport *transport;
    struct gpio gpio;
    bool has_gpio;
    bool no_camera; // frames are handed in (replay)
    struct stores stores;
    struct board_map map;
    struct arm_config arm;
    struct vision_settings vision;
    bool has_geometry, has_models; // measured ones, below
    struct geometry geometry;
    struct vision_models models;
};

enum { DEVICES_HEAP_LAYERS = 2 }; // how high stones lie in a tray without slots

enum devices_part { DEVICES_ARM = 1, DEVICES_CAMERA = 2, DEVICES_PANEL = 4, DEVICES_ALL = 7 };

// Opens the parts asked for. `world` (NULL = none): file that keeps the simulated table from one
// program to the next. `calibration` NULL = nothing was measured: the settings' own figures hold.
// -ENODEV when a device is missing: the sentence says which and what to do. `ret` must stay where
// it is until devices_close().
int devices_open(struct loop *loop, const struct settings *settings,
                 const struct calibration *calibration, unsigned parts, const char *world,
                 struct devices *ret, struct error *err);
// The same on another simulated table than the settings describe (NULL = theirs).
int devices_open_on(struct loop *loop, const struct settings *settings,
                    const struct calibration *calibration, unsigned parts, const char *world,
                    const struct table_setup *setup, struct devices *ret, struct error *err);
void devices_close(struct devices *devices);

// All but the opening: what the settings and the calibration say, with no device behind it.
int devices_configure(struct loop *loop, const struct settings *settings,
                      const struct calibration *calibration, struct devices *ret,
                      struct error *err);

// For eye_options.open; user = the devices. May be called from the camera's thread.
int devices_open_camera(void *devices, struct frame_source *ret, struct error *err);

// The gripper of the settings; `panel` lines are used by a GPIO vacuum and by the pick sensor.
int devices_gripper(const struct settings *settings, const struct gripper_lines *lines,
                    struct gripper **ret, struct error *err);

// Plain conversions from the settings.
struct arm_config devices_arm_config(const struct settings *settings);
struct vision_settings devices_vision_settings(const struct settings *settings);
int devices_stores(const struct settings *settings, struct stores *ret, struct error *err);
struct board_map devices_map(const struct settings *settings,
                             const struct calibration *calibration);
// Where the board's surface was measured to be (machine z, mm).
void devices_use_board_z(struct arm_config *arm, double board_z);
void devices_table_setup(const struct settings *settings, struct table_setup *ret);

// Index into stores: where stones of this colour come from (supply) or go (captured). -ENOENT.
int devices_store(const struct stores *stores, enum store_role role, int colour);
