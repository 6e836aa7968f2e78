// transport: the edge to a plotter: bytes out, bytes in, and a descriptor to poll.
//
// Nothing here blocks. What GRBL means by the bytes is motion/grbl.h's business.
//
// Implementations:
//   serial  a real port through libserialport: raw 8N1, exclusive (flock and TIOCEXCL), symlinks
//           resolved at every open, found again under another name by its USB identity
//   fd      a descriptor somebody else opened (pty master, socketpair), with an optional function
//           that opens it again
//   device  a pty (or any tty) by path, without libserialport, which refuses ptys
//   tcp     host:port, for ser2net and network boards
//   replay  a recording: hands over what the firmware said, swallows what is written
//
// Opening a USB Arduino toggles DTR and resets the board: after every open the position is unknown.
// Never open and close a port in quick succession: a board interrupted in its start-up may drive.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "config/base/error.h"

struct transport;

struct transport_ops {
    int (*fd)(void *impl); // -1 while closed
    // Bytes read (> 0). -EAGAIN: none now. -ENODEV: the device is gone (also told by a read of 0).
    ssize_t (*read)(void *impl, void *buf, size_t size);
    // Bytes taken (> 0, may be fewer than size). -EAGAIN: the line is full. -ENODEV: gone.
    ssize_t (*write)(void *impl, const void *buf, size_t size);
    // Closes what is open and opens it again. -ENODEV: not there (yet); -EBUSY: somebody else has
    // it (the error names who); -EACCES: no permission (the error says what to do).
    int (*reopen)(void *impl, struct error *err);
    void (*hang_up)(void *impl); // closes the descriptor, keeps what reopen needs
    void (*free)(void *impl);
};

enum { TRANSPORT_NAME_MAX = 128 };

enum transport_direction { TRANSPORT_IN, TRANSPORT_OUT };

// Sees every byte that went over the line, in order, exactly once (for the recorded session).
typedef void transport_tap_fn(void *user, enum transport_direction direction, const void *data,
                              size_t size);

struct transport {
    const struct transport_ops *ops;
    void *impl;
    char name[TRANSPORT_NAME_MAX];      // for messages: "/dev/ttyUSB0", "simulated plotter"
    uint64_t bytes_read, bytes_written; // since it was last opened; counted in transport.c only
    transport_tap_fn *tap;              // NULL: nobody listens
    void *tap_user;
};

enum transport_dtr {
    TRANSPORT_DTR_KEEP, // as the driver does it: raised at open (resets an Arduino)
    TRANSPORT_DTR_LOW,  // lowered right after open: boards whose DTR line holds RESET
};

struct transport_serial_options {
    const char *path; // "/dev/ttyUSB0", "/dev/serial/by-id/…"
    int baud;         // 115200 for GRBL 1.1
    enum transport_dtr dtr;
};

int transport_open_serial(const struct transport_serial_options *options, struct transport **ret,
                          struct error *err);

// Opens the descriptor again after a loss; 0 with *ret_fd, or a negative errno.
typedef int transport_reopen_fn(void *user, int *ret_fd, struct error *err);

// Takes the descriptor over (made non-blocking, closed in the end). reopen may be NULL: once lost
// it stays lost (-ENODEV).
int transport_new_fd(int fd, const char *name, transport_reopen_fn *reopen, void *user,
                     struct transport **ret, struct error *err);

// A tty by path, set raw, reopened by the same path.
int transport_open_device(const char *path, struct transport **ret, struct error *err);

// Resolves the name once (this may take a moment), then connects without waiting.
int transport_open_tcp(const char *host, const char *port, struct transport **ret,
                       struct error *err);

// Hands over data (copied) in pieces of at most `piece` bytes a read, then -EAGAIN for ever.
int transport_new_replay(const void *data, size_t size, size_t piece, struct transport **ret);

struct transport *transport_free(struct transport *t); // NULL allowed; returns NULL

int transport_fd(const struct transport *t); // -1 while closed
ssize_t transport_read(struct transport *t, void *buf, size_t size);
ssize_t transport_write(struct transport *t, const void *buf, size_t size);
int transport_reopen(struct transport *t, struct error *err);
void transport_hang_up(struct transport *t);
