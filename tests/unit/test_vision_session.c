// Sessions and the other frame sources that need no camera.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "vision/pipe.h"
#include "vision/session.h"
#include "vision/still.h"
#include "vision/v4l2.h"

// The smallest thing that passes for a JPEG when nobody decodes it.
static const uint8_t JPEG[] = {0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 1, 2, 3, 0xFF, 0, 4, 0xFF, 0xD9};

static char folder[256];

static int set_up(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/vision-XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command); // NOLINT: a folder of this test's own
}

static const char *in_folder(const char *name)
{
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void record(const char *name)
{
    struct session_writer *w;
    struct error err = {0};
    assert_int_equal(session_writer_new(in_folder(name), "name: test\n", &w, &err), 0);
    assert_int_equal(session_write_event(w, 100, "serial", "{ \"line\": \"$H\" }", &err), 0);
    assert_int_equal(session_write_frame(w, 200, 7, JPEG, sizeof JPEG, &err), 0);
    assert_int_equal(session_write_event(w, 200, "decision", "\"K10\"", &err), 0);
    assert_int_equal(session_write_frame(w, 300, 9, JPEG, sizeof JPEG, &err), 0);
    assert_int_equal(session_writer_flush(w, &err), 0);
    session_writer_free(w);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct session_reader *r;
    struct session_event e;
    struct error err = {0};
    record("a");
    assert_int_equal(session_reader_new(in_folder("a"), &r, &err), 0);
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(session_reader_next(r, &e, &err), 0);
        assert_string_equal(e.channel, "serial");
        assert_string_equal(e.data, "{\"line\":\"$H\"}");
        assert_int_equal(session_reader_next(r, &e, &err), 0);
        assert_string_equal(e.channel, "frame");
        assert_int_equal(e.sequence, 7);
        assert_int_equal(e.jpeg_size, sizeof JPEG);
        assert_memory_equal(e.jpeg, JPEG, sizeof JPEG);
        assert_int_equal(session_reader_next(r, &e, &err), 0);
        assert_string_equal(e.data, "\"K10\"");
        assert_int_equal(session_reader_next(r, &e, &err), 0);
        assert_int_equal(e.time_ns, 300);
        assert_int_equal(e.line, 4);
        assert_int_equal(session_reader_next(r, &e, &err), -ENODATA);
        session_reader_rewind(r);
    }
    session_reader_free(r);
}

static void bad_events_are_refused(void **state)
{
    (void)state;
    struct session_writer *w, *again = NULL;
    struct error err = {0};
    static char big[SESSION_LINE_MAX + 10];
    assert_int_equal(session_writer_new(in_folder("b"), "", &w, &err), 0);
    assert_int_equal(session_writer_new(in_folder("b"), "", &again, &err), -EEXIST);
    assert_null(again);
    assert_int_equal(session_write_event(w, 5, "serial", "1", &err), 0);
    assert_int_equal(session_write_event(w, 4, "serial", "1", &err), -EINVAL);
    assert_int_equal(session_write_event(w, 6, "Serial!", "1", &err), -EINVAL);
    assert_int_equal(session_write_event(w, 6, "serial", "{\"a\":", &err), -EINVAL);
    assert_int_equal(session_write_event(w, 6, "frame", "1", &err), -EINVAL);
    assert_int_equal(session_write_frame(w, 6, 0, JPEG, 0, &err), -EINVAL);
    memset(big, '1', sizeof big - 1);
    assert_int_equal(session_write_event(w, 6, "serial", big, &err), -EMSGSIZE);
    session_writer_free(w);
}

static void append(const char *path, const char *text)
{
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int read_to_error(const char *name, int *ret_events, struct error *err)
{
    struct session_reader *r;
    struct session_event e;
    assert_int_equal(session_reader_new(in_folder(name), &r, err), 0);
    int result;
    for (*ret_events = 0; (result = session_reader_next(r, &e, err)) == 0; ++*ret_events)
        ;
    session_reader_free(r);
    return result;
}

static void a_crash_loses_only_the_last_line(void **state)
{
    (void)state;
    struct error err = {0};
    int events;
    record("c");
    append(in_folder("c/events.jsonl"), "{\"t\":400,\"ch\":\"fra");
    assert_int_equal(read_to_error("c", &events, &err), -ENODATA);
    assert_int_equal(events, 4);
}

static void damage_is_named_with_its_line(void **state)
{
    (void)state;
    struct error err = {0};
    int events;
    record("d");
    append(in_folder("d/events.jsonl"), "{\"t\":400,\"ch\":\"serial\"}\n");
    assert_int_equal(read_to_error("d", &events, &err), -EBADMSG);
    assert_int_equal(err.line, 5);
    assert_non_null(strstr(err.file, "events.jsonl"));
    record("e");
    FILE *file = fopen(in_folder("e/frames.mjpeg"), "r+");
    assert_non_null(file);
    fseek(file, 6, SEEK_SET);
    fputc(99, file);
    fclose(file);
    assert_int_equal(read_to_error("e", &events, &err), -EBADMSG);
    assert_int_equal(err.line, 2);
    assert_non_null(strstr(err.text, "checksum"));
    record("f");
    assert_int_equal(truncate(in_folder("f/frames.mjpeg"), 20), 0);
    assert_int_equal(read_to_error("f", &events, &err), -EBADMSG);
    assert_int_equal(events, 3);
    assert_non_null(strstr(err.text, "missing"));
}

static void a_session_plays_as_frames(void **state)
{
    (void)state;
    struct frame_source s;
    struct frame f;
    struct error err = {0};
    record("g");
    assert_int_equal(session_source_open(in_folder("g"), true, &s, &err), 0);
    assert_int_equal(s.ops->read(s.impl, &f, &err), 0);
    assert_int_equal(f.time_ns, 200);
    assert_int_equal(s.ops->read(s.impl, &f, &err), 0);
    assert_int_equal(f.sequence, 9);
    assert_int_equal(s.ops->read(s.impl, &f, &err), -ENODATA);
    s.ops->close(s.impl);
    assert_int_equal(session_source_open(in_folder("nowhere"), true, &s, &err), -ENOENT);
}

// A camera before which nothing moves goes on sending pictures.
static void the_same_picture_again_is_one_more(void **state)
{
    (void)state;
    struct session_writer *w;
    struct frame_source s;
    struct frame f;
    struct error err = {0};
    assert_int_equal(session_writer_new(in_folder("again"), "name: again\n", &w, &err), 0);
    assert_int_equal(session_write_event(w, 50, "again", "{\"seq\":3}", &err), 0); // of nothing
    assert_int_equal(session_write_frame(w, 100, 4, JPEG, sizeof JPEG, &err), 0);
    assert_int_equal(session_write_event(w, 150, "serial", "\"ok\"", &err), 0);
    assert_int_equal(session_write_event(w, 200, "again", "{\"seq\":5}", &err), 0);
    session_writer_free(w);
    assert_int_equal(session_source_open(in_folder("again"), true, &s, &err), 0);
    for (unsigned k = 1; k <= 2; k++) {
        assert_int_equal(s.ops->read(s.impl, &f, &err), 0);
        assert_int_equal(f.time_ns, 100 * k);
        assert_int_equal(f.sequence, 3 + k);
        assert_int_equal(f.size, sizeof JPEG);
        assert_memory_equal(f.data, JPEG, sizeof JPEG);
    }
    assert_int_equal(s.ops->read(s.impl, &f, &err), -ENODATA);
    s.ops->close(s.impl);
}

static void write_jpeg(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(JPEG, 1, sizeof JPEG, file), sizeof JPEG);
    fclose(file);
}

