// photo: reads the position on one photograph of a board that was never seen before
// (`tessera see`). Any camera, any board of N x N dark lines, no markers.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base/error.h"
#include "vision/colour.h"
#include "vision/geometry.h"

enum {
    PHOTO_COLOURS_MAX = 4,
    PHOTO_BYTES_MAX = 64 << 20,  // of the file
    PHOTO_PIXELS_MAX = 64000000, // of the picture
    PHOTO_WHY_MAX = 200,
};

struct photo_settings {
    int size;    // lines; 0 = find out (19, 15, 13 or 9)
    int colours; // 2..4
    enum stone_colour colour[PHOTO_COLOURS_MAX];
    bool have_corners;   // the outermost intersections are known
    double corner[4][2]; // pixels of the upright picture: TL TR BR BL
};

struct photo_result {
    int width, height; // of the picture as people see it (EXIF orientation applied)
    bool found;
    char why[PHOTO_WHY_MAX]; // when not found: what was seen, what to do
    int size;
    double corner[4][2]; // outermost intersections TL TR BR BL, pixels
    double rms_cells;    // of the lines about the fitted grid
    // Top row first, as seen in the picture: '.' or stone_colour_letter(); NUL-terminated.
    char row[BOARD_LINES_MAX][BOARD_LINES_MAX + 1];
    float confidence[BOARD_LINES_MAX][BOARD_LINES_MAX]; // 0..1 that row[r][c] is right
    bool unsure[BOARD_LINES_MAX][BOARD_LINES_MAX];      // a person should look at this point
    int unsure_count;
    struct geometry geometry; // (0,0) at the bottom left corner of the grid in the picture
};

// 19 lines, black and white, corners unknown.
struct photo_settings photo_settings_default(void);

// Reads a JPEG file's bytes. 0 also when no board is found (found = false, why says it).
// -EINVAL settings; -EMSGSIZE too large; -EBADMSG no JPEG, or broken beyond reading; -ENOTSUP a
// kind of JPEG that can't be read (12 bit, lossless); -ENODATA an empty file; -ENOMEM.
int photo_read(const struct photo_settings *settings, const uint8_t *bytes, size_t size,
               struct photo_result *ret, struct error *err);

// The photograph as PNG with the grid, the stones read and doubts in red drawn over it.
// *ret is malloc'ed (free() it).
int photo_annotate(const struct photo_result *result, const uint8_t *bytes, size_t size,
                   uint8_t **ret_png, size_t *ret_size, struct error *err);
