// scene: is the board still and free, or moving, covered, dark, moved? Internal to the reader.
#pragma once

#include "vision/observation.h"
#include "vision/reader.h"
#include "vision/sampler.h"
#include "vision/surface.h"
#include "vision/watch.h"

enum { SIGNATURE = 13 }; // luma samples of a point compared from frame to frame

struct scene_input {
    int64_t time_ns;
    int still_frames;
    int64_t still_ns;
    enum vision_arm arm;
};

struct scene_state_machine {
    enum scene_state state;
    bool started;
    int64_t quiet_since_ns; // when the last disturbance ended
    int quiet_frames;
    int lost_frames, shifted_frames; // without the grid / with a shifted one, and nothing moving
    float noise;                     // typical difference of a sample between two frames
    float motion;
    int64_t now_ns;
    bool large_motion; // most of the picture moved: the camera may look elsewhere now
    bool want_refine, want_search;
    uint8_t signature[BOARD_POINTS_MAX][SIGNATURE];
    uint8_t read_signature[BOARD_POINTS_MAX][SIGNATURE]; // when the point was last read
    bool point_changed[BOARD_POINTS_MAX];                // since it was last read
};

void scene_restart(struct scene_state_machine *m);
void scene_update(struct scene_state_machine *m, const struct scene_input *input,
                  const struct sampler *s, const struct surface *surface, const struct watch *watch,
                  const struct picture *p);
void scene_report(const struct scene_state_machine *m, const struct surface *surface,
                  const struct watch *watch, struct scene *ret);
