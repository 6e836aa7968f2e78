// photo_points: what lies on each point of one photograph, with nothing known beforehand but the
// colours' names. Internal to photo.
//
// Every pixel is compared with the bare surface near it. First guesses (lines visible: empty;
// hidden: a stone) give this photograph's own models of surface and stones; each point is then read
// again as "how much of a stone-sized disc is of which kind", with the disc free to lie off the
// point.
#pragma once

#include "vision/photo.h"
#include "vision/picture.h"

struct photo_points {
    uint8_t best[BOARD_POINTS_MAX];     // 0 = empty, 1.. = settings->colour[best - 1]
    float confidence[BOARD_POINTS_MAX]; // 0..1
};

// g: grid in pixels of p. 0, -ENOMEM, -EIO.
int photo_points_read(const struct photo_settings *settings, const struct picture *p,
                      const struct geometry *g, struct photo_points *ret);
