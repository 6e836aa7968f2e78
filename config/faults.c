#include "config/faults.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct faults *faults_new(void)
{
    return calloc(1, sizeof(struct faults));
}

struct faults *faults_free(struct faults *faults)
{
    free(faults);
    return NULL;
}

int faults_add(struct faults *faults, const char *file, int line, int column, const char *format,
               ...)
{
    struct error err;
    char text[ERROR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)error_set_at(&err, -EINVAL, file, line, column, "%s", text);
    return faults_add_error(faults, &err);
}

int faults_add_error(struct faults *faults, const struct error *err)
{
    if (faults->count < FAULTS_MAX)
        faults->fault[faults->count] = *err;
    faults->count++;
    return err->number;
}

size_t faults_kept(const struct faults *faults)
{
    return faults->count < FAULTS_MAX ? faults->count : FAULTS_MAX;
}

int faults_first(const struct faults *faults, struct error *err)
{
    if (faults->count == 0)
        return 0;
    const struct error *first = &faults->fault[0];
    if (!err || faults->count == 1) {
        if (err)
            *err = *first;
        return first->number;
    }
    return error_set_at(err, first->number, first->file, first->line, first->column,
                        "%.400s (and %zu more: `tessera-config check` lists them)", first->text,
                        faults->count - 1);
}
