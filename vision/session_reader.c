#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/base/crc32c.h"
#include "vision/session.h"
#include "vision/session_private.h"

struct session_reader {
    FILE *events, *frames;
    char path[SESSION_PATH_MAX]; // of the events, for messages
    int line;
    int64_t last_ns;
    char text[SESSION_LINE_MAX + 2];
    char *data;
    uint8_t *jpeg;
    size_t jpeg_capacity;
};

static int open_part(const char *folder, const char *name, char path[SESSION_PATH_MAX], FILE **ret,
                     struct error *err)
{
    if (snprintf(path, SESSION_PATH_MAX, "%s/%s", folder, name) >= SESSION_PATH_MAX)
        return error_set(err, -ENAMETOOLONG, "the session's folder has too long a name");
    *ret = fopen(path, "rbe");
    if (!*ret)
        return error_set(err, -errno, "%s is no recorded session: %s can't be opened (%s)", folder,
                         name, strerror(errno));
    return 0;
}

int session_reader_new(const char *folder, struct session_reader **ret, struct error *err)
{
    struct session_reader *r = calloc(1, sizeof *r);
    char path[SESSION_PATH_MAX];
    if (!r)
        return error_set(err, -ENOMEM, "out of memory");
    int result = open_part(folder, SESSION_FRAMES, path, &r->frames, err);
    if (result == 0)
        result = open_part(folder, SESSION_EVENTS, r->path, &r->events, err);
    if (result != 0) {
        session_reader_free(r);
        return result;
    }
    *ret = r;
    return 0;
}

struct session_reader *session_reader_free(struct session_reader *reader)
{
    if (reader) {
        if (reader->events)
            fclose(reader->events);
        if (reader->frames)
            fclose(reader->frames);
        free(reader->data);
        free(reader->jpeg);
        free(reader);
    }
    return NULL;
}

void session_reader_rewind(struct session_reader *reader)
{
    rewind(reader->events);
    reader->line = 0;
}

static int broken(const struct session_reader *r, const char *why, struct error *err)
{
    return error_set_at(err, -EBADMSG, r->path, r->line, 0, "%s", why);
}

static int read_frame(struct session_reader *r, struct session_event *event, uint64_t offset,
                      uint32_t crc, struct error *err)
{
    if (r->jpeg_capacity < event->jpeg_size) {
        uint8_t *jpeg = realloc(r->jpeg, event->jpeg_size);
        if (!jpeg)
            return error_set(err, -ENOMEM, "out of memory");
        r->jpeg = jpeg;
        r->jpeg_capacity = event->jpeg_size;
    }
    if (offset > INT64_MAX || fseeko(r->frames, (off_t)offset, SEEK_SET) != 0 ||
        fread(r->jpeg, 1, event->jpeg_size, r->frames) != event->jpeg_size)
        return broken(r, "the frame's bytes are missing from " SESSION_FRAMES, err);
    if (crc32c(0, r->jpeg, event->jpeg_size) != crc)
        return broken(r, "the frame's bytes in " SESSION_FRAMES " don't match its checksum", err);
    event->jpeg = r->jpeg;
    return 0;
}

// One line without its newline. -ENODATA at the end, also for a last line that a crash cut off.
static int read_line(struct session_reader *r, size_t *ret_size, struct error *err)
{
    size_t size = 0;
    int c;
    while ((c = getc_unlocked(r->events)) != EOF && c != '\n') {
        if (size > SESSION_LINE_MAX) {
            r->line++;
            return broken(r, "the line is too long", err);
        }
        r->text[size++] = (char)c;
    }
    if (c == EOF)
        return -ENODATA;
    r->line++;
    r->text[size] = 0;
    *ret_size = size;
    return 0;
}

int session_reader_next(struct session_reader *reader, struct session_event *ret, struct error *err)
{
    struct session_event event;
    uint64_t offset;
    uint32_t crc;
    size_t size = 0;
    char *data = NULL;
    struct error why = {0};
    int r = read_line(reader, &size, err);
    if (r != 0)
        return r;
    r = session_parse_line(reader->text, size, &event, &offset, &crc, &data, &why);
    if (r != 0)
        return r == -ENOMEM ? error_set(err, r, "out of memory") : broken(reader, why.text, err);
    free(reader->data);
    reader->data = data;
    if (reader->line > 1 && event.time_ns < reader->last_ns)
        return broken(reader, "the event's time lies before that of the one before it", err);
    if (!event.data) {
        r = read_frame(reader, &event, offset, crc, err);
        if (r != 0)
            return r;
    }
    reader->last_ns = event.time_ns;
    event.line = reader->line;
    *ret = event;
    return 0;
}

// --- as a frame source ---------------------------------------------------------------------------

struct session_source {
    struct session_reader *reader;
    bool fast, started, have_next;
    int64_t began_ns, first_ns;
    struct session_event next;
    size_t size; // of the last picture, which the reader still holds; 0 = none that is whole
    uint32_t sequence;
};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int source_fd(void *impl)
{
    (void)impl;
    return -1;
}

// A picture that was the same as the one before is recorded as an "again" without its bytes: to the
// camera's user it is one more picture, without which nothing ever lay still.
static int next_frame(struct session_source *s, struct error *err)
{
    while (!s->have_next) {
        const int r = session_reader_next(s->reader, &s->next, err);
        if (r != 0) {
            s->size = 0;
            return r;
        }
        if (s->next.jpeg) {
            s->size = s->next.jpeg_size;
            s->sequence = s->next.sequence;
        } else if (s->size > 0 && strcmp(s->next.channel, "again") == 0) {
            s->next.jpeg = s->reader->jpeg;
            s->next.jpeg_size = s->size;
            s->next.sequence = ++s->sequence;
        }
        s->have_next = s->next.jpeg != NULL;
    }
    return 0;
}

static int source_read(void *impl, struct frame *ret, struct error *err)
{
    struct session_source *s = impl;
    const int r = next_frame(s, err);
    if (r != 0)
        return r;
    if (!s->started) {
        s->started = true;
        s->began_ns = now_ns();
        s->first_ns = s->next.time_ns;
    }
    if (!s->fast && now_ns() - s->began_ns < s->next.time_ns - s->first_ns)
        return -EAGAIN;
    s->have_next = false;
    *ret = (struct frame){.format = FRAME_JPEG,
                          .data = s->next.jpeg,
                          .size = s->next.jpeg_size,
                          .time_ns = s->next.time_ns,
                          .sequence = s->next.sequence};
    return 0;
}

static void source_close(void *impl)
{
    struct session_source *s = impl;
    session_reader_free(s->reader);
    free(s);
}

static const struct frame_source_ops SOURCE_OPS = {source_fd, source_read, source_close};

int session_source_open(const char *folder, bool fast, struct frame_source *ret, struct error *err)
{
    struct session_source *s = calloc(1, sizeof *s);
    if (!s)
        return error_set(err, -ENOMEM, "out of memory");
    const int r = session_reader_new(folder, &s->reader, err);
    if (r != 0) {
        free(s);
        return r;
    }
    s->fast = fast;
    *ret = (struct frame_source){.ops = &SOURCE_OPS, .impl = s};
    snprintf(ret->name, sizeof ret->name, "session %.54s", folder);
    return 0;
}
