// io_faults: the system's calls with faults injected by name, for tests of code that takes a
// struct io_ops.
#pragma once

#include "config/base/io.h"

enum io_fault_call {
    IO_OPEN,
    IO_READ,
    IO_WRITE,
    IO_FSYNC,
    IO_FDATASYNC,
    IO_FTRUNCATE,
    IO_RENAME,
    IO_CALLS
};

struct io_faults {
    enum io_fault_call call; // which call fails …
    int after;               // … after how many good ones …
    int times;               // … how often …
    int error;               // … with which errno; 0 = a short count (read and write)
    int made[IO_CALLS];      // how many calls of each kind were made
    int64_t write_room;      // bytes that still fit on the "disk"; then a short write and ENOSPC
};

// A table of calls that obeys *faults (zeroed = no faults, but set write_room; INT64_MAX = no end).
struct io_ops io_faults_ops(struct io_faults *faults);
