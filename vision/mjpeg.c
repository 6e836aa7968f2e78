#include "vision/mjpeg.h"

#include <stdbool.h>

enum { SOI = 0xD8, EOI = 0xD9, SOS = 0xDA, TEM = 0x01, RST0 = 0xD0, RST7 = 0xD7 };

static bool stands_alone(uint8_t marker)
{
    return marker == TEM || (marker >= RST0 && marker <= RST7);
}

// Position after the scan data that begin at `at`: of the next real marker, or `size`.
static size_t skip_scan(const uint8_t *data, size_t size, size_t at)
{
    while (at + 1 < size) {
        const uint8_t next = data[at + 1];
        if (data[at] == 0xFF && next != 0 && next != 0xFF && !(next >= RST0 && next <= RST7))
            return at;
        at++;
    }
    return size;
}

// Length of the JPEG that begins at data[0], 0: not complete, or SIZE_MAX: it is none.
static size_t jpeg_length(const uint8_t *data, size_t size)
{
    size_t at = 2;
    while (at + 1 < size) {
        if (data[at] != 0xFF)
            return SIZE_MAX;
        const uint8_t marker = data[at + 1];
        if (marker == 0xFF) { // padding
            at++;
            continue;
        }
        if (marker == EOI)
            return at + 2;
        if (marker == SOI || marker == 0)
            return SIZE_MAX; // the one before was cut off
        at += 2;
        if (stands_alone(marker))
            continue;
        if (at + 2 > size)
            return 0;
        const size_t length = (size_t)data[at] << 8 | data[at + 1];
        if (length < 2)
            return SIZE_MAX;
        at += length;
        if (marker == SOS)
            at = skip_scan(data, size, at);
    }
    return 0;
}

size_t mjpeg_find(const uint8_t *data, size_t size, size_t *ret_start)
{
    size_t at = 0;
    while (at + 1 < size) {
        if (data[at] != 0xFF || data[at + 1] != SOI) {
            at++;
            continue;
        }
        const size_t length = jpeg_length(data + at, size - at);
        if (length == 0) {
            *ret_start = at;
            return 0;
        }
        if (length != SIZE_MAX) {
            *ret_start = at;
            return length;
        }
        at += 2;
    }
    *ret_start = size > 0 && data[size - 1] == 0xFF ? size - 1 : size;
    return 0;
}
