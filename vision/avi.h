// avi: the JPEGs of an AVI file whose video is MJPEG, as webcam programs write it.
//
// Format: RIFF, "AVI RIFF File Reference" (Microsoft). Only what is needed to find the pictures is
// read: avih's microseconds a frame, and the ##dc and ##db chunks of the movi lists. Broken sizes
// end the file where they stand; nothing outside of it is ever read.
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "config/base/error.h"

enum { AVI_FRAME_MAX = 16 << 20 }; // bytes of one picture

struct avi;

// `path` is for messages; the file is read from its beginning and stays the caller's.
// -EBADMSG: this is no AVI file.
int avi_open(FILE *file, const char *path, struct avi **ret, struct error *err);
struct avi *avi_close(struct avi *avi);

// The next picture, borrowed until the next call, and its time from the film's beginning.
// -ENODATA: the end; -ENOTSUP: the video is not MJPEG.
int avi_next(struct avi *avi, const uint8_t **ret_jpeg, size_t *ret_size, int64_t *ret_time_ns,
             struct error *err);
