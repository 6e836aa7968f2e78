#include "config/base/error.h"

#include <stdio.h>
#include <string.h>

static int fill(struct error *err, int number, const char *code, const char *file, int line,
                int column, const char *format, va_list ap)
{
    if (!err)
        return number;
    memset(err, 0, sizeof *err);
    err->number = number;
    snprintf(err->code, sizeof err->code, "%s", code ? code : "");
    snprintf(err->file, sizeof err->file, "%s", file ? file : "");
    err->line = line;
    err->column = column;
    vsnprintf(err->text, sizeof err->text, format, ap);
    return number;
}

int error_set(struct error *err, int number, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    fill(err, number, NULL, NULL, 0, 0, format, ap);
    va_end(ap);
    return number;
}

int error_set_code(struct error *err, int number, const char *code, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    fill(err, number, code, NULL, 0, 0, format, ap);
    va_end(ap);
    return number;
}

int error_set_at(struct error *err, int number, const char *file, int line, int column,
                 const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    fill(err, number, NULL, file, line, column, format, ap);
    va_end(ap);
    return number;
}

char *error_format(const struct error *err, char *buf, uint32_t size)
{
    if (!size)
        return buf;
    if (!err->file[0])
        snprintf(buf, size, "%s", err->text);
    else if (!err->line)
        snprintf(buf, size, "%s: %s", err->file, err->text);
    else if (!err->column)
        snprintf(buf, size, "%s:%d: %s", err->file, err->line, err->text);
    else
        snprintf(buf, size, "%s:%d:%d: %s", err->file, err->line, err->column, err->text);
    return buf;
}
