// camera: frames in, observations out.
//
// On a real loop a worker thread reads and decodes frames, so that the loop never waits for a
// picture; on a virtual loop the same work is done in place. Only the newest observation is handed
// over. The rate follows what is going on: the controller asks for it, and while something moves on
// the board the full rate may be used.
// A camera that goes away is opened again with back-off.
#pragma once

#include <stdbool.h>

#include "controller/loop.h"
#include "vision/frame_source.h"
#include "vision/reader.h"

struct camera;

// Opens the device (again). May be called from the worker thread.
typedef int camera_open_fn(void *user, struct frame_source *ret, struct error *err);

struct camera_events {
    // `o` is borrowed. `frame` is the picture it was read from (for the record), NULL when it was
    // no JPEG.
    void (*observed)(void *user, const struct observation *o, const struct frame *frame);
    void (*lost)(void *user, const struct error *err); // once, until it is back
    void (*back)(void *user, const char *name);        // also the first time
    void *user;
};

struct camera_options {
    struct vision_settings vision;
    camera_open_fn *open;
    void *open_user;
    double rate_full, rate_idle; // frames a second
    bool follow_motion;          // the full rate also while something moves on the board
};

// Starts; opens the device from within (its failure shows as lost()).
int camera_new(struct loop *loop, const struct camera_options *options,
               const struct camera_events *events, struct camera **ret, struct error *err);
struct camera *camera_free(struct camera *camera); // ends the worker first

// How closely to look: at the idle rate, at the full rate, not at all.
enum camera_pace { CAMERA_OFF, CAMERA_IDLE, CAMERA_FULL };
void camera_set_pace(struct camera *camera, enum camera_pace pace);

// What the reader should know; taken over before the next frame.
void camera_set_arm(struct camera *camera, enum vision_arm arm);
void camera_expect(struct camera *camera, const uint8_t *classes, int count);
void camera_set_geometry(struct camera *camera, const struct geometry *geometry);
void camera_set_models(struct camera *camera, const struct vision_models *models);
