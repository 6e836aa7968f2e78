// png_write: RGB pixels to a PNG file in memory.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "config/base/error.h"

// rgb: width * height * 3 bytes. *ret is malloc'ed. -ENOMEM, -EIO.
int png_write_memory(const uint8_t *rgb, int width, int height, uint8_t **ret, size_t *ret_size,
                     struct error *err);
