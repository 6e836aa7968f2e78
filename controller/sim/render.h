// render: draws what the camera sees: perspective, lens, light and shadow, the printed board, glass
// stones, the gantry, a hand, sensor noise; and compresses it as a camera does.
//
// Only what changes is drawn: the empty table once for a pose, stones when they move, the gantry
// and the hand in every frame. Deterministic: the same setup, scene and frame number give the same
// bytes on the same libjpeg. Not thread-safe; no global state, so several may run side by side.
#pragma once

#include <stdint.h>

#include "config/base/error.h"
#include "controller/sim/scene.h"
#include "vision/frame_source.h"

struct render;

int render_new(const struct table_setup *setup, struct render **ret);
struct render *render_free(struct render *render);

// Draws the scene as frame number `sequence` and fills in data, size, width and height of *frame:
// borrowed until the next call.
int render_frame(struct render *render, const struct scene *scene, uint32_t sequence,
                 struct frame *frame, struct error *err);

// The picture of the last frame before compression: width * height * 3 bytes RGB. For tests and
// pictures of documents.
const uint8_t *render_pixels(const struct render *render);
