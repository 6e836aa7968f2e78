// eye: frames in, observations out.
//
// On a real loop a worker thread reads and decodes frames, so that the loop never waits for a
// picture; on a virtual loop the same work is done in place. Only the newest observation is handed
// over. The rate follows what is going on: the controller asks for it, and while something moves on
// the board the full rate may be used.
// A camera that goes away, or sends nothing whole for seconds, is opened again with back-off.
#pragma once

#include <stdbool.h>

#include "controller/loop.h"
#include "vision/frame_source.h"
#include "vision/reader.h"

struct eye;

// Opens the device (again). May be called from the worker thread.
typedef int eye_open_fn(void *user, struct frame_source *ret, struct error *err);

struct eye_events {
    // `o` is borrowed. `frame` is the picture it was read from (for the record), NULL when it was
    // no JPEG.
    void (*observed)(void *user, const struct observation *o, const struct frame *frame);
    // Once, until it is back. Number -ENODATA: the recording has come to its end.
    void (*lost)(void *user, const struct error *err);
    void (*back)(void *user, const char *name); // gives pictures; also the first time
    // After eye_draw(): width * height * 3 bytes, borrowed. May be NULL.
    void (*drawn)(void *user, int width, int height, const uint8_t *rgb);
    void *user;
};

struct eye_options {
    struct vision_settings vision;
    eye_open_fn *open; // NULL = frames are handed in by eye_push() (replay)
    void *open_user;
    double rate_full, rate_idle; // frames a second
    bool follow_motion;          // the full rate also while something moves on the board
};

// Starts; opens the device from within (its failure shows as lost()).
int eye_new(struct loop *loop, const struct eye_options *options, const struct eye_events *events,
            struct eye **ret, struct error *err);
struct eye *eye_free(struct eye *eye); // ends the worker first

// Looks at this frame now. Only without `open`.
void eye_push(struct eye *eye, const struct frame *frame);

// How closely to look: at the idle rate, at the full rate, not at all.
enum eye_pace { EYE_OFF, EYE_IDLE, EYE_FULL };
void eye_set_pace(struct eye *eye, enum eye_pace pace);

// What the reader should know; taken over before the next frame.
void eye_set_arm(struct eye *eye, enum vision_arm arm);
void eye_expect(struct eye *eye, const uint8_t *classes, int count);
void eye_set_geometry(struct eye *eye, const struct geometry *geometry);
// Forgets where the board is: it is looked for in the next picture.
void eye_look_anew(struct eye *eye);
void eye_set_models(struct eye *eye, const struct vision_models *models);

// The next picture is handed over with what was read drawn over it (vision_overlay()), after its
// observed().
void eye_draw(struct eye *eye);
