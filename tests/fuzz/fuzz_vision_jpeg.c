// Any bytes as a photograph, as a camera's frame and as an MJPEG stream.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "vision/mjpeg.h"
#include "vision/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct picture_decoder *decoder;
    static struct picture picture;
    struct error err = {0};
    int width = 0, height = 0;
    double scale;
    size_t start;
    if (!decoder && picture_decoder_new(&decoder) != 0)
        return 0;
    mjpeg_find(data, size, &start);
    if (start > size)
        __builtin_trap();
    // Pictures of a few megapixels say all there is to say, and keep the fuzzer quick.
    if (picture_photo_size(decoder, data, size, &width, &height, &err) != 0) {
        if (err.number == 0 || strlen(err.text) == 0)
            __builtin_trap();
        return 0;
    }
    if ((int64_t)width * height > 1 << 20)
        return 0;
    picture_from_photo(decoder, data, size, 400, &picture, &scale, &err);
    const struct frame frame = {.format = FRAME_JPEG, .data = data, .size = size};
    picture_from_frame(decoder, &frame, &picture, &err);
    return 0;
}
