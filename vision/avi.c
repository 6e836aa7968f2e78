#include "vision/avi.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_US_DEFAULT = 66667, FRAME_US_MAX = 60000000 };

struct avi {
    FILE *file;
    char path[256];
    uint32_t frame_us;
    int64_t frames;
    uint8_t *jpeg;
    size_t room;
};

struct chunk {
    char id[4];
    uint32_t size;
};

static uint32_t le32(const uint8_t *b)
{
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static bool read_chunk(FILE *f, struct chunk *ret)
{
    uint8_t head[8];
    if (fread(head, 1, sizeof head, f) != sizeof head)
        return false;
    memcpy(ret->id, head, 4);
    ret->size = le32(head + 4);
    return true;
}

static bool is(const struct chunk *c, const char *id)
{
    return memcmp(c->id, id, 4) == 0;
}

// Chunks begin at even places.
static bool skip(FILE *f, uint32_t size)
{
    return fseeko(f, (off_t)size + (size & 1), SEEK_CUR) == 0;
}

int avi_open(FILE *file, const char *path, struct avi **ret, struct error *err)
{
    struct chunk riff;
    char kind[4];
    if (fseeko(file, 0, SEEK_SET) != 0 || !read_chunk(file, &riff) || !is(&riff, "RIFF") ||
        fread(kind, 1, 4, file) != 4 || memcmp(kind, "AVI ", 4) != 0)
        return error_set(err, -EBADMSG, "%s is no AVI file", path);
    struct avi *a = calloc(1, sizeof *a);
    if (!a)
        return error_set(err, -ENOMEM, "out of memory");
    a->file = file;
    a->frame_us = FRAME_US_DEFAULT;
    snprintf(a->path, sizeof a->path, "%.255s", path);
    *ret = a;
    return 0;
}

struct avi *avi_close(struct avi *avi)
{
    if (avi)
        free(avi->jpeg);
    free(avi);
    return NULL;
}

static bool is_picture(const struct chunk *c)
{
    return c->id[0] >= '0' && c->id[0] <= '9' && c->id[2] == 'd' &&
           (c->id[3] == 'c' || c->id[3] == 'b');
}

static int read_picture(struct avi *a, const struct chunk *c, struct error *err)
{
    if (c->size > AVI_FRAME_MAX)
        return error_set(err, -EBADMSG, "%s: a picture of %u bytes", a->path, (unsigned)c->size);
    if (c->size > a->room) {
        uint8_t *jpeg = realloc(a->jpeg, c->size);
        if (!jpeg)
            return error_set(err, -ENOMEM, "out of memory");
        a->jpeg = jpeg;
        a->room = c->size;
    }
    if (fread(a->jpeg, 1, c->size, a->file) != c->size)
        return -ENODATA; // cut off, as by a full card
    if (c->size & 1)
        fseeko(a->file, 1, SEEK_CUR);
    if (c->size < 4 || a->jpeg[0] != 0xFF || a->jpeg[1] != 0xD8)
        return error_set(err, -ENOTSUP, "the video in %s is not MJPEG", a->path);
    return 0;
}

// The header's first word: microseconds a frame.
static bool read_header(struct avi *a, const struct chunk *c)
{
    uint8_t b[4];
    if (c->size < 4 || fread(b, 1, 4, a->file) != 4)
        return false;
    uint32_t us = le32(b);
    if (us > 0 && us <= FRAME_US_MAX)
        a->frame_us = us;
    return skip(a->file, c->size - 4);
}

int avi_next(struct avi *avi, const uint8_t **ret_jpeg, size_t *ret_size, int64_t *ret_time_ns,
             struct error *err)
{
    struct chunk c;
    while (read_chunk(avi->file, &c)) {
        if (is(&c, "LIST") || is(&c, "RIFF")) { // their chunks follow; the list's own kind first
            if (fseeko(avi->file, 4, SEEK_CUR) != 0)
                return -ENODATA;
        } else if (is(&c, "avih")) {
            if (!read_header(avi, &c))
                return -ENODATA;
        } else if (is_picture(&c) && c.size > 0) { // an empty one repeats the last
            int r = read_picture(avi, &c, err);
            if (r < 0)
                return r;
            *ret_jpeg = avi->jpeg;
            *ret_size = c.size;
            *ret_time_ns = avi->frames++ * avi->frame_us * INT64_C(1000);
            return 0;
        } else {
            avi->frames += is_picture(&c);
            if (!skip(avi->file, c.size))
                return -ENODATA;
        }
    }
    return -ENODATA;
}
