// tessera session: importing streams, trimming and blanking, and what it says when it can't.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/system/program.h"

static char scratch[] = "/tmp/tessera-tools-XXXXXX";

static const char *session(const char *name)
{
    static char path[1024];
    const char *tests = getenv("TESSERA_TESTS");
    (void)snprintf(path, sizeof path, "%s/sessions/%s", tests ? tests : "tests", name);
    return path;
}

static const char *made(const char *name)
{
    static char path[4][128];
    static int next;
    next = (next + 1) % 4;
    (void)snprintf(path[next], sizeof path[next], "%s/%s", scratch, name);
    return path[next];
}

static int tessera(struct program *p, const char *const *arguments)
{
    return program_run(p, "tessera", arguments, 300);
}

static void expect_code(const char *const *arguments, int code, const char *told)
{
    struct program p;
    int got = tessera(&p, arguments);
    if (got != code || !strstr(p.told, told))
        fail_msg("%s %s: exit %d, expected %d and \"%s\": %s", arguments[0], arguments[1], got,
                 code, told, p.told);
    program_free(&p);
}

static char *read_all(const char *path, size_t *ret_size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    long size = ftell(f);
    rewind(f);
    char *bytes = calloc(1, (size_t)size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size, f), (size_t)size);
    (void)fclose(f);
    *ret_size = (size_t)size;
    return bytes;
}

static char *expected_of(const char *folder)
{
    char path[5000];
    size_t size;
    (void)snprintf(path, sizeof path, "%.4000s/expected.jsonl", folder);
    return read_all(path, &size);
}

static void put_chunk(FILE *f, const char *id, uint32_t size)
{
    const uint8_t head[8] = {(uint8_t)id[0],        (uint8_t)id[1],       (uint8_t)id[2],
                             (uint8_t)id[3],        (uint8_t)size,        (uint8_t)(size >> 8),
                             (uint8_t)(size >> 16), (uint8_t)(size >> 24)};
    assert_int_equal(fwrite(head, 1, sizeof head, f), sizeof head);
}

// The pictures of a session as an AVI with 5 a second, as a webcam program would write it.
static void write_avi(const char *folder, const char *path)
{
    char from[5000];
    size_t size;
    (void)snprintf(from, sizeof from, "%.4000s/frames.mjpeg", folder);
    char *frames = read_all(from, &size);
    (void)snprintf(from, sizeof from, "%.4000s/events.jsonl", folder);
    FILE *events = fopen(from, "r"), *avi = fopen(path, "wb");
    assert_true(events && avi);
    put_chunk(avi, "RIFF", 0);
    assert_int_equal(fwrite("AVI ", 1, 4, avi), 4);
    put_chunk(avi, "LIST", 4 + 8 + 8);
    assert_int_equal(fwrite("hdrl", 1, 4, avi), 4);
    put_chunk(avi, "avih", 8);
    assert_int_equal(fwrite("\x40\x0d\x03\x00\0\0\0\0", 1, 8, avi), 8); // 200000 us
    put_chunk(avi, "LIST", 0);
    assert_int_equal(fwrite("movi", 1, 4, avi), 4);
    char line[4096];
    while (fgets(line, sizeof line, events)) {
        const char *offset = strstr(line, "\"offset\":"), *length = strstr(line, "\"size\":");
        if (!strstr(line, "\"ch\":\"frame\""))
            continue;
        uint32_t n = (uint32_t)atol(length + 7);
        put_chunk(avi, "00dc", n);
        assert_int_equal(fwrite(frames + atol(offset + 9), 1, n, avi), n);
        if (n & 1)
            (void)fputc(0, avi);
    }
    (void)fclose(events);
    (void)fclose(avi);
    free(frames);
}

