#include "config/calibration_fields.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum kind {
    INTEGER, // int and enums
    SECONDS, // int64_t
    REAL,    // double
    SINGLE,  // float
    YES_NO,  // bool
    TEXT,    // char[CALIBRATION_NAME_MAX]
};

struct field {
    const char *name; // "lens.views"
    enum kind kind;
    size_t offset;
    int count; // 1, or the length of an array
    double min, max;
    int since; // the schema that brought it
};

#define AT(member)   offsetof(struct calibration, member)
#define SIZE(member) sizeof(((struct calibration *)0)->member)
// A pixel, a millimetre, a degree or a figure: nothing measured is larger than this.
#define LARGE 1e9

enum { REAL_SIZE = sizeof(double), SINGLE_SIZE = sizeof(float) };

// Rows of the table. What follows a dot cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
// clang-format off
#define VERDICT(part) \
    {#part ".valid", YES_NO, AT(part.verdict.valid), 1, 0, 1, 1}, \
    {#part ".when", SECONDS, AT(part.verdict.when), 1, 0, 1e12, 1}, \
    {#part ".figure", REAL, AT(part.verdict.figure), 1, -LARGE, LARGE, 1}, \
    {#part ".limit", REAL, AT(part.verdict.limit), 1, -LARGE, LARGE, 1}
#define REALS(name, member) \
    {name, REAL, AT(member), (int)(SIZE(member) / REAL_SIZE), -LARGE, LARGE, 1}
#define SINGLES(name, member) \
    {name, SINGLE, AT(member), (int)(SIZE(member) / SINGLE_SIZE), -LARGE, LARGE, 1}
#define WHOLE(name, member, min, max) {name, INTEGER, AT(member), 1, min, max, 1}
#define COLOUR(number, index) \
    {"stones.colour" #number ".name", TEXT, AT(stones.name[index]), 1, 0, 0, 1}, \
    SINGLES("stones.colour" #number ".mean", stones.models.colour[index].mean), \
    SINGLES("stones.colour" #number ".deviation", stones.models.colour[index].deviation), \
    SINGLES("stones.colour" #number ".weight", stones.models.colour[index].weight)
// clang-format on
// NOLINTEND(bugprone-macro-parentheses)

_Static_assert(sizeof(enum vision_a1) == sizeof(int), "enums are written as ints");

static const struct field FIELDS[] = {
    VERDICT(panel),
    {"panel.estop_proven", YES_NO, AT(panel.estop_proven), 1, 0, 1, 1},

    VERDICT(camera),
    WHOLE("camera.exposure_us", camera.exposure_us, -1, INT_MAX),
    WHOLE("camera.gain", camera.gain, -1, INT_MAX),
    WHOLE("camera.white_balance_k", camera.white_balance_k, -1, INT_MAX),
    WHOLE("camera.focus", camera.focus, -1, INT_MAX),
    REALS("camera.light", camera.light),

    VERDICT(lens),
    WHOLE("lens.width", lens.width, 0, 8192),
    WHOLE("lens.height", lens.height, 0, 8192),
    REALS("lens.model", lens.lens), // fx fy cx cy k1 k2 p1 p2 k3
    WHOLE("lens.views", lens.views, 0, 10000),

    VERDICT(board),
    WHOLE("board.columns", board.geometry.columns, 0, BOARD_LINES_MAX),
    WHOLE("board.rows", board.geometry.rows, 0, BOARD_LINES_MAX),
    {"board.pitch_x", REAL, AT(board.geometry.pitch_x), 1, 0, 1000, 1},
    {"board.pitch_y", REAL, AT(board.geometry.pitch_y), 1, 0, 1000, 1},
    {"board.seam_u", REAL, AT(board.geometry.seam_u), 1, 0, 1, 3},
    {"board.seam_v", REAL, AT(board.geometry.seam_v), 1, 0, 1, 3},
    WHOLE("board.width", board.geometry.image_width, 0, 8192),
    WHOLE("board.height", board.geometry.image_height, 0, 8192),
    REALS("board.lens", board.geometry.lens),
    REALS("board.homography", board.geometry.homography),
    SINGLES("board.mesh_x", board.geometry.mesh_x),
    SINGLES("board.mesh_y", board.geometry.mesh_y),
    REALS("board.rms_px", board.geometry.rms_px),
    WHOLE("board.samples", board.geometry.samples, 0, INT_MAX),
    {"board.light_lines", YES_NO, AT(board.geometry.light_lines), 1, 0, 1, 2},
    WHOLE("board.a1", board.a1, VISION_A1_BOTTOM_LEFT, VISION_A1_TOP_LEFT),

    VERDICT(arm),
    REALS("arm.max_error", arm.max_error),
    REALS("arm.affine", arm.map.a),
    WHOLE("arm.columns", arm.map.columns, 0, BOARD_MAP_NODES),
    WHOLE("arm.rows", arm.map.rows, 0, BOARD_MAP_NODES),
    REALS("arm.x0", arm.map.x0),
    REALS("arm.y0", arm.map.y0),
    REALS("arm.step_x", arm.map.step_x),
    REALS("arm.step_y", arm.map.step_y),
    REALS("arm.residual", arm.map.residual),
    REALS("arm.board_z", arm.board_z),
    WHOLE("arm.points", arm.points, 0, 100000),

    VERDICT(stones),
    WHOLE("stones.version", stones.models.version, 0, INT_MAX),
    WHOLE("stones.colours", stones.models.colours, 0, OBSERVATION_COLOURS_MAX),
    COLOUR(1, 0),
    COLOUR(2, 1),
    COLOUR(3, 2),
    COLOUR(4, 3),
    WHOLE("stones.looks", stones.looks, 0, INT_MAX),

    VERDICT(gripper),
    REALS("gripper.contact_z", gripper.contact_z),
    REALS("gripper.store_z", gripper.store_z),
    {"gripper.grip_time", REAL, AT(gripper.grip_time), 1, 0, 60, 1},
    {"gripper.release_time", REAL, AT(gripper.release_time), 1, 0, 60, 1},
};

enum { FIELD_COUNT = sizeof FIELDS / sizeof *FIELDS };

_Static_assert((int)OBSERVATION_COLOURS_MAX == (int)CALIBRATION_COLOURS,
               "the table has four colours");

static size_t size_of(enum kind kind)
{
    static const size_t SIZES[] = {
        [INTEGER] = sizeof(int),  [SECONDS] = sizeof(int64_t), [REAL] = sizeof(double),
        [SINGLE] = sizeof(float), [YES_NO] = sizeof(bool),     [TEXT] = CALIBRATION_NAME_MAX,
    };
    return SIZES[kind];
}

static json_t *write_one(enum kind kind, const void *at)
{
    int integer;
    int64_t seconds;
    double real;
    float single;
    bool yes;
    switch (kind) {
    case INTEGER:
        memcpy(&integer, at, sizeof integer);
        return json_integer(integer);
    case SECONDS:
        memcpy(&seconds, at, sizeof seconds);
        return json_integer(seconds);
    case REAL:
        memcpy(&real, at, sizeof real);
        return json_real(real); // NULL unless finite
    case SINGLE:
        memcpy(&single, at, sizeof single);
        return json_real((double)single);
    case YES_NO:
        memcpy(&yes, at, sizeof yes);
        return json_boolean(yes);
    case TEXT:
        return json_string(at);
    }
    return NULL;
}

static json_t *write_field(const struct field *field, const struct calibration *calibration)
{
    const char *at = (const char *)calibration + field->offset;
    if (field->count == 1)
        return write_one(field->kind, at);
    json_t *array = json_array();
    for (int i = 0; i < field->count && array; i++) {
        if (json_array_append_new(array, write_one(field->kind, at)) < 0) {
            json_decref(array);
            return NULL;
        }
        at += size_of(field->kind);
    }
    return array;
}

// The object that holds the last part of `name`, made on the way when `make`; *ret_last = that
// part.
static json_t *holder(json_t *root, const char *name, bool make, const char **ret_last)
{
    json_t *object = root;
    const char *dot;
    while (object && (dot = strchr(name, '.'))) {
        char part[CALIBRATION_NAME_MAX];
        (void)snprintf(part, sizeof part, "%.*s", (int)(dot - name), name);
        json_t *next = json_object_get(object, part);
        if (!next && make) {
            next = json_object();
            if (json_object_set_new(object, part, next) < 0)
                return NULL;
        }
        object = next;
        name = dot + 1;
    }
    *ret_last = name;
    return object;
}

json_t *calibration_fields_write(const struct calibration *calibration)
{
    json_t *root = json_object();
    for (int i = 0; i < FIELD_COUNT && root; i++) {
        const char *last;
        json_t *object = holder(root, FIELDS[i].name, true, &last);
        if (!object ||
            json_object_set_new(object, last, write_field(&FIELDS[i], calibration)) < 0) {
            json_decref(root);
            return NULL;
        }
    }
    return root;
}

static int misfit(struct error *err, const struct field *field, const char *what)
{
    return error_set(err, -EINVAL, "\"%s\" %s", field->name, what);
}

static int read_number(const struct field *field, const json_t *value, void *at, struct error *err)
{
    if (!json_is_number(value))
        return misfit(err, field, "is no number");
    double number = json_number_value(value);
    if (!(number >= field->min && number <= field->max))
        return misfit(err, field, "is out of range");
    bool whole = field->kind == INTEGER || field->kind == SECONDS;
    if (whole && !json_is_integer(value))
        return misfit(err, field, "is no whole number");
    int integer = whole ? (int)json_integer_value(value) : 0;
    int64_t seconds = whole ? json_integer_value(value) : 0;
    float single = (float)number;
    const void *from = field->kind == INTEGER   ? (const void *)&integer
                       : field->kind == SECONDS ? (const void *)&seconds
                       : field->kind == REAL    ? (const void *)&number
                                                : (const void *)&single;
    memcpy(at, from, size_of(field->kind));
    return 0;
}

static int read_one(const struct field *field, const json_t *value, void *at, struct error *err)
{
    if (field->kind == YES_NO) {
        if (!json_is_boolean(value))
            return misfit(err, field, "is neither true nor false");
        bool yes = json_is_true(value);
        memcpy(at, &yes, sizeof yes);
        return 0;
    }
    if (field->kind == TEXT) {
        const char *text = json_string_value(value);
        if (!text || strlen(text) >= CALIBRATION_NAME_MAX)
            return misfit(err, field, "is no short text");
        memset(at, 0, CALIBRATION_NAME_MAX);
        memcpy(at, text, strlen(text));
        return 0;
    }
    return read_number(field, value, at, err);
}

static int read_field(const struct field *field, const json_t *value, struct calibration *ret,
                      struct error *err)
{
    char *at = (char *)ret + field->offset;
    if (!value)
        return misfit(err, field, "is missing");
    if (field->count == 1)
        return read_one(field, value, at, err);
    if (!json_is_array(value) || json_array_size(value) != (size_t)field->count)
        return misfit(err, field, "is no list of the right length");
    for (int i = 0; i < field->count; i++) {
        int r = read_one(field, json_array_get(value, (size_t)i), at, err);
        if (r < 0)
            return r;
        at += size_of(field->kind);
    }
    return 0;
}

int calibration_fields_read(const json_t *data, int schema, struct calibration *ret,
                            struct error *err)
{
    for (int i = 0; i < FIELD_COUNT; i++) {
        const char *last;
        if (FIELDS[i].since > schema)
            continue;
        // Nothing is made, so nothing is changed.
        json_t *object = holder((json_t *)(uintptr_t)data, FIELDS[i].name, false, &last);
        int r = read_field(&FIELDS[i], object ? json_object_get(object, last) : NULL, ret, err);
        if (r < 0)
            return r;
    }
    return 0;
}
