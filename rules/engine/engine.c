#include "rules/engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/engine/crowd.h"
#include "rules/engine/level.h"
#include "rules/engine/opening.h"
#include "rules/engine/pentago_opening.h"
#include "rules/engine/pentago_player.h"
#include "rules/engine/rows.h"

enum { WEAK_HASH_MIB = 4 };

struct engine {
    struct engine_settings settings;
    struct rng rng;
    // Made when first needed: [0] for full strength, [1] small ones for the lower levels, which
    // forget everything before each move (and must not make hints forget).
    struct rows *rows[2];
    struct pentago_player *pentago[2];
};

static int check_level(int level, struct error *err)
{
    if (level < 1 || level > ENGINE_LEVELS)
        return error_set(err, -EINVAL, "The level must be between 1 and %d, not %d.", ENGINE_LEVELS,
                         level);
    return 0;
}

int engine_new(const struct engine_settings *settings, struct engine **ret, struct error *err)
{
    int r = check_level(settings->level, err);
    if (r < 0)
        return r;
    if (settings->threads < 1 || settings->threads > 64)
        return error_set(err, -EINVAL, "The number of threads must be between 1 and 64, not %d.",
                         settings->threads);
    if (settings->hash_mib < 1 || settings->hash_mib > 65536)
        return error_set(err, -EINVAL, "The hash size must be between 1 and 65536 MiB, not %u.",
                         settings->hash_mib);
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return error_set(err, -ENOMEM, "There is not enough memory for the engine.");
    engine->settings = *settings;
    rng_seed(&engine->rng, settings->seed);
    *ret = engine;
    return 0;
}

struct engine *engine_free(struct engine *engine)
{
    if (!engine)
        return NULL;
    for (int i = 0; i < 2; i++) {
        rows_free(engine->rows[i]);
        pentago_player_free(engine->pentago[i]);
    }
    free(engine);
    return NULL;
}

int engine_set_level(struct engine *engine, int level, struct error *err)
{
    int r = check_level(level, err);
    if (r == 0)
        engine->settings.level = level;
    return r;
}

void engine_set_seed(struct engine *engine, uint64_t seed)
{
    engine->settings.seed = seed;
    rng_seed(&engine->rng, seed);
}

void engine_forget(struct engine *engine)
{
    for (int i = 0; i < 2; i++) {
        if (engine->rows[i])
            rows_forget(engine->rows[i]);
        if (engine->pentago[i])
            pentago_player_forget(engine->pentago[i]);
    }
    rng_seed(&engine->rng, engine->settings.seed);
}

// One kind of game at a time: the memory of the other is given back.
static int need_rows(struct engine *engine, int weak)
{
    engine->pentago[weak] = pentago_player_free(engine->pentago[weak]);
    if (engine->rows[weak])
        return 0;
    return rows_new(weak ? WEAK_HASH_MIB : engine->settings.hash_mib,
                    weak ? 1 : engine->settings.threads, &engine->rows[weak]);
}

static int need_pentago(struct engine *engine, int weak)
{
    engine->rows[weak] = rows_free(engine->rows[weak]);
    if (engine->pentago[weak])
        return 0;
    return pentago_player_new(weak ? WEAK_HASH_MIB : engine->settings.hash_mib,
                              &engine->pentago[weak]);
}

int engine_prepare(struct engine *engine, const struct variant *variant)
{
    int weak = engine->settings.level < ENGINE_LEVELS;
    if (variant->family == FAMILY_PENTAGO) {
        struct pentago_opening_entry entry;
        const uint64_t empty[2] = {0, 0};
        int r = need_pentago(engine, weak);
        return r < 0 ? r : pentago_opening_find(empty, &entry);
    }
    // Full strength too when the level is lower: a hint must not be late either.
    for (int i = 0, r; rows_plays(variant) && i <= weak; i++)
        if ((r = need_rows(engine, i)) < 0 || (r = rows_prepare(engine->rows[i], variant)) < 0)
            return r;
    return 0;
}

// The answer when a player failed to give a legal one: never an illegal move, whatever happens.
static void first_legal(const struct game *game, struct engine_thought *ret)
{
    static const enum move_kind choices[] = {MOVE_FIRST, MOVE_SECOND, MOVE_PASS};
    static _Thread_local struct move legal[LEGAL_MAX];
    *ret = (struct engine_thought){.line_count = 1};
    for (size_t i = 0; game_choice_pending(game) && i < 3; i++) {
        if (game_choice_allowed(game, choices[i])) {
            ret->line[0].move = move_choice(choices[i]);
            return;
        }
    }
    if (game_legal(game, legal) > 0)
        ret->line[0].move = legal[0];
}

static int dispatch(struct engine *engine, const struct game *game,
                    const struct engine_limits *limits, const struct level *level, atomic_int *stop,
                    engine_report *report, void *user, struct engine_thought *ret)
{
    struct rng *rng = &engine->rng;
    int weak = level != NULL;
    if (game->rules.family == FAMILY_PENTAGO) {
        int r = need_pentago(engine, weak);
        return r < 0 ? r
                     : pentago_player_think(engine->pentago[weak], game, limits, level, rng, stop,
                                            report, user, ret);
    }
    if (!rows_plays(&game->rules))
        return crowd_think(game, limits, level, rng, stop, report, user, ret);
    int r = need_rows(engine, weak);
    if (r < 0)
        return r;
    if (game_choice_pending(game))
        return opening_choose(engine->rows[weak], game, limits, rng, stop, ret);
    if (opening_lays(game))
        return opening_lay(engine->rows[weak], game, limits, rng, stop, ret);
    return rows_think(engine->rows[weak], game, limits, level, rng, stop, report, user, ret);
}

int engine_think(struct engine *engine, const struct game *game, const struct engine_limits *limits,
                 bool full_strength, atomic_int *stop, engine_report *report, void *user,
                 struct engine_thought *ret, struct error *err)
{
    if (game->result.over)
        return error_set(err, -EINVAL, "The game is over: there is no move to find.");
    const struct level *level = full_strength || engine->settings.level == ENGINE_LEVELS
                                    ? NULL
                                    : level_get(engine->settings.level);
    int r = dispatch(engine, game, limits, level, stop, report, user, ret);
    if (r < 0)
        return error_set(err, r, "No move could be found: %s.", strerror(-r));
    if (game_check(game, ret->line[0].move, NULL) != REASON_NONE)
        first_legal(game, ret);
    return 0;
}
