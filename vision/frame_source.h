// frame_source: the edge to a camera. Implementations: v4l2, pipe (any command that writes MJPEG),
// session (replay), still (photographs), and the simulated table's camera (controller/sim).
//
// A source hands over the camera's own bytes. It keeps only the newest frame: what was not read in
// time is dropped, so a frame is never stale. Not thread-safe; may be read from one worker thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "config/base/error.h"

enum frame_format {
    FRAME_JPEG, // one JPEG image (baseline, as cameras write it)
    FRAME_YUYV, // 4:2:2 packed, width * 2 bytes a line
};

struct frame {
    enum frame_format format;
    const uint8_t *data; // borrowed: valid until the next read or close of the source
    size_t size;         // bytes
    int width, height;   // pixels; 0 for JPEG when the source has not looked
    int64_t time_ns;     // monotonic time of exposure
    uint32_t sequence;   // grows by one a frame delivered by the camera; gaps are dropped frames
};

struct frame_source_ops {
    // A descriptor that becomes readable when a frame is waiting, or -1: always ready.
    int (*fd)(void *impl);
    // Newest frame. -EAGAIN: none yet. -ENODEV: the camera is gone (reopen later). -ENODATA: the
    // session or folder is at its end. -EBADMSG: a broken frame was thrown away.
    int (*read)(void *impl, struct frame *ret, struct error *err);
    void (*close)(void *impl);
};

struct frame_source {
    const struct frame_source_ops *ops;
    void *impl;
    char name[64]; // for messages: "camera /dev/video0", "session tests/sessions/first-game"
};
