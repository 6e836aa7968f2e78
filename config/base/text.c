#include "config/base/text.h"

#include <stdio.h>

void text_put_list(struct text *text, const char *format, va_list args)
{
    size_t left = text->length < text->size ? text->size - text->length : 0;
    int length = vsnprintf(left ? text->buf + text->length : NULL, left, format, args);
    if (length > 0)
        text->length += (size_t)length;
}

void text_put(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_put_list(text, format, args);
    va_end(args);
}
