// atomic_file: replaces a file so that a reader, or the next start after a power cut, finds either
// the old content or the new one, whole.
#pragma once

#include "config/base/error.h"
#include "config/base/io.h"

// Writes `size` bytes to a temporary file beside `path`, syncs it, renames it over `path` and syncs
// the folder. `mode` as for open(2). On failure the old file stands untouched, the temporary one is
// removed, and err names the step. io NULL = the system's calls.
int atomic_file_write(const struct io_ops *io, const char *path, const void *data, size_t size,
                      mode_t mode, struct error *err);
