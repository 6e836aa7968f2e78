// reader (struct vision): reads a fixed camera's frames of one known board.
//
// It finds the grid by itself, follows it when the camera is bumped, learns how each empty point
// looks and follows the light. It sees nothing but frames. A frame is never converted as a whole:
// only luma and chroma planes are decoded and small patches sampled.
//
// Not thread-safe: one thread at a time (the camera's worker). Deterministic: the same frames and
// calls give the same observations, with any compiler.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"
#include "vision/colour.h"
#include "vision/frame_source.h"
#include "vision/geometry.h"
#include "vision/observation.h"

enum {
    VISION_FEATURES = 3, // log luma ratio, blue and red chroma difference, to the bare surface
    VISION_MODEL_VERSION = 1,
};

// Which corner of the picture A1 is nearest to. A grid looks the same from four sides: without tags
// or a position, only this tells them apart.
enum vision_a1 {
    VISION_A1_BOTTOM_LEFT,
    VISION_A1_BOTTOM_RIGHT,
    VISION_A1_TOP_RIGHT,
    VISION_A1_TOP_LEFT
};

struct vision_settings {
    int columns, rows;       // lines, 6..19
    double pitch_x, pitch_y; // mm
    bool hollows;            // stones lie in hollows of four blocks, there are no lines: Pentago
    double seam;             // mm added to the pitch where two blocks meet; 0 with lines
    double stone_diameter;   // mm
    double stone_height;     // mm
    int colours;             // 1..4
    enum stone_colour colour[OBSERVATION_COLOURS_MAX];
    enum vision_a1 a1;
    bool tags;        // AprilTags 36h11 with ids 0..3 at the corners: A1, T1, T19, A19
    struct lens lens; // measured; fx = 0: unknown, found with the grid
    int still_frames; // frames without change until SCENE_STILL (default 3)
    int64_t still_ns; // and at least this long (default 250 ms)
};

// How the stones of one colour look, relative to the bare surface beneath and the light on it.
struct vision_colour_model {
    float mean[VISION_FEATURES];
    float deviation[VISION_FEATURES]; // standard deviation, > 0
    float weight;                     // samples behind it; 0 = only the colour's name is known
};

struct vision_models {
    int version; // VISION_MODEL_VERSION
    int colours;
    struct vision_colour_model colour[OBSERVATION_COLOURS_MAX];
};

// What the camera sees of the arm, as far as the controller knows. Makes SCENE_ARM out of
// SCENE_HAND, and keeps the reader from learning while the arm is over the board.
enum vision_arm { VISION_ARM_UNKNOWN, VISION_ARM_PARKED, VISION_ARM_OVER_BOARD };

struct vision;

// 19x19, 22 mm, stones 16 x 8 mm, blue and red, A1 bottom left, no tags, lens unknown.
struct vision_settings vision_settings_default(void);

// -EINVAL with a sentence for settings out of range. Copies the settings.
int vision_new(const struct vision_settings *settings, struct vision **ret, struct error *err);
struct vision *vision_free(struct vision *vision);

// Reads one frame. Without a geometry the grid is looked for first (every half second of frame time
// at most). Returns 0 also when there is no board or the frame can't be read as a board: the scene
// says why. -EBADMSG: the frame is broken (truncated, not JPEG); -EMSGSIZE: larger than 4096x4096.
int vision_observe(struct vision *vision, const struct frame *frame, struct observation *ret,
                   struct error *err);

// Looks for the grid in this frame from nothing, and uses it from now on when it is found.
// -ENOENT: no board found; err says what was seen instead.
int vision_locate(struct vision *vision, const struct frame *frame, struct geometry *ret,
                  struct error *err);

// The geometry in use; false: none yet.
bool vision_geometry(const struct vision *vision, struct geometry *ret);
// Uses a stored geometry (from the calibration). It is checked against the next frames as after a
// bump. -EINVAL when it doesn't fit the settings.
int vision_set_geometry(struct vision *vision, const struct geometry *geometry, struct error *err);

// The position that should be on the board: classes 0..colours per point, or NULL for unknown.
// Helps to tell colours apart at the start and to check the orientation; never enters likelihoods.
void vision_expect(struct vision *vision, const uint8_t *classes);

void vision_set_arm(struct vision *vision, enum vision_arm arm);

// Forgets geometry and the look of the empty points, keeps the colour models: after a bump that was
// felt elsewhere, or when the board was changed.
void vision_reset(struct vision *vision);

void vision_models(const struct vision *vision, struct vision_models *ret);
// -EINVAL: another version, another number of colours, or figures that are no numbers.
int vision_set_models(struct vision *vision, const struct vision_models *models, struct error *err);

// Learns colours and empty points from the last observed frame, on which `classes` was on the board
// (calibration). -EAGAIN: the last frame was not still, or there was none.
int vision_learn(struct vision *vision, const uint8_t *classes, struct error *err);

// Draws the grid, the stones as read and doubts in red over the last frame. rgb: width*height*3
// bytes as given by vision_overlay_size(). -EAGAIN: no frame yet.
int vision_overlay_size(const struct vision *vision, int *ret_width, int *ret_height);
int vision_overlay(const struct vision *vision, const struct observation *o, uint8_t *rgb);
