// camera: the simulated table's camera as a frame source. Ticks on the loop at the camera's rate;
// draws a frame only when it is read, in the thread that reads it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"
#include "controller/loop.h"
#include "controller/sim/scene.h"
#include "vision/frame_source.h"

struct camera;

// Fills the scene as it is now; called in the loop's thread.
typedef void camera_scene_fn(void *user, struct scene *ret);

int camera_new(struct loop *loop, const struct table_setup *setup, camera_scene_fn *take,
               void *user, struct camera **ret, struct error *err);
struct camera *camera_free(struct camera *camera); // no reader may be inside read()
struct frame_source *camera_source(struct camera *camera);

void camera_set_gone(struct camera *camera, bool gone);
void camera_set_stalled(struct camera *camera, bool stalled);
void camera_truncate(struct camera *camera, int frames);
