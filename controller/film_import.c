#include "controller/film_import.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "vision/avi.h"
#include "vision/mjpeg.h"
#include "vision/still.h"

extern char **environ;

enum { READ_AT_ONCE = 256 << 10 };

struct import {
    const char *path;
    const struct import_options *options;
    struct film *film;
    struct import_report report;
    struct error *err;
};

struct import_options import_options_default(void)
{
    return (struct import_options){.fps = 5, .hold = 4};
}

static int add(struct import *i, int64_t time_ns, const void *jpeg, size_t size)
{
    i->report.pictures++;
    i->report.seconds = (double)time_ns / (double)NS_PER_S;
    return film_frame(i->film, time_ns, jpeg, size, i->err);
}

// --- photographs: each for a while, as if nobody moved ---

static int import_photos(struct import *i)
{
    struct frame_source source;
    struct frame frame;
    int64_t now = 0, step = (int64_t)((double)NS_PER_S / i->options->fps);
    int shown = (int)(i->options->hold * i->options->fps + 0.5);
    int r = still_source_open(i->path, NS_PER_S, &source, i->err);
    if (r < 0)
        return r;
    while ((r = source.ops->read(source.impl, &frame, i->err)) == 0) {
        i->report.pictures++;
        for (int k = 0; r == 0 && k < shown; k++, now += step)
            r = film_frame(i->film, now, frame.data, frame.size, i->err);
        if (r < 0)
            break;
    }
    source.ops->close(source.impl);
    i->report.seconds = (double)now / (double)NS_PER_S;
    return r == -ENODATA ? 0 : r;
}

// --- streams ---

static int import_avi(struct import *i, FILE *file)
{
    struct avi *avi;
    const uint8_t *jpeg;
    size_t size;
    int64_t time_ns;
    int r = avi_open(file, i->path, &avi, i->err);
    if (r < 0)
        return r;
    while ((r = avi_next(avi, &jpeg, &size, &time_ns, i->err)) == 0) {
        r = add(i, time_ns, jpeg, size);
        if (r < 0)
            break;
    }
    avi_close(avi);
    return r == -ENODATA ? 0 : r;
}

struct stream {
    uint8_t *data;
    size_t size, room;
};

// Hands every whole picture in the buffer on and keeps the rest.
static int cut_pictures(struct import *i, struct stream *s)
{
    size_t start = 0, at = 0, length;
    int r = 0;
    while (r == 0 && at < s->size &&
           (length = mjpeg_find(s->data + at, s->size - at, &start)) > 0) {
        int64_t time_ns =
            (int64_t)((double)i->report.pictures / i->options->fps * (double)NS_PER_S);
        r = add(i, time_ns, s->data + at + start, length);
        at += start + length;
        start = 0;
    }
    at += start < s->size - at ? start : s->size - at;
    memmove(s->data, s->data + at, s->size - at);
    s->size -= at;
    return r;
}

static int import_stream(struct import *i, int fd)
{
    struct stream s = {0};
    int r = 0;
    while (r == 0) {
        if (s.room - s.size < READ_AT_ONCE) {
            if (s.size > SESSION_FRAME_MAX) {
                r = error_set(i->err, -EBADMSG, "%s: %d MiB without a whole picture", i->path,
                              SESSION_FRAME_MAX >> 20);
                break;
            }
            uint8_t *data = realloc(s.data, s.size + 2 * READ_AT_ONCE);
            if (!data) {
                r = error_set(i->err, -ENOMEM, "out of memory");
                break;
            }
            s.data = data;
            s.room = s.size + 2 * READ_AT_ONCE;
        }
        ssize_t n = read(fd, s.data + s.size, READ_AT_ONCE);
        if (n == 0)
            break;
        if (n < 0 && errno != EINTR)
            r = error_set(i->err, -errno, "%s can't be read: %s.", i->path, strerror(errno));
        if (n > 0) {
            s.size += (size_t)n;
            r = cut_pictures(i, &s);
        }
    }
    free(s.data);
    return r;
}

// --- everything else ---

static int start_ffmpeg(struct import *i, pid_t *ret_pid, int *ret_fd)
{
    char rate[32], path[4096 + 8];
    snprintf(rate, sizeof rate, "fps=%g", i->options->fps);
    snprintf(path, sizeof path, "file:%s", i->path); // never a URL, never an option
    const char *argv[] = {"ffmpeg", "-v", "error", "-nostdin", "-i", path, "-an", "-vf",
                          rate,     "-f", "mjpeg", "-q:v",     "3",  "-",  NULL};
    char *arguments[sizeof argv / sizeof argv[0]];
    memcpy(arguments, argv, sizeof argv); // posix_spawn doesn't write to them
    int end[2];
    if (pipe2(end, O_CLOEXEC) != 0)
        return error_set(i->err, -errno, "no pipe for ffmpeg: %s.", strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, end[1], STDOUT_FILENO);
    int r = posix_spawnp(ret_pid, "ffmpeg", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(end[1]);
    *ret_fd = end[0];
    if (r == 0)
        return 0;
    close(end[0]);
    if (r == ENOENT)
        return error_set(i->err, -ENOTSUP,
                         "%s is neither MJPEG nor an AVI of MJPEG, and ffmpeg, which could convert "
                         "it, is not installed (sudo apt-get install ffmpeg).",
                         i->path);
    return error_set(i->err, -r, "ffmpeg can't be started: %s.", strerror(r));
}

static int import_by_ffmpeg(struct import *i)
{
    pid_t pid;
    int fd, status = 0;
    int r = start_ffmpeg(i, &pid, &fd);
    if (r < 0)
        return r;
    r = import_stream(i, fd);
    close(fd); // after an error ffmpeg ends by SIGPIPE
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (r == 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0) && !i->report.pictures)
        return error_set(i->err, -EBADMSG, "ffmpeg can't make anything of %s.", i->path);
    return r;
}

static int import_file(struct import *i)
{
    uint8_t head[12] = {0};
    FILE *file = fopen(i->path, "rbe");
    if (!file)
        return error_set(i->err, -errno, "%s can't be opened: %s.", i->path, strerror(errno));
    size_t n = fread(head, 1, sizeof head, file);
    int r;
    if (n == sizeof head && memcmp(head, "RIFF", 4) == 0 && memcmp(head + 8, "AVI ", 4) == 0) {
        r = import_avi(i, file);
    } else if (n >= 2 && head[0] == 0xFF && head[1] == 0xD8) {
        rewind(file);
        lseek(fileno(file), 0, SEEK_SET);
        r = import_stream(i, fileno(file));
    } else {
        r = n ? -ENOTSUP : error_set(i->err, -EBADMSG, "%s is empty.", i->path);
    }
    fclose(file);
    return r == -ENOTSUP ? import_by_ffmpeg(i) : r;
}

int film_import(const char *path, const struct import_options *options, struct film *film,
                struct import_report *ret, struct error *err)
{
    struct import i = {.path = path, .options = options, .film = film, .err = err};
    struct stat st;
    if (stat(path, &st) != 0)
        return error_set(err, -errno, "%s can't be opened: %s.", path, strerror(errno));
    int r = S_ISDIR(st.st_mode) ? import_photos(&i) : import_file(&i);
    if (r == 0 && !i.report.pictures)
        r = error_set(err, -EBADMSG, "there is no picture in %s.", path);
    if (r == 0)
        *ret = i.report;
    return r;
}
