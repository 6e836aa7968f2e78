// blank: takes everything off the board out of a JPEG, without touching the board.
//
// The compressed blocks outside become grey; those inside stay as the camera wrote them, bit for
// bit, because nothing is decoded. Metadata (EXIF, comments) goes too.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "config/base/error.h"
#include "vision/geometry.h"

struct blanker;

int blanker_new(struct blanker **ret);
struct blanker *blanker_free(struct blanker *blanker);

// Keeps what lies within `margin` cells around the grid in any of the geometries (a bumped camera
// has two). *ret_jpeg is the blanker's, until the next call. -EBADMSG: this is no JPEG.
int blanker_run(struct blanker *blanker, const struct geometry *geometries, int count,
                double margin, const uint8_t *jpeg, size_t size, const uint8_t **ret_jpeg,
                size_t *ret_size, struct error *err);
