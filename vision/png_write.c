#include "vision/png_write.h"

#include <errno.h>
#include <png.h>
#include <stdlib.h>

int png_write_memory(const uint8_t *rgb, int width, int height, uint8_t **ret, size_t *ret_size,
                     struct error *err)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_RGB,
                       .flags = PNG_IMAGE_FLAG_FAST};
    // An upper bound known beforehand saves encoding twice.
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    uint8_t *png = malloc(size);
    if (!png)
        return error_set(err, -ENOMEM, "out of memory");
    if (!png_image_write_to_memory(&image, png, &size, 0, rgb, 0, NULL)) {
        free(png);
        return error_set(err, -EIO, "the picture could not be written as PNG (%s)", image.message);
    }
    *ret = png;
    *ret_size = size;
    return 0;
}
