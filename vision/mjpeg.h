// mjpeg: cuts a stream of JPEGs, one after the other, into pictures. Internal to vision.
//
// Follows the markers (ITU-T T.81, B.1): a thumbnail inside a metadata segment is not taken for the
// end of the picture, and what is no picture between two is skipped.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Looks for one whole JPEG in data[0..size). Returns its length and sets *ret_start; 0 when it is
// not complete yet: *ret_start is then how many bytes may be dropped from the front (they hold no
// start of a picture).
size_t mjpeg_find(const uint8_t *data, size_t size, size_t *ret_start);
