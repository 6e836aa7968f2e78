#include "controller/recorder.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/atomic_file.h"
#include "config/base/crc32c.h"
#include "config/base/io.h"
#include "config/calibration.h"
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
    size_t last_size; // of the last picture
    uint32_t last_crc;
    recorder_decision_fn *listener; // instead of a writer
    void *user;
};

static void fail(struct recorder *r, const struct error *err)
{
    if (r->broken)
        return;
    r->broken = true;
    r->error = *err;
}

static void listen(struct recorder *r, const char *channel, const char *text)
{
    if (strcmp(channel, "decision") == 0)
        r->listener(r->user, text);
}

// Steals the object.
static void put(struct recorder *r, const char *channel, json_t *data)
{
    char *text = data && !r->broken ? json_dumps(data, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    json_decref(data);
    if (!text)
        return;
    struct error err;
    if (r->listener) {
        listen(r, channel, text);
        free(text);
        return;
    }
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

static json_t *players_json(const struct recorder_setup *setup)
{
    json_t *array = json_array();
    for (int i = 0; i < setup->game->rules.seat_count; i++)
        json_array_append_new(array, json_pack("{s:s, s:b}", "name", setup->players[i].name,
                                               "at_board", setup->players[i].at_board));
    return array;
}

static json_t *moves_json(const struct game *game)
{
    json_t *array = json_array();
    for (size_t i = 0; i < game->entries; i++) {
        char text[MOVE_TEXT_MAX];
        json_array_append_new(array,
                              json_string(move_format(&game->rules, game_move(game, i), text)));
    }
    return array;
}

static json_t *wired_json(const struct gpio *gpio)
{
    json_t *array = json_array();
    for (int i = 0; gpio && i < GPIO_LINES; i++) {
        if (gpio->ops->get(gpio->impl, (enum gpio_line)i) != -ENOENT)
            json_array_append_new(array, json_string(gpio_line_name((enum gpio_line)i)));
    }
    return array;
}

static int write_setup(struct recorder *r, const struct recorder_setup *setup, struct error *err)
{
    char rules[VARIANT_TEXT_MAX];
    (void)variant_format(&setup->game->rules, rules, sizeof rules); // always fits
    put(r, "setup",
        json_pack("{s:o, s:s, s:o, s:b, s:b, s:i, s:s, s:b, s:o, s:o}", "settings",
                  settings_json(setup->settings), "variant", rules, "players", players_json(setup),
                  "fast", setup->fast, "resumed", setup->resumed, "fallen", (int)setup->fallen,
                  "pending", setup->pending ? setup->pending : "", "changed", setup->changed,
                  "moves", moves_json(setup->game), "wired", wired_json(setup->gpio)));
    if (!r->broken)
        return 0;
    *err = r->error;
    return err->number;
}

static int copy_calibration(const char *folder, const char *from, struct error *err)
{
    char path[4096], *text;
    size_t size;
    int r = io_read_file(&io_system, from, CALIBRATION_FILE_MAX, &text, &size, err);
    if (r < 0)
        return r;
    snprintf(path, sizeof path, "%.4000s/calibration.json", folder);
    r = atomic_file_write(NULL, path, text, size, 0644, err);
    free(text);
    return r;
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
        setup->game->rules.name, TESSERA_VERSION);
    int result = session_writer_new(folder, meta, &r->writer, err);
    if (result == 0) {
        snprintf(path, sizeof path, "%s/expected.jsonl", folder);
        r->expected = fopen(path, "we");
        result = r->expected
                     ? write_setup(r, setup, err)
                     : error_set(err, -errno, "%s can't be made: %s.", path, strerror(errno));
    }
    if (result == 0 && setup->calibration)
        result = copy_calibration(folder, setup->calibration, err);
    if (result < 0) {
        recorder_free(r);
        return result;
    }
    *ret = r;
    return 0;
}

int recorder_new_listener(recorder_decision_fn *fn, void *user, struct recorder **ret)
{
    struct recorder *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    r->listener = fn;
    r->user = user;
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

// Nothing has changed since the last picture, not even the noise (a simulated camera's): it is kept
// once.
static bool is_last(struct recorder *r, const struct frame *frame)
{
    uint32_t crc = crc32c(0, frame->data, frame->size);
    bool same = r->last_size == frame->size && r->last_crc == crc;
    r->last_size = frame->size;
    r->last_crc = crc;
    return same;
}

void recorder_frame(struct recorder *r, const struct frame *frame)
{
    struct error err;
    if (!r || r->broken || r->listener)
        return;
    // It reached us a little later.
    put(r, "exposed", json_pack("{s:I}", "ns", (json_int_t)frame->time_ns));
    if (is_last(r, frame)) {
        put(r, "again", json_pack("{s:i}", "seq", (int)frame->sequence));
        return;
    }
    if (!r->broken && session_write_frame(r->writer, loop_now(r->loop), frame->sequence,
                                          frame->data, frame->size, &err) < 0)
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

void recorder_player_failed(struct recorder *r, unsigned seat, const char *why)
{
    if (r)
        put(r, "player", json_pack("{s:i, s:s}", "seat", (int)seat, "failed", why));
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
