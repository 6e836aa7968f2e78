#include "config/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_SIZE = 1024 };

static const char *log_program = "tessera";
static enum log_level log_limit = LOG_LEVEL_NOTICE;
static bool to_journal;

// JOURNAL_STREAM is inherited by children whose standard error may lead elsewhere, so
// systemd.exec(5) wants its device and inode compared with the real ones.
static bool stderr_is_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    struct stat st;
    if (!stream || fstat(STDERR_FILENO, &st) < 0)
        return false;
    char here[64];
    snprintf(here, sizeof here, "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
    return strcmp(stream, here) == 0;
}

void log_open(const char *program, enum log_level level)
{
    log_program = program;
    log_limit = level;
    to_journal = stderr_is_journal();
}

void log_set_level(enum log_level level)
{
    log_limit = level;
}

static void write_line(enum log_level level, const char *format, va_list ap)
{
    if (level > log_limit)
        return;
    char line[LINE_SIZE];
    int head = to_journal ? snprintf(line, sizeof line, "<%d>", (int)level)
                          : snprintf(line, sizeof line, "%.64s: ", log_program);
    int body = vsnprintf(line + head, sizeof line - (size_t)head - 1, format, ap);
    size_t size = (size_t)head + (body > 0 ? (size_t)body : 0);
    if (size > sizeof line - 2)
        size = sizeof line - 2;
    for (size_t i = (size_t)head; i < size; i++) {
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
            line[i] = '?';
    }
    line[size++] = '\n';
    // Nobody is left to tell when this fails.
    if (write(STDERR_FILENO, line, size) < 0)
        return;
}

void log_line(enum log_level level, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    write_line(level, format, ap);
    va_end(ap);
}

void log_struct_error(enum log_level level, const struct error *err)
{
    char text[ERROR_FILE_MAX + ERROR_TEXT_MAX + 32];
    log_line(level, "%s", error_format(err, text, sizeof text));
}

void log_once(struct log_once *once, enum log_level level, const char *format, ...)
{
    if (once->said)
        return;
    once->said = true;
    va_list ap;
    va_start(ap, format);
    write_line(level, format, ap);
    va_end(ap);
}

void log_once_over(struct log_once *once, const char *format, ...)
{
    if (!once->said)
        return;
    once->said = false;
    va_list ap;
    va_start(ap, format);
    write_line(LOG_LEVEL_NOTICE, format, ap);
    va_end(ap);
}
