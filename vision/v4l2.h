// v4l2: a camera through Video4Linux, without a library between: mmap buffers, kernel timestamps,
// newest frame only. Exposure, gain, white balance and focus settle by themselves and are then
// locked, because a camera that keeps adjusting changes every point on the board at once.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"
#include "vision/frame_source.h"

enum { V4L2_REPORT_MAX = 512 };

struct v4l2_settings {
    char device[128];      // "/dev/video0" or a /dev/v4l/by-id name
    int width, height;     // wished; what was granted is in the report
    int frames_per_second; // wished, 0 = the camera's own
    bool prefer_yuyv;      // default: MJPEG first, YUYV when the camera has no other
    int power_line_hz;     // 0, 50 or 60
    int settle_ms;         // automatic adjustment before everything is locked (default 1500)
    bool lock;             // lock exposure, gain, white balance, focus (default true)
};

struct v4l2_settings v4l2_settings_default(const char *device);

// Opens and starts. -ENODEV/-ENOENT: no such camera; -ENOTSUP: not a camera, or no usable format;
// -EBUSY: in use. `report` (V4L2_REPORT_MAX bytes, may be NULL): format granted, controls locked,
// controls the camera lacks, for people.
int v4l2_open(const struct v4l2_settings *settings, struct frame_source *ret, char *report,
              struct error *err);

// Cameras found, one per call from index 0: device path and the card's name. -ENOENT: no more.
int v4l2_list(int index, char device[128], char card[64]);
