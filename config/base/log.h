// log: what a program tells its operator, on standard error.
//
// For programs only: library code returns a struct error instead. Under systemd (standard error
// leads to the journal) each line carries the `<N>` priority that sd-daemon(3) defines; elsewhere
// it is "program: text". One call writes one line in one write(2), so that lines of several
// threads and processes do not mix. Control characters in the text are replaced by '?', so that
// input that is quoted in a message cannot forge a line.
#pragma once

#include <stdbool.h>

#include "config/base/error.h"

enum log_level { // syslog's numbers
    LOG_LEVEL_ERROR = 3,
    LOG_LEVEL_WARNING = 4,
    LOG_LEVEL_NOTICE = 5,
    LOG_LEVEL_INFO = 6,
    LOG_LEVEL_DEBUG = 7,
};

// Call first. `program` must outlive the logging. Lines above `level` are dropped.
void log_open(const char *program, enum log_level level);
void log_set_level(enum log_level level);

void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...)   log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_line(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_notice(...)  log_line(LOG_LEVEL_NOTICE, __VA_ARGS__)
#define log_info(...)    log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)   log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

// Says where and what, as error_format() does.
void log_struct_error(enum log_level level, const struct error *err);

// A state that lasts is said once, when it begins, and once when it is over:
//
//     static struct log_once lost;
//     log_once(&lost, LOG_LEVEL_WARNING, "the camera is gone; looking for it every second");
//     …
//     log_once_over(&lost, "the camera is back");
//
// A zeroed struct is ready.
struct log_once {
    bool said;
};

void log_once(struct log_once *once, enum log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void log_once_over(struct log_once *once, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
