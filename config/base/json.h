// json: strict reading of JSON on top of jansson, with errors that name the place.
//
// Its own library (tessera_json), so that a folder without JSON is not linked with jansson.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base/error.h"

// Reads one JSON value that fills the whole text: no trailing bytes, no doubled keys, no NUL in
// strings. `file` (may be NULL) is named in errors, with line and column. The caller owns *ret_json
// (json_decref). -EINVAL for text that is no JSON, -ENOMEM.
int json_read_text(const char *text, size_t size, const char *file, json_t **ret_json,
                   struct error *err);

// The same from a file of at most `limit` bytes.
int json_read_file(const char *path, size_t limit, json_t **ret_json, struct error *err);

// Members of an object. Each returns 1 and fills *ret when the key is there and fits, 0 when it is
// absent or null (*ret untouched), -EINVAL with a sentence that names the key when it has another
// type or lies outside the limits. Strings are borrowed from `object`.
int json_member_string(const json_t *object, const char *key, const char **ret, struct error *err);
int json_member_int(const json_t *object, const char *key, int64_t min, int64_t max, int64_t *ret,
                    struct error *err);
int json_member_double(const json_t *object, const char *key, double min, double max, double *ret,
                       struct error *err);
int json_member_bool(const json_t *object, const char *key, bool *ret, struct error *err);
int json_member_array(const json_t *object, const char *key, json_t **ret, struct error *err);
int json_member_object(const json_t *object, const char *key, json_t **ret, struct error *err);
