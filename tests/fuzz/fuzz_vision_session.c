// Any bytes as a line of a session's index.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vision/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct session_event event;
    struct error err = {0};
    uint64_t offset;
    uint32_t crc;
    char *buffer = NULL;
    if (session_parse_line((const char *)data, size, &event, &offset, &crc, &buffer, &err) != 0) {
        if (err.number == 0 || strlen(err.text) == 0)
            __builtin_trap();
        return 0;
    }
    if (event.channel[SESSION_CHANNEL_MAX - 1] != 0 || (event.data == NULL) != (buffer == NULL))
        __builtin_trap();
    if (!event.data && (event.jpeg_size == 0 || event.jpeg_size > SESSION_FRAME_MAX))
        __builtin_trap();
    free(buffer);
    return 0;
}
