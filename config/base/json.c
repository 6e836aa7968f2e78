#include "config/base/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/io.h"

int json_read_text(const char *text, size_t size, const char *file, json_t **ret_json,
                   struct error *err)
{
    json_error_t where;
    json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &where);
    if (json) {
        *ret_json = json;
        return 0;
    }
    if (json_error_code(&where) == json_error_out_of_memory)
        return error_set(err, -ENOMEM, "out of memory");
    return error_set_at(err, -EINVAL, file, where.line, where.column > 0 ? where.column : 0,
                        "this is no JSON: %s", where.text);
}

int json_read_file(const char *path, size_t limit, json_t **ret_json, struct error *err)
{
    char *text;
    size_t size;
    int r = io_read_file(NULL, path, limit, &text, &size, err);
    if (r < 0)
        return r;
    r = json_read_text(text, size, path, ret_json, err);
    free(text);
    return r;
}

static json_t *member(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

static int wrong_type(struct error *err, const char *key, const char *wanted)
{
    return error_set(err, -EINVAL, "\"%s\" must be %s.", key, wanted);
}

int json_member_string(const json_t *object, const char *key, const char **ret, struct error *err)
{
    const json_t *value = member(object, key);
    if (!value)
        return 0;
    if (!json_is_string(value))
        return wrong_type(err, key, "a string");
    *ret = json_string_value(value);
    return 1;
}

int json_member_int(const json_t *object, const char *key, int64_t min, int64_t max, int64_t *ret,
                    struct error *err)
{
    const json_t *value = member(object, key);
    if (!value)
        return 0;
    if (!json_is_integer(value))
        return wrong_type(err, key, "a whole number");
    int64_t number = json_integer_value(value);
    if (number < min || number > max)
        return error_set(err, -EINVAL,
                         "\"%s\" must lie between %" PRId64 " and %" PRId64 ", not %" PRId64 ".",
                         key, min, max, number);
    *ret = number;
    return 1;
}

int json_member_double(const json_t *object, const char *key, double min, double max, double *ret,
                       struct error *err)
{
    const json_t *value = member(object, key);
    if (!value)
        return 0;
    if (!json_is_number(value))
        return wrong_type(err, key, "a number");
    double number = json_number_value(value);
    if (!(number >= min && number <= max))
        return error_set(err, -EINVAL, "\"%s\" must lie between %g and %g, not %g.", key, min, max,
                         number);
    *ret = number;
    return 1;
}

int json_member_bool(const json_t *object, const char *key, bool *ret, struct error *err)
{
    const json_t *value = member(object, key);
    if (!value)
        return 0;
    if (!json_is_boolean(value))
        return wrong_type(err, key, "true or false");
    *ret = json_is_true(value);
    return 1;
}

int json_member_array(const json_t *object, const char *key, json_t **ret, struct error *err)
{
    json_t *value = member(object, key);
    if (!value)
        return 0;
    if (!json_is_array(value))
        return wrong_type(err, key, "an array");
    *ret = value;
    return 1;
}

int json_member_object(const json_t *object, const char *key, json_t **ret, struct error *err)
{
    json_t *value = member(object, key);
    if (!value)
        return 0;
    if (!json_is_object(value))
        return wrong_type(err, key, "an object");
    *ret = value;
    return 1;
}
