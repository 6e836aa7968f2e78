// crc32c: the Castagnoli checksum (RFC 3720 appendix B.4; polynomial 0x1EDC6F41, reflected).
//
// Guards journal lines, recorded frames and calibration files. Uses the processor's own
// instruction where it has one (SSE4.2, ARMv8 CRC); the result is the same everywhere.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Checksum of `size` bytes. Pass 0 to begin, or the result for the bytes before to go on:
// crc32c(crc32c(0, a, n), b, m) is the checksum of a followed by b.
uint32_t crc32c(uint32_t crc, const void *data, size_t size);

// The same without special instructions; for machines without them and for tests.
uint32_t crc32c_software(uint32_t crc, const void *data, size_t size);
