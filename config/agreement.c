#include "config/agreement.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct reading_origin *origin_of(const struct reading *reading, const char *key)
{
    return reading_origin(reading, schema_find(key));
}

bool agreement_given(const struct reading *reading, const char *key)
{
    return origin_of(reading, key)->layer != READING_DEFAULT;
}

// What a message says in front of its first colon when there is no file.
static const char *place_of(const struct reading_origin *origin)
{
    switch (origin->layer) {
    case READING_FILE:
    case READING_DROP_IN:
        return origin->file;
    case READING_ENVIRONMENT:
        return "environment";
    case READING_COMMAND_LINE:
        return "command line";
    case READING_DEFAULT:
        break;
    }
    return "defaults";
}

void agreement_fault(struct reading *reading, const char *key, const char *other,
                     const char *format, ...)
{
    char text[ERROR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    // The one written by hand, or written last, is where to look first.
    const struct reading_origin *at = origin_of(reading, key);
    if (other && origin_of(reading, other)->layer > at->layer) {
        at = origin_of(reading, other);
        const char *swap = key;
        key = other;
        other = swap;
    }
    (void)faults_add(reading->faults, place_of(at), at->line, at->column, "%s%s%s: %s", key,
                     other ? ", " : "", other ? other : "", text);
}

void agreement_check(struct reading *reading)
{
    agreement_places(reading);
    agreement_wiring(reading);
    agreement_game(reading);
}
