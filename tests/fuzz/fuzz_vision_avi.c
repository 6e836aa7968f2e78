// Any bytes as a film: whatever the chunks say, only pictures that lie within the file come out.
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "vision/avi.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        __builtin_trap();
}

static void read_pictures(struct avi *avi, size_t size)
{
    const uint8_t *jpeg;
    size_t jpeg_size, total = 0;
    int64_t time_ns, before = -1;
    struct error err = {0};
    int r;
    while ((r = avi_next(avi, &jpeg, &jpeg_size, &time_ns, &err)) == 0) {
        must(jpeg_size > 0 && jpeg_size <= AVI_FRAME_MAX && time_ns >= before);
        before = time_ns;
        total += jpeg_size;
        must(total <= size);
        must(jpeg[0] == jpeg[jpeg_size - 1] || jpeg_size > 1); // both ends can be read
    }
    must(r == -ENODATA || strlen(err.text) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct avi *avi;
    struct error err = {0};
    FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "rb") : NULL;
    if (!file)
        return 0;
    if (avi_open(file, "film.avi", &avi, &err) == 0) {
        read_pictures(avi, size);
        avi_close(avi);
    } else {
        must(strlen(err.text) > 0);
    }
    fclose(file);
    return 0;
}
