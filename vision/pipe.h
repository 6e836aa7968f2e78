// pipe: frames from any command that writes MJPEG to its standard output, such as
// `rpicam-vid -t 0 --codec mjpeg -o -` for CSI cameras.
#pragma once

#include "config/base/error.h"
#include "vision/frame_source.h"

enum { PIPE_FRAME_MAX = 16 << 20 };

// argv: NULL-terminated, argv[0] looked up in PATH; no shell in between. The command dies with the
// source. Its end shows as -ENODEV from read. -ENOENT: no such command.
int pipe_source_open(const char *const *argv, struct frame_source *ret, struct error *err);

// The same from an open descriptor (owned from now on, made non-blocking).
int pipe_source_open_fd(int fd, const char *name, struct frame_source *ret, struct error *err);
