// rules_data: files for the tests of the rules.
#pragma once

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/data_folder.h"

// The text of a file with a NUL behind it; the caller frees it. Fails the test when it can't be
// read.
static inline char *read_file(const char *path, size_t *ret_length)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    size_t got = fread(text, 1, (size_t)size, file);
    fclose(file);
    text[got] = '\0';
    if (ret_length)
        *ret_length = got;
    return text;
}

// Path of a file of the shared data; skips the test, saying so, where there is none.
static inline const char *data_path(const char *name)
{
    static char path[1024];
    const char *root = data_folder();
    if (!root) {
        print_message("skipped: TESSERA_DATA is not set, %s is not compared\n", name);
        skip();
    }
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

// Path of a file in the project's tests folder.
static inline const char *tests_path(const char *name)
{
    static char path[1024];
    const char *root = getenv("TESSERA_TESTS");
    if (!root)
        fail_msg("TESSERA_TESTS is not set: run this test through ctest");
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}
