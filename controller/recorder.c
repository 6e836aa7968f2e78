#include "controller/recorder.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/schema.h"
#include "config/value.h"
#include "rules/notation.h"
#include "vision/session.h"

struct recorder {
    struct loop *loop;
    struct session_writer *writer;
    FILE *expected; // expected.jsonl
    bool broken;
    struct error error;
    uint32_t sequence;
};

static void fail(struct recorder *r, const struct error *err)
{
    if (r->broken)
        return;
    r->broken = true;
    r->error = *err;
}

// Steals the object.
static void put(struct recorder *r, const char *channel, json_t *data)
{
    char *text = data && !r->broken ? json_dumps(data, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    json_decref(data);
    if (!text)
        return;
    struct error err;
    if (session_write_event(r->writer, loop_now(r->loop), channel, text, &err) < 0)
        fail(r, &err);
    if (strcmp(channel, "decision") == 0 && fprintf(r->expected, "%s\n", text) < 0) {
        error_set(&err, -errno, "expected.jsonl can't be written: %s.", strerror(errno));
        fail(r, &err);
    }
    free(text);
}

static json_t *settings_json(const struct settings *settings)
{
    json_t *object = json_object();
    for (size_t i = 0; object && i < schema_key_count; i++) {
        char text[SETTINGS_COMMAND_MAX];
        value_print(&schema_keys[i], settings, text, sizeof text);
        json_object_set_new(object, schema_keys[i].key, json_string(text));
    }
    return object;
}

static int write_setup(struct recorder *r, const struct recorder_setup *setup, struct error *err)
{
    put(r, "setup",
        json_pack("{s:o, s:s, s:i, s:i, s:b}", "settings", settings_json(setup->settings),
                  "variant", setup->variant, "robot_seats", (int)setup->robot_seats, "at_board",
                  (int)setup->at_board, "fast", setup->fast));
    if (!r->broken)
        return 0;
    *err = r->error;
    return err->number;
}

int recorder_new(struct loop *loop, const char *folder, const struct recorder_setup *setup,
                 struct recorder **ret, struct error *err)
{
    struct recorder *r = calloc(1, sizeof *r);
    if (!r)
        return error_set(err, -ENOMEM, "out of memory");
    r->loop = loop;
    char meta[512], path[4096];
    snprintf(
        meta, sizeof meta, "name: %s\nboard: %dx%d\ncamera: %s\nvariant: %s\nprogram: tessera %s\n",
        setup->settings->machine.name, setup->settings->board.columns, setup->settings->board.rows,
        setup->settings->camera.source == SETTINGS_CAMERA_SIM ? "simulated"
                                                              : setup->settings->camera.device,
        setup->variant, TESSERA_VERSION);
    int result = session_writer_new(folder, meta, &r->writer, err);
    if (result == 0) {
        snprintf(path, sizeof path, "%s/expected.jsonl", folder);
        r->expected = fopen(path, "we");
        result = r->expected
                     ? write_setup(r, setup, err)
                     : error_set(err, -errno, "%s can't be made: %s.", path, strerror(errno));
    }
    if (result < 0) {
        recorder_free(r);
        return result;
    }
    *ret = r;
    return 0;
}

struct recorder *recorder_free(struct recorder *r)
{
    if (!r)
        return NULL;
    session_writer_free(r->writer);
    if (r->expected)
        fclose(r->expected);
    free(r);
    return NULL;
}

void recorder_frame(struct recorder *r, const struct frame *frame)
{
    struct error err;
    if (r && !r->broken &&
        session_write_frame(r->writer, loop_now(r->loop), frame->sequence, frame->data, frame->size,
                            &err) < 0)
        fail(r, &err);
}

// Any bytes as JSON text: each byte is the character of its number (Latin-1).
static json_t *bytes_json(const uint8_t *bytes, size_t size)
{
    char *text = malloc(2 * size + 1);
    if (!text)
        return NULL;
    size_t n = 0;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] < 0x80 && bytes[i]) {
            text[n++] = (char)bytes[i];
        } else {
            text[n++] = (char)(0xC0 | bytes[i] >> 6);
            text[n++] = (char)(0x80 | (bytes[i] & 0x3F));
        }
    }
    json_t *json = json_stringn_nocheck(text, n);
    free(text);
    return json;
}

void recorder_serial(struct recorder *r, enum transport_direction direction, const void *data,
                     size_t size)
{
    if (r)
        put(r, "serial",
            json_pack("{s:o}", direction == TRANSPORT_IN ? "in" : "out", bytes_json(data, size)));
}

void recorder_gpio(struct recorder *r, enum gpio_line line, int level)
{
    if (r)
        put(r, "gpio", json_pack("{s:s, s:i}", "line", gpio_line_name(line), "level", level));
}

void recorder_player(struct recorder *r, unsigned seat, const char *move)
{
    if (r)
        put(r, "player", json_pack("{s:i, s:s}", "seat", (int)seat, "move", move));
}

void recorder_person(struct recorder *r, const char *does, unsigned seat)
{
    if (r)
        put(r, "person", json_pack("{s:s, s:i}", "does", does, "seat", (int)seat));
}

void recorder_decision(struct recorder *r, const char *kind, const char *text)
{
    if (r)
        put(r, "decision", json_pack("{s:s}", kind, text));
}

const char *recorder_trouble(const struct recorder *r)
{
    return r && r->broken ? r->error.text : NULL;
}
