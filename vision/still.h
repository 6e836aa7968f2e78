// still: photographs as frames: one file, or all *.jpg of a folder in the order of their names.
#pragma once

#include <stdint.h>

#include "config/base/error.h"
#include "vision/frame_source.h"

enum { STILL_FILES_MAX = 10000 };

// Frames get times `interval_ns` apart from 0. -ENOENT: no such file, or no JPEG in the folder.
// After the last photograph read returns -ENODATA.
int still_source_open(const char *path, int64_t interval_ns, struct frame_source *ret,
                      struct error *err);
