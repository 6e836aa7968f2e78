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

// Bytes of the UTF-8 sequence at text, 0 when there is none (RFC 3629).
static size_t utf8_length(const unsigned char *text, size_t size)
{
    unsigned char c = text[0];
    size_t length = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    if (length > size)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (c == 0xe0 && text[1] < 0xa0) || (c == 0xf0 && text[1] < 0x90);
    bool surrogate = c == 0xed && text[1] >= 0xa0;
    bool beyond = c == 0xf4 && text[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

void writer_string_n(struct writer *w, const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;
    writer_literal(w, "\"");
    size_t plain = 0, i = 0;
    while (i < size) {
        size_t length = utf8_length(p + i, size - i);
        if (length > 1 ||
            (length == 1 && p[i] >= 0x20 && p[i] != '"' && p[i] != '\\' && p[i] != 0x7f)) {
            i += length;
            continue;
        }
        writer_bytes(w, text + plain, i - plain);
        if (length == 0)
            writer_literal(w, "?");
        else
            escape(w, p[i]);
        plain = ++i;
    }
    writer_bytes(w, text + plain, i - plain);
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
