#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/base/crc32c.h"
#include "config/base/io.h"
#include "config/base/json.h"
#include "vision/session.h"
#include "vision/session_private.h"

struct session_writer {
    int events, frames; // descriptors
    uint64_t offset;    // of the next frame
    int64_t last_ns;
    bool begun;
    struct error broken; // number != 0: the first failure, repeated from then on
};

static int create(const char *folder, const char *name, int *ret, struct error *err)
{
    char path[SESSION_PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return error_set(err, -ENAMETOOLONG, "the session's folder has too long a name");
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0 && errno == EEXIST)
        return error_set(err, -EEXIST, "%s holds a recorded session already; choose another folder",
                         folder);
    if (fd < 0)
        return error_set(err, -errno, "%s can't be made (%s)", path, strerror(errno));
    *ret = fd;
    return 0;
}

int session_writer_new(const char *folder, const char *meta_yaml, struct session_writer **ret,
                       struct error *err)
{
    int meta = -1;
    int r = io_make_folder(folder, 0755, err);
    if (r != 0)
        return r;
    struct session_writer *w = calloc(1, sizeof *w);
    if (!w)
        return error_set(err, -ENOMEM, "out of memory");
    w->events = w->frames = -1;
    r = create(folder, SESSION_EVENTS, &w->events, err);
    if (r == 0)
        r = create(folder, SESSION_FRAMES, &w->frames, err);
    if (r == 0)
        r = create(folder, SESSION_META, &meta, err);
    if (r == 0) {
        r = io_write_all(NULL, meta, meta_yaml, strlen(meta_yaml));
        if (r != 0)
            error_set(err, r, "the session's description can't be written (%s)", strerror(-r));
    }
    if (meta >= 0)
        close(meta);
    if (r != 0) {
        session_writer_free(w);
        return r;
    }
    *ret = w;
    return 0;
}

struct session_writer *session_writer_free(struct session_writer *writer)
{
    if (writer) {
        if (writer->events >= 0)
            close(writer->events);
        if (writer->frames >= 0)
            close(writer->frames);
        free(writer);
    }
    return NULL;
}

static int fail(struct session_writer *w, int r, struct error *err)
{
    error_set(&w->broken, r, "recording stopped: %s. What was recorded so far is whole.",
              strerror(-r));
    if (err)
        *err = w->broken;
    return r;
}

static int check(struct session_writer *w, int64_t time_ns, const char *channel, struct error *err)
{
    if (w->broken.number != 0) {
        if (err)
            *err = w->broken;
        return w->broken.number;
    }
    if (!session_channel_fits(channel))
        return error_set(err, -EINVAL, "\"%.40s\" can't be the name of a channel", channel);
    if (w->begun && time_ns < w->last_ns)
        return error_set(err, -EINVAL, "an event of %" PRId64 " ns follows one of %" PRId64 " ns",
                         time_ns, w->last_ns);
    return 0;
}

static int append_line(struct session_writer *w, int64_t time_ns, const char *line, size_t size,
                       struct error *err)
{
    const int r = io_write_all(NULL, w->events, line, size);
    if (r != 0)
        return fail(w, r, err);
    w->begun = true;
    w->last_ns = time_ns;
    return 0;
}

int session_write_event(struct session_writer *writer, int64_t time_ns, const char *channel,
                        const char *json, struct error *err)
{
    int r = check(writer, time_ns, channel, err);
    if (r != 0)
        return r;
    if (strcmp(channel, "frame") == 0)
        return error_set(err, -EINVAL, "frames are written with their bytes");
    json_t *value = NULL;
    const size_t size = strnlen(json, SESSION_LINE_MAX + 1);
    if (size > SESSION_LINE_MAX - 128)
        return error_set(err, -EMSGSIZE, "an event of more than %d bytes", SESSION_LINE_MAX - 128);
    r = json_read_text(json, size, NULL, &value, err);
    if (r != 0)
        return r;
    // Written anew: one line, whatever white space came in.
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    json_decref(value);
    char *line = NULL;
    const int length = text ? asprintf(&line, "{\"t\":%" PRId64 ",\"ch\":\"%s\",\"data\":%s}\n",
                                       time_ns, channel, text)
                            : -1;
    free(text);
    if (length < 0)
        return error_set(err, -ENOMEM, "out of memory");
    r = length > SESSION_LINE_MAX
            ? error_set(err, -EMSGSIZE, "an event of more than %d bytes", SESSION_LINE_MAX)
            : append_line(writer, time_ns, line, (size_t)length, err);
    free(line);
    return r;
}

int session_write_frame(struct session_writer *writer, int64_t time_ns, uint32_t sequence,
                        const uint8_t *jpeg, size_t size, struct error *err)
{
    int r = check(writer, time_ns, "frame", err);
    if (r != 0)
        return r;
    if (size == 0 || size > SESSION_FRAME_MAX)
        return error_set(err, size ? -EMSGSIZE : -EINVAL, "a frame of %zu bytes", size);
    r = io_write_all(NULL, writer->frames, jpeg, size);
    if (r != 0)
        return fail(writer, r, err);
    char line[256];
    const int length = snprintf(line, sizeof line,
                                "{\"t\":%" PRId64 ",\"ch\":\"frame\",\"seq\":%" PRIu32
                                ",\"offset\":%" PRIu64 ",\"size\":%zu,\"crc\":%" PRIu32 "}\n",
                                time_ns, sequence, writer->offset, size, crc32c(0, jpeg, size));
    writer->offset += size;
    return append_line(writer, time_ns, line, (size_t)length, err);
}

int session_writer_flush(struct session_writer *writer, struct error *err)
{
    int r = writer->broken.number;
    if (r != 0) {
        if (err)
            *err = writer->broken;
        return r;
    }
    // Frames first: an event must never speak of bytes that are not there.
    r = io_fdatasync(NULL, writer->frames);
    if (r == 0)
        r = io_fdatasync(NULL, writer->events);
    return r == 0 ? 0 : fail(writer, r, err);
}
