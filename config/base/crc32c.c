#include "config/base/crc32c.h"

#include <string.h>

#if defined(__aarch64__)
#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#elif defined(__x86_64__)
#include <nmmintrin.h>
#endif

uint32_t crc32c_software(uint32_t crc, const void *data, size_t size)
{
    // Half a byte at a time: every machine we care for has the instruction, so the table that
    // takes a line is worth more than the one that takes a page.
    static const uint32_t table[16] = {
        0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
        0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
        0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
    };
    const uint8_t *p = data;
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= p[i];
        crc = (crc >> 4) ^ table[crc & 15];
        crc = (crc >> 4) ^ table[crc & 15];
    }
    return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc32c_hardware(uint32_t crc, const uint8_t *p,
                                                                  size_t size)
{
    uint64_t wide = (uint32_t)~crc;
    for (; size >= 8; p += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        wide = _mm_crc32_u64(wide, word);
    }
    uint32_t narrow = (uint32_t)wide;
    for (; size; p++, size--)
        narrow = _mm_crc32_u8(narrow, *p);
    return ~narrow;
}

static int has_instruction(void)
{
    return __builtin_cpu_supports("sse4.2");
}
#elif defined(__aarch64__)
__attribute__((target("+crc"))) static uint32_t crc32c_hardware(uint32_t crc, const uint8_t *p,
                                                                size_t size)
{
    crc = ~crc;
    for (; size >= 8; p += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        crc = __crc32cd(crc, word);
    }
    for (; size; p++, size--)
        crc = __crc32cb(crc, *p);
    return ~crc;
}

static int has_instruction(void)
{
    return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
}
#else
static uint32_t crc32c_hardware(uint32_t crc, const uint8_t *p, size_t size)
{
    return crc32c_software(crc, p, size);
}

static int has_instruction(void)
{
    return 0;
}
#endif

uint32_t crc32c(uint32_t crc, const void *data, size_t size)
{
    return has_instruction() ? crc32c_hardware(crc, data, size) : crc32c_software(crc, data, size);
}
