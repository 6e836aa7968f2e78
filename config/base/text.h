// text: a text under construction in somebody's buffer. What does not fit is cut off, never written
// past the end; the buffer always holds a string (when its size is not 0).
#pragma once

#include <stdarg.h>
#include <stddef.h>

struct text {
    char *buf;
    size_t size;
    size_t length; // bytes the whole text needs without its NUL, as snprintf() counts
};

// Appends, formatted as by printf().
void text_put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_put_list(struct text *text, const char *format, va_list args);
