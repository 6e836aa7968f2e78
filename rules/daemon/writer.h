// writer: text that grows, and JSON written straight into it.
//
// Replies are written by hand rather than built as a tree first: a reply has a fixed shape, and
// most of a request's time would go into nodes that are freed at once. Errors stick: after a failed
// allocation nothing more is added and `error` is -ENOMEM, so that only the end needs a check.
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct writer {
    char *data; // not NUL-terminated
    size_t size, capacity;
    int error; // 0 or -ENOMEM
};

// A zeroed writer is ready. Gives the memory back and zeroes it again.
void writer_clear(struct writer *w);

// Drops everything after the first `size` bytes (undoes what was written since).
void writer_cut(struct writer *w, size_t size);

// Drops the first `size` bytes.
void writer_consume(struct writer *w, size_t size);

void writer_bytes(struct writer *w, const void *data, size_t size);
void writer_text(struct writer *w, const char *text); // as it is
void writer_int(struct writer *w, int64_t number);
// A JSON string with its quotes. Bytes that are no UTF-8 (a name that was cut) become '?', so that
// what we write can always be read.
void writer_string(struct writer *w, const char *text);
void writer_string_n(struct writer *w, const char *text, size_t size);
void writer_bool(struct writer *w, int value);
void writer_json(struct writer *w, const json_t *value); // compact
void writer_format(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A string constant without strlen().
#define writer_literal(w, literal) writer_bytes(w, literal, sizeof(literal) - 1)
