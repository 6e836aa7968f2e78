#include "controller/film.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/crc32c.h"
#include "config/schema.h"
#include "config/value.h"
#include "rules/notation.h"

// All a camera has to know about the table.
static const char *const KEYS[] = {
    "board.columns",  "board.rows",     "board.pitch_x",   "board.pitch_y", "board.points",
    "board.seam",     "board.tags",     "stones.diameter", "stones.height", "stones.colour1",
    "stones.colour2", "stones.colour3", "stones.colour4",  "camera.a1",
};

struct film {
    struct session_writer *writer;
    uint32_t sequence;
    uint32_t last_crc;
    size_t last_size; // 0 = no picture yet
};

int film_game(const struct settings *settings, struct game *ret, struct error *err)
{
    struct variant rules;
    char lines[8];
    const struct settings_board *board = &settings->board;
    int r = variant_init(&rules, settings->game.variant, err);
    if (r < 0)
        return r;
    if (board->columns != board->rows)
        return error_set(err, -EINVAL, "%s is played on a square board, not on %dx%d lines.",
                         rules.title, board->columns, board->rows);
    if (rules.size != board->columns) {
        snprintf(lines, sizeof lines, "%d", board->columns);
        r = variant_set(&rules, "size", lines, err);
        if (r == 0)
            r = variant_validate(&rules, err);
    }
    if (r == 0)
        game_init(ret, &rules);
    return r;
}

static json_t *setup_json(const struct settings *settings, const struct game *game)
{
    json_t *values = json_object(), *moves = json_array();
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        char text[SETTINGS_COMMAND_MAX];
        value_print(schema_find(KEYS[i]), settings, text, sizeof text);
        json_object_set_new(values, KEYS[i], json_string(text));
    }
    for (size_t i = 0; i < game->entries; i++) {
        char text[MOVE_TEXT_MAX];
        json_array_append_new(moves,
                              json_string(move_format(&game->rules, game_move(game, i), text)));
    }
    return json_pack("{s:s, s:s, s:o, s:o}", "kind", "film", "variant", game->rules.name,
                     "settings", values, "moves", moves);
}

int film_new(const char *folder, const char *meta_yaml, const struct settings *settings,
             const struct game *game, struct film **ret, struct error *err)
{
    struct film *f = calloc(1, sizeof *f);
    json_t *setup = f ? setup_json(settings, game) : NULL;
    char *text = setup ? json_dumps(setup, JSON_COMPACT) : NULL;
    json_decref(setup);
    int r = text ? session_writer_new(folder, meta_yaml, &f->writer, err)
                 : error_set(err, -ENOMEM, "out of memory");
    if (r == 0)
        r = session_write_event(f->writer, 0, "setup", text, err);
    free(text);
    if (r < 0) {
        film_free(f);
        return r;
    }
    *ret = f;
    return 0;
}

int film_frame(struct film *film, int64_t time_ns, const void *jpeg, size_t size, struct error *err)
{
    uint32_t crc = crc32c(0, jpeg, size), number = film->sequence++;
    bool same = film->last_size == size && film->last_crc == crc;
    film->last_size = size;
    film->last_crc = crc;
    if (!same)
        return session_write_frame(film->writer, time_ns, number, jpeg, size, err);
    char again[32];
    snprintf(again, sizeof again, "{\"seq\":%u}", (unsigned)number);
    return session_write_event(film->writer, time_ns, "again", again, err);
}

struct film *film_free(struct film *film)
{
    if (film)
        session_writer_free(film->writer);
    free(film);
    return NULL;
}

int film_close(struct film *film, struct error *err)
{
    int r = session_writer_flush(film->writer, err);
    film_free(film);
    return r;
}

bool film_is_setup(const char *json)
{
    json_t *setup = json_loads(json, 0, NULL);
    const char *kind = json_string_value(json_object_get(setup, "kind"));
    bool is = kind && strcmp(kind, "film") == 0;
    json_decref(setup);
    return is;
}
