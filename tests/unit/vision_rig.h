// vision_rig: a reader before the simulated table's camera, for tests. What goes wrong in it fails
// the test.
#pragma once

#include "controller/sim/table.h"
#include "vision/reader.h"

struct loop;

struct vision_rig {
    struct table_setup setup;
    struct loop *loop; // on a virtual clock
    struct table *table;
    struct vision *vision;
    struct observation seen; // of the last frame
};

// The reader knows the board's lines, its pitch and the stones' colours from `setup`, and nothing
// of the camera.
struct vision_rig *vision_rig_new(const struct table_setup *setup);
struct vision_rig *vision_rig_free(struct vision_rig *rig);

// The camera's picture a tenth of a second later, valid until the next one. False: there is none
// yet.
bool vision_rig_frame(struct vision_rig *rig, struct frame *ret);
// Reads this many frames, a tenth of a second apart.
void vision_rig_look(struct vision_rig *rig, int frames);

// Another reader, that knows nothing yet, before the same table.
void vision_rig_forget(struct vision_rig *rig);

// How many points were read otherwise than they lie; each is printed.
int vision_rig_wrong(const struct vision_rig *rig);

// How far the farthest corner of the grid found lies from where it is, cells; < 0: none is found.
double vision_rig_grid_error(const struct vision_rig *rig);
