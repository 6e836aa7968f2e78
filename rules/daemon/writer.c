#include "rules/daemon/writer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 4096 };

void writer_clear(struct writer *w)
{
    free(w->data);
    memset(w, 0, sizeof *w);
}

void writer_cut(struct writer *w, size_t size)
{
    if (size < w->size)
        w->size = size;
}

void writer_consume(struct writer *w, size_t size)
{
    if (size >= w->size) {
        w->size = 0;
        return;
    }
    memmove(w->data, w->data + size, w->size - size);
    w->size -= size;
}

// Room for `size` more bytes; NULL after a failed allocation, now or before.
static char *reserve(struct writer *w, size_t size)
{
    if (w->error)
        return NULL;
    if (size > w->capacity - w->size) {
        size_t capacity = w->capacity ? w->capacity : FIRST_CAPACITY;
        while (capacity - w->size < size)
            capacity *= 2;
        char *data = realloc(w->data, capacity);
        if (!data) {
            w->error = -ENOMEM;
            return NULL;
        }
        w->data = data;
        w->capacity = capacity;
    }
    return w->data + w->size;
}

void writer_bytes(struct writer *w, const void *data, size_t size)
{
    char *to = reserve(w, size);
    if (!to)
        return;
    memcpy(to, data, size);
    w->size += size;
}

void writer_text(struct writer *w, const char *text)
{
    writer_bytes(w, text, strlen(text));
}

void writer_int(struct writer *w, int64_t number)
{
    char digits[24];
    char *p = digits + sizeof digits;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do {
        *--p = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (number < 0)
        *--p = '-';
    writer_bytes(w, p, (size_t)(digits + sizeof digits - p));
}

static void escape(struct writer *w, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    char text[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    switch (c) {
    case '"':
        writer_literal(w, "\\\"");
        break;
    case '\\':
        writer_literal(w, "\\\\");
        break;
    case '\n':
        writer_literal(w, "\\n");
        break;
    case '\r':
        writer_literal(w, "\\r");
        break;
    case '\t':
        writer_literal(w, "\\t");
        break;
    default:
        writer_bytes(w, text, sizeof text);
    }
}

void writer_string_n(struct writer *w, const char *text, size_t size)
{
    writer_literal(w, "\"");
    size_t plain = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)
            continue;
        writer_bytes(w, text + plain, i - plain);
        escape(w, c);
        plain = i + 1;
    }
    writer_bytes(w, text + plain, size - plain);
    writer_literal(w, "\"");
}

void writer_string(struct writer *w, const char *text)
{
    writer_string_n(w, text, strlen(text));
}

void writer_bool(struct writer *w, int value)
{
    writer_text(w, value ? "true" : "false");
}

void writer_json(struct writer *w, const json_t *value)
{
    size_t size = json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);
    char *to = reserve(w, size);
    if (!to)
        return;
    w->size += json_dumpb(value, to, size, JSON_COMPACT | JSON_ENCODE_ANY);
}

void writer_format(struct writer *w, const char *format, ...)
{
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int size = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    char *to = size < 0 ? NULL : reserve(w, (size_t)size + 1);
    if (to) {
        vsnprintf(to, (size_t)size + 1, format, again);
        w->size += (size_t)size;
    }
    va_end(again);
}
