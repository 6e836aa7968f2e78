// fuzz_record: what must hold for every text that a record reader accepts.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/record.h"

// Not assert(): the promise is kept in release builds as well.
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

// What was read can be written and read again as the same game, and undone to its start.
static inline void fuzz_record(const uint8_t *data, size_t size, enum record_format format,
                               const struct variant *rules)
{
    static struct record record, again;
    static char text[RECORD_WRITE_MAX];
    struct error err;
    if (record_read((const char *)data, size, format, rules, NULL, &record, &err) != 0) {
        MUST(err.number < 0 && err.text[0] != '\0');
        return;
    }
    const struct game *game = &record.game;
    MUST(variant_validate(&game->rules, NULL) == 0);
    MUST(game_hash(game) == game_hash_recomputed(game));
    MUST((record.fault.reason == REASON_NONE) == (record.fault.text[0] == '\0'));
    MUST(record.tag_count <= RECORD_TAGS_MAX);
    for (enum record_format f = RECORD_PENTEORG; f <= RECORD_NUMBER; f++) {
        size_t length;
        if (record_write(&record, f, text, sizeof text, &length, &err) != 0)
            continue;
        MUST(strlen(text) == length);
        // A text that only just holds what the other format says may not be read back whole (long
        // names of rules, tags without a place); where it is, it is the same game.
        if (record_read(text, length, f, &game->rules, NULL, &again, &err) == 0 &&
            again.fault.reason == REASON_NONE)
            MUST(game_hash(&again.game) == game_hash(game));
    }
    struct game undone = *game;
    while (game_undo(&undone))
        ;
    MUST(undone.entries == 0 && undone.ply >= undone.stones);
    MUST(format == RECORD_SGF || undone.ply == 0);
}
