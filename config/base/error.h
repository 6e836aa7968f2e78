// error: what a failed call tells a person.
//
// Every fallible function returns 0 or a negative errno; those that can say more take a
// `struct error *` (NULL is allowed: the text is then dropped). The struct is written only on
// failure. The text is one or two sentences for the person who uses the robot: what happened, what
// it means, what to do. It never ends in a newline.
#pragma once

#include <stdarg.h>
#include <stdint.h>

enum {
    ERROR_CODE_MAX = 32, // bytes of a stable code such as "IllegalMove", with its NUL
    ERROR_FILE_MAX = 160,
    ERROR_TEXT_MAX = 512,
};

struct error {
    int number;                // negative errno, as returned
    char code[ERROR_CODE_MAX]; // stable name for programs, "" when there is none
    char file[ERROR_FILE_MAX]; // where the fault stands, "" when it is not in a file
    int line, column;          // 1-based, 0 = unknown
    char text[ERROR_TEXT_MAX];
};

// Fills *err (when not NULL) with `number`, no code and no place, and returns `number`, so that a
// failing function can end in `return error_set(err, -EINVAL, "…", …);`.
int error_set(struct error *err, int number, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The same with a stable code.
int error_set_code(struct error *err, int number, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// The same with a place in a file (line and column 1-based, 0 = unknown).
int error_set_at(struct error *err, int number, const char *file, int line, int column,
                 const char *format, ...) __attribute__((format(printf, 6, 7)));

// Writes "file:line:column: text" (or just the text) into buf, always NUL-terminated.
// Returns buf.
char *error_format(const struct error *err, char *buf, uint32_t size);
