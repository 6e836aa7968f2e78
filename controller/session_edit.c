#include "controller/session_edit.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/base/atomic_file.h"
#include "config/base/clock.h"
#include "config/base/io.h"
#include "config/base/json.h"
#include "config/calibration.h"
#include "controller/devices.h"
#include "controller/film.h"
#include "controller/replay.h"
#include "controller/session_setup.h"
#include "vision/blank.h"
#include "vision/reader.h"

enum { PATH_SIZE = 4096, VIEWS_MAX = 512, META_MAX = 64 << 10 };

// Cells around the grid that stay: stones on the border, and the rim where hands come in.
#define KEPT_MARGIN 1.3

struct edit {
    const char *from, *to;
    struct session_reader *reader;
    struct session_writer *writer;
    struct session_event event;
    char *setup; // JSON of the first event
    bool is_film;
    int64_t first_ns;
    uint8_t *jpeg; // the last picture
    size_t size, room;
    struct edit_report report;
    struct error *err;
};

// --- files ---

static int read_meta(struct edit *e, const char *note, char **ret)
{
    char path[PATH_SIZE], *meta = NULL, *text = NULL;
    size_t size;
    snprintf(path, sizeof path, "%.4000s/meta.yaml", e->from);
    int r = io_read_file(&io_system, path, META_MAX, &meta, &size, e->err);
    if (r < 0)
        return r;
    if (asprintf(&text, "%.*s%s# %s\n", (int)size, meta, size && meta[size - 1] != '\n' ? "\n" : "",
                 note) < 0)
        r = error_set(e->err, -ENOMEM, "out of memory");
    free(meta);
    *ret = text;
    return r;
}

static int copy_calibration(struct edit *e)
{
    char path[PATH_SIZE], *text;
    size_t size;
    snprintf(path, sizeof path, "%.4000s/calibration.json", e->from);
    if (access(path, F_OK) != 0)
        return 0;
    int r = io_read_file(&io_system, path, CALIBRATION_FILE_MAX, &text, &size, e->err);
    if (r < 0)
        return r;
    snprintf(path, sizeof path, "%.4000s/calibration.json", e->to);
    r = atomic_file_write(NULL, path, text, size, 0644, e->err);
    free(text);
    return r;
}

static int open_source(struct edit *e)
{
    int r = session_reader_new(e->from, &e->reader, e->err);
    if (r == 0)
        r = session_reader_next(e->reader, &e->event, e->err);
    if (r == -ENODATA)
        return error_set(e->err, -EBADMSG, "%s is empty.", e->from);
    if (r < 0)
        return r;
    if (!e->event.data || strcmp(e->event.channel, "setup") != 0)
        return error_set(e->err, -EBADMSG, "%s does not begin with a setup.", e->from);
    e->setup = strdup(e->event.data);
    if (!e->setup)
        return error_set(e->err, -ENOMEM, "out of memory");
    e->first_ns = e->event.time_ns;
    e->is_film = film_is_setup(e->setup);
    return 0;
}

static int open_copy(struct edit *e, const char *note)
{
    char *meta = NULL;
    int r = read_meta(e, note, &meta);
    if (r == 0)
        r = session_writer_new(e->to, meta, &e->writer, e->err);
    free(meta);
    return r == 0 ? copy_calibration(e) : r;
}

static void close_edit(struct edit *e)
{
    session_reader_free(e->reader);
    session_writer_free(e->writer);
    free(e->setup);
    free(e->jpeg);
}

// --- what comes out ---

static void on_decision(void *user, const char *json)
{
    fprintf(user, "%s\n", json);
}

static int write_expected(struct edit *e)
{
    char *text = NULL, path[PATH_SIZE];
    size_t size = 0;
    struct replay_report report = {0};
    int r = session_writer_flush(e->writer, e->err);
    if (r < 0)
        return r;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return error_set(e->err, -ENOMEM, "out of memory");
    r = replay_run(e->to, on_decision, memory, &report, e->err);
    if (fclose(memory) != 0 && r == 0)
        r = error_set(e->err, -ENOMEM, "out of memory");
    snprintf(path, sizeof path, "%.4000s/expected.jsonl", e->to);
    if (r == 0)
        r = atomic_file_write(NULL, path, text, size, 0644, e->err);
    free(text);
    e->report.decisions = (unsigned)report.decisions;
    e->report.seconds = (double)report.span_ns / (double)NS_PER_S;
    return r;
}

