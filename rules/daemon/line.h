// line: cuts a stream of bytes into lines of bounded length.
//
// A line longer than the limit is reported once, with nothing kept of it, and reading goes on after
// its newline: a client that sends rubbish finds its next request answered.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    LINE_MAX_BYTES = 64 * 1024, // of one line, without its newline (protocol.md §2)
};

struct line_reader;

int line_reader_new(struct line_reader **ret);
struct line_reader *line_reader_free(struct line_reader *reader); // NULL allowed; returns NULL

// One read(2) from fd into the free room. The count, 0 at the end of the stream, or a negative
// errno (-EAGAIN when nothing is there). Call only when line_next() has said LINE_NONE.
ssize_t line_fill(struct line_reader *reader, int fd);

// The same from memory: takes as much as there is room for and returns how much that was.
size_t line_feed(struct line_reader *reader, const void *data, size_t size);

enum line_kind {
    LINE_NONE,     // no whole line is left; fill again
    LINE_WHOLE,    // *ret_text, *ret_size
    LINE_TOO_LONG, // a line beyond the limit has begun; the rest of it is skipped
};

// The next line, without its newline (and without a carriage return before that); no NUL follows.
// The text stays in place until the next line_fill() or line_feed().
enum line_kind line_next(struct line_reader *reader, const char **ret_text, size_t *ret_size);

// What is left at the end of the stream without a newline: LINE_WHOLE or LINE_NONE.
enum line_kind line_last(struct line_reader *reader, const char **ret_text, size_t *ret_size);

// Where reading stands, to come back to: good until the next line_fill() or line_feed().
struct line_mark {
    size_t begin, searched;
    bool skipping;
};
struct line_mark line_mark(const struct line_reader *reader);
void line_rewind(struct line_reader *reader, struct line_mark mark);
