// power_log: what was written to a disk and when it was asked to keep it, in order.
//
// The file is a row of records in the host's byte order, each followed by `length` bytes if it is a
// write. A machine that was killed in the middle may leave half a record at the end; it counts as
// never written. Written by power_log.c, read by power_disk.c.
#pragma once

#include <stdint.h>

enum power_log_kind {
    POWER_WRITE = 1, // length bytes at offset; the disk may still have them in its cache
    POWER_FLUSH = 2, // everything before it is on the disk
    POWER_ERASE = 3, // length bytes at offset read as zero; no data follows
};

struct power_record {
    uint32_t kind;
    uint32_t length;
    uint64_t offset;
};

// The disk: a file system, and behind it one sector for each load that gives promises. They are
// written past the cache and without a flush, so that keeping a promise costs the load nothing
// more.
#define POWER_SYSTEM_BYTES (32ull << 20)
enum { POWER_SECTOR = 4096, POWER_PROMISES = 3 };
#define POWER_DISK_BYTES (POWER_SYSTEM_BYTES + POWER_PROMISES * POWER_SECTOR)