static int keep_picture(struct edit *e)
{
    if (e->event.jpeg_size > e->room) {
        uint8_t *jpeg = realloc(e->jpeg, e->event.jpeg_size);
        if (!jpeg)
            return error_set(e->err, -ENOMEM, "out of memory");
        e->jpeg = jpeg;
        e->room = e->event.jpeg_size;
    }
    memcpy(e->jpeg, e->event.jpeg, e->event.jpeg_size);
    e->size = e->event.jpeg_size;
    return 0;
}

static int put_event(struct edit *e)
{
    return session_write_event(e->writer, e->event.time_ns, e->event.channel, e->event.data,
                               e->err);
}

// --- trimming ---

static void on_move_before(void *user, const char *json)
{
    json_t *decision = json_loads(json, 0, NULL);
    json_t *move = json_object_get(decision, "move");
    if (move)
        json_array_append(user, move);
    json_decref(decision);
}

// The film's setup with the moves made before it begins.
static int write_setup(struct edit *e, int64_t from_ns)
{
    struct replay_report report;
    json_t *setup = json_loads(e->setup, 0, NULL);
    json_t *moves = json_object_get(setup, "moves");
    int r = 0;
    if (e->is_film && from_ns > e->first_ns && moves) {
        session_reader_rewind(e->reader);
        r = session_reader_next(e->reader, &e->event, e->err);
        if (r == 0)
            r = film_replay(e->reader, e->setup, from_ns, on_move_before, moves, &report, e->err);
        session_reader_rewind(e->reader);
        if (r == 0)
            r = session_reader_next(e->reader, &e->event, e->err);
    }
    char *text = r == 0 ? json_dumps(setup, JSON_COMPACT) : NULL;
    json_decref(setup);
    if (r == 0)
        r = text ? session_write_event(e->writer, from_ns, "setup", text, e->err)
                 : error_set(e->err, -ENOMEM, "out of memory");
    free(text);
    return r;
}

static int trim_event(struct edit *e, int64_t from_ns)
{
    bool again = !e->event.jpeg && strcmp(e->event.channel, "again") == 0;
    int r = e->event.jpeg ? keep_picture(e) : 0;
    if (r < 0 || e->event.time_ns < from_ns)
        return r;
    // The first picture of the copy is written out, also when it was the same as one before.
    if (e->event.jpeg || (again && !e->report.frames)) {
        if (!e->size)
            return error_set(e->err, -EBADMSG, "%s shows a picture again before there is one.",
                             e->from);
        e->report.frames++;
        return session_write_frame(e->writer, e->event.time_ns, e->event.sequence, e->jpeg, e->size,
                                   e->err);
    }
    e->report.frames += again;
    return put_event(e);
}

static int trim(struct edit *e, int64_t from_ns, int64_t until_ns)
{
    int r = open_source(e);
    if (r < 0)
        return r;
    if (!e->is_film && from_ns > 0)
        return error_set(e->err, -EINVAL,
                         "a robot's session can only be cut at its end (--to): what its arm did "
                         "before is needed to replay the rest.");
    from_ns = from_ns > INT64_MAX - e->first_ns ? INT64_MAX : from_ns + e->first_ns;
    until_ns = until_ns > INT64_MAX - e->first_ns ? INT64_MAX : until_ns + e->first_ns;
    r = open_copy(e, "trimmed by tessera session trim");
    if (r == 0)
        r = write_setup(e, from_ns);
    while (r == 0 && (r = session_reader_next(e->reader, &e->event, e->err)) == 0) {
        if (e->event.time_ns >= until_ns)
            break;
        r = trim_event(e, from_ns);
    }
    if (r < 0 && r != -ENODATA)
        return r;
    if (!e->report.frames)
        return error_set(e->err, -EINVAL, "there is no picture between these times.");
    return write_expected(e);
}

int session_trim(const char *folder, int64_t from_ns, int64_t until_ns, const char *to,
                 struct edit_report *ret, struct error *err)
{
    struct edit e = {.from = folder, .to = to, .err = err};
    int r = trim(&e, from_ns, until_ns);
    if (r == 0)
        *ret = e.report;
    close_edit(&e);
    return r;
}

// --- blanking ---

