// The orientation a phone notes in its photographs (EXIF 2.32, tag 0x0112). Everything else in the
// metadata is skipped; anything odd means "upright".
#include "vision/picture.h"

#include <string.h>

struct tiff {
    const uint8_t *data;
    size_t size;
    bool big_endian;
};

static uint32_t read16(const struct tiff *t, size_t at)
{
    if (t->size < 2 || at > t->size - 2)
        return 0;
    const uint32_t a = t->data[at], b = t->data[at + 1];
    return t->big_endian ? a << 8 | b : b << 8 | a;
}

static uint32_t read32(const struct tiff *t, size_t at)
{
    if (t->size < 4 || at > t->size - 4)
        return 0;
    return t->big_endian ? read16(t, at) << 16 | read16(t, at + 2)
                         : read16(t, at + 2) << 16 | read16(t, at);
}

// The first directory (IFD0) holds the orientation of the main image.
static int tiff_orientation(const uint8_t *data, size_t size)
{
    struct tiff t = {.data = data, .size = size};
    if (size < 8)
        return 1;
    if (memcmp(data, "MM", 2) == 0)
        t.big_endian = true;
    else if (memcmp(data, "II", 2) != 0)
        return 1;
    const size_t directory = read32(&t, 4);
    if (directory > size)
        return 1;
    const uint32_t entries = read16(&t, directory);
    for (uint32_t i = 0; i < entries; i++) {
        const size_t entry = directory + 2 + 12 * (size_t)i;
        if (entry + 12 > size)
            return 1;
        if (read16(&t, entry) != 0x0112)
            continue;
        const uint32_t value = read16(&t, entry + 8);
        return value >= 1 && value <= 8 ? (int)value : 1;
    }
    return 1;
}

int picture_exif_orientation(const uint8_t *bytes, size_t size)
{
    size_t at = 2; // after SOI
    while (at + 4 <= size && bytes[at] == 0xFF) {
        const uint8_t marker = bytes[at + 1];
        const size_t length = (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        if (marker == 0xDA || length < 2 || at + 2 + length > size)
            return 1;
        if (marker == 0xE1 && length >= 8 && memcmp(bytes + at + 4, "Exif\0", 6) == 0)
            return tiff_orientation(bytes + at + 10, length - 8);
        at += 2 + length;
    }
    return 1;
}
