// frame_feed: the newest picture from the simulated camera's socket (tessera-table --frames),
// fetched by a thread of its own, so that a slow reader never sees an old one.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct frame_feed;

// Opens the line to the table (table_line.h). Ends the process when there is none.
struct frame_feed *frame_feed_new(const char *path);

// Waits for a picture newer than the last one fetched; copies at most `room` bytes of it and
// returns its size. 0: none came for `timeout_ms`.
size_t frame_feed_next(struct frame_feed *feed, uint8_t *data, size_t room, int timeout_ms);
