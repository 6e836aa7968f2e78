// Lines out of a stream, however it is cut, and JSON text.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/base/rng.h"
#include "rules/daemon/line.h"
#include "rules/daemon/writer.h"

// Takes all lines that are there and writes them to `out` as "[text]", too long ones as "!".
static void take_all(struct line_reader *reader, struct writer *out)
{
    for (;;) {
        const char *text;
        size_t size;
        enum line_kind kind = line_next(reader, &text, &size);
        if (kind == LINE_NONE)
            return;
        if (kind == LINE_TOO_LONG) {
            writer_literal(out, "!");
            continue;
        }
        writer_literal(out, "[");
        writer_bytes(out, text, size > 20 ? 20 : size);
        writer_literal(out, "]");
    }
}

static void assert_lines(const char *stream, size_t size, size_t step, const char *wanted)
{
    struct line_reader *reader;
    struct writer out = {0};
    assert_int_equal(line_reader_new(&reader), 0);
    for (size_t at = 0; at < size;) {
        size_t n = size - at < step ? size - at : step;
        at += line_feed(reader, stream + at, n);
        take_all(reader, &out);
    }
    assert_int_equal(out.size, strlen(wanted));
    assert_memory_equal(out.data, wanted, out.size);
    writer_clear(&out);
    line_reader_free(reader);
}

static void test_lines_however_cut(void **state)
{
    (void)state;
    static const char stream[] = "one\r\ntwo\n\nthree\r\n\rx\n";
    for (size_t step = 1; step < sizeof stream; step++)
        assert_lines(stream, sizeof stream - 1, step, "[one][two][][three][\rx]");
}

// "a", a line of `size` bytes, "b".
static char *stream_with_line_of(size_t size, size_t *ret_size)
{
    char *stream = malloc(size + 6);
    assert_non_null(stream);
    *ret_size = size + 5;
    snprintf(stream, size + 6, "a\n%*s\nb\n", (int)size, "");
    memset(stream + 2, 'x', size);
    return stream;
}

static void test_limit_and_resync(void **state)
{
    (void)state;
    static const size_t steps[] = {1000, 4096, 65536, 100000, 200000};
    static const struct {
        size_t size;
        const char *wanted;
    } cases[] = {
        {LINE_MAX_BYTES, "[a][xxxxxxxxxxxxxxxxxxxx][b]"},
        {LINE_MAX_BYTES + 1, "[a]![b]"},
        {LINE_MAX_BYTES * 2, "[a]![b]"},
        {LINE_MAX_BYTES * 5 + 17, "[a]![b]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        char *stream = stream_with_line_of(cases[i].size, &size);
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
            assert_lines(stream, size, steps[s], cases[i].wanted);
        free(stream);
    }
}

static void test_last_line_and_rewind(void **state)
{
    (void)state;
    struct line_reader *reader;
    const char *text;
    size_t size;
    assert_int_equal(line_reader_new(&reader), 0);
    assert_int_equal(line_feed(reader, "a\nb\nc", 5), 5);
    struct line_mark mark = line_mark(reader);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(line_next(reader, &text, &size), LINE_WHOLE);
        assert_memory_equal(text, "a", size);
        assert_int_equal(line_next(reader, &text, &size), LINE_WHOLE);
        assert_int_equal(line_next(reader, &text, &size), LINE_NONE);
        assert_int_equal(line_last(reader, &text, &size), LINE_WHOLE);
        assert_memory_equal(text, "c", size);
        assert_int_equal(line_last(reader, &text, &size), LINE_NONE);
        line_rewind(reader, mark);
    }
    line_reader_free(reader);
    assert_null(line_reader_free(NULL));
}

static void test_fill_from_descriptor(void **state)
{
    (void)state;
    int ends[2];
    const char *text;
    size_t size;
    struct line_reader *reader;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(line_reader_new(&reader), 0);
    assert_int_equal(write(ends[1], "hello\nwo", 8), 8);
    assert_int_equal(line_fill(reader, ends[0]), 8);
    assert_int_equal(line_next(reader, &text, &size), LINE_WHOLE);
    assert_int_equal(size, 5);
    assert_int_equal(line_next(reader, &text, &size), LINE_NONE);
    close(ends[1]);
    assert_int_equal(line_fill(reader, ends[0]), 0);
    assert_int_equal(line_last(reader, &text, &size), LINE_WHOLE);
    assert_int_equal(size, 2);
    close(ends[0]);
    assert_true(line_fill(reader, ends[0]) < 0);
    line_reader_free(reader);
}

static void assert_written(struct writer *w, const char *wanted)
{
    assert_int_equal(w->size, strlen(wanted));
    assert_memory_equal(w->data, wanted, w->size);
    writer_cut(w, 0);
}

static void test_writer(void **state)
{
    (void)state;
    struct writer w = {0};
    writer_int(&w, 0);
    writer_int(&w, -7);
    writer_int(&w, INT64_MIN);
    writer_int(&w, INT64_MAX);
    assert_written(&w, "0-7-92233720368547758089223372036854775807");
    writer_string(&w, "a\"b\\c\n\r\t\x01\x7f/ü");
    assert_written(&w, "\"a\\\"b\\\\c\\n\\r\\t\\u0001\\u007f/ü\"");
    writer_string(&w, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"); // é € and one beyond the first plane
    assert_written(&w, "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
    // Cut, overlong, surrogate, beyond the end, stray.
    writer_string(&w, "a\xc3");
    writer_string(&w, "\xc0\xaf"
                      "b\xe0\x80\xaf");
    writer_string(&w, "\xed\xa0\x80"
                      "c\xf4\x90\x80\x80\xff");
    assert_written(&w, "\"a?\"\"??b???\"\"???c?????\"");
    writer_bool(&w, 1);
    writer_bool(&w, 0);
    writer_format(&w, " %d %s", 5, "x");
    assert_written(&w, "truefalse 5 x");
    writer_literal(&w, "abcdef");
    writer_consume(&w, 2);
    writer_cut(&w, 3);
    assert_written(&w, "cde");
    writer_consume(&w, 10);
    assert_int_equal(w.size, 0);
    writer_clear(&w);
    assert_null(w.data);
}

// What is written as a string reads back as the same string.
static void test_strings_round(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 5);
    struct writer w = {0};
    for (int round = 0; round < 2000; round++) {
        char text[40];
        size_t size = rng_below(&rng, sizeof text);
        for (size_t i = 0; i < size; i++)
            text[i] = (char)(1 + rng_below(&rng, 127)); // ASCII but NUL
        writer_cut(&w, 0);
        writer_string_n(&w, text, size);
        json_t *json = json_loadb(w.data, w.size, JSON_DECODE_ANY, NULL);
        assert_non_null(json);
        assert_int_equal(json_string_length(json), size);
        assert_memory_equal(json_string_value(json), text, size);
        writer_cut(&w, 0);
        writer_json(&w, json);
        json_decref(json);
        json = json_loadb(w.data, w.size, JSON_DECODE_ANY, NULL);
        assert_int_equal(json_string_length(json), size);
        json_decref(json);
    }
    writer_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_however_cut),
        cmocka_unit_test(test_limit_and_resync),
        cmocka_unit_test(test_last_line_and_rewind),
        cmocka_unit_test(test_fill_from_descriptor),
        cmocka_unit_test(test_writer),
        cmocka_unit_test(test_strings_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
