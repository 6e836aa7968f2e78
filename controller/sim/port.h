// port: the USB cable between host and firmware: a pty whose far end is timed like a wire.
//
// What the host writes arrives byte by byte at 115200 baud; what the firmware sends can be read
// once its last byte has left. Opening and closing the tty are noticed (inotify), as a board
// notices DTR: it rises with the first opening and falls with the last close, unless that one's
// settings say otherwise (HUPCL). Only a rising DTR resets the board.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base/error.h"
#include "config/base/rng.h"
#include "controller/loop.h"

struct port;

struct port_ops {
    void (*opened)(void *user, int64_t now_ns); // the host opened it and DTR rose
    void (*input)(void *user, int64_t now_ns);  // bytes are waiting in port_next_in()
};

int port_new(struct loop *loop, const struct port_ops *ops, void *user, uint64_t seed,
             struct port **ret, struct error *err);
struct port *port_free(struct port *port);

int port_plug(struct port *port, struct error *err); // a new pty; no-op when plugged
void port_unplug(struct port *port);                 // hang-up; what was under way is lost
const char *port_path(const struct port *port);      // NULL while unplugged

// Arrival of the next byte from the host, INT64_MAX = none under way; and that byte.
int64_t port_next_in(const struct port *port);
uint8_t port_take_in(struct port *port);

// Bytes from the firmware, gone at t_ns; port_flush() hands over what is due.
void port_send(struct port *port, int64_t t_ns, const void *data, size_t size);
int64_t port_next_out(const struct port *port);
void port_flush(struct port *port, int64_t now_ns);

// All counted since the host last opened it.
bool port_settled(const struct port *port, uint64_t host_written, uint64_t host_read);

// --- faults ---
void port_set_garbled(struct port *port, bool garbled); // wrong baud rate, both ways
void port_set_strict(struct port *port, bool strict);   // garbled unless the tty is at 115200
void port_stall(struct port *port, int64_t until_ns);   // replies are held back
void port_lose_in(struct port *port, int bytes);
void port_lose_out(struct port *port, int bytes);
void port_noise(struct port *port, int64_t now_ns, int bytes); // random bytes towards the host