static void photographs_play_in_order(void **state)
{
    (void)state;
    struct frame_source s;
    struct frame f;
    struct error err = {0};
    mkdir(in_folder("photos"), 0755);
    assert_int_equal(still_source_open(in_folder("photos"), 1000, &s, &err), -ENOENT);
    write_jpeg(in_folder("photos/b.jpg"));
    write_jpeg(in_folder("photos/a.JPEG"));
    append(in_folder("photos/c.jpg"), "no picture");
    append(in_folder("photos/notes.txt"), "x");
    assert_int_equal(still_source_open(in_folder("photos"), 1000, &s, &err), 0);
    assert_int_equal(s.ops->read(s.impl, &f, &err), 0);
    assert_int_equal(f.size, sizeof JPEG);
    assert_int_equal(s.ops->read(s.impl, &f, &err), 0);
    assert_int_equal(f.time_ns, 1000);
    assert_int_equal(s.ops->read(s.impl, &f, &err), -EBADMSG);
    assert_non_null(strstr(err.file, "c.jpg"));
    assert_int_equal(s.ops->read(s.impl, &f, &err), -ENODATA);
    s.ops->close(s.impl);
}

static int read_waiting(struct frame_source *s, struct frame *f, struct error *err)
{
    int r = -EAGAIN;
    for (int k = 0; k < 500 && r == -EAGAIN; k++) {
        usleep(10000);
        r = s->ops->read(s->impl, f, err);
    }
    return r;
}

static void a_command_is_a_camera(void **state)
{
    (void)state;
    struct frame_source s;
    struct frame f;
    struct error err = {0};
    write_jpeg(in_folder("one.jpg"));
    const char *path = in_folder("one.jpg");
    const char *const twice[] = {"cat", path, path, NULL};
    assert_int_equal(pipe_source_open(twice, &s, &err), 0);
    assert_int_equal(read_waiting(&s, &f, &err), 0);
    assert_int_equal(f.size, sizeof JPEG);
    assert_memory_equal(f.data, JPEG, sizeof JPEG);
    while (read_waiting(&s, &f, &err) == 0)
        ;
    assert_int_equal(s.ops->read(s.impl, &f, &err), -ENODEV);
    assert_non_null(strstr(err.text, "ended"));
    s.ops->close(s.impl);
    const char *const nothing[] = {"no-such-camera-command", NULL};
    assert_int_equal(pipe_source_open(nothing, &s, &err), -ENOENT);
    const char *const patient[] = {"sleep", "1000", NULL};
    assert_int_equal(pipe_source_open(patient, &s, &err), 0);
    assert_int_equal(s.ops->read(s.impl, &f, &err), -EAGAIN);
    s.ops->close(s.impl); // ends the command
}

static void a_file_is_no_camera(void **state)
{
    (void)state;
    struct frame_source s;
    struct error err = {0};
    char report[V4L2_REPORT_MAX];
    struct v4l2_settings t = v4l2_settings_default("/dev/null");
    assert_int_equal(v4l2_open(&t, &s, report, &err), -ENOTSUP);
    assert_non_null(strstr(err.text, "no camera"));
    t = v4l2_settings_default("/dev/video-of-nobody");
    assert_int_equal(v4l2_open(&t, &s, report, &err), -ENOENT);
    t.width = 10;
    assert_int_equal(v4l2_open(&t, &s, report, &err), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(bad_events_are_refused),
        cmocka_unit_test(a_crash_loses_only_the_last_line),
        cmocka_unit_test(damage_is_named_with_its_line),
        cmocka_unit_test(a_session_plays_as_frames),
        cmocka_unit_test(the_same_picture_again_is_one_more),
        cmocka_unit_test(photographs_play_in_order),
        cmocka_unit_test(a_command_is_a_camera),
        cmocka_unit_test(a_file_is_no_camera),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
