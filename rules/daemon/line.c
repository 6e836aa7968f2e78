#include "rules/daemon/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CAPACITY = 2 * LINE_MAX_BYTES };

struct line_reader {
    size_t begin, end; // the bytes not handed out yet
    size_t searched;   // no newline before this
    bool skipping;     // inside a line that was too long
    char data[CAPACITY];
};

int line_reader_new(struct line_reader **ret)
{
    struct line_reader *reader = malloc(sizeof *reader);
    if (!reader)
        return -ENOMEM;
    reader->begin = reader->end = reader->searched = 0;
    reader->skipping = false;
    *ret = reader;
    return 0;
}

struct line_reader *line_reader_free(struct line_reader *reader)
{
    free(reader);
    return NULL;
}

// Moves what is left to the front. Lines given out before are gone then, as documented.
static void make_room(struct line_reader *reader)
{
    if (reader->begin == 0)
        return;
    memmove(reader->data, reader->data + reader->begin, reader->end - reader->begin);
    reader->end -= reader->begin;
    reader->searched -= reader->begin;
    reader->begin = 0;
}

ssize_t line_fill(struct line_reader *reader, int fd)
{
    make_room(reader);
    ssize_t n;
    do
        n = read(fd, reader->data + reader->end, CAPACITY - reader->end);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return -errno;
    reader->end += (size_t)n;
    return n;
}

size_t line_feed(struct line_reader *reader, const void *data, size_t size)
{
    make_room(reader);
    if (size > CAPACITY - reader->end)
        size = CAPACITY - reader->end;
    memcpy(reader->data + reader->end, data, size);
    reader->end += size;
    return size;
}

static void hand_out(const struct line_reader *reader, size_t size, const char **ret_text,
                     size_t *ret_size)
{
    const char *text = reader->data + reader->begin;
    if (size > 0 && text[size - 1] == '\r')
        size--;
    *ret_text = text;
    *ret_size = size;
}

enum line_kind line_next(struct line_reader *reader, const char **ret_text, size_t *ret_size)
{
    for (;;) {
        const char *newline =
            memchr(reader->data + reader->searched, '\n', reader->end - reader->searched);
        if (!newline) {
            reader->searched = reader->end;
            bool too_long = reader->end - reader->begin > LINE_MAX_BYTES;
            if (too_long || reader->skipping)
                reader->begin = reader->end;
            if (!too_long || reader->skipping)
                return LINE_NONE;
            reader->skipping = true;
            return LINE_TOO_LONG;
        }
        size_t size = (size_t)(newline - reader->data) - reader->begin;
        bool skipped = reader->skipping;
        reader->skipping = false;
        size_t next = reader->begin + size + 1;
        if (!skipped && size <= LINE_MAX_BYTES)
            hand_out(reader, size, ret_text, ret_size);
        reader->begin = reader->searched = next;
        if (skipped)
            continue;
        return size <= LINE_MAX_BYTES ? LINE_WHOLE : LINE_TOO_LONG;
    }
}

enum line_kind line_last(struct line_reader *reader, const char **ret_text, size_t *ret_size)
{
    size_t size = reader->end - reader->begin;
    if (reader->skipping || size == 0)
        return LINE_NONE;
    hand_out(reader, size, ret_text, ret_size);
    reader->begin = reader->searched = reader->end;
    return LINE_WHOLE;
}

struct line_mark line_mark(const struct line_reader *reader)
{
    return (struct line_mark){reader->begin, reader->searched, reader->skipping};
}

void line_rewind(struct line_reader *reader, struct line_mark mark)
{
    reader->begin = mark.begin;
    reader->searched = mark.searched;
    reader->skipping = mark.skipping;
}
