// transport_impl: what the implementations of transport share. Not for users of the edge.
#pragma once

#include "motion/transport.h"

// Wraps an implementation; on failure (-ENOMEM) impl stays the caller's.
int transport_make(const struct transport_ops *ops, void *impl, const char *name,
                   struct transport **ret);
void transport_set_name(struct transport *t, const char *name);

// read(2)/write(2) on a non-blocking descriptor with the edge's return values: what a vanished
// device answers (0 bytes, EIO, ENXIO, EPIPE, a reset connection …) is all -ENODEV.
ssize_t transport_fd_read(int fd, void *buf, size_t size);
ssize_t transport_fd_write(int fd, const void *buf, size_t size);

// Raw 8N1 without flow control, HUPCL off (closing must not reset the board a second time).
// Not a terminal: nothing to do, 0. baud 0 = leave the speed alone.
int transport_tty_raw(int fd, int baud);

// Claims the descriptor for this process. -EBUSY with the holder's name in *err.
int transport_tty_lock(int fd, const char *path, struct error *err);