static void test_streams(void **state)
{
    (void)state;
    struct program raw, avi;
    char stream[5000];
    (void)snprintf(stream, sizeof stream, "%s/frames.mjpeg", session("four-colours"));
    write_avi(session("four-colours"), made("a.avi"));
    const char *const import_raw[] = {
        "session",   "import",     stream,      made("raw"),
        "--variant", "pente-team", "--colours", "blue,red,green,amber",
        NULL};
    const char *const import_avi[] = {
        "session",    "import",    made("a.avi"),          made("avi"), "--variant",
        "pente-team", "--colours", "blue,red,green,amber", NULL};
    assert_int_equal(tessera(&raw, import_raw), 0);
    assert_int_equal(tessera(&avi, import_avi), 0);
    assert_non_null(strstr(raw.told, " pictures, "));
    assert_string_equal(raw.said, avi.said);
    program_free(&raw);
    program_free(&avi);
    // The same folder again is refused, and nothing is overwritten.
    expect_code(import_avi, 1, "holds a recorded session already");
}

static void test_what_it_can_not_read(void **state)
{
    (void)state;
    FILE *f = fopen(made("text.mp4"), "w");
    assert_non_null(f);
    (void)fputs("this is no film at all\n", f);
    (void)fclose(f);
    assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
    const char *const no_ffmpeg[] = {"session", "import", made("text.mp4"), made("x1"), NULL};
    expect_code(no_ffmpeg, 1, "ffmpeg, which could convert it, is not installed");
    assert_int_equal(setenv("PATH", "/usr/bin:/bin", 1), 0);
    const char *const nothing[] = {"session", "import", made("nothing"), made("x2"), NULL};
    expect_code(nothing, 1, "No such file");
    const char *const odd[] = {"session", "import", made("text.mp4"), made("x3"), "--fps",
                               "fast",    NULL};
    expect_code(odd, 2, "--fps takes a number");
    const char *const game[] = {"session", "import", made("text.mp4"), made("x4"), "--variant",
                                "chess",   NULL};
    expect_code(game, 1, "chess");
    const char *const verb[] = {"session", "burn", "a", "b", NULL};
    expect_code(verb, 2, "there is no verb \"burn\"");
}

static void test_trim(void **state)
{
    (void)state;
    const char *const trim[] = {
        "session", "trim", session("slow-play"), made("short"), "--from", "6", "--to", "20", NULL};
    expect_code(trim, 0, "decisions");
    char *said = expected_of(made("short"));
    assert_string_equal(said, "{\"move\":\"L11\"}\n{\"move\":\"J9\"}\n");
    free(said);
    const char *const check[] = {"replay", made("short"), "--check", NULL};
    expect_code(check, 0, "as recorded");
    const char *const robot[] = {"session", "trim", session("first-game"), made("x5"), "--from",
                                 "6",       NULL};
    expect_code(robot, 2, "can only be cut at its end");
    const char *const backwards[] = {
        "session", "trim", session("slow-play"), made("x6"), "--from", "6", "--to", "5", NULL};
    expect_code(backwards, 2, "--from must lie before --to");
}

static void test_blank(void **state)
{
    (void)state;
    char source[1200];
    (void)snprintf(source, sizeof source, "%s", session("bump"));
    const char *const blank[] = {"session", "blank", source, made("grey"), NULL};
    expect_code(blank, 0, "decisions");
    char *before = expected_of(source), *after = expected_of(made("grey"));
    assert_string_equal(before, after);
    free(before);
    free(after);
    // Bowls, arm and table are gone: the pictures are much smaller.
    char path[5000];
    size_t with, without;
    (void)snprintf(path, sizeof path, "%s/frames.mjpeg", source);
    free(read_all(path, &with));
    (void)snprintf(path, sizeof path, "%s/frames.mjpeg", made("grey"));
    free(read_all(path, &without));
    assert_true(without < with * 3 / 4);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(scratch) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[64];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_what_it_can_not_read),
        cmocka_unit_test(test_trim),
        cmocka_unit_test(test_blank),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
