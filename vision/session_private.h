// What the session's reader and writer share.
#pragma once

#include <stdbool.h>

#define SESSION_EVENTS "events.jsonl"
#define SESSION_FRAMES "frames.mjpeg"
#define SESSION_META   "meta.yaml"

enum { SESSION_PATH_MAX = 4096 };

bool session_channel_fits(const char *channel);
