// What the engine's tests share: games from text, the data folder, an engine that repeats itself.
#pragma once

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/base/clock.h"
#include "rules/engine/engine.h"
#include "rules/notation.h"
#include "tests/data_folder.h"

// Opens a file below TESSERA_DATA; without the folder the test is skipped.
static inline FILE *open_data(const char *name)
{
    char path[4096];
    const char *folder = data_folder();
    if (!folder) {
        print_message("skipped: TESSERA_DATA is not set\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s cannot be opened", path);
    return file;
}

// Plays moves separated by blanks on a new game (the text is changed).
static inline void play_text(struct game *game, const char *variant, char *moves)
{
    char *save = NULL;
    game_init(game, variant_find(variant));
    for (char *word = strtok_r(moves, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
        struct move move;
        if (!move_parse(&game->rules, word, strlen(word), &move) ||
            game_play(game, move, NULL) != REASON_NONE)
            fail_msg("%s cannot be played", word);
    }
}

static inline struct engine *new_engine(int level, uint64_t seed)
{
    struct engine *engine;
    struct error err;
    struct engine_settings settings = {.level = level, .threads = 1, .hash_mib = 64, .seed = seed};
    if (engine_new(&settings, &engine, &err) < 0)
        fail_msg("%s", err.text);
    return engine;
}

static inline struct engine_thought *think(struct engine *engine, const struct game *game,
                                           uint64_t nodes, int64_t ms)
{
    static struct engine_thought thought;
    struct error err;
    struct engine_limits limits = {.nodes = nodes};
    if (ms)
        limits.deadline_ns = clock_monotonic_ns() + ms * NS_PER_MS;
    if (engine_think(engine, game, &limits, false, NULL, NULL, NULL, &thought, &err) < 0)
        fail_msg("%s", err.text);
    return &thought;
}
