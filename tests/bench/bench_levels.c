// bench_levels [GAMES [LEVEL]]: how each level of the engine scores against the one below, in Pente
// from balanced random openings, every opening played with both colours. GAMES (default 40) for
// each pair of levels; with LEVEL only that level against the one below. The upper levels think
// longer: theirs are a quarter of the games. Level 10 gets TOP_NODES a move, as in about half a
// second.
//
// Prints "name<TAB>score<TAB>± 95 %<TAB>unit"; a step is well made between 60 and 80 %.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/base/rng.h"
#include "rules/engine/balanced.h"

enum { OPENING_MOVES = 4, BALANCE = 60, ENTRIES_MAX = 250, TOP_NODES = 400000, HASH_MIB = 16 };

// One game; `upper` plays first after the opening when `first` is 0. Returns its points doubled.
static int play_game(struct engine *upper, struct engine *lower, const struct game *opening,
                     int first)
{
    static struct game game;
    static struct engine_thought thought;
    const struct engine_limits limits = {.nodes = TOP_NODES};
    game = *opening;
    unsigned first_seat = game_next_seat(&game), upper_seat = first ? 3 - first_seat : first_seat;
    while (!game.result.over && game.entries < ENTRIES_MAX) {
        struct engine *engine = game_next_seat(&game) == upper_seat ? upper : lower;
        if (engine_think(engine, &game, &limits, false, NULL, NULL, NULL, &thought, NULL) < 0 ||
            game_play(&game, thought.line[0].move, NULL) != REASON_NONE)
            abort(); // a bug of the engine
    }
    if (!game.result.over || !game.result.winner)
        return 1;
    return game.result.winner == game.rules.sides[game_seat_colour(&game, upper_seat)] ? 2 : 0;
}

static struct engine *new_engine(int level)
{
    struct engine_settings settings = {
        .level = level, .threads = 1, .hash_mib = HASH_MIB, .seed = (uint64_t)level};
    struct engine *engine;
    struct error err;
    if (engine_new(&settings, &engine, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return engine;
}

static void bench_level(int level, long games)
{
    static struct game opening;
    struct engine *upper = new_engine(level), *lower = new_engine(level - 1);
    struct engine *judge = new_engine(ENGINE_LEVELS);
    struct rng rng;
    double sum = 0, squares = 0;
    rng_seed(&rng, 2026);
    long pairs = games / 2 > 0 ? games / 2 : 1;
    for (long i = 0; i < pairs; i++) {
        balanced_opening(judge, variant_find("pente"), OPENING_MOVES, BALANCE, &rng, &opening);
        double score = 0;
        for (int first = 0; first < 2; first++)
            score += play_game(upper, lower, &opening, first) / 4.0;
        sum += score;
        squares += score * score;
    }
    double mean = sum / (double)pairs, variance = squares / (double)pairs - mean * mean;
    printf("level %d against %d\t%.0f\t%.0f\t%% of %ld games\n", level, level - 1, 100 * mean,
           196 * sqrt((variance + 0.02) / (double)pairs), 2 * pairs);
    fflush(stdout);
    engine_free(upper);
    engine_free(lower);
    engine_free(judge);
}

int main(int argc, char **argv)
{
    long games = argc > 1 ? strtol(argv[1], NULL, 10) : 40;
    int only = argc > 2 ? atoi(argv[2]) : 0;
    if (games < 2 || (only && (only < 2 || only > ENGINE_LEVELS))) {
        fprintf(stderr, "Usage: bench_levels [GAMES [LEVEL 2..%d]]\n", ENGINE_LEVELS);
        return 2;
    }
    for (int level = 2; level <= ENGINE_LEVELS; level++)
        if (!only || level == only)
            bench_level(level, level > 7 ? games / 4 : games);
    return 0;
}