// Where the board was seen in the course of the session: views[i] from picture begin[i] on.
struct views {
    int count;
    struct geometry view[VIEWS_MAX];
    unsigned begin[VIEWS_MAX];
};

static bool same_view(const struct geometry *a, const struct geometry *b)
{
    for (int k = 0; k < 9; k++) {
        if (a->homography[k] != b->homography[k])
            return false;
    }
    return true;
}

static void note_view(struct views *v, const struct vision *vision, unsigned picture)
{
    struct geometry g;
    if (!vision_geometry(vision, &g) || (v->count && same_view(&g, &v->view[v->count - 1])))
        return;
    if (v->count == VIEWS_MAX) // a camera that never rests: the newest view counts
        v->count--;
    v->view[v->count] = g;
    v->begin[v->count++] = picture;
}

static int find_views(struct edit *e, struct views *v)
{
    struct settings settings;
    struct vision *vision = NULL;
    struct observation *seen = malloc(sizeof *seen);
    json_t *setup = json_loads(e->setup, 0, NULL);
    unsigned picture = 0;
    int r = seen ? session_setup_settings(setup, &settings, e->err)
                 : error_set(e->err, -ENOMEM, "out of memory");
    json_decref(setup);
    if (r == 0) {
        const struct vision_settings eyes = devices_vision_settings(&settings);
        r = vision_new(&eyes, &vision, e->err);
    }
    while (r == 0 && (r = session_reader_next(e->reader, &e->event, e->err)) == 0) {
        if (!e->event.jpeg)
            continue;
        const struct frame frame = {.format = FRAME_JPEG,
                                    .data = e->event.jpeg,
                                    .size = e->event.jpeg_size,
                                    .time_ns = e->event.time_ns,
                                    .sequence = picture};
        vision_observe(vision, &frame, seen, NULL); // what is broken has no view
        note_view(v, vision, picture++);
    }
    vision_free(vision);
    free(seen);
    return r == -ENODATA ? 0 : r;
}

// The views that a picture may have been taken from: the last one before it, the one that was found
// soon after (a bumped camera is noticed late), and for the first pictures the first view.
static int views_of(const struct views *v, unsigned picture, const struct geometry **ret)
{
    int at = 0;
    while (at + 1 < v->count && v->begin[at + 1] <= picture)
        at++;
    *ret = &v->view[at];
    return v->count - at < 2 ? v->count - at : 2;
}

static int blank_events(struct edit *e, const struct views *v, struct blanker *blanker)
{
    const uint8_t *jpeg;
    const struct geometry *views;
    size_t size;
    int r = session_write_event(e->writer, e->first_ns, "setup", e->setup, e->err);
    while (r == 0 && (r = session_reader_next(e->reader, &e->event, e->err)) == 0) {
        if (!e->event.jpeg) {
            r = put_event(e);
            continue;
        }
        int count = views_of(v, e->report.frames, &views);
        e->report.unlocated += count == 0;
        r = blanker_run(blanker, views, count, KEPT_MARGIN, e->event.jpeg, e->event.jpeg_size,
                        &jpeg, &size, e->err);
        if (r == 0)
            r = session_write_frame(e->writer, e->event.time_ns, e->event.sequence, jpeg, size,
                                    e->err);
        e->report.frames++;
    }
    return r == -ENODATA ? 0 : r;
}

static int blank(struct edit *e, struct views *views, struct blanker *blanker)
{
    int r = open_source(e);
    if (r == 0)
        r = find_views(e, views);
    if (r == 0)
        r = open_copy(e, "blanked off the board by tessera session blank");
    if (r < 0)
        return r;
    session_reader_rewind(e->reader);
    r = session_reader_next(e->reader, &e->event, e->err); // the setup
    if (r == 0)
        r = blank_events(e, views, blanker);
    return r == 0 ? write_expected(e) : r;
}

int session_blank(const char *folder, const char *to, struct edit_report *ret, struct error *err)
{
    struct edit e = {.from = folder, .to = to, .err = err};
    struct views *views = calloc(1, sizeof *views);
    struct blanker *blanker = NULL;
    int r = views && blanker_new(&blanker) == 0 ? blank(&e, views, blanker)
                                                : error_set(err, -ENOMEM, "out of memory");
    if (r == 0)
        *ret = e.report;
    blanker_free(blanker);
    free(views);
    close_edit(&e);
    return r;
}
